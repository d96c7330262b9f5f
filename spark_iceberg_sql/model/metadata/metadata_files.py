"""Chooses the current metadata file of a table's folder: by its name and by its first bytes.

Nothing here opens a file: the listing and a reader of heads are passed in, so the choice is the same for a local disk,
an object store and a test.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

HEAD = 4096  # bytes that hold table-uuid and last-updated-ms in every file Iceberg writes

_CODEC = r"\.(?:gz|gzip|zst|zstd|snappy|lz4|br|bz2|xz|deflate)"
_UUID_TEXT = r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}"
METADATA_NAMES = rf"\.metadata\.json(?:{_CODEC})?$"  # in any letter case; Java reads it, too
_FILE = re.compile(METADATA_NAMES, re.IGNORECASE)
_NAME = re.compile(
    rf"(?!{_UUID_TEXT}\.)(?:v?(?P<version>\d+)(?:-(?P<uuid>{_UUID_TEXT}))?|(?P<digits>\d+)[-_. ].*?)"
    rf"(?P<early>{_CODEC})?\.metadata\.json(?P<late>{_CODEC})?",
    re.IGNORECASE,
)
# A temporary file that a Hadoop table's writer renames to v4.metadata.json on commit, and leaves behind if it crashes.
_UNCOMMITTED = re.compile(rf"{_UUID_TEXT}(?:{_CODEC})?\.metadata\.json", re.IGNORECASE)
_UUID = re.compile(rb'"table-uuid"\s*:\s*"([^"]*)"')
_UPDATED = re.compile(rb'"last-updated-ms"\s*:\s*(-?\d+)')


@dataclass(frozen=True, slots=True)
class MetadataFile:
    """The properties of a metadata file that its name contains.

    location: the full address. version: the number in the name. uuid: the unique part that catalogs put into the name
    (it is the file's own, not the table's), in lower case. gzipped: by the name.
    """

    location: str
    version: int
    uuid: str | None
    gzipped: bool

    @property
    def name(self) -> str:
        """The last part of the location."""
        return self.location.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class Head:
    """The properties that the first bytes of a metadata file contain.

    table_uuid: in lower case; None in format version 1 files that have none. updated_ms: last-updated-ms.
    """

    table_uuid: str | None
    updated_ms: int | None


class NoMetadataError(ValueError):
    """No metadata file can be chosen; the text lists the files and the arguments that choose one."""


def is_metadata_file(location: str) -> bool:
    """True if a path is a metadata file itself, and not a table's folder."""
    return _FILE.search(location) is not None


def metadata_file(location: str) -> MetadataFile | None:
    """A metadata file from its location; None if the name has no version.

    Known names: `v3.metadata.json` of Hadoop tables, `00003-<uuid>.metadata.json` of catalogs (or another text after
    the digits), and both with `.gz` or another compression before `.metadata` (as Iceberg writes it) or at the end.
    """
    match = _NAME.fullmatch(location.rsplit("/", 1)[-1])
    if match is None:
        return None
    uuid, codec = match["uuid"], (match["early"] or match["late"] or "").lower()
    return MetadataFile(
        location, int(match["version"] or match["digits"]), uuid.lower() if uuid else None, codec in (".gz", ".gzip")
    )


def unsupported_compression(location: str) -> str | None:
    """The compression in a metadata file's name, such as `snappy`; None for gzip, which Iceberg reads, and for none."""
    match = _NAME.fullmatch(location.rsplit("/", 1)[-1])
    codec = "" if match is None else (match["early"] or match["late"] or "").lower()
    return None if codec in ("", ".gz", ".gzip") else codec[1:]


def unversioned(locations: Iterable[str]) -> list[str]:
    """The metadata files of a folder whose names have no version, so that their order is unknown.

    Uncommitted files of a Hadoop table's writer are not included.
    """
    return [file.location for file in _by_version(tuple(locations))[1]]


def _unversioned(locations: Iterable[str]) -> list[str]:
    names = {location: location.rsplit("/", 1)[-1] for location in locations}
    unversioned_locations = [loc for loc, name in names.items() if is_metadata_file(name) and not metadata_file(name)]
    is_hadoop = bool(unversioned_locations) and any(n[:1] in "vV" and metadata_file(n) for n in names.values())
    return sorted(loc for loc in unversioned_locations if not (is_hadoop and _UNCOMMITTED.fullmatch(names[loc])))


def read_head(content: bytes) -> Head:
    """The properties in the first bytes of a metadata file; plain or gzipped, cut anywhere.

    Raises ValueError if they are neither JSON text nor a gzip stream.
    """
    text = content
    if content[:2] == b"\x1f\x8b":
        try:
            text = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS).decompress(content)
        except zlib.error as error:
            raise ValueError(f"not a gzip stream: {error}") from None
    if not text.lstrip().startswith(b"{"):
        raise ValueError("empty" if not text.strip() else "not JSON")
    uuid, updated = _UUID.search(text), _UPDATED.search(text)
    return Head(uuid[1].decode("utf-8", "replace").lower() if uuid else None, int(updated[1]) if updated else None)


def current_metadata_file(
    locations: Iterable[str],
    heads: Callable[[Sequence[str]], Sequence[Head]],
    *,
    table_uuid: str | None = None,
    by_last_updated: bool = False,
) -> MetadataFile:
    """The current one among the metadata files of a folder.

    locations: the folder's listing; other files in it are ignored. heads: reads the heads of some of them, in the same
    order. table_uuid: only files of that table, ignoring case. by_last_updated: the greatest last-updated-ms instead of
    the greatest version.

    If there is only one file of the newest version, no head is read. For a table's uuid, files are read from the newest
    version down to the first match. The heads of files without a version in their names are always read, so that the
    last updated one is not ignored. Raises NoMetadataError.
    """
    files, unversioned_files = _by_version(tuple(locations))
    lower_uuid = table_uuid.lower() if table_uuid is not None else None
    if by_last_updated and files + unversioned_files:
        return _last_updated(files + unversioned_files, heads, lower_uuid)
    if not files:
        raise _no_names(unversioned_files)
    if lower_uuid is not None:
        chosen = _newest_of(files, heads, lower_uuid)
    else:
        newest_files = [f for f in files if f.version == files[0].version]
        is_single = len(newest_files) == 1
        chosen = newest_files[0] if is_single else _one_table(newest_files, heads([f.location for f in newest_files]))
    if unversioned_files:
        _refuse_newer(chosen, unversioned_files, heads([f.location for f in [chosen, *unversioned_files]]))
    return chosen


@lru_cache(maxsize=8)  # a folder is read repeatedly, and may have thousands of versions
def _by_version(locations: tuple[str, ...]) -> tuple[tuple[MetadataFile, ...], tuple[MetadataFile, ...]]:
    """The files with a version in their names, newest first, and those without."""
    files = (f for f in map(metadata_file, locations) if f is not None)
    newest_first = sorted(files, key=lambda f: (f.version, f.location), reverse=True)
    unversioned_files = (MetadataFile(location, -1, None, False) for location in _unversioned(locations))
    return tuple(newest_first), tuple(unversioned_files)


def _no_names(unversioned_files: Sequence[MetadataFile]) -> NoMetadataError:
    explanation = "no file named like v3.metadata.json or 00003-<uuid>.metadata.json"
    if not unversioned_files:
        return NoMetadataError(explanation)
    return NoMetadataError(
        f"{explanation}, only {', '.join(f'`{f.name}`' for f in unversioned_files[:3])}; "
        f"read one of them with metadata_file_path => 'metadata/{unversioned_files[0].name}'"
    )


def _refuse_newer(chosen: MetadataFile, unversioned_files: Sequence[MetadataFile], heads: Sequence[Head]) -> None:
    """Raise NoMetadataError if a file of unknown version was updated later: ignoring it could hide newer rows."""
    chosen_head = heads[0]
    for file, head in zip(unversioned_files, heads[1:], strict=True):
        if head.table_uuid != chosen_head.table_uuid and head.table_uuid and chosen_head.table_uuid:
            continue
        if head.updated_ms is None or head.updated_ms > (chosen_head.updated_ms or 0):
            raise NoMetadataError(
                f"`{file.name}` has no version in its name and was updated after `{chosen.name}`; "
                f"choose one: metadata_file_path => 'metadata/{file.name}', "
                "or newest_by_last_updated => true"
            )


def _last_updated(
    files: Sequence[MetadataFile], heads: Callable[[Sequence[str]], Sequence[Head]], table_uuid: str | None
) -> MetadataFile:
    files_with_heads = list(zip(files, heads([f.location for f in files]), strict=True))
    matches = [(f, h) for f, h in files_with_heads if table_uuid is None or h.table_uuid == table_uuid]
    if not matches and table_uuid is not None:
        raise _no_such_table(table_uuid, [h for _, h in files_with_heads])
    return _last(matches)


def _newest_of(
    files: Sequence[MetadataFile], heads: Callable[[Sequence[str]], Sequence[Head]], table_uuid: str
) -> MetadataFile:
    all_heads: list[Head] = []
    for start, end in _batches(len(files)):
        batch = files[start:end]
        batch_heads = heads([f.location for f in batch])
        all_heads.extend(batch_heads)
        matches = [(f, h) for f, h in zip(batch, batch_heads, strict=True) if h.table_uuid == table_uuid]
        if matches:
            newest = matches[0][0].version
            return _last([pair for pair in matches if pair[0].version == newest])
    raise _no_such_table(table_uuid, all_heads)


def _batches(count: int) -> Iterable[tuple[int, int]]:
    """Growing batches of the list: the first few files are nearly always enough."""
    start, size = 0, 4
    while start < count:
        yield start, min(start + size, count)
        start, size = start + size, size * 4


def _one_table(files: Sequence[MetadataFile], heads: Sequence[Head]) -> MetadataFile:
    """Choose among several files with the newest version: the last updated, unless they belong to different tables."""
    tables = sorted({h.table_uuid or "none" for h in heads})
    if len(tables) > 1:
        raise NoMetadataError(
            f"version {files[0].version} exists for {len(tables)} tables "
            f"({', '.join(tables)}); choose one: metadata_table_uuid => '{tables[0]}'"
        )
    return _last(list(zip(files, heads, strict=True)))


def _last(read: Sequence[tuple[MetadataFile, Head]]) -> MetadataFile:
    """The last updated; among equals the first, since the newest come first."""
    return max(read, key=lambda pair: pair[1].updated_ms or 0)[0]


def _no_such_table(table_uuid: str, heads: Sequence[Head]) -> NoMetadataError:
    tables = sorted({h.table_uuid for h in heads if h.table_uuid})
    listing = f"; there are {', '.join(tables)}" if tables else ""
    return NoMetadataError(f"none of {len(heads)} metadata files belongs to table {table_uuid}{listing}")
