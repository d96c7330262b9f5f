"""Statements in ClickHouse's syntax, translated by the gate."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.safe_output import visible
from spark_iceberg_sql.spark.attach import attach_to_create, attach_to_write
from spark_iceberg_sql.spark.bridge.io.location import HADOOP
from spark_iceberg_sql.spark.bridge.jvm import configuration, sessions
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.tables.credentials import COLLECTIONS
from spark_iceberg_sql.spark.tables.locations import ownership, same_location
from spark_iceberg_sql.spark.tables.locations.write_target import WriteTarget, open_target
from spark_iceberg_sql.syntax.clickhouse.literal_calls import LiteralCall
from spark_iceberg_sql.syntax.clickhouse.translation import (
    PATH_CATALOG_PREFIX,
    Translation,
    may_need_translation,
    path_table_name,
    translate,
)
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A first argument that may be the name of a collection.
_BARE_ARGUMENT = re.compile(r"\(\s*[A-Za-z_]\w*\s*[,)]")


def to_spark_sql(spark: SparkSession, text: str) -> str:
    """The statement in Spark's syntax: the same text if nothing needs translation.

    A path that the statement writes to is attached to a catalog first. Raises IcebergSqlError if there is no table at
    that path, if the table is not at the location in its metadata, and for ClickHouse syntax that has no equivalent.
    """
    write_targets: dict[int, WriteTarget] = {}
    translation = _translation(text, write_targets)
    if translation is None:
        return text
    if translation.changed_table is not None:
        with sessions.working_in(spark):
            ownership.refuse_moved_table(translation.changed_table)
            if translation.retyped is not None:
                _refuse_other_nulls(translation.changed_table, *translation.retyped)
    # A name must exist before Spark analyses the translated statement, so targets are attached here.
    for attachment in translation.attach:
        write_target = write_targets.get(id(attachment.call)) or open_target(attachment.call)
        write_target.warn_of_exposed_secret(text)
        if not attachment.has_user_name:
            attach_to_write(spark, write_target, attachment.name)
            continue
        exists = attach_to_create(spark, write_target, attachment.name)
        if not exists and not attachment.is_new:
            raise IcebergSqlError(
                f"there is no table at `{write_target.display_path}`",
                help="write the columns, to create it: CREATE TABLE ... (id Int64) ENGINE = ...",
            )
        if exists and attachment.is_new and not translation.text.startswith("CREATE TABLE IF NOT EXISTS"):
            raise IcebergSqlError(
                f"there is already a table at `{write_target.display_path}`; it is attached as "
                f"{dotted(attachment.name)}",
                help="leave out the columns, or write CREATE TABLE IF NOT EXISTS",
            )
    for message in translation.ignored:
        warnings.warn(visible(message), IcebergSqlWarning, stacklevel=2)
    return translation.text


def translate_offline(text: str) -> str:
    """The statement in Spark's syntax, without looking at the path that it writes to, whose name may differ from the
    real one.

    Raises IcebergSqlError for ClickHouse syntax that has no equivalent.
    """
    if not may_need_translation(text):
        return text
    translation = translate(text, _collections(text), catalogs=_catalogs(text))
    return text if translation is None else translation.text


def _translation(text: str, write_targets: dict[int, WriteTarget]) -> Translation | None:
    """The translation of a statement; None if it needs none.

    write_targets: filled with the target of each call that was opened for its name, by the call's identity.
    """
    if not may_need_translation(text):
        return None

    def naming(call: LiteralCall) -> tuple[str, ...]:
        write_target = write_targets[id(call)] = open_target(call)
        return _table_name(write_target)

    return translate(text, _collections(text), naming, _catalogs(text))


def _catalogs(text: str) -> set[str]:
    """The catalogs of the session; none for a statement to which they do not matter."""
    has_procedure = any(word in text.lower() for word in ("optimize", "execute"))
    names = configuration.settings("spark.sql.catalog.") if has_procedure else {}
    return {name for name in names if "." not in name}


def _collections(text: str) -> set[str]:
    names = configuration.settings(COLLECTIONS) if _BARE_ARGUMENT.search(text) else {}
    return {key.split(".", 1)[0] for key in names}


def _refuse_other_nulls(table: str, column: str, nullable: bool) -> None:
    """Refuse a MODIFY COLUMN that would change whether the column takes NULL: Spark changes that in a separate
    statement.
    """
    try:
        field = relations.catalog_table(table).schema().caseInsensitiveFindField(".".join(split_name(column)))
    except BRIDGE_ERRORS:
        return
    if field is None or field.isOptional() == nullable:
        return
    if nullable:
        raise IcebergSqlError(
            f"the column `{column}` is NOT NULL",
            help=f"first run ALTER TABLE {table} ALTER COLUMN {column} DROP NOT NULL",
        )
    raise IcebergSqlError(
        f"the column `{column}` is nullable, and Iceberg cannot make it NOT NULL",
        help=f"write MODIFY COLUMN {column} Nullable(...)",
    )


def _table_name(write_target: WriteTarget) -> tuple[str, ...]:
    """The name of the table in a folder: in a catalog that the active session has, if one has the folder.

    Catalogs cache tables: rows written through another catalog would not be visible through this one.
    """
    folder = write_target.location.path
    if write_target.location.io == HADOOP:
        # A link's own name would be recorded in the manifests.
        folder = re.sub("^file:/+", "/", same_location.normalized(folder))
        for catalog, warehouse in sorted(
            configuration.hadoop_catalogs().items(), key=lambda item: (item[0].startswith(PATH_CATALOG_PREFIX), item[0])
        ):
            table_name = _name_in_warehouse(folder, catalog, warehouse)
            if table_name is not None:
                return table_name
    return path_table_name(folder)


def _name_in_warehouse(folder: str, catalog: str, warehouse: str) -> tuple[str, ...] | None:
    """The name of the table in a folder that is inside a catalog's warehouse; None if the folder is elsewhere."""
    parts = folder.split("/")
    for start in range(len(parts) - 1, 0, -1):
        name = parts[start:]
        if "" in name:
            return None
        if same_location.is_same("/".join(parts[:start]) or "/", warehouse):
            return (catalog, *name)
    return None
