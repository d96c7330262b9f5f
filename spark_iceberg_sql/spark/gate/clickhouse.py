"""Statements in ClickHouse's syntax, translated by the gate."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge import relations, sessions
from spark_iceberg_sql.spark.catalogs import attach_to_write
from spark_iceberg_sql.spark.tables import ownership, same_location
from spark_iceberg_sql.spark.tables.credentials import COLLECTIONS
from spark_iceberg_sql.syntax.clickhouse import (
    OWN,
    Translation,
    may_need_translation,
    own_name,
    translate,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_BARE = re.compile(
    r"\(\s*[A-Za-z_]\w*\s*[,)]"
)  # a first argument that may be the name of a collection


def in_spark_s_words(spark: SparkSession, text: str) -> str:
    """The statement in Spark's syntax: the same text if nothing needs translation.

    A path that the statement writes to is attached to a catalog first. Raises IcebergSqlError if there is
    no table at that path, or if the table is not at the location in its metadata.
    """
    found = _translation(text)
    if found is None:
        return text
    if found.writes is not None:
        with sessions.working_in(spark):
            ownership.refuse_moved_table(found.writes)
    for wanted in found.attach:
        attach_to_write(spark, wanted.path, wanted.name)
    return found.text


def translated(text: str) -> str:
    """The statement in Spark's syntax, without attaching the path that it writes to."""
    found = _translation(text)
    return text if found is None else found.text


def _translation(text: str) -> Translation | None:
    if not may_need_translation(text):
        return None
    names = relations.settings(COLLECTIONS) if _BARE.search(text) else {}
    return translate(text, {key.split(".", 1)[0] for key in names}, _name)


def _name(folder: str) -> tuple[str, ...]:
    """The name of the table in a folder: in a catalog that the active session has, if one has the folder.

    Catalogs cache tables: rows written through another catalog would not be visible through this one.
    """
    found = sorted(relations.hadoop_catalogs().items(), key=_users_first)
    for catalog, warehouse in found:
        parts = _below(folder, catalog, warehouse)
        if parts is not None:
            return parts
    return own_name(folder)


def _users_first(catalog: tuple[str, str]) -> tuple[bool, str]:
    return catalog[0].startswith(OWN), catalog[0]


def _below(folder: str, catalog: str, warehouse: str) -> tuple[str, ...] | None:
    """The name of the table in a folder, if the folder is inside a catalog's warehouse."""
    parts = folder.split("/")
    for start in range(len(parts) - 1, 0, -1):
        name = parts[start:]
        if "" in name:
            return None
        if same_location.same("/".join(parts[:start]) or "/", warehouse):
            return (catalog, *name)
    return None
