"""The check before a write that a table's metadata refers to the location where it was found.

A copy of a table's folder refers to the original's files: writes to it go to the original, and
maintenance on it deletes the original's files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache, reduce

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.metadata_files import is_metadata_file
from spark_iceberg_sql.outgoing import with_help
from spark_iceberg_sql.spark.bridge import jvm, relations
from spark_iceberg_sql.spark.bridge.errors import BRIDGE_ERRORS, JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.jvm import Java
from spark_iceberg_sql.spark.tables import same_location
from spark_iceberg_sql.syntax.identifiers import string_literal

# Properties that set a separate location for some of a table's files.
_ELSEWHERE = (
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


def folder_of(asked: str, file: str) -> str:
    """The folder of the requested table. file: the metadata file that was found."""
    if not is_metadata_file(asked):
        return asked
    above = file.rpartition("/")[0]
    return above.removesuffix("/metadata")


def says_elsewhere(folder: str, file: str, metadata: Java) -> str | None:
    """The location in a table's metadata, if that is not the folder it was found in; otherwise None.

    For reads only: cached by location, and by where links in it lead now.
    """
    said = str(metadata.location())
    is_same = _same(folder, said, _resolved(folder), _resolved(said))
    return None if is_same or _is_metadata_path(file, metadata) else said


@lru_cache(maxsize=1024)
def _same(folder: str, location: str, *resolved: str) -> bool:
    return same_location.same(folder, location)


def _resolved(location: str) -> str:
    """A local path with its links resolved; a store's location as it is."""
    is_local = location.startswith(("file:", "/"))
    return os.path.realpath(location.removeprefix("file:")) if is_local else location


def _is_metadata_path(file: str, metadata: Java) -> bool:
    path = metadata.properties().get("write.metadata.path")
    return bool(path) and same_location.same(file.rpartition("/")[0], str(path))


def refuse_copy(folder: str, metadata: Java) -> None:
    """Raise IcebergSqlError if the table found in a folder does not belong to that folder.

    folder: the requested folder. metadata: of the table found there.
    """
    said = str(metadata.location())
    if not same_location.same(folder, said):
        raise IcebergSqlError(_copy(f"the table at `{folder}`", folder, said))
    for name in _ELSEWHERE:
        path = metadata.properties().get(name)
        if path and not same_location.inside(str(path), said):
            raise IcebergSqlError(
                f"the table at `{folder}` writes outside its folder: {name} is `{path}`, which "
                f"may contain another table's files",
                help=f"{_own_catalog(folder)}",
            )


def refuse_files_elsewhere(folder: str, metadata: Java, operations: Java) -> None:
    """Raise IcebergSqlError if a table has files outside its folder, which DELETE and
    expire_snapshots would delete. Reads all manifests.
    """
    said = str(metadata.location())
    try:
        outside = next(
            (
                p
                for p in _not_below(said, metadata, operations)
                if not same_location.inside(p, said)
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
            help=f"{_own_catalog(folder)}",
        )


def _not_below(folder: str, metadata: Java, operations: Java) -> Iterator[str]:
    """The folders of files outside the table's location."""
    prefix = folder.rstrip("/") + "/"
    functions = jvm.java_class("org.apache.spark.sql.functions")
    far = []
    for kind, column in _PATHS:
        table = relations.metadata_table(operations, folder, kind)
        rows = relations.data_frame(relations.relation(relations.spark_table(table)))
        # A cheap comparison of texts on the executors: the caller compares the few other folders exactly.
        rows = rows.where(getattr(functions, "not")(functions.col(column).startsWith(prefix)))
        far.append(
            rows.selectExpr(jvm.to_seq([f"regexp_replace({column}, '/[^/]*$', '') AS path"]))
        )
    yield from relations.column(reduce(lambda all_, more: all_.union(more), far).distinct())
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
    above, said = str(file).rpartition("/")[0], str(metadata.location())
    if not same_location.same(above, said.rstrip("/") + "/metadata") and not _is_metadata_path(
        str(file), metadata
    ):
        raise IcebergSqlError(_copy(f"`{name}`", above.removesuffix("/metadata"), said))


def _copy(what: str, found: str, said: str) -> str:
    return with_help(
        f"{what} is a copy, or was moved: its metadata is at `{found}`, but states the table's location "
        f"as `{said}`; writes and deletes would change the files there",
        f"write to the table at `{said}` itself; for an independent copy, create one in "
        "its catalog with CALL <catalog>.system.rewrite_table_path(table => '<table>', "
        f"source_prefix => {string_literal(said)}, target_prefix => {string_literal(found)}) and copy the files "
        "that it lists; "
        "if the table was moved, move it back",
    )


def _own_catalog(folder: str) -> str:
    above, _, name = folder.rstrip("/").rpartition("/")
    return (
        "if only this table uses them, write to it through its catalog, for a Hadoop table: "
        f"spark_iceberg_sql.catalog(spark, 'lake', 'hadoop', warehouse={above!r}), then lake.{name}"
    )
