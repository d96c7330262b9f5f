"""The supported lines of Spark: one table, which the documentation, the requirement and the workflow agree with."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import iceberg_results
import pytest
import yaml

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.versions import (
    JAVA,
    SPARK_MINORS,
    missing_runtime,
    runtime,
    runtimes,
    spark_minor,
    untested,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
SPARK = [known.spark for known in SPARK_MINORS]


def test_each_line_has_a_runtime_and_each_runtime_a_line() -> None:
    for name, row in runtimes().items():
        spark, _, scala = name.partition("_")
        assert spark in SPARK
        assert runtime(f"{spark}.3", scala) == row
        assert row.artifact == f"iceberg-spark-runtime-{name}"
        assert re.fullmatch("[0-9a-f]{64}", row.sha256)
    assert [runtime(f"{spark}.0").artifact for spark in SPARK] == [
        "iceberg-spark-runtime-4.1_2.13",
        "iceberg-spark-runtime-4.0_2.13",
        "iceberg-spark-runtime-3.5_2.12",
    ]


@pytest.mark.parametrize("version", ["4.2.0", "3.4.4", "5.0.0"])
def test_another_line_is_refused_in_one_sentence(version: str) -> None:
    with pytest.raises(IcebergSqlError) as caught:
        spark_minor(version)
    message, _, advice = str(caught.value).partition("\n")
    assert message == f"Spark {version[:3]} is not supported, only Spark 4.1, 4.0 and 3.5"
    assert advice == "help: pip install 'pyspark~=4.1.0'"


def test_an_unknown_line_without_a_runtime_is_told_what_is_missing() -> None:
    error = missing_runtime("4.2.0", "2.13")
    assert "Iceberg's runtime for Spark 4.2 is missing" in str(error)
    assert "only Spark 4.1, 4.0 and 3.5" in str(error)
    assert "iceberg-spark-runtime-4.2_2.13" in str(error)


def test_another_scala_is_refused() -> None:
    with pytest.raises(IcebergSqlError, match=r"no runtime for Spark 4.1 with Scala 2.12, only with 2.13"):
        runtime("4.1.2", "2.12")


def test_the_documented_tables() -> None:
    cells = [f"{release.spark}-{minor}" for release in SPARK_MINORS for minor in release.iceberg]
    cells += map("-".join, iceberg_results.OTHERS)
    assert set(iceberg_results.results()) <= set(cells)
    iceberg_results.hold_tables()


@pytest.mark.parametrize(
    ("spark", "iceberg", "fact"),
    [
        ("3.5.4", "1.5.2", None),
        ("4.1.4", "1.12.0", None),
        ("4.2.0", "1.12.0", "Spark 4.2 is not tested, only Spark 4.1, 4.0 and 3.5"),
        ("3.5.4", "1.4.3", "Iceberg 1.4.3 is not tested with Spark 3.5, only its releases 1.5 to 1.12"),
        ("3.5.4", "1.6.1-amzn-2", "Iceberg 1.6.1-amzn-2 is not tested with Spark 3.5, only its releases 1.5 to 1.12"),
        ("4.0.1", "1.12.0", "Iceberg 1.12.0 is not tested with Spark 4.0, only its releases 1.10 to 1.11"),
        ("4.1.0", "", "Iceberg of an unknown version is not tested with Spark 4.1, only its releases 1.11 to 1.12"),
    ],
)
def test_what_is_not_tested_is_named(spark: str, iceberg: str, fact: str | None) -> None:
    assert untested(spark, iceberg) == fact


def test_the_requirement_is_the_lines() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (required,) = (row for row in project["optional-dependencies"]["spark"] if row.startswith("pyspark"))
    newest = SPARK_MINORS[0].number
    assert required == f"pyspark>={SPARK[-1]},<{newest[0]}.{newest[1] + 1}"


def test_the_workflow_tests_every_line() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]
    matrix = jobs["spark"]["strategy"]["matrix"]
    tested = {matrix["spark"][0], *(row["spark"] for row in matrix["include"])}
    assert tested == set(SPARK)
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))["jobs"]
    assert set(jobs["jar"]["strategy"]["matrix"]["spark"]) == set(SPARK)
    for row in matrix["include"]:
        assert int(row["java"]) in spark_minor(row["spark"]).java


def test_java_is_that_of_any_line() -> None:
    assert set(JAVA) == {java for release in SPARK_MINORS for java in release.java}
