"""Attempts to get damaging statements past the gate by their wording.

Each attack is first run without the gate, where it damages its table; with the gate the table stays intact.
"""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.errors import IcebergSqlWarning
from spark_iceberg_sql.spark.bridge.jvm import shims
from spark_iceberg_sql.spark.gate import intercept

Sql = Callable[..., DataFrame]
FIELD = "REPLACE PARTITION FIELD shard WITH bucket(16, id) AS"

# {t}: the table, local.attack.<name>. All statements except the last one are preparation.
TEXTS = {
    "plain": ["ALTER TABLE {t} " + FIELD + " shard"],
    "letter case": ["alter Table {t} rePLACE Partition fIELD shard with BUCKET(16, id) as SHARD"],
    "a name in backticks": ["ALTER TABLE {t} " + FIELD + " `shard`"],
    "white space": ["\n\tALTER\n TABLE\r\n{t}\t" + FIELD + "\n\n shard"],
    "a byte order mark": ["\ufeffALTER TABLE {t} " + FIELD + " shard"],
    "a comment before": ["/* SELECT 1 */ ALTER TABLE {t} " + FIELD + " shard"],
    "a comment with a bracket": ["/* /* */ */ ALTER TABLE {t} " + FIELD + " shard"],
    "a line comment inside": ["ALTER TABLE {t} -- it's\n" + FIELD + " shard"],
    "a comment that ignores": ["ALTER TABLE {t} " + FIELD + " shard -- noqa"],
    "a comment that skips": [
        "/* iceberg-sql: ignore[SIS404] */ -- iceberg-sql: skip-file\nALTER TABLE {t} " + FIELD + " shard"
    ],
    "an end after": ["ALTER TABLE {t} " + FIELD + " shard;  -- the end;\n"],
    "in two steps": [
        "ALTER TABLE {t} DROP PARTITION FIELD shard",
        "ALTER TABLE {t} ADD PARTITION FIELD bucket(16, id) AS shard",
    ],
    "in two steps, by the transform": [
        "ALTER TABLE {t} DROP PARTITION FIELD bucket(4, id)",
        "ALTER TABLE {t} ADD PARTITION FIELD truncate(4, id) AS SHARD",
    ],
    "a default name": [
        "ALTER TABLE {t} REPLACE PARTITION FIELD shard WITH bucket(4, id) AS id_bucket_16",
        "ALTER TABLE {t} DROP PARTITION FIELD id_bucket_16",
        "ALTER TABLE {t} ADD PARTITION FIELD bucket(16, id)",
    ],
    "a setting in the text": ["SET attack.name = shard", "ALTER TABLE {t} " + FIELD + " ${{attack.name}}"],
    "a setting for the verb": ["SET attack.verb = " + FIELD + " shard", "ALTER TABLE {t} ${{attack.verb}}"],
    "a setting for the table": ["SET attack.table = {t}", "ALTER TABLE ${{attack.table}} " + FIELD + " shard"],
    "a setting for all of it": ["SET attack.all = ALTER TABLE {t} " + FIELD + " shard", "${{attack.all}}"],
    "a setting for a setting": [
        "SET attack.a = shard",
        "SET attack.b = ${{attack.a}}",
        "ALTER TABLE {t} " + FIELD + " ${{attack.b}}",
    ],
    "the current namespace": ["USE local.attack", "ALTER TABLE {n} " + FIELD + " shard"],
    "a temporary view of the name": [
        "USE local.attack",
        "CREATE OR REPLACE TEMPORARY VIEW {n} AS SELECT 1 AS id",
        "ALTER TABLE {n} " + FIELD + " shard",
    ],
    "a branch": ["ALTER TABLE {t} CREATE BRANCH b", "ALTER TABLE {t}.branch_b " + FIELD + " shard"],
    "a tag": [
        "INSERT INTO {t} VALUES (1, null)",
        "ALTER TABLE {t} CREATE TAG b",
        "ALTER TABLE {t}.tag_b " + FIELD + " shard",
    ],
    "another catalog over the same files": [
        "SET spark.sql.catalog.attacker = org.apache.iceberg.spark.SparkCatalog",
        "SET spark.sql.catalog.attacker.type = hadoop",
        "SET spark.sql.catalog.attacker.warehouse = {warehouse}",
        "ALTER TABLE attacker.attack.{n} " + FIELD + " shard",
    ],
    "a table under another name": [
        "CREATE OR REPLACE TABLE {t} (id BIGINT, s STRING) USING iceberg PARTITIONED BY (bucket(4, id))",
        "CREATE OR REPLACE TABLE {t} (id BIGINT, s STRING) USING iceberg PARTITIONED BY (bucket(8, id))",
    ],
    "a query": [
        "CREATE OR REPLACE TABLE {t} USING iceberg PARTITIONED BY (bucket(4, id)) AS SELECT 1L AS id",
        "REPLACE TABLE {t} USING iceberg PARTITIONED BY (bucket(8, id)) AS SELECT 1L AS id",
    ],
    "a query of another type": [
        "ALTER TABLE {t} ADD PARTITION FIELD truncate(2, s)",
        "CREATE OR REPLACE TABLE {t} USING iceberg AS SELECT 1L AS id, date'2024-01-01' AS s",
    ],
    "a block": [
        "ALTER TABLE {t} ADD PARTITION FIELD bucket(4, s)",
        "BEGIN CREATE OR REPLACE TABLE {t} (id BIGINT, s DOUBLE) USING iceberg; END",
    ],
    "a version 1 table that goes to 2": [
        (
            "CREATE TABLE {t}_1 (id BIGINT) USING iceberg PARTITIONED BY (bucket(8, id)) "
            "TBLPROPERTIES ('format-version' = '1')"
        ),
        "ALTER TABLE {t}_1 DROP PARTITION FIELD id_bucket",
        "ALTER TABLE {t}_1 SET TBLPROPERTIES ('format-version' = '2')",
        "ALTER TABLE {t}_1 ADD PARTITION FIELD bucket(8, id)",
    ],
    "a column of a type that a past spec does not take": [
        "ALTER TABLE {t} ADD PARTITION FIELD bucket(4, s) AS part",
        "ALTER TABLE {t} DROP PARTITION FIELD part",
        "CREATE OR REPLACE TABLE {t} (id BIGINT, s DOUBLE) USING iceberg",
    ],
    "a separate table for position deletes": [
        "ALTER TABLE {t} ADD PARTITION FIELD s AS row",
        "ALTER TABLE {t} SET TBLPROPERTIES ('write.update.mode' = 'merge-on-read')",
        "INSERT INTO {t} VALUES (1, 'a'), (2, 'a')",
        "UPDATE {t} SET id = 3 WHERE id = 1",
    ],
}

# Two fields whose names differ in case: only Spark 4.1 fails on them. Refused on all lines, as a table outlives them.
SINCE_4_1 = {"letter case", "in two steps, by the transform"}
# Iceberg's parser rejects these texts; the gate repairs them, so they would run.
MENDED = {"a byte order mark", "a comment with a bracket", "an end after"}
# The query's write fails on the table that the statement would create, so Spark undoes it.
REFUSED = {"a query of another type"}


@pytest.fixture
def new_table(spark: SparkSession):
    names: list[str] = []

    def make() -> str:
        name = f"t_{uuid.uuid4().hex[:8]}"
        names.append(name)
        spark.sql("CREATE NAMESPACE IF NOT EXISTS local.attack")
        spark.sql(f"CREATE TABLE local.attack.{name} (id BIGINT, s STRING) USING iceberg")
        spark.sql(f"ALTER TABLE local.attack.{name} ADD PARTITION FIELD bucket(4, id) AS shard")
        return name

    yield make
    for name in names:
        spark.sql(f"DROP VIEW IF EXISTS {name}")
    spark.sql("USE spark_catalog.default")


def run(spark: SparkSession, sql: Sql, name: str, texts: list[str]) -> str | None:
    """Run an attack, and return what is broken afterwards."""
    warehouse = spark.conf.get("spark.sql.catalog.local.warehouse")
    with suppress(Exception):  # a refusal ends the attack
        for text in texts:
            sql(text.format(t=f"local.attack.{name}", n=name, warehouse=warehouse))
    plain = intercept.unchecked_sql(spark)
    for row in plain(f"SHOW TABLES IN local.attack LIKE '{name}*'").collect():
        if row.isTemporary:
            continue
        table = f"local.attack.{row.tableName}"
        try:
            spark.table(table).collect()
            for metadata in ("files", "partitions", "position_deletes"):
                plain(f"SELECT * FROM {table}.{metadata}").collect()
        except Exception as error:
            return str(error)
    return None


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(
            name,
            marks=[pytest.mark.needs("scripts")]
            if name == "a block"
            else [pytest.mark.tier("sweep")]
            if number % 2
            else [],
        )
        for number, name in enumerate(TEXTS)
    ],
)
def test_in_words(spark: SparkSession, new_table: Callable[[], str], attack: str) -> None:
    texts = TEXTS[attack]
    damaged = run(spark, intercept.unchecked_sql(spark), new_table(), texts) is not None
    harmless = MENDED | REFUSED | (set() if shims.SPARK_VERSION >= (4, 1) else SINCE_4_1)
    assert damaged == (attack not in harmless), "no attack at all"
    spark.sql("USE spark_catalog.default")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IcebergSqlWarning)
        broken = run(spark, spark.sql, new_table(), texts)
    assert broken is None


ODD = ("\u00a0", "\u2003", "\u3000", "\u2028", "\f", "\v")


def test_white_space_that_icebergs_grammar_refuses(spark: SparkSession, new_table: Callable[[], str]) -> None:
    """Its tokens are not checked, so it is not repaired: in `warn` too, Spark refuses it as it stands."""
    table = f"local.attack.{new_table()}"
    text = f"ALTER TABLE {table} {FIELD} shard"
    lax = spark.newSession()
    sis.install(lax, ddl="warn")
    for number, space in enumerate(ODD):
        positions = [i for i, letter in enumerate(text) if letter == " "]
        for position in positions if number == 0 else positions[number:-1:4]:
            attack = text[:position] + space + text[position + 1 :]
            for run in (spark.sql, lambda text: sis.sql(spark, text)):
                with pytest.raises(sis.IcebergSqlError) as error:
                    run(attack)
                assert [d.code for d in error.value.report] == ["SIS004"], repr(attack)
        with pytest.raises(AnalysisException), pytest.warns(IcebergSqlWarning, match="SIS004"):
            lax.sql(attack)
        with pytest.raises(AnalysisException), pytest.warns(IcebergSqlWarning, match="SIS004"):
            lax.sql(f"ALTER /**/ {attack[6:]}")  # where a comment is repaired
        # Around the statement it is removed, as a byte order mark is: what runs is what was checked.
        with pytest.raises(sis.IcebergSqlError, match="SIS404"):
            spark.sql(space + text + space)
    sis.install(lax, ddl="off")
    spark.table(f"{table}.files").collect()


CALLS: dict[str, Callable[[SparkSession, str], Any]] = {
    "by keyword": lambda spark, text: spark.sql(sqlQuery=text),
    "empty arguments": lambda spark, text: spark.sql(text, args={}),
    "arguments": lambda spark, text: spark.sql(text, args={"x": 1}),
    "a value that writes itself": lambda spark, text: spark.sql(text.replace("ALTER", "{verb}"), verb=_Verb()),
    "a subclass of str": lambda spark, text: spark.sql(_Text(text)),
    "the class": lambda spark, text: type(spark).sql(spark, text),
    "a bound method": lambda spark, text: spark.sql.__func__(spark, text),
    "sis.run": sis.run,
    "sis.sql": sis.sql,
    "sis.run with a comment": lambda spark, text: sis.run(spark, f"{text}; -- noqa: SIS404"),
    "sis.run with a variable": lambda spark, text: sis.run(
        spark, text.replace("shard", "${s}"), variables={"s": "shard"}
    ),
    "SQLContext": lambda spark, text: _context(spark).sql(text),
}


class _Text(str):
    __slots__ = ()


class _Verb:
    def __str__(self) -> str:
        return "ALTER"


def _context(spark: SparkSession) -> Any:
    from pyspark.sql import SQLContext

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SQLContext(spark.sparkContext, spark)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_in_calls(spark: SparkSession, new_table: Callable[[], str], call: Any) -> None:
    table = f"local.attack.{new_table()}"
    with pytest.raises(sis.IcebergSqlError) as error:
        call(spark, f"ALTER TABLE {table} " + FIELD + " shard")
    assert [d.code for d in error.value.report] == ["SIS404"]
    spark.table(f"{table}.files").collect()
