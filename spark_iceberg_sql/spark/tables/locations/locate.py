"""The table at a location: lists the folder, chooses the metadata file, reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from spark_iceberg_sql.model.functions.table_functions import Value
from spark_iceberg_sql.model.metadata.metadata_files import (
    NoMetadataError,
    current_metadata_file,
    is_metadata_file,
    unsupported_compression,
    unversioned,
)
from spark_iceberg_sql.spark.bridge.io import moved_io
from spark_iceberg_sql.spark.bridge.io.file_io import BrokenFileError, Files
from spark_iceberg_sql.spark.bridge.io.location import S3, Location
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, Refusal
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, is_analysis_error, message
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import metadata_faults
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.locations import allowed_locations, ownership, path_suggestions
from spark_iceberg_sql.spark.tables.locations.location_mapping import LocationMapping, is_relative, map_location
from spark_iceberg_sql.spark.tables.locations.views import refuse_view
from spark_iceberg_sql.spark.tables.warn_once import warn_once

_NO_ADDRESS = "(?!)"  # a pattern that matches no address


@dataclass(frozen=True, slots=True)
class LocatedTable:
    """A table located by its path.

    location: the one in the call. file: the metadata file. folder: the location in its metadata.
    metadata: its content. files: opens the table's files. mapping: of addresses, if the table is not at the location in
    its metadata.
    """

    location: Location
    file: str
    folder: str
    metadata: Java
    files: Files
    mapping: LocationMapping | None

    @property
    def operations(self) -> Java:
        """Iceberg's TableOperations on the metadata file."""
        io = self.files.io
        allowed = allowed_locations.pattern()
        if self.mapping is not None:
            io = moved_io.file_io(io, self.mapping.pattern, self.mapping.replacement, allowed)
        elif allowed is not None:
            io = moved_io.file_io(io, _NO_ADDRESS, "", allowed)
        return relations.operations(self.metadata, io)


def find(function: str, location: Location, values: Mapping[str, Value], *, may_create: bool = False) -> LocatedTable:
    """The table at a location: its current metadata file, or the one that the values specify.

    function: its name, for the refusal. values: metadata_file_path, metadata_table_uuid, newest_by_last_updated,
    use_metadata_files_cache, and the location under the name that the user knows. may_create: whether a table is to be
    created if there is none. Raises Refusal.
    """
    cached = values.get("use_metadata_files_cache") is not False
    argument = location_argument(values)
    _refuse_key_characters(function, argument, location)
    files = allowed_locations.open_files(function, argument, location, cached=cached)
    file, stamp, other_files = _metadata_file(function, argument, location, files, values, may_create=may_create)
    allowed_locations.refuse_outside(function, argument, file)
    try:
        metadata = files.metadata(file, stamp, cached=cached)
    except JVM_ERRORS as error:
        refuse_view(function, argument, file, files)
        raise _unreadable(function, argument, file, metadata_faults.parse_reason(error), other_files) from None
    location_mapping = _mapping(function, location, file, metadata, values)
    return LocatedTable(location, file, str(metadata.location()), metadata, files, location_mapping)


def _refuse_key_characters(function: str, argument: str, location: Location) -> None:
    """Refuse a key with `?` or `#`: Iceberg's S3 client ends a key there, and would read, or write, another object."""
    match = re.search(r"[?#]", location.path) if location.io == S3 else None
    if match is not None:
        raise invalid(
            function,
            argument,
            f"the key of `{location.path}` contains `{match[0]}`, and Iceberg's S3 client cuts keys at that character; "
            "copy the table to a folder without it",
        )


def _mapping(
    function: str, location: Location, file: str, metadata: Java, values: Mapping[str, Value]
) -> LocationMapping | None:
    """The mapping of a table's addresses, if they are relative or refer to another location; otherwise None."""
    folder = ownership.folder_of(location.path, file)
    declared_location = str(metadata.location())
    if is_relative(declared_location) or _has_relative_files(metadata):
        return replace(map_location(declared_location, folder), is_relative=True)
    if ownership.declared_elsewhere(folder, file, metadata) is None:
        return None
    if values.get("allow_moved_paths") is False:
        raise invalid(
            function,
            "allow_moved_paths",
            f"`{folder}` is a copy, or was moved: its metadata refers to `{declared_location}`; "
            f"omit this argument to read the files in `{folder}`",
        )
    if is_metadata_file(location.path) and "/metadata/" not in file:
        warn_once(f"`{file}` is not in a folder `metadata`: the files it refers to, in `{declared_location}`, are read")
        return None
    return map_location(declared_location, folder)


def _has_relative_files(metadata: Java) -> bool:
    snapshot = metadata.currentSnapshot()
    manifests = None if snapshot is None else snapshot.manifestListLocation()
    return manifests is not None and is_relative(str(manifests))


def warn_of_copy(located_table: LocatedTable) -> None:
    """Warn, once, if a table that is read is not at the location in its metadata."""
    if located_table.mapping is not None and not located_table.mapping.is_relative:
        warn_once(
            f"the table at `{located_table.mapping.folder}` is a copy, or was moved: its metadata refers to files in "
            f"`{located_table.mapping.declared_location}`, and the ones in `{located_table.mapping.folder}` are "
            f"read instead"
        )


def refuse_unmatched(
    function: str, located_table: LocatedTable, values: Mapping[str, Value], snapshot: int | None
) -> None:
    """Raise Refusal if a moved table's deletes name data files by addresses that are not in its manifests, or if its
    data was not moved.

    values: of the call. snapshot: the one to read. Iceberg would ignore such deletes and return the deleted rows.
    """
    if located_table.mapping is None or snapshot is None:
        return
    try:
        _refuse_unmatched(function, located_table, located_table.mapping, values, snapshot)
    except JVM_ERRORS as error:
        table = relations.base_table(located_table.operations, located_table.location.path)
        fault = metadata_faults.snapshot_fault(table, snapshot)
        if fault is None:
            raise
        raise invalid(function, location_argument(values), fault) from error


def _refuse_unmatched(
    function: str, located_table: LocatedTable, mapping: LocationMapping, values: Mapping[str, Value], snapshot: int
) -> None:
    old, new = mapping.pattern, mapping.replacement
    missing_address = moved_io.missing_file(located_table.operations, snapshot, old, new)
    if missing_address is not None:
        text = f"files of its snapshot {snapshot} are missing: there is no `{mapping.current_address(missing_address)}`"
        if not mapping.is_relative:
            text = (
                f"`{mapping.folder}` is a copy, or was moved, and {text}; copy the whole folder, "
                f"or read the "
                f"original, `{mapping.declared_location}`"
            )
        else:
            text = f"`{mapping.folder}`: {text}"
        raise invalid(function, location_argument(values), text)
    address = moved_io.unmatched_delete_path(located_table.operations, snapshot, old, new)
    if address is not None:
        text = (
            f"`{mapping.folder}` is a copy, or was moved, and its deletes apply to `{address}`, "
            f"an address that "
            f"no data file has in its metadata, which refers to `{mapping.declared_location}`: "
            f"the deleted rows would be "
            "returned; pass the original table"
        )
        raise invalid(function, location_argument(values), text)


# The arguments that can give a table's location, the most specific first.
_LOCATION_ARGUMENTS = ("metadata_file_path", "table", "url", "path", "blobpath")


def location_argument(values: Mapping[str, Value]) -> str:
    """The argument that gives the table's location, by the name used in the call."""
    return next((name for name in _LOCATION_ARGUMENTS if values.get(name) is not None), "path")


def _metadata_file(
    function: str, argument: str, location: Location, files: Files, values: Mapping[str, Value], *, may_create: bool
) -> tuple[str, str | None, list[str]]:
    """The metadata file, its stamp, and the other ones in the folder."""
    requested_file = values.get("metadata_file_path")
    if requested_file is not None:
        file = str(requested_file)
        # Relative to the table's folder.
        if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|/", file):
            file = f"{location.path}/{file}"
        return file, None, []
    if is_metadata_file(location.path):
        return location.path, None, []
    folder = f"{location.path.rstrip('/')}/metadata"
    try:
        stamps = files.metadata_files(folder)
    except JVM_ERRORS as error:
        if is_analysis_error(error):
            raise
        raise invalid(function, argument, f"`{folder}` cannot be listed: {message(error)}") from None
    uuid = values.get("metadata_table_uuid")
    try:
        chosen = current_metadata_file(
            stamps,
            files.heads,
            table_uuid=None if uuid is None else str(uuid),
            by_last_updated=bool(values.get("newest_by_last_updated")),
        ).location
    except NoMetadataError as error:
        if not stamps:
            path_suggestions.refuse(function, argument, location.path, files, may_create=may_create)
            raise Refusal("PATH_NOT_FOUND", path=f"{folder}/*.metadata.json") from None
        argument = argument if uuid is None else "metadata_table_uuid"
        raise invalid(function, argument, f"`{folder}`: {error}") from None
    except BrokenFileError as broken:
        raise _unreadable(function, argument, broken.location, broken.reason, list(stamps)) from None
    _warn_of_unplaced(folder, unversioned(stamps), chosen)
    return chosen, stamps[chosen] or files.stamp(chosen), [name for name in stamps if name != chosen]


def _warn_of_unplaced(folder: str, locations: list[str], chosen: str) -> None:
    if names := [_name(location) for location in locations if location != chosen]:
        warn_once(
            f"`{folder}` has metadata files without a version in their names, which were ignored: "
            f"{', '.join(f'`{name}`' for name in names[:3])}"
            f"{f' and {len(names) - 3} more' if len(names) > 3 else ''}; "
            f"`{_name(chosen)}` was read"
        )


def _name(location: str) -> str:
    return location.rsplit("/", 1)[-1]


def _unreadable(function: str, argument: str, file: str, reason: str, other_files: list[str]) -> Refusal:
    names = sorted((_name(location) for location in other_files if location != file), reverse=True)
    listed_names = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    hint = (
        f"; other metadata files: {listed_names}; read one of them with metadata_file_path => 'metadata/{names[0]}'"
        if names
        else ""
    )
    if (compression := unsupported_compression(file)) is not None:
        reason = f"the compression in its name is {compression}, and Iceberg reads gzip only"
    return invalid(function, argument, f"`{file}` cannot be read: {reason}{hint}")
