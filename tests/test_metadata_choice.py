"""Which metadata file is the current one: names, heads, ties, two tables in one folder."""

from __future__ import annotations

import gzip
import json
import uuid as uuids
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_iceberg_sql.model.metadata.metadata_files import (
    HEAD,
    Head,
    NoMetadataError,
    current_metadata_file,
    is_metadata_file,
    metadata_file,
    read_head,
    unversioned,
)

A, B = "0b1b24d8-0f3c-4f4e-8e44-1c3a0a6c5b01", "f00dcafe-0f3c-4f4e-8e44-1c3a0a6c5b02"
F1, F2, F3 = (f"{n}c38b2a2-3b6f-4a63-9be2-8a4f9d1f0a1c" for n in "123")


class Folder:
    """A folder of metadata files, which counts the heads that are read."""

    def __init__(self, files: Mapping[str, Head]) -> None:
        self.files = {f"s3://b/t/metadata/{name}": head for name, head in files.items()}
        self.read: list[str] = []

    def heads(self, locations: Sequence[str]) -> list[Head]:
        assert locations
        self.read.extend(locations)
        return [self.files[location] for location in locations]

    def choose(self, *, table_uuid: str | None = None, by_last_updated: bool = False) -> str:
        chosen = current_metadata_file(self.files, self.heads, table_uuid=table_uuid, by_last_updated=by_last_updated)
        return chosen.name


@pytest.mark.parametrize(
    ("name", "version", "uuid", "gzipped"),
    [
        ("v3.metadata.json", 3, None, False),
        ("3.metadata.json", 3, None, False),
        ("v3.gz.metadata.json", 3, None, True),
        ("v3.metadata.json.gz", 3, None, True),
        (f"00012-{F1}.metadata.json", 12, F1, False),
        (f"00012-{F1.upper()}.gz.metadata.json", 12, F1, True),
        (f"v2-{F1}.metadata.json", 2, F1, False),
        (f"00000-{F1.replace('-', '')}.metadata.json", 0, F1.replace("-", ""), False),
    ],
)
def test_names(name: str, version: int, uuid: str | None, gzipped: bool) -> None:
    for location in (name, f"hdfs://n/t/metadata/{name}"):
        file = metadata_file(location)
        assert file is not None
        assert (file.version, file.uuid, file.gzipped, file.name) == (version, uuid, gzipped, name)
    assert is_metadata_file(name)


@pytest.mark.parametrize(
    "name",
    [
        "version-hint.text",
        "snap-1-1-x.avro",
        ".v3.metadata.json.crc",
        "v3.metadata.json.tmp",
        "metadata.json",
        "latest.metadata.json",
        "v3-nouuid.metadata.json",
        "v3.metadata.json/x.parquet",
    ],
)
def test_other_files_are_no_candidates(name: str) -> None:
    assert metadata_file(f"/t/metadata/{name}") is None


def test_versions_are_numbers_and_no_head_is_read_for_them() -> None:
    folder = Folder({f"v{n}.metadata.json": Head(A, n) for n in (2, 9, 10)})
    assert folder.choose() == "v10.metadata.json"
    assert folder.read == []


def test_last_updated_may_be_an_older_version() -> None:
    folder = Folder({"v1.metadata.json": Head(A, 50), "v2.metadata.json": Head(A, 40)})
    assert folder.choose() == "v2.metadata.json"
    assert folder.choose(by_last_updated=True) == "v1.metadata.json"


def test_two_tables_in_one_folder() -> None:
    folder = Folder(
        {
            f"00001-{F1}.metadata.json": Head(A, 10),
            f"00002-{F2}.metadata.json": Head(A, 20),
            f"00001-{F3}.metadata.json": Head(B, 30),
        }
    )
    assert folder.choose() == f"00002-{F2}.metadata.json"
    assert folder.choose(table_uuid=A.upper()) == f"00002-{F2}.metadata.json"
    assert folder.choose(table_uuid=B) == f"00001-{F3}.metadata.json"
    assert folder.choose(table_uuid=A, by_last_updated=True) == f"00002-{F2}.metadata.json"


def test_the_same_version_of_two_tables_is_not_guessed() -> None:
    folder = Folder({f"00001-{F1}.metadata.json": Head(A, 10), f"00001-{F2}.metadata.json": Head(B, 20)})
    with pytest.raises(NoMetadataError, match=f"2 tables.*{A}.*metadata_table_uuid => '{A}'"):
        folder.choose()


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [(20, 10, F1), (10, 20, F2), (0, 1, F2), (None, 1, F2), (None, 0, F2), (0, None, F2), (None, -1, F1), (10, 10, F2)],
)
def test_the_same_version_of_one_table_is_the_last_updated(first: int | None, second: int | None, chosen: str) -> None:
    files = {f"00001-{F1}.metadata.json": first, f"00001-{F2}.metadata.json": second}
    for names in (list(files), list(reversed(files))):
        folder = Folder({name: Head(A, files[name]) for name in names})
        assert current_metadata_file(folder.files, folder.heads).name == f"00001-{chosen}.metadata.json"
        assert folder.choose(table_uuid=A) == f"00001-{chosen}.metadata.json"
        assert folder.choose(by_last_updated=True) == f"00001-{chosen}.metadata.json"


def test_no_file_is_read_twice_for_a_uuid() -> None:
    folder = Folder({f"v{n}.metadata.json": Head(A if n else B, n) for n in range(7)})
    assert folder.choose(table_uuid=B) == "v0.metadata.json"
    assert len(folder.read) == 7
    folder = Folder({f"v{n}.metadata.json": Head(A, n) for n in range(4)})
    with pytest.raises(NoMetadataError):
        folder.choose(table_uuid=B)
    assert len(folder.read) == 4


@pytest.mark.parametrize("by_last_updated", [False, True])
def test_each_file_needs_its_head(by_last_updated: bool) -> None:
    with pytest.raises(ValueError, match="shorter"):
        current_metadata_file(["v1.metadata.json"], lambda _: [], table_uuid=A, by_last_updated=by_last_updated)


def test_a_table_that_is_not_there_names_those_that_are() -> None:
    folder = Folder({"v1.metadata.json": Head(A, 1), "v2.metadata.json": Head(A, 2)})
    says = f"^none of 2 metadata files belongs to table {B}; there are {A}$"
    with pytest.raises(NoMetadataError, match=says):
        folder.choose(table_uuid=B)
    with pytest.raises(NoMetadataError, match=says):
        folder.choose(table_uuid=B, by_last_updated=True)


@pytest.mark.parametrize("by_last_updated", [False, True])
def test_an_empty_folder(by_last_updated: bool) -> None:
    with pytest.raises(NoMetadataError, match=r"^no file named like v3\.metadata\.json"):
        current_metadata_file(["/t/metadata/version-hint.text"], lambda _: [], by_last_updated=by_last_updated)


def test_of_a_thousand_files_a_uuid_reads_few() -> None:
    folder = Folder({f"{n:05}-{uuids.uuid4()}.metadata.json": Head(A, n) for n in range(1000)})
    assert folder.choose(table_uuid=A).startswith("00999-")
    assert len(folder.read) == 4


@given(st.dictionaries(st.integers(0, 10**6), st.sampled_from([A, B]), min_size=1, max_size=40))
def test_the_newest_of_a_table_whatever_else_is_there(tables: dict[int, str]) -> None:
    folder = Folder({f"v{n}.metadata.json": Head(table, -n) for n, table in tables.items()})
    for table_uuid in set(tables.values()):
        newest = max(n for n, table in tables.items() if table == table_uuid)
        oldest = min(n for n, table in tables.items() if table == table_uuid)
        assert folder.choose(table_uuid=table_uuid) == f"v{newest}.metadata.json"
        chosen = folder.choose(table_uuid=table_uuid, by_last_updated=True)
        assert chosen == f"v{oldest}.metadata.json"


METADATA = json.dumps(
    {
        "format-version": 2,
        "table-uuid": A.upper(),
        "location": "s3://b/t",
        "last-updated-ms": 1714636800000,
        "properties": {str(n): str(uuids.uuid4()) for n in range(500)},
    }
).encode()


@pytest.mark.parametrize("content", [METADATA, b"\n " + METADATA, gzip.compress(METADATA)])
def test_the_head_is_enough(content: bytes) -> None:
    assert len(content) > HEAD
    assert read_head(content[:HEAD]) == Head(A, 1714636800000)


def test_bytes_that_are_no_text() -> None:
    assert read_head(b'{"table-uuid": "\xff"}') == Head("\ufffd", None)


@pytest.mark.parametrize(
    ("content", "wrong"),
    [(b"", "^empty$"), (b"PAR1", "^not JSON$"), (b"\x1f\x8b" + b"\xff" * 60, "^not a gzip stream: ")],
)
def test_what_is_no_metadata(content: bytes, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        read_head(content)


DIGITS = F1.replace("1c38b2a2", "12345678")  # begins with eight digits, and they are no version


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("00002-legacy-bare-dv.metadata.json", 2),
        (f"00006_{F1}.metadata.json", 6),
        ("00006-foo.bar.gz.metadata.json", 6),
        ("7 (copy).metadata.json", 7),
        ("v3.zst.metadata.json", 3),
        ("v3.metadata.json.zstd", 3),
        (f"00004-{F1}.snappy.metadata.json", 4),
        (f"00004-{F1}.metadata.json.lz4", 4),
        ("V12.METADATA.JSON", 12),
        ("20260101120000-x.metadata.json", 20260101120000),
        (f"{DIGITS}.metadata.json", None),
        (f"{DIGITS}.gz.metadata.json", None),
        ("v3.other.metadata.json", None),
    ],
)
def test_a_version_is_the_digits_in_front(name: str, version: int | None) -> None:
    assert is_metadata_file(name)
    file = metadata_file(f"/t/metadata/{name}")
    assert (None if file is None else file.version) == version


def test_the_newest_file_counts_whatever_stands_behind_its_digits() -> None:
    folder = Folder(
        {
            f"00000-{F1}.metadata.json": Head(A, 1),
            f"00001-{F2}.metadata.json": Head(A, 2),
            "00002-legacy-bare-dv.metadata.json": Head(A, 3),
        }
    )
    assert folder.choose() == "00002-legacy-bare-dv.metadata.json"
    assert folder.read == []


STRAYS = ["latest.metadata.json", "v3-x.metadata.json", f"{DIGITS}.metadata.json"]


@pytest.mark.parametrize("stray", STRAYS)
@pytest.mark.parametrize("updated", [3, None])
def test_a_file_without_a_version_that_may_be_newer_is_not_passed_over(stray: str, updated: int | None) -> None:
    files = {f"0000{n}-{F1}.metadata.json": Head(A, n) for n in (1, 2)}
    folder = Folder({**files, stray: Head(A, updated)})
    for uuid in (None, A):
        with pytest.raises(NoMetadataError, match=f"`{stray}` has no version.*`00002-") as caught:
            folder.choose(table_uuid=uuid)
        assert f"metadata_file_path => 'metadata/{stray}'" in str(caught.value)
    if updated is not None:
        assert folder.choose(by_last_updated=True) == stray


@pytest.mark.parametrize("stray", STRAYS)
@pytest.mark.parametrize("head", [Head(A, 2), Head(A, 1), Head(B, 9)])
def test_an_older_file_without_a_version_is_named_and_left_out(stray: str, head: Head) -> None:
    files = {f"0000{n}-{F1}.metadata.json": Head(A, n) for n in (1, 2)}
    folder = Folder({**files, stray: head})
    assert folder.choose() == f"00002-{F1}.metadata.json"
    assert [name.rsplit("/", 1)[1] for name in unversioned(folder.files)] == [stray]


@pytest.mark.parametrize("name", [DIGITS, F2, f"{F2}.gz"])
def test_what_a_hadoop_table_s_writer_has_not_committed_is_no_version(name: str) -> None:
    """It writes <uuid>.metadata.json and renames it; a reader may come in between."""
    files = {"v1.metadata.json": Head(A, 1), f"{name}.metadata.json": Head(A, 9)}
    folder = Folder(files)
    assert folder.choose() == "v1.metadata.json"
    assert (folder.read, unversioned(folder.files)) == ([], [])


@pytest.mark.parametrize("stray", STRAYS)
def test_nothing_but_files_without_a_version(stray: str) -> None:
    folder = Folder({stray: Head(A, 1)})
    with pytest.raises(NoMetadataError, match=f"^no file named like .*, only `{stray}`; read one"):
        folder.choose()
    assert folder.choose(by_last_updated=True) == stray
