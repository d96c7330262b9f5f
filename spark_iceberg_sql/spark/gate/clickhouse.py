"""Statements in ClickHouse's syntax, translated by the gate."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.outgoing import visible
from spark_iceberg_sql.spark.bridge import configuration, relations, sessions
from spark_iceberg_sql.spark.bridge.errors import BRIDGE_ERRORS
from spark_iceberg_sql.spark.bridge.location import HADOOP
from spark_iceberg_sql.spark.catalogs import attach_to_create, attach_to_write
from spark_iceberg_sql.spark.tables import ownership, same_location
from spark_iceberg_sql.spark.tables.credentials import COLLECTIONS
from spark_iceberg_sql.spark.tables.places import Place, opened
from spark_iceberg_sql.syntax.clickhouse import (
    PATH_CATALOG_PREFIX,
    Translation,
    may_need_translation,
    path_table_name,
    translate,
)
from spark_iceberg_sql.syntax.identifiers import dotted
from spark_iceberg_sql.syntax.literal_calls import LiteralCall

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A first argument that may be the name of a collection.
_BARE = re.compile(r"\(\s*[A-Za-z_]\w*\s*[,)]")


def in_spark_s_words(spark: SparkSession, text: str) -> str:
    """The statement in Spark's syntax: the same text if nothing needs translation.

    A path that the statement writes to is attached to a catalog first. Raises IcebergSqlError if there is no
    table at that path, if the table is not at the location in its metadata, and for ClickHouse syntax that
    has no equivalent.
    """
    places: dict[int, Place] = {}
    found = _translation(text, places)
    if found is None:
        return text
    if found.changed_table is not None:
        with sessions.working_in(spark):
            ownership.refuse_moved_table(found.changed_table)
            if found.retyped is not None:
                _refuse_other_nulls(found.changed_table, *found.retyped)
    # A name must exist before Spark analyses the translated statement, so targets are attached here.
    for wanted in found.attach:
        place = places.get(id(wanted.call)) or opened(wanted.call)
        place.warn_of_open(text)
        if not wanted.has_user_name:
            attach_to_write(spark, place, wanted.name)
            continue
        exists = attach_to_create(spark, place, wanted.name)
        if not exists and not wanted.is_new:
            raise IcebergSqlError(
                f"there is no table at `{place.shown}`",
                help="write the columns, to create it: CREATE TABLE ... (id Int64) ENGINE = ...",
            )
        if exists and wanted.is_new and not found.text.startswith("CREATE TABLE IF NOT EXISTS"):
            raise IcebergSqlError(
                f"there is already a table at `{place.shown}`; it is attached as {dotted(wanted.name)}",
                help="leave out the columns, or write CREATE TABLE IF NOT EXISTS",
            )
    for words in found.ignored:
        warnings.warn(visible(words), IcebergSqlWarning, stacklevel=2)
    return found.text


def translated(text: str) -> str:
    """The statement in Spark's syntax, without looking at the path that it writes to, whose name may differ from
    the real one.

    Raises IcebergSqlError for ClickHouse syntax that has no equivalent.
    """
    if not may_need_translation(text):
        return text
    found = translate(text, _collections(text), catalogs=_catalogs(text))
    return text if found is None else found.text


def _translation(text: str, places: dict[int, Place]) -> Translation | None:
    """The translation of a statement; None if it needs none.

    write_targets: filled with the target of each call that was opened for its name, by the call's identity.
    """
    if not may_need_translation(text):
        return None

    def naming(call: LiteralCall) -> tuple[str, ...]:
        place = places[id(call)] = opened(call)
        return _name(place)

    return translate(text, _collections(text), naming, _catalogs(text))


def _catalogs(text: str) -> set[str]:
    """The catalogs of the session; none for a statement to which they do not matter."""
    names = configuration.settings("spark.sql.catalog.") if "optimize" in text.lower() else {}
    return {name for name in names if "." not in name}


def _collections(text: str) -> set[str]:
    names = configuration.settings(COLLECTIONS) if _BARE.search(text) else {}
    return {key.split(".", 1)[0] for key in names}


def _refuse_other_nulls(table: str, column: str, nullable: bool) -> None:
    """Refuse a MODIFY COLUMN that would change whether the column takes NULL: Spark changes that in a separate
    statement.
    """
    try:
        field = (
            relations.catalog_table(table)
            .schema()
            .caseInsensitiveFindField(".".join(split_name(column)))
        )
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


def _name(place: Place) -> tuple[str, ...]:
    """The name of the table in a folder: in a catalog that the active session has, if one has the folder.

    Catalogs cache tables: rows written through another catalog would not be visible through this one.
    """
    folder = place.location.path
    if place.location.io == HADOOP:
        # A link's own name would be recorded in the manifests.
        folder = re.sub("^file:/+", "/", same_location.one(folder))
        for catalog, warehouse in sorted(configuration.hadoop_catalogs().items(), key=_users_first):
            found = _below(folder, catalog, warehouse)
            if found is not None:
                return found
    return path_table_name(folder)


def _users_first(catalog: tuple[str, str]) -> tuple[bool, str]:
    return catalog[0].startswith(PATH_CATALOG_PREFIX), catalog[0]


def _below(folder: str, catalog: str, warehouse: str) -> tuple[str, ...] | None:
    """The name of the table in a folder that is inside a catalog's warehouse; None if the folder is
    elsewhere.
    """
    parts = folder.split("/")
    for start in range(len(parts) - 1, 0, -1):
        name = parts[start:]
        if "" in name:
            return None
        if same_location.same("/".join(parts[:start]) or "/", warehouse):
            return (catalog, *name)
    return None
