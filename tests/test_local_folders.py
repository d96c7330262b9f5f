"""The names of a folder are kept only while the folder cannot have changed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from spark_iceberg_sql.spark.bridge.io import local_folders
from spark_iceberg_sql.spark.bridge.io.local_folders import metadata_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with v1, unchanged for long enough to be trusted."""
    monkeypatch.setattr(local_folders, "_SETTLE_SECONDS", 0.2)
    (tmp_path / "v1.metadata.json").touch()
    (tmp_path / "0c9b9d3e-m0.avro").touch()
    (tmp_path / "v0.metadata.json").mkdir()
    time.sleep(0.5)
    return tmp_path


def listings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    listed_folders: list[str] = []
    scan = os.scandir

    def counted(path: str) -> object:
        listed_folders.append(path)
        return scan(path)

    monkeypatch.setattr(local_folders.os, "scandir", counted)
    return listed_folders


def test_a_folder_that_has_not_changed_is_listed_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed_folders = listings(monkeypatch)
    for _ in range(5):
        assert metadata_files(str(folder)) == ("v1.metadata.json",)
    assert len(listed_folders) == (1 if local_folders._keeps_time(folder.stat().st_dev) else 5)


def test_each_change_is_seen_at_once(folder: Path) -> None:
    for n in range(2, 100):
        assert len(metadata_files(str(folder))) == n - 1
        (folder / f"v{n}.metadata.json").touch()
        assert len(metadata_files(str(folder))) == n
    (folder / "v1.metadata.json").unlink()
    assert "v1.metadata.json" not in metadata_files(str(folder))


def test_a_change_behind_which_the_time_was_set_back(folder: Path) -> None:
    before = folder.stat()
    assert metadata_files(str(folder)) == metadata_files(str(folder))
    time.sleep(0.1)
    os.rename(folder / "v1.metadata.json", folder / "v2.metadata.json")
    os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert metadata_files(str(folder)) == ("v2.metadata.json",)


def test_another_folder_in_its_place(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    link = tmp_path_factory.mktemp("links") / "metadata"
    other = tmp_path_factory.mktemp("other")
    (other / "v9.metadata.json").touch()
    link.symlink_to(folder)
    assert metadata_files(str(link)) == metadata_files(str(link)) == ("v1.metadata.json",)
    link.unlink()
    link.symlink_to(other)
    assert metadata_files(str(link)) == ("v9.metadata.json",)
    link.unlink()
    assert metadata_files(str(link)) == ()


def test_a_file_system_that_may_not_keep_the_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_folders, "_TIME_KEEPING_FILESYSTEMS", frozenset())
    listed_folders = listings(monkeypatch)
    for _ in range(3):
        metadata_files(str(folder))
    assert len(listed_folders) == 3
