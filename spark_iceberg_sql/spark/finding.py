"""A location -> the table there: lists the folder, chooses the metadata file, reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from spark_iceberg_sql.model.metadata import NoMetadataError, choose, is_metadata_file
from spark_iceberg_sql.spark import jvm_tables
from spark_iceberg_sql.spark.arguments import invalid
from spark_iceberg_sql.spark.jvm import Java, Refusal
from spark_iceberg_sql.spark.jvm_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.jvm_files import BrokenFileError, Files, files_of
from spark_iceberg_sql.spark.signatures import Value
from spark_iceberg_sql.spark.stores import Location


@dataclass(frozen=True, slots=True)
class Found:
    """A table found by its path.

    location: what the call asked for. file: the metadata file. folder: the table's own location.
    operations: Iceberg's TableOperations on that file. files: what opens the table's files.
    """

    location: Location
    file: str
    folder: str
    operations: Java
    files: Files


def find(function: str, location: Location, values: Mapping[str, Value]) -> Found:
    """The table at a location: its current metadata file, or the one that the values ask for.

    function: its name, for the refusal. values: metadata_file_path, metadata_table_uuid,
    newest_by_last_updated, use_metadata_files_cache. Raises Refusal.
    """
    cached = values.get("use_metadata_files_cache") is not False
    files = files_of(location, cached=cached)
    file, stamp, others = _metadata_file(function, location, files, values)
    try:
        metadata = files.metadata(file, stamp, cached=cached)
    except JVM_ERRORS as error:
        raise _unreadable(function, file, message(error), others) from None
    return Found(
        location, file, str(metadata.location()), jvm_tables.operations(metadata, files.io), files
    )


def _metadata_file(
    function: str, location: Location, files: Files, values: Mapping[str, Value]
) -> tuple[str, str | None, list[str]]:
    """The metadata file, its stamp, and the other ones in the folder."""
    given = values.get("metadata_file_path")
    if given is not None:
        file = str(given)
        if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|/", file):
            file = f"{location.path}/{file}"
        return file, None, []
    if is_metadata_file(location.path):
        return location.path, None, []
    folder = f"{location.path}/metadata"
    listed = {f.location: f.stamp for f in files.folder(folder) if is_metadata_file(f.location)}
    uuid = values.get("metadata_table_uuid")
    try:
        chosen = choose(
            listed,
            files.heads,
            table_uuid=None if uuid is None else str(uuid),
            by_last_updated=bool(values.get("newest_by_last_updated")),
        ).location
    except NoMetadataError as error:
        if not listed:
            raise Refusal("PATH_NOT_FOUND", path=f"{folder}/*.metadata.json") from None
        argument = "path" if uuid is None else "metadata_table_uuid"
        raise invalid(function, argument, f"`{folder}`: {error}") from None
    except BrokenFileError as broken:
        raise _unreadable(function, broken.location, broken.wrong, list(listed)) from None
    return chosen, listed[chosen], [name for name in listed if name != chosen]


def _unreadable(function: str, file: str, wrong: str, others: list[str]) -> Refusal:
    names = sorted((name.rsplit("/", 1)[1] for name in others if name != file), reverse=True)
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    advice = (
        f"; others there: {shown}; read one of them with "
        f"metadata_file_path => 'metadata/{names[0]}'"
        if names
        else ""
    )
    return invalid(function, "path", f"`{file}` cannot be read: {wrong}{advice}")
