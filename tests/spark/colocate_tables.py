"""Tables for the rule colocate, with copies of their rows outside Iceberg, and what plans do with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame, SparkSession
from session_settings import settings

from spark_iceberg_sql.spark.bridge.jvm.shims import SPARK_VERSION

SWITCH = "spark.iceberg_sql.colocate"
GROUPING = "spark.sql.iceberg.planning.preserve-data-grouping"
BUCKETING = "spark.sql.sources.v2.bucketing."
# Whether the rule groups scans of plans that are not adaptive, and by keys that a projection computes or renames.
NOT_ADAPTIVE, BY_EXPRESSIONS = SPARK_VERSION >= (4, 0), SPARK_VERSION >= (4, 0)
COLUMNS = "id BIGINT, k INT, s STRING, ts TIMESTAMP, p STRUCT<i: BIGINT, s: STRING>"
# Several files of a partition, and several tasks of a file, as in a large table.
DIVIDED = "'read.split.target-size' = '1', 'read.split.open-file-cost' = '1'"
# By name: the partition fields, and which rows of all there are. Some buckets have no rows in one of the tables.
TABLES = {
    "a": ("bucket(4, id)", "id IS NULL OR id % 7 <> 3"),
    "b": ("bucket(4, id)", "id % 5 <> 2"),
    "c": ("bucket(4, id)", "id IN (1, 2, 3)"),
    "b8": ("bucket(8, id)", "true"),
    "b6": ("bucket(6, id)", "id % 13 <> 4"),
    "b3": ("bucket(3, id)", "true"),
    "plain": ("", "true"),
    "kid": ("k, bucket(4, id)", "true"),
    "idk": ("bucket(4, id), k", "true"),
    "d": ("days(ts)", "id < 30"),
    "e": ("days(ts)", "id > 10"),
    "i": ("k", "true"),
    "s": ("bucket(4, s)", "true"),
    "w": ("truncate(2, s)", "true"),
    "v": ("truncate(2, s)", "id % 9 <> 1"),
    "t": ("truncate(10, id)", "true"),
    "dib": ("days(ts), bucket(4, id)", "id % 3 <> 1"),
    "pi": ("bucket(4, p.i)", "id % 2 = 0"),
    "pj": ("bucket(4, p.i)", "true"),
    "ps": ("p.s", "true"),
}
ROWS = (
    "SELECT if(id % 11 = 10, NULL, id) AS id, CAST(id % 3 AS INT) AS k, concat('s', id % 9) AS s, "
    "timestamp_seconds(1700000000 + (id % 12) * 40000) AS ts, "
    "if(id % 8 = 7, NULL, named_struct('i', if(id % 11 = 9, NULL, id), 's', concat('n', id % 4))) AS p FROM range(40)"
)


@contextmanager
def tables_and_copies(spark: SparkSession, names: Iterable[str] = tuple(TABLES)) -> Iterator[None]:
    """Some of the tables, in a session without broadcasts."""
    for namespace in ("local.colo", "spark_catalog.colo"):
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {namespace}")
    for name in names:
        fields, condition = TABLES[name]
        create(spark, name, fields)
        write(spark, name, f"SELECT * FROM ({ROWS}) WHERE {condition}")
    with settings(spark, **{"spark.sql.autoBroadcastJoinThreshold": "-1"}):
        yield
    for name in names:
        drop(spark, name)


def create(spark: SparkSession, name: str, fields: str, properties: str = DIVIDED) -> None:
    by = f"PARTITIONED BY ({fields})" if fields else ""
    spark.sql(f"CREATE TABLE local.colo.{name} ({COLUMNS}) USING iceberg {by} TBLPROPERTIES ({properties})")
    spark.sql(f"CREATE TABLE spark_catalog.colo.{name} ({COLUMNS}) USING parquet")


def write(spark: SparkSession, name: str, rows: str) -> None:
    for catalog in ("local", "spark_catalog"):
        spark.sql(f"INSERT INTO {catalog}.colo.{name} {rows}")


def drop(spark: SparkSession, name: str) -> None:
    for catalog in ("local", "spark_catalog"):
        spark.sql(f"DROP TABLE {catalog}.colo.{name}")


def rows(spark: SparkSession, query: str, tables: str) -> list[str]:
    return sorted(str(tuple(row)) for row in spark.sql(query.replace("{t}", tables)).collect())


def grouped(frame: DataFrame) -> int:
    """Scans of a plan that read each partition in one task."""
    return len(re.findall(r"groupedBy=[^)\]]", plan(frame)))


def shuffles(frame: DataFrame) -> int:
    return plan(frame).count("Exchange hashpartitioning")


def plan(frame: DataFrame) -> str:
    """The physical plan, before it runs."""
    return str(frame._jdf.queryExecution().executedPlan().toString())


def exchanges(spark: SparkSession, statement: str) -> int:
    (text,) = spark.sql(f"EXPLAIN {statement}").first()
    return text.partition("== Initial Plan ==")[0].count("Exchange ")


JOIN = "SELECT a.id, b.k FROM {t}.a a JOIN {t}.b b ON a.id = b.id"


def is_grouped(spark: SparkSession, query: str = JOIN) -> bool:
    return grouped(spark.sql(query.replace("{t}", "local.colo"))) > 0


LARGE = "SELECT a.id, b.k FROM local.colo.large a JOIN local.colo.more b ON a.id = b.id"


# By name: the key by whose buckets the rows of a large table lie in its partitions.
LARGE_KEYS = {"large": "id", "more": "id", "skewed": "1L", "uneven": "if(id % 10 < 6, 1L, id)"}


@contextmanager
def large_tables(spark: SparkSession) -> Iterator[None]:
    """Tables of four partitions of more than a megabyte; one has all rows in one of them, another most of them."""
    text = "concat(sha2(cast(id AS string), 512), sha2(cast(-id AS string), 512))"
    for name, key in LARGE_KEYS.items():
        spark.sql(
            f"CREATE TABLE local.colo.{name} ({COLUMNS}) USING iceberg PARTITIONED BY (bucket(4, id)) "
            f"TBLPROPERTIES ('read.split.target-size' = '100000', 'read.split.open-file-cost' = '1')"
        )
        spark.sql(
            f"INSERT INTO local.colo.{name} SELECT {key}, CAST(id % 3 AS INT), {text}, now(), NULL FROM range(80000)"
        )
    yield
    for name in LARGE_KEYS:
        spark.sql(f"DROP TABLE local.colo.{name}")
