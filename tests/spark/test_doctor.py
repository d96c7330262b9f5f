"""`iceberg-sql doctor` and sis.doctor(spark) in a session."""

from __future__ import annotations

from pathlib import Path

import pytest
from process import run
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.optimizer.iceberg_issues import ISSUES
from spark_iceberg_sql.spark.optimizer.rule_records import RULES


@pytest.mark.tier("quick", of="doctor")
def test_a_session_in_one_screen(spark: SparkSession) -> None:
    diagnosis = sis.doctor(spark)
    text = str(diagnosis)
    assert diagnosis.ok, text
    assert [rule.name for rule in diagnosis.rules if rule.is_enabled] == [rule.name for rule in RULES]
    (jar,) = diagnosis.jars
    assert jar.version in (diagnosis.iceberg or "")
    assert f"Spark     {spark.version} with Scala 2.1" in text
    assert "local: hadoop (SparkCatalog), /" in text
    assert "check of partition DDL (`error`)" in text
    assert {fault.reference for fault in diagnosis.faults} == {i.reference for i in ISSUES if i.present_in}
    assert {fault.state for fault in diagnosis.faults} <= {"present", "absent"}
    assert len(text.splitlines()) - text.count("(SparkCatalog)") < 50  # other tests of the session have catalogs, too


def test_rules_off_and_catalogs_without_their_credentials(spark: SparkSession) -> None:
    settings = {
        "spark.iceberg_sql.floats": "false",
        "spark.sql.catalog.far": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.far.type": "rest",
        "spark.sql.catalog.far.uri": "https://me:hunter2@host/rest?token=hunter2",
        "spark.sql.catalog.far.credential": "hunter2",
        "spark.sql.catalog.far.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
    }
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        diagnosis = sis.doctor(spark)
    finally:
        for key in settings:
            spark.conf.unset(key)
    text = str(diagnosis)
    assert "far: rest (SparkCatalog), https://***@host/rest, by S3FileIO" in text
    assert "off: floats: by its setting" in text
    assert "floats: NOT CORRECTED: it is off" in text
    assert "hunter2" not in text + diagnosis.to_json()


@pytest.mark.tier("sweep")
def test_what_is_missing_is_said(tmp_path: Path) -> None:
    """A session without Iceberg, then one with it in which nothing is installed."""
    out, _ = run(
        tmp_path,
        """
spark = theirs(jar=False)
print(sis.doctor(spark).problems)
""",
    )
    assert "Iceberg's runtime is not on this session's class path" in out
    assert "nothing is installed in this session: sis.install(spark)" in out
