"""attach(): gives a table at a path a name in SQL, so that it can be written.

A table function only reads. INSERT, DELETE, UPDATE, MERGE, ALTER and CALL need a table in a catalog, since a single
authority must order the commits: the folder itself for a table in Hadoop layout, the catalog for a table that was
written through one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.functions.table_functions import Value
from spark_iceberg_sql.model.metadata.metadata_files import is_metadata_file, metadata_file
from spark_iceberg_sql.spark.bridge.jvm import configuration, sessions
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.optimizer import injection
from spark_iceberg_sql.spark.tables import attached_tables
from spark_iceberg_sql.spark.tables.catalog_settings import is_spark_catalog
from spark_iceberg_sql.spark.tables.locations import ownership, same_location
from spark_iceberg_sql.spark.tables.locations.locate import LocatedTable
from spark_iceberg_sql.spark.tables.locations.write_target import WriteTarget, open_target
from spark_iceberg_sql.syntax.clickhouse.literal_calls import LiteralCall
from spark_iceberg_sql.syntax.identifiers import backticked, dotted, procedure_name, string_literal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_READINGS, _PAUSE = 20, 0.2  # of the newest version; seconds between two


def attach(spark: SparkSession, path: str, name: str, **arguments: Value) -> str:
    """Give the table at a path a name in SQL, for reading and writing; returns the quoted name.

    A table in Hadoop layout (v3.metadata.json), in a local folder, HDFS, S3 or Azure: name is any name in a catalog
    that this session does not have yet, or that it has from an earlier call. A commit creates the next metadata file in
    one step and only if there is none (a conditional write in S3 and Azure), so that concurrent writers lose nothing; a
    store without such a step is refused. In a Hadoop catalog of the session whose warehouse has the folder, name must
    be the folder's.
    A table that was written through a catalog (00003-<uuid>.metadata.json): the name's catalog must be configured in
    this session (see `catalog`) and must not be a Hadoop catalog, which cannot commit to it; unless the catalog has a
    table of that name, the table is registered there, with its newest metadata.
    Use the catalog that owns the table: a table written through two catalogs loses commits.

    All files of the table must be in its folder: a table whose metadata, properties or manifests refer to files outside
    it (a copied folder refers to the original) is refused. The check reads all manifests.
    A session that has never had the optimizer rules gets them: one of them refuses writes to copied tables.

    spark: the session. path: the table's folder. name: in SQL, parts with dots; one with a dot in backticks.
    arguments: those of the table function iceberg() that open the store, such as collection, access_key_id,
    secret_access_key, endpoint; with store="icebergAzure", those of that function. Keys stay in the process: no
    setting, plan or log has them.
    Raises IcebergSqlError if the table does not belong to the folder, the name does not match it, or its catalog cannot
    commit to the table or has older metadata of it; pyspark's AnalysisException if there is no table, or for a wrong
    argument.
    """
    parts = list(relations.name_parts(spark, name)) if "`" in name else name.split(".")
    folder_name = path.rstrip("/").rsplit("/", 1)[-1]
    if not all(parts):
        raise IcebergSqlError(
            f"`{name}` is not a name: a part of it is empty", help=f"attach it as `lake.{folder_name}`"
        )
    if len(parts) < 2:
        raise IcebergSqlError(f"`{name}` does not name a catalog", help=f"attach it as `{name}.{folder_name}`")
    function = str(arguments.pop("store", "iceberg"))
    call = LiteralCall(function, ((None, path),), tuple(arguments.items()))
    if function.lower() in ("icebergazure", "iceberg_azure"):
        call = LiteralCall(function, (), (("blobpath", path), *arguments.items()))
    with sessions.working_in(spark):
        write_target = open_target(call)
    return _attach(spark, write_target, parts)


def attach_to_write(spark: SparkSession, write_target: WriteTarget, name: Sequence[str]) -> None:
    """Attach a table for an INSERT INTO FUNCTION, whose user has named no catalog.

    name: its parts; its catalog is configured if this session does not have it. Raises IcebergSqlError as `attach`
    does, and for each table that was written through a catalog.
    """
    _attach(spark, write_target, list(name), insert=True)


def attach_to_create(spark: SparkSession, write_target: WriteTarget, name: Sequence[str]) -> bool:
    """Give a folder a name, for a CREATE TABLE; returns whether there is a table already.

    Raises IcebergSqlError as `attach` does, and if the folder is in the warehouse of another catalog of that name.
    """
    catalog_class = _catalog_class(spark, list(name))
    injection.ensure(spark)
    with sessions.working_in(spark):
        if write_target.find_or_none() is not None:
            _attach(spark, write_target, list(name))
            return True
        if catalog_class is not None and not attached_tables.is_catalog(spark, name[0]):
            raise IcebergSqlError(
                f"`{name[0]}` is another catalog, which does not have tables by their path",
                help=f"use a new catalog: CREATE TABLE lake.{dotted(name[1:])} ...",
            )
        attached_tables.register(spark, write_target, list(name), None)
    return False


def _attach(spark: SparkSession, write_target: WriteTarget, parts: list[str], *, insert: bool = False) -> str:
    """Attach, and return the quoted name. insert: for INSERT INTO FUNCTION."""
    quoted = dotted(parts)
    path = write_target.display_path
    catalog_class = _catalog_class(spark, parts)
    # A Hadoop catalog would also name copies in the same folder.
    injection.ensure(spark)
    with sessions.working_in(spark):
        located_table = write_target.find()
        folder = ownership.folder_of(located_table.location.path, located_table.file)
        ownership.refuse_copy(folder, located_table.metadata)
        if is_metadata_file(path):
            raise IcebergSqlError(
                f"`{path}` is a metadata file, and writes are always based on the newest one",
                help=f"pass the table's folder, `{folder}`",
            )
        with write_target.without_secrets():
            ownership.refuse_files_elsewhere(folder, located_table.metadata, located_table.operations)
        if not _has_hadoop_name(located_table.file):
            _refuse_other_than_owner(path, parts, catalog_class, insert=insert)
            if not spark.catalog.tableExists(quoted):
                _register(spark, parts, located_table.file)
        elif catalog_class is None or attached_tables.is_catalog(spark, parts[0]):
            attached_tables.register(spark, write_target, parts, located_table)
        else:
            _refuse_older(write_target, located_table, folder)
            _refuse_other_folder(spark, path, parts)
        # Fails with Spark's own error if the name does not resolve, before the name is returned.
        spark.sql(f"DESCRIBE TABLE {quoted}")
        _refuse_other_table(quoted, path, located_table)
    return quoted


def _catalog_class(spark: SparkSession, parts: list[str]) -> str | None:
    """The class of the name's catalog; None if this session has no such catalog."""
    catalog_class = spark.conf.get(f"spark.sql.catalog.{parts[0]}", None)
    if is_spark_catalog(parts[0], catalog_class):
        raise IcebergSqlError(
            f"`{parts[0]}` is Spark's own catalog: an Iceberg catalog of that name would replace it and hide its "
            f"tables",
            help=f"attach it as `{'.'.join(['lake', *parts[1:]])}`",
        )
    return catalog_class


def _refuse_other_than_owner(path: str, parts: list[str], catalog_class: str | None, *, insert: bool) -> None:
    """Refuse a catalog that cannot be the owner of a table that was written through a catalog.

    A Hadoop catalog numbers versions by the files in the folder, and never sees the commits of the catalog that the
    table was written through.
    """
    fact = f"the table at `{path}` was written through a catalog"
    if insert:
        raise IcebergSqlError(
            f"{fact}, and only that catalog may commit to it",
            help="write INSERT INTO and the table's name there; spark_iceberg_sql.catalog(spark, ...) configures "
            "the catalog in this session",
        )
    name = parts[0] if catalog_class is None else f"{parts[0]}_owner"
    example = (
        f"spark_iceberg_sql.catalog(spark, '{name}', 'jdbc', uri='jdbc:sqlite:/lake/catalog.db', warehouse='/lake')"
    )
    if catalog_class is None:
        raise IcebergSqlError(
            f"{fact}, and this session has no catalog `{name}`",
            help=f"configure the catalog that owns it, such as {example}, then attach again",
        )
    if configuration.is_hadoop_catalog(parts[0]):
        raise IcebergSqlError(
            f"{fact}, and `{parts[0]}` is a Hadoop catalog: it would start a second history of the table, without "
            f"the other catalog's commits",
            help=f"to read the table, SELECT * FROM iceberg({string_literal(path)}); to write, use its name in the "
            f"catalog that owns it, such as {example}",
        )


def _has_hadoop_name(file: str) -> bool:
    """True if a metadata file is named as in a Hadoop table (v3.metadata.json), not as catalogs name it."""
    name = file.rsplit("/", 1)[-1]
    if metadata_file(name) is None:
        raise IcebergSqlError(f"the metadata file `{file}` has no version in its name")
    return name.startswith("v")


def _refuse_older(write_target: WriteTarget, located_table: LocatedTable, folder: str) -> None:
    """Refuse a Hadoop catalog that reads an older version than the newest one in the folder.

    It uses version-hint.text; if there is a gap in the versions, it would commit on top of a version that is not the
    newest. The two numbers are not read at once, and a writer may commit in between: only numbers that stay the same in
    two readings are believed.
    """
    previous_files = None
    for _ in range(_READINGS):
        try:
            hadoop_file = str(relations.hadoop_table(folder).operations().current().metadataFileLocation())
        except JVM_ERRORS as error:
            raise IcebergSqlError(f"no Hadoop catalog can read `{folder}`: {message(error)}") from None
        if attached_tables.version(hadoop_file) >= attached_tables.version(located_table.file):
            return
        if previous_files == (hadoop_file, located_table.file):
            name = folder.rstrip("/").rpartition("/")[2]
            raise IcebergSqlError(
                f"a Hadoop catalog would commit on top of `{hadoop_file}`, but the newest version is "
                f"`{located_table.file}`",
                help=f"attach it under a new catalog, spark_iceberg_sql.attach(spark, {write_target.display_path!r}, "
                f"{f'lake.{name}'!r}), and write there",
            )
        previous_files = (hadoop_file, located_table.file)
        time.sleep(_PAUSE)
        located_table = write_target.find()
    raise IcebergSqlError(
        f"the table at `{folder}` changes too often to verify that a Hadoop catalog sees its newest version",
        help="run the statement again",
    )


def _refuse_other_table(quoted: str, path: str, located_table: LocatedTable) -> None:
    """Refuse a name that already refers to another table, or to older metadata of this one."""
    table = relations.catalog_table(quoted).operations().refresh()
    is_same_table = str(table.uuid()) == str(located_table.metadata.uuid())
    if not is_same_table or not same_location.is_same(str(table.location()), located_table.folder):
        raise IcebergSqlError(
            f"{quoted} already exists, for the table at `{table.location()}` and not for the one at `{path}`",
            help="attach it under another name",
        )
    catalog_file = str(table.metadataFileLocation())
    if not same_location.is_same(catalog_file, located_table.file) and attached_tables.version(
        catalog_file
    ) <= attached_tables.version(located_table.file):
        raise IcebergSqlError(
            f"{quoted} already exists, with the metadata file `{catalog_file}`, but `{path}` has the newer "
            f"`{located_table.file}`: "
            "another catalog has written to the table",
            help=f"to read the newest rows, SELECT * FROM iceberg({string_literal(path)}); write through the other "
            "catalog, since commits based on the older file would lose its rows",
        )


def _refuse_other_folder(spark: SparkSession, path: str, parts: list[str]) -> None:
    """Refuse a name that a Hadoop catalog would look up in another folder: it finds a table by its warehouse and
    name.
    """
    # A link's own name would be recorded in the manifests.
    warehouse = spark.conf.get(f"spark.sql.catalog.{parts[0]}.warehouse", None)
    folder = same_location.normalized(path)
    root = None if warehouse is None else same_location.normalized(warehouse).rstrip("/")
    if root is None or not folder.startswith(root + "/"):
        raise IcebergSqlError(
            f"the catalog `{parts[0]}` already exists, with the warehouse `{warehouse}`, where `{path}` is not",
            help="attach it under another catalog name",
        )
    name = folder[len(root) + 1 :].split("/")
    if name != parts[1:]:
        raise IcebergSqlError(
            f"a table in Hadoop layout has the name of its folder in a Hadoop catalog, so {dotted(parts)} cannot "
            f"be `{path}`",
            help=f"attach it as {dotted([parts[0], *name])}, or under a new catalog name",
        )


def _register(spark: SparkSession, parts: list[str], file: str) -> None:
    if len(parts) > 2:
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {dotted(parts[:-1])}")
    table = string_literal(dotted(procedure_name(parts)))
    # No parameter markers: before Spark 4.1, CALL does not support them.
    spark.sql(
        f"CALL {backticked(parts[0])}.system.register_table(table => {table}, metadata_file => {string_literal(file)})"
    )
