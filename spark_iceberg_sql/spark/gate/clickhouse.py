"""Statements in ClickHouse's syntax, translated by the gate."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge import relations, sessions
from spark_iceberg_sql.spark.catalogs import attach_to_write
from spark_iceberg_sql.spark.tables import ownership
from spark_iceberg_sql.spark.tables.credentials import COLLECTIONS
from spark_iceberg_sql.syntax.clickhouse import Translation, may_need_translation, translate

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
        attach_to_write(spark, wanted.path, wanted.catalog)
    return found.text


def translated(text: str) -> str:
    """The statement in Spark's syntax, as it would be if what it writes to were attached; nothing is done."""
    found = _translation(text)
    return text if found is None else found.text


def _translation(text: str) -> Translation | None:
    if not may_need_translation(text):
        return None
    names = relations.settings(COLLECTIONS) if _BARE.search(text) else {}
    return translate(text, {key.split(".", 1)[0] for key in names})
