"""Why explain says that the rule colocate has not grouped tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from colocate_tables import (
    BUCKETING,
    GROUPING,
    JOIN,
    LARGE,
    ROWS,
    SWITCH,
    create,
    drop,
    is_grouped,
    large_tables,
    tables_and_copies,
    write,
)
from pyspark.sql import SparkSession
from session_settings import settings

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm import compiler, sessions
from spark_iceberg_sql.spark.bridge.plans.spark_issues import issues_of


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    with tables_and_copies(spark, ("a", "b", "b3", "b8", "d", "plain")):
        yield


@pytest.fixture
def large(spark: SparkSession) -> Iterator[None]:
    with large_tables(spark):
        yield


# By query, with the rule's switch as it is by default: what explain says of its shuffles.
REASONS = {
    "SELECT a.id FROM {t}.a a JOIN {t}.b3 b ON a.id = b.id": (
        "local.colo.a and local.colo.b3: shuffled, since local.colo.a is partitioned by bucket(4, id), "
        "local.colo.b3 by bucket(3, id); to avoid it: ALTER TABLE local.colo.b3 "
        "REPLACE PARTITION FIELD bucket(3, id) WITH bucket(4, id); then rewrite its files"
    ),
    "SELECT a.id FROM {t}.plain a JOIN {t}.b b ON a.id = b.id": (
        "local.colo.plain and local.colo.b: shuffled, since local.colo.plain is not partitioned; to avoid it: "
        "ALTER TABLE local.colo.plain ADD PARTITION FIELD bucket(4, id); then rewrite its files"
    ),
    "SELECT a.id FROM {t}.d a JOIN {t}.b b ON a.id = b.id": (
        "local.colo.d and local.colo.b: shuffled, since local.colo.d is partitioned by other columns; to avoid it: "
        "ALTER TABLE local.colo.d ADD PARTITION FIELD bucket(4, id); then rewrite its files"
    ),
    JOIN: (
        "local.colo.a and local.colo.b: shuffled, since the partitions have * on average, which a shuffle moves as fast"
    ),
    "SELECT id, count(*) FROM {t}.skewed GROUP BY id": (
        "local.colo.skewed: shuffled, since one task reads all of the table"
    ),
    "SELECT id, count(*) FROM {t}.uneven GROUP BY id": (
        "local.colo.uneven: shuffled, since the partitions do not divide the work evenly among N cores: "
        "one core would have X times its share"
    ),
    "SELECT k, count(*) FROM {t}.a GROUP BY k": None,
    "SELECT a.id FROM {t}.plain a JOIN {t}.plain b ON a.id = b.id": None,
}


FAULTS = " and ".join(
    f"{issue.cost} ({issue.reference})" for issue in issues_of(f"SET {BUCKETING}shuffle.enabled = false")
)


def shuffled(spark: SparkSession, query: str) -> list[str]:
    """What explain says of the shuffles of a query, without sizes."""
    notes = sis.explain(spark, query.replace("{t}", "local.colo")).notes
    changes = ((r"[0-9.]+ k?B\b", "*"), (r"\d+ cores", "N cores"), (r"[0-9.]+ times", "X times"))
    reasons = [note for note in notes if "shuffled" in note]
    for pattern, text in changes:
        reasons = [re.sub(pattern, text, reason) for reason in reasons]
    return reasons


def test_explain_says_why_not(spark: SparkSession, large: None) -> None:
    wrong = [
        (query, reasons, reason)
        for query, reason in REASONS.items()
        if (reasons := shuffled(spark, query)) != ([reason] if reason else [])
    ]
    assert not wrong
    for key, value, statement in (
        (SWITCH, "false", f"the rule colocate is off; to avoid it: SET {SWITCH} = true"),
        (GROUPING, "false", f"a setting rules it out; to avoid it: RESET `{GROUPING}`"),
        (
            f"{BUCKETING}shuffle.enabled",
            "true",
            f"a setting rules it out, with which {FAULTS}; to avoid it: SET {BUCKETING}shuffle.enabled = false",
        ),
    ):
        with settings(spark, **{key: value}):
            assert shuffled(spark, LARGE) == [f"local.colo.large and local.colo.more: shuffled, since {statement}"]
    assert not shuffled(spark, LARGE)


def columnar_session(spark: SparkSession) -> SparkSession:
    """A session of the same Spark with an extension that may take its operators over."""
    file = Path(__file__).with_name("ColumnarEngine.java")
    loader = compiler.compile_java(file.read_text("utf-8"), file.name, compiler.context_loader())
    extension = compiler.instance(loader, "sparkicebergsql.tests.ColumnarEngine")
    java = spark._jsparkSession
    companion = getattr(spark._jvm, java.getClass().getName())
    try:
        companion.clearActiveSession()
        companion.clearDefaultSession()
        return SparkSession(spark.sparkContext, companion.builder().withExtensions(extension).getOrCreate())
    finally:
        companion.setDefaultSession(java)
        companion.setActiveSession(java)


def test_another_engine_reads_the_files(spark: SparkSession, large: None) -> None:
    assert is_grouped(spark, LARGE)
    other = columnar_session(spark)
    sis.install(other)
    with sessions.working_in(other):
        for choice in ("true", "always"):
            with settings(other, **{SWITCH: choice, "spark.sql.autoBroadcastJoinThreshold": "-1"}):
                assert not is_grouped(other, LARGE)
                (reason,) = shuffled(other, LARGE)
                assert "another engine may read the files: org.apache.spark.sql.execution.ColumnarRule" in reason
    assert is_grouped(spark, LARGE)


def test_files_of_several_specs(spark: SparkSession) -> None:
    create(spark, "x", "bucket(4, id)")
    try:
        write(spark, "x", ROWS)
        spark.sql("ALTER TABLE local.colo.x REPLACE PARTITION FIELD bucket(4, id) WITH bucket(8, id)")
        write(spark, "x", ROWS)
        (reason,) = shuffled(spark, "SELECT x.id FROM {t}.x x JOIN {t}.b8 b ON x.id = b.id")
        assert "the files of local.colo.x that are read have 2 partition specs" in reason
        spark.sql(reason.partition("to avoid it: ")[2])
        with settings(spark, **{SWITCH: "always"}):
            assert is_grouped(spark, "SELECT x.id FROM {t}.x x JOIN {t}.b8 b ON x.id = b.id")
    finally:
        drop(spark, "x")
