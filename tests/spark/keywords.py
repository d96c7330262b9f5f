"""Every keyword of Spark's and Iceberg's grammars, and the positions in statements where a name is allowed."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

NAME = "{w}"
# Positions of the name of a table, a namespace, a column, a field, a transform or a property.
PLACES = tuple(
    place.format_map({"w": NAME, "new": "(id INT) USING iceberg", "t": "ALTER TABLE t"})
    for place in (
        "CREATE TABLE {w} {new}", "CREATE TABLE db.{w} {new}", "CREATE TABLE {w}.t {new}",
        "CREATE TABLE {w} USING iceberg AS SELECT 1 AS id", "CREATE OR REPLACE TABLE {w} {new}",
        "REPLACE TABLE {w} {new}", "CREATE TABLE IF NOT EXISTS {w} {new}", "CREATE TABLE a LIKE {w}",
        "ALTER TABLE {w} ADD PARTITION FIELD id", "ALTER TABLE db.{w} DROP PARTITION FIELD id",
        "ALTER TABLE {w}.t REPLACE PARTITION FIELD a WITH b", "ALTER TABLE {w} ADD COLUMN x INT",
        "ALTER TABLE {w} DROP COLUMN x", "ALTER TABLE {w} RENAME COLUMN x TO y",
        "ALTER TABLE {w} ALTER COLUMN x TYPE INT", "ALTER TABLE {w} SET TBLPROPERTIES ('a' = 'b')",
        "ALTER TABLE {w} RENAME TO u", "{t} RENAME TO {w}", "{t} RENAME TO db.{w}",
        "DROP TABLE {w}", "DROP TABLE IF EXISTS {w}", "DROP TABLE {w}.t", "DROP TABLE db.{w} PURGE",
        "USE {w}", "USE {w}.db", "USE db.{w}", "USE NAMESPACE {w}", "USE SCHEMA {w}",
        "CREATE TABLE t ({w} INT) USING iceberg", "CREATE TABLE t (id INT, {w} INT) USING iceberg",
        "CREATE TABLE t ({w} INT NOT NULL COMMENT 'x') USING iceberg",
        "CREATE TABLE t (s STRUCT<{w}: INT>) USING iceberg",
        "CREATE TABLE t (s STRUCT<{w} INT, a INT>) USING iceberg",
        "CREATE TABLE t {new} PARTITIONED BY ({w})", "CREATE TABLE t {new} PARTITIONED BY (a, {w})",
        "CREATE TABLE t {new} PARTITIONED BY ({w}.a)", "CREATE TABLE t {new} PARTITIONED BY (a.{w})",
        "CREATE TABLE t {new} PARTITIONED BY (bucket(4, {w}))",
        "CREATE TABLE t {new} PARTITIONED BY ({w} INT)",
        "CREATE TABLE t {new} PARTITIONED BY ({w}(id))",
        "CREATE TABLE t {new} PARTITIONED BY (a, {w}(4, id))",
        "{t} ADD COLUMN {w} INT", "{t} ADD COLUMNS ({w} INT, b INT)", "{t} ADD COLUMNS a INT, {w} INT",
        "{t} ADD COLUMN st.{w} INT", "{t} ADD COLUMN {w}.x INT", "{t} ADD COLUMN x INT AFTER {w}",
        "{t} DROP COLUMN {w}", "{t} DROP COLUMNS ({w}, b)", "{t} DROP COLUMNS a, {w}",
        "{t} DROP COLUMN IF EXISTS {w}", "{t} DROP COLUMN {w}.a", "{t} RENAME COLUMN {w} TO x",
        "{t} RENAME COLUMN x TO {w}", "{t} RENAME COLUMN {w}.x TO y", "{t} ALTER COLUMN {w} TYPE BIGINT",
        "{t} ALTER {w} TYPE BIGINT", "{t} ALTER COLUMN {w} FIRST", "{t} ALTER COLUMN x AFTER {w}",
        "{t} ALTER COLUMN {w} COMMENT 'x'", "{t} ALTER COLUMN {w} DROP NOT NULL",
        "{t} ALTER COLUMN {w} SET DEFAULT 1", "{t} ALTER COLUMN {w}.a TYPE INT",
        "{t} ALTER COLUMN a TYPE INT, {w} TYPE INT", "{t} CHANGE {w} {w} INT", "{t} CHANGE COLUMN a {w} INT",
        "{t} REPLACE COLUMNS ({w} INT)", "{t} REPLACE COLUMNS (a INT, {w} INT)",
        "{t} ADD PARTITION FIELD {w}", "{t} ADD PARTITION FIELD bucket(4, {w})",
        "{t} ADD PARTITION FIELD {w}(id)", "{t} ADD PARTITION FIELD {w}(4, id)",
        "{t} ADD PARTITION FIELD id AS {w}", "{t} ADD PARTITION FIELD st.{w}",
        "{t} DROP PARTITION FIELD {w}", "{t} DROP PARTITION FIELD {w}(id)",
        "{t} REPLACE PARTITION FIELD {w} WITH id", "{t} REPLACE PARTITION FIELD id WITH {w} AS {w}",
        "{t} SET TBLPROPERTIES ({w} = 'x')", "{t} SET TBLPROPERTIES (a.{w} = 'x')",
        "{t} SET TBLPROPERTIES ({w}.a 'x')", "{t} UNSET TBLPROPERTIES ({w})",
        "CREATE TABLE t {new} TBLPROPERTIES ({w} = 'x')", "CREATE TABLE t {new} OPTIONS ({w} 'x')",
    )
)  # fmt: skip


def keywords(spark: SparkSession) -> list[str]:
    """The words of both lexers, from their own vocabularies, and an ordinary name."""
    parsers: Any = spark._jvm.org.apache.spark.sql.catalyst.parser
    names = {"plain"}
    for lexer in (parsers.SqlBaseLexer, parsers.extensions.IcebergSqlExtensionsLexer):
        vocabulary = lexer.VOCABULARY
        for number in range(1, vocabulary.getMaxTokenType() + 1):
            name = (vocabulary.getLiteralName(number) or "").strip("'")
            if name.isidentifier():
                names.add(name)
    return sorted(names)
