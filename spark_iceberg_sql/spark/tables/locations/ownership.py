"""The check before a write that a table's metadata refers to the location where it was found.

A copy of a table's folder refers to the original's files: writes to it go to the original, and maintenance on it
deletes the original's files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache, reduce
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.metadata.metadata_files import is_metadata_file
from spark_iceberg_sql.safe_output import with_help
from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS, JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.tables.locations import same_location
from spark_iceberg_sql.syntax.identifiers import dotted, string_literal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Properties that set a separate location for some of a table's files.
_LOCATION_PROPERTIES = (
    "write.data.path",
    "write.metadata.path",
    "write.object-storage.path",
    "write.folder-storage.path",
)
_PATHS = (  # metadata table, its path column: every file that maintenance may delete
    ("ALL_ENTRIES", "data_file.file_path"),
    ("ALL_MANIFESTS", "path"),
    ("SNAPSHOTS", "manifest_list"),
    ("METADATA_LOG_ENTRIES", "file"),
)


def folder_of(requested_path: str, file: str) -> str:
    """The folder of the requested table. file: the metadata file that was found."""
    return file.rpartition("/")[0].removesuffix("/metadata") if is_metadata_file(requested_path) else requested_path


def declared_elsewhere(folder: str, file: str, metadata: Java) -> str | None:
    """The location in a table's metadata, if that is not the folder it was found in; otherwise None.

    For reads only: cached by location, and by where links in it lead now.
    """
    declared_location = str(metadata.location())
    is_same = _same(folder, declared_location, _resolved(folder), _resolved(declared_location))
    return None if is_same or _is_metadata_path(file, metadata) else declared_location


@lru_cache(maxsize=1024)
def _same(folder: str, location: str, *resolved: str) -> bool:
    return same_location.is_same(folder, location)


def _resolved(location: str) -> str:
    """A local path with its links resolved; a store's location as it is."""
    is_local = location.startswith(("file:", "/"))
    return os.path.realpath(location.removeprefix("file:")) if is_local else location


def _is_metadata_path(file: str, metadata: Java) -> bool:
    path = metadata.properties().get("write.metadata.path")
    return bool(path) and same_location.is_same(file.rpartition("/")[0], str(path))


def refuse_copy(folder: str, metadata: Java) -> None:
    """Raise IcebergSqlError if the table found in a folder does not belong to that folder.

    folder: the requested folder. metadata: of the table found there.
    """
    declared_location = str(metadata.location())
    if not same_location.is_same(folder, declared_location):
        raise IcebergSqlError(_copy_message(f"the table at `{folder}`", folder, declared_location))
    for name in _LOCATION_PROPERTIES:
        path = metadata.properties().get(name)
        if path and not same_location.is_inside(str(path), declared_location):
            raise IcebergSqlError(
                f"the table at `{folder}` writes outside its folder: {name} is `{path}`, which "
                f"may contain another table's files",
                help=_owning_catalog_help(folder),
            )


def refuse_files_elsewhere(folder: str, metadata: Java, operations: Java) -> None:
    """Raise IcebergSqlError if a table has files outside its folder, which DELETE and expire_snapshots would delete.
    Reads all manifests.
    """
    declared_location = str(metadata.location())
    try:
        outside = next(
            (
                p
                for p in _folders_outside(declared_location, metadata, operations)
                if not same_location.is_inside(p, declared_location)
            ),
            None,
        )
    except JVM_ERRORS as error:
        raise IcebergSqlError(
            f"the table at `{folder}` cannot be attached: it cannot be verified that "
            f"all files belong to it: {message(error)}"
        ) from None
    if outside is not None:
        raise IcebergSqlError(
            f"the table at `{folder}` has files outside its folder, in `{outside}`: DELETE and "
            f"expire_snapshots would delete them",
            help=_owning_catalog_help(folder),
        )


def _folders_outside(folder: str, metadata: Java, operations: Java) -> Iterator[str]:
    """The folders of files outside the table's location."""
    prefix = folder.rstrip("/") + "/"
    functions = gateway.java_class("org.apache.spark.sql.functions")
    frames = []
    for table_type, column in _PATHS:
        table = relations.metadata_table(operations, folder, table_type)
        rows = relations.data_frame(relations.relation(relations.spark_table(table)))
        # A cheap comparison of texts on the executors: the caller compares the few other folders exactly.
        rows = rows.where(getattr(functions, "not")(functions.col(column).startsWith(prefix)))
        frames.append(rows.selectExpr(gateway.to_seq([f"regexp_replace({column}, '/[^/]*$', '') AS path"])))
    yield from relations.string_values(reduce(lambda union, frame: union.union(frame), frames).distinct())
    for files in (metadata.statisticsFiles(), metadata.partitionStatisticsFiles()):
        for file in files:
            yield str(file.path()).rpartition("/")[0]


def refuse_moved_table(name: str) -> None:
    """Raise IcebergSqlError if the metadata of a catalog's table is not at the location that it names.

    name: as the active session resolves it. A name that is not an Iceberg table is left to Spark.
    """
    try:
        # A catalog may have cached a table that was in the folder earlier.
        metadata = relations.catalog_table(name).operations().refresh()
        file = metadata.metadataFileLocation()
    except BRIDGE_ERRORS:
        return
    if file is None:
        return
    metadata_folder, declared_location = str(file).rpartition("/")[0], str(metadata.location())
    if not same_location.is_same(
        metadata_folder, declared_location.rstrip("/") + "/metadata"
    ) and not _is_metadata_path(str(file), metadata):
        raise IcebergSqlError(_copy_message(f"`{name}`", metadata_folder.removesuffix("/metadata"), declared_location))


def owned_table(spark: SparkSession, name: str, task: str) -> Java:
    """Iceberg's table of a catalog, for maintenance that writes its files.

    name: as the session resolves it. task: the maintenance as a verb, for the message.
    Raises pyspark's AnalysisException if there is no such table, IcebergSqlError if it is not an Iceberg table, or its
    metadata is not at the location that it names.
    """
    full_name = dotted(relations.full_name(name))
    spark.sql(f"DESCRIBE TABLE {full_name}")  # Spark's own error, if there is no such table
    refuse_moved_table(name)
    try:
        table = relations.catalog_table(full_name)
        table.operations()  # a metadata table has none
    except BRIDGE_ERRORS:
        raise IcebergSqlError(
            f"`{name}` is not an Iceberg table with its own files, so there is nothing to {task}"
        ) from None
    return table


def _copy_message(subject: str, folder: str, declared_location: str) -> str:
    return with_help(
        f"{subject} is a copy, or was moved: its metadata is at `{folder}`, but states the table's location "
        f"as `{declared_location}`; writes and deletes would change the files there",
        f"write to the table at `{declared_location}` itself; for an independent copy, create one in "
        "its catalog with CALL <catalog>.system.rewrite_table_path(table => '<table>', "
        f"source_prefix => {string_literal(declared_location)}, target_prefix => {string_literal(folder)}) and "
        f"copy the files "
        "that it lists; "
        "if the table was moved, move it back",
    )


def _owning_catalog_help(folder: str) -> str:
    parent, _, name = folder.rstrip("/").rpartition("/")
    return (
        "if only this table uses them, write to it through its catalog, for a Hadoop table: "
        f"spark_iceberg_sql.catalog(spark, 'lake', 'hadoop', warehouse={parent!r}), then lake.{name}"
    )
