"""The table at a location: lists the folder, chooses the metadata file, reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from spark_iceberg_sql.model.metadata_files import (
    NoMetadataError,
    current_metadata_file,
    is_metadata_file,
    unversioned,
)
from spark_iceberg_sql.model.table_functions import Value
from spark_iceberg_sql.spark.bridge import moved_io, relations
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, is_analysis_error, message
from spark_iceberg_sql.spark.bridge.file_io import BrokenFileError, Files
from spark_iceberg_sql.spark.bridge.jvm import Java, Refusal
from spark_iceberg_sql.spark.bridge.location import S3, Location
from spark_iceberg_sql.spark.tables import allowed_locations, nearly, ownership
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.moved import Moved, is_relative, mapping
from spark_iceberg_sql.spark.tables.views import refuse_view
from spark_iceberg_sql.spark.tables.warn_once import warn_once

_NOTHING = "(?!)"  # a pattern that matches no address


@dataclass(frozen=True, slots=True)
class Found:
    """A table located by its path.

    location: the one in the call. file: the metadata file. folder: the location in its metadata.
    metadata: its content. files: opens the table's files. mapping: of addresses, if the table is not at
    the location in its metadata.
    """

    location: Location
    file: str
    folder: str
    metadata: Java
    files: Files
    moved: Moved | None

    @property
    def operations(self) -> Java:
        """Iceberg's TableOperations on the metadata file."""
        io = self.files.io
        allowed = allowed_locations.pattern()
        if self.moved is not None:
            io = moved_io.file_io(io, self.moved.old, self.moved.new, allowed)
        elif allowed is not None:
            io = moved_io.file_io(io, _NOTHING, "", allowed)
        return relations.operations(self.metadata, io)


def find(
    function: str, location: Location, values: Mapping[str, Value], *, new: bool = False
) -> Found:
    """The table at a location: its current metadata file, or the one that the values specify.

    function: its name, for the refusal. values: metadata_file_path, metadata_table_uuid,
    newest_by_last_updated, use_metadata_files_cache, and the location under the name that the user
    knows. may_create: whether a table is to be created if there is none. Raises Refusal.
    """
    cached = values.get("use_metadata_files_cache") is not False
    argument = place_of(values)
    _refuse_half_key(function, argument, location)
    files = allowed_locations.files_of(function, argument, location, cached=cached)
    file, stamp, others = _metadata_file(function, argument, location, files, values, new=new)
    allowed_locations.refuse_outside(function, argument, file)
    try:
        metadata = files.metadata(file, stamp, cached=cached)
    except JVM_ERRORS as error:
        refuse_view(function, argument, file, files)
        raise _unreadable(function, argument, file, message(error), others) from None
    moved = _moved(function, location, file, metadata, values)
    return Found(location, file, str(metadata.location()), metadata, files, moved)


def _refuse_half_key(function: str, argument: str, location: Location) -> None:
    """Refuse a key with `?` or `#`: Iceberg's S3 client ends a key there, and would read, or write, another
    object.
    """
    found = re.search(r"[?#]", location.path) if location.io == S3 else None
    if found is not None:
        words = (
            f"the key of `{location.path}` contains `{found[0]}`, and Iceberg's S3 client cuts keys at that character; "
            "copy the table to a folder without it"
        )
        raise invalid(function, argument, words)


def _moved(
    function: str, location: Location, file: str, metadata: Java, values: Mapping[str, Value]
) -> Moved | None:
    """The mapping of a table's addresses, if they are relative or refer to another location; otherwise
    None.
    """
    folder = ownership.folder_of(location.path, file)
    said = str(metadata.location())
    if is_relative(said) or _has_relative_files(metadata):
        return replace(mapping(said, folder), is_relative=True)
    if ownership.says_elsewhere(folder, file, metadata) is None:
        return None
    if values.get("allow_moved_paths") is False:
        words = (
            f"`{folder}` is a copy, or was moved: its metadata refers to `{said}`; "
            f"omit this argument to read the files in `{folder}`"
        )
        raise invalid(function, "allow_moved_paths", words)
    if is_metadata_file(location.path) and "/metadata/" not in file:
        warn_once(
            f"`{file}` is not in a folder `metadata`: the files it refers to, in `{said}`, are read"
        )
        return None
    return mapping(said, folder)


def _has_relative_files(metadata: Java) -> bool:
    snapshot = metadata.currentSnapshot()
    manifests = None if snapshot is None else snapshot.manifestListLocation()
    return manifests is not None and is_relative(str(manifests))


def warn_of_copy(found: Found) -> None:
    """Warn, once, if a table that is read is not at the location in its metadata."""
    if found.moved is not None and not found.moved.is_relative:
        warn_once(
            f"the table at `{found.moved.folder}` is a copy, or was moved: its metadata refers to files in "
            f"`{found.moved.said}`, and the ones in `{found.moved.folder}` are read instead"
        )


def refuse_unmatched(
    function: str, found: Found, values: Mapping[str, Value], snapshot: int | None
) -> None:
    """Raise Refusal if a moved table's deletes name data files by addresses that are not in its manifests, or if its
    data was not moved.

    values: of the call. snapshot: the one to read. Iceberg would ignore such deletes and return the deleted rows.
    """
    if found.moved is None or snapshot is None:
        return
    old, new = found.moved.old, found.moved.new
    lost = moved_io.missing(found.operations, snapshot, old, new)
    if lost is not None:
        words = (
            f"files of its snapshot {snapshot} are missing: there is no `{found.moved.found(lost)}`"
        )
        if not found.moved.is_relative:
            words = (
                f"`{found.moved.folder}` is a copy, or was moved, and {words}; copy the whole folder, or read the "
                f"original, `{found.moved.said}`"
            )
        else:
            words = f"`{found.moved.folder}`: {words}"
        raise invalid(function, place_of(values), words)
    address = moved_io.unmatched(found.operations, snapshot, old, new)
    if address is not None:
        words = (
            f"`{found.moved.folder}` is a copy, or was moved, and its deletes apply to `{address}`, an address that "
            f"no data file has in its metadata, which refers to `{found.moved.said}`: the deleted rows would be "
            "returned; pass the original table"
        )
        raise invalid(function, place_of(values), words)


# The arguments that can give a table's location, the most specific first.
_PLACES = ("metadata_file_path", "table", "url", "path", "blobpath")


def place_of(values: Mapping[str, Value]) -> str:
    """The argument that gives the table's location, by the name used in the call."""
    return next((name for name in _PLACES if values.get(name) is not None), "path")


def _metadata_file(
    function: str,
    argument: str,
    location: Location,
    files: Files,
    values: Mapping[str, Value],
    *,
    new: bool,
) -> tuple[str, str | None, list[str]]:
    """The metadata file, its stamp, and the other ones in the folder."""
    given = values.get("metadata_file_path")
    if given is not None:
        file = str(given)
        # Relative to the table's folder.
        if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|/", file):
            file = f"{location.path}/{file}"
        return file, None, []
    if is_metadata_file(location.path):
        return location.path, None, []
    folder = f"{location.path.rstrip('/')}/metadata"
    try:
        listed = files.metadata_files(folder)
    except JVM_ERRORS as error:
        if is_analysis_error(error):
            raise
        words = f"`{folder}` cannot be listed: {message(error)}"
        raise invalid(function, argument, words) from None
    uuid = values.get("metadata_table_uuid")
    try:
        chosen = current_metadata_file(
            listed,
            files.heads,
            table_uuid=None if uuid is None else str(uuid),
            by_last_updated=bool(values.get("newest_by_last_updated")),
        ).location
    except NoMetadataError as error:
        if not listed:
            nearly.refuse(function, argument, location.path, files, new=new)
            raise Refusal("PATH_NOT_FOUND", path=f"{folder}/*.metadata.json") from None
        argument = argument if uuid is None else "metadata_table_uuid"
        raise invalid(function, argument, f"`{folder}`: {error}") from None
    except BrokenFileError as broken:
        raise _unreadable(function, argument, broken.location, broken.wrong, list(listed)) from None
    _warn_of_unplaced(folder, unversioned(listed), chosen)
    stamp = listed[chosen] or files.stamp(chosen)
    return chosen, stamp, [name for name in listed if name != chosen]


def _warn_of_unplaced(folder: str, left_out: list[str], chosen: str) -> None:
    names = [_name(location) for location in left_out if location != chosen]
    if names:
        warn_once(
            f"`{folder}` has metadata files without a version in their names, which were ignored: "
            f"{', '.join(f'`{name}`' for name in names[:3])}"
            f"{f' and {len(names) - 3} more' if len(names) > 3 else ''}; "
            f"`{_name(chosen)}` was read"
        )


def _name(location: str) -> str:
    return location.rsplit("/", 1)[-1]


def _unreadable(function: str, argument: str, file: str, wrong: str, others: list[str]) -> Refusal:
    names = sorted((_name(location) for location in others if location != file), reverse=True)
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    advice = (
        f"; other metadata files: {shown}; read one of them with "
        f"metadata_file_path => 'metadata/{names[0]}'"
        if names
        else ""
    )
    return invalid(function, argument, f"`{file}` cannot be read: {wrong}{advice}")
