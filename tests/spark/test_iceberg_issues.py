"""The list of Iceberg's known faults against the Iceberg that runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from iceberg_faults import Faults
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway
from spark_iceberg_sql.spark.optimizer.iceberg_issues import ISSUES, TESTED_VERSIONS
from spark_iceberg_sql.spark.optimizer.rule_records import RULES


def iceberg() -> str:
    version = str(gateway.java_class("org.apache.iceberg.IcebergBuild").version())
    assert version in TESTED_VERSIONS
    return version


def test_the_probes_say_what_the_list_says(spark: SparkSession) -> None:
    version = iceberg()
    registry = compiler.rule_registry()
    assert registry is not None
    expected = {
        issue.reference: "present" if version in issue.present_in else "absent" for issue in ISSUES if issue.is_probed
    }
    assert dict(registry.issues()) == expected


def test_iceberg_rules_has_the_results(spark: SparkSession) -> None:
    version = iceberg()
    rows = {row.name: row.iceberg_issues for row in spark.sql("SELECT * FROM iceberg_rules()").collect()}
    for issue in (issue for issue in ISSUES if issue.rule):
        assert issue.rule in {rule.name for rule in RULES}
        result = f": {'present' if version in issue.present_in else 'absent'}"
        assert issue.reference + (result if issue.is_probed else "") in rows[issue.rule].split(", ")


def test_metadata_tables_have_all_rows(spark: SparkSession) -> None:
    """Negative filters on them, with position deletes: apache/iceberg#17440 and #17346."""
    table = "local.issues"
    spark.sql(
        f"CREATE TABLE {table} (k INT) USING iceberg "
        "TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read')"
    )
    spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ id FROM range(10)")
    spark.sql(f"DELETE FROM {table} WHERE k = 3")
    snapshot = spark.sql(f"SELECT min(snapshot_id) FROM {table}.snapshots").head()[0]
    for name, predicate in (
        ("entries", "data_file.content <> 2"),
        ("all_entries", "data_file.content NOT IN (2, 7)"),
        ("all_manifests", f"NOT (reference_snapshot_id = {snapshot} AND path = '-')"),
        ("all_manifests", f"NOT (reference_snapshot_id <> {snapshot} OR path = '-')"),
    ):
        rows = spark.sql(f"SELECT struct(*) AS row FROM {table}.{name}")
        counted = (
            rows.cache()
            .where(
                predicate.replace("data_file", "row.data_file")
                .replace("reference_", "row.reference_")
                .replace("path", "row.path")
            )
            .count()
        )
        assert spark.sql(f"SELECT * FROM {table}.{name} WHERE {predicate}").count() == counted > 0
        rows.unpersist()


@pytest.mark.tier("quick", of="rule updates")
def test_an_update_with_a_subquery_reads_the_files_that_it_replaces(spark: SparkSession, tmp_path: Path) -> None:
    """apache/iceberg#18004: two reads that choose files at the same time, with the rule and without."""
    faults = Faults(spark, str(tmp_path))
    assert list(faults.rows_kept_twice()) == []
    spark.conf.set("spark.iceberg_sql.updates", "false")
    try:
        assert len(list(faults.rows_kept_twice())) == 1
    finally:
        spark.conf.unset("spark.iceberg_sql.updates")


@pytest.mark.parametrize("condition", ["id IN (SELECT id FROM {s})", "EXISTS (SELECT 1 FROM {s} WHERE {s}.id = u.id)"])
def test_updates_with_subqueries(spark: SparkSession, condition: str) -> None:
    """Of tables that are grouped, in joins that are not broadcast."""
    table, source = "local.updates", "local.updated"
    for name, columns in ((table, "id BIGINT, v INT"), (source, "id BIGINT")):
        spark.sql(f"CREATE OR REPLACE TABLE {name} ({columns}) USING iceberg PARTITIONED BY (bucket(4, id))")
    spark.sql(f"INSERT INTO {table} SELECT id, 0 FROM range(40)")
    spark.sql(f"INSERT INTO {source} VALUES (3), (5), (NULL)")
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set("spark.iceberg_sql.colocate", "always")
    update = f"UPDATE {table} u SET v = 1 WHERE {condition.format(s=source)}"
    try:
        explained = str(sis.explain(spark, update))
        spark.conf.set("spark.iceberg_sql.updates", "false")
        assert explained == str(sis.explain(spark, update))
        spark.conf.set("spark.iceberg_sql.updates", "true")
        spark.sql(update)
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
        spark.conf.unset("spark.iceberg_sql.colocate")
        spark.conf.unset("spark.iceberg_sql.updates")
    rows = spark.sql(f"SELECT id, v FROM {table}").collect()
    assert sorted(map(tuple, rows)) == [(i, int(i in (3, 5))) for i in range(40)]
