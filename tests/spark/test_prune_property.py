"""The ranges of the rule `prune` are implied: random rows, predicates and zones, with the rule and without.

For each predicate, the range that the rule implies is computed, and rows are searched that satisfy the predicate but
not the range: many predicates in one query. The adversary does this through scans (test_adversary.py).
SIS_SWEEP=full tests more than 100,000 (row set, predicate) pairs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pyspark
import pytest
from adversary.implied import optimizer_rule
from prune_predicates import DAY, EPOCH, ZONES, Predicates, micros, moments
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from samples import FULL, share
from session_settings import settings

from spark_iceberg_sql.spark.versions import spark_minor

LINE = spark_minor(pyspark.__version__)
# For each of 8 zones: 480 predicates by 60 sets of 20 rows are 230,400 pairs; in everyday runs 2,560.
ROWS, SETS = (1200, 60) if FULL else (400, 20)
PREDICATES = 480 if FULL else 16
SEED = int(os.environ.get("SIS_SEED", "20240229"))


@contextmanager
def conf(spark: SparkSession, **values: str) -> Iterator[None]:
    """Change session settings temporarily; double underscores stand for dots."""
    with settings(spark, **{key.replace("__", "."): value for key, value in values.items()}):
        yield


def strict(spark: SparkSession, zone: str) -> Any:
    """The zone; plan validation; no code generation, since each query runs once."""
    return conf(
        spark,
        spark__sql__session__timeZone=zone,
        spark__sql__planChangeValidation="true",
        spark__sql__codegen__wholeStage="false",
        spark__sql__codegen__factoryMode="NO_CODEGEN",
        spark__iceberg_sql__fast="false",
    )


def rows(spark: SparkSession, zone: str, count: int) -> DataFrame:
    data = [(i, None if i % 50 == 7 else m) for i, m in enumerate(moments(zone, SEED, count))]
    plain = spark.createDataFrame(data, "id bigint, m bigint")
    return plain.selectExpr(
        "id",
        "concat('n', id) AS name",
        "timestamp_micros(m) AS ts",
        "timestamp_ntz '1970-01-01' + make_dt_interval(0, 0, 0, m / 1000000.0) AS n",
        f"date_from_unix_date(cast(floor(m / {DAY}) AS int)) AS d",
        "named_struct('ts', timestamp_micros(m + 1), "
        f"'d', date_from_unix_date(cast(floor(m / {DAY}) AS int) + 1)) AS s",
    )


def implied(spark: SparkSession, table: DataFrame, prune: Any, predicate: str) -> Column | None:
    """What the rule would add to the optimized filter; None if nothing."""
    plan = table.where(predicate)._jdf.queryExecution().optimizedPlan()
    if plan.nodeName() != "Filter" or plan.child().nodeName() != "DataSourceV2ScanRelation":
        return None
    added = prune.implied(plan.condition(), plan.child().relation())
    if added is None:
        return None
    sql = spark._jvm.org.apache.spark.sql
    if LINE.number < (4, 0):
        return Column(sql.Column(added))
    return Column(sql.classic.ExpressionUtils.column(added))


def compare(spark: SparkSession, source: DataFrame, predicates: list[str], sets: int) -> tuple[list[str], int, int]:
    """Predicates with a matching row outside their implied range; how many imply a range;
    and in how many sets of rows the range excludes one.
    """
    prune = optimizer_rule(spark, "Prune")
    with conf(spark, spark__iceberg_sql__prune="false"):
        implications = [(predicate, implied(spark, source, prune, predicate)) for predicate in predicates]
    ranges = [(predicate, added) for predicate, added in implications if added is not None]
    source.cache()  # no scan from here on: Spark fails to push some of these as aggregates
    wrong = []
    excluding = 0
    for at in range(0, len(ranges), 60):
        part = ranges[at : at + 60]
        lost = [F.sum((F.expr(p) & ~F.coalesce(r, F.lit(False))).cast("int")) for p, r in part]
        out = [F.sum((~F.coalesce(r, F.lit(False))).cast("int")) for _, r in part]
        for row in source.groupBy(source.id % sets).agg(*lost, *out).collect():
            wrong += [p for (p, _), n in zip(part, row[1 : len(part) + 1], strict=True) if n]
            excluding += sum(1 for n in row[len(part) + 1 :] if n)
    source.unpersist()
    return wrong, len(ranges), excluding


@pytest.mark.parametrize("zone", share(ZONES, 2))
def test_no_row_that_satisfies_a_predicate_is_outside_of_what_it_implies(spark: SparkSession, zone: str) -> None:
    generator = Predicates(zone, SEED)
    with strict(spark, zone):
        table = f"local.prune.flat_{zone.replace('/', '_').lower()}"
        spark.sql(
            f"CREATE OR REPLACE TABLE {table} USING iceberg PARTITIONED BY (bucket(4, id)) AS SELECT * FROM {{r}}",
            r=rows(spark, zone, ROWS),
        )
        predicates = [generator.next() for _ in range(PREDICATES)]
        wrong, implying, excluding = compare(spark, spark.table(table), predicates, SETS)
    print(f"{zone}: {implying} predicates x {SETS} row sets; rows left out in {excluding}")
    assert wrong == []
    # The test is meaningful: many predicates imply a range, and that excludes rows.
    assert implying > PREDICATES * 0.35
    assert excluding > implying * SETS * 0.5


# Where time increases but an expression of it decreases: the middle, the extent and the step of the rows.
FALLS = {
    "America/St_Johns": ("2006-10-29T02:31", timedelta(hours=3), timedelta(minutes=7)),
    "Australia/Lord_Howe": ("2024-04-06T15:00", timedelta(hours=2), timedelta(minutes=5)),
    "Pacific/Apia": ("1892-07-04T11:26:56", timedelta(hours=50), timedelta(minutes=100)),
    "UTC": ("2023-01-30T00:00", timedelta(hours=80), timedelta(minutes=170)),  # months of 28 and 31 days
}


@pytest.mark.parametrize("zone", share(FALLS, 2))
def test_where_an_expression_falls_for_a_while(spark: SparkSession, zone: str) -> None:
    middle, reach, step = FALLS[zone]
    start = micros(datetime.fromisoformat(f"{middle}+00:00") - reach)
    times = [start + i * micros(EPOCH + step) for i in range(2 * reach // step)]
    with strict(spark, zone):
        data = spark.createDataFrame(list(enumerate(times)), "id bigint, m bigint")
        data = data.selectExpr("id", "timestamp_micros(m) AS ts")
        data.writeTo("local.prune.falls").using("iceberg").createOrReplace()
        predicates = []
        for at in share(times[::5], 7):
            local = (EPOCH + timedelta(microseconds=at)).astimezone(ZoneInfo(zone))
            for op in ("<", ">=", "="):
                predicates += [
                    f"date_format(ts, 'yyyy-MM-dd HH:mm') {op} '{local:%Y-%m-%d %H:%M}'",
                    f"cast(ts AS string) {op} '{local:%Y-%m-%d %H:%M:%S}'",
                    f"year(ts) * 10000 + month(ts) * 100 + day(ts) {op} {local:%Y%m%d}",
                    f"ts + INTERVAL 1 MONTH {op} timestamp_micros({at}) + INTERVAL 1 MONTH",
                    f"date_trunc('hour', ts - INTERVAL 2 DAYS) {op} timestamp_micros({at}) - INTERVAL 2 DAYS",
                ]
        wrong, implying, _ = compare(spark, spark.table("local.prune.falls"), predicates, 1)
    assert wrong == []
    assert implying > len(predicates) * 0.9
