"""The maintainers' command that checks clones: what it says has changed, and that it shows no text of theirs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from clones import main

from spark_iceberg_sql.checker.files.linter import Linter

SECRET = "secret_column"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.sql").write_text(
            f"CREATE TABLE t ({SECRET} BIGINT) USING iceberg PARTITIONED BY (weeks({SECRET}))"
        )
    (tmp_path / "two" / "b.ipynb").write_text("{")
    return tmp_path


def test_what_changed(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(top)]) == 1
    assert capsys.readouterr().out == (
        "one: new\none: SIS101 0 -> 1\none: statements 0 -> 1\n"
        "two: new\ntwo: SIS101 0 -> 1\ntwo: statements 0 -> 1\ntwo: unreadable 0 -> 1\n"
        "2 clones: SIS101 2, statements 2, unreadable 1\n"
    )
    assert main([str(top)]) == 0
    assert capsys.readouterr().out == "2 clones: SIS101 2, statements 2, unreadable 1\n"
    (top / "two" / "a.sql").write_text("SELECT 1")
    for name in "cdefg":
        (top / "one" / f"{name}.sql").write_text("ALTER TABLE t ADD PARTITION FIELD weeks(a)")
    assert main([str(top), "--keep"]) == 1
    output = capsys.readouterr().out
    assert "one: SIS101 1 -> 6 (c.sql, d.sql, e.sql and 2 more)\n" in output
    assert "two: SIS101 1 -> 0 (a.sql)\n" in output
    assert main([str(top)]) == 1  # nothing was remembered
    assert capsys.readouterr().out == output
    (top / "one").rename(top / "three")
    assert main([str(top)]) == 1
    assert capsys.readouterr().out.count("three: ") > 1


def test_a_failure_is_counted(top: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(top)])
    monkeypatch.setattr(Linter, "lint", lambda *arguments: 1 / 0)
    assert main([str(top)]) == 1
    assert "one: failed: ZeroDivisionError 0 -> 1 (a.sql)\n" in capsys.readouterr().out


def test_another_commit_is_said(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def git(*arguments: str) -> None:
        command = ["git", "-C", str(top / "one"), "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run([*command, *arguments], check=True, capture_output=True)

    git("init")
    git("commit", "--allow-empty", "-m", "a")
    main([str(top)])
    git("commit", "--allow-empty", "-m", "b")
    capsys.readouterr()
    assert main([str(top)]) == 1
    assert "one: another commit" in capsys.readouterr().out


def test_no_text_of_theirs(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(top)])
    kept = "".join(path.read_text() for path in top.glob("*.json"))
    assert SECRET not in kept + capsys.readouterr().out
    assert "a.sql" in kept


def test_wrong_words(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], [str(top / "nope")], [str(top), "--what"], [str(top), str(top)]):
        assert main(arguments) == 2
