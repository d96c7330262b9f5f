"""Iceberg's evaluators of filters, for each operator, type and lack of statistics, against an enumeration of rows.

The goldens hold what each version of Iceberg decides wrongly; a rule of ours withholds each such filter or gives it
another form. A difference in a new version is to be read: a fault that is gone, or one that no rule knows yet.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from goldens import hold
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway

HERE = Path(__file__).parent
GOLDENS = HERE.parent / "golden" / "evaluators"


def table(name: str) -> Any:
    """An object of one of the two classes that try the evaluators."""
    loader = compiler.context_loader()
    for part in ("ColumnCase", "Verdicts", name):
        loader = compiler.compile_java((HERE / f"{part}.java").read_text("utf-8"), f"{part}.java", loader)
    return compiler.instance(loader, f"sparkicebergsql.probes.{name}")


def golden(kind: str) -> Path:
    version = gateway.java_class("org.apache.iceberg.IcebergBuild").version()
    return GOLDENS / f"{kind}-{version}.txt"


def test_filters_on_metadata(spark: SparkSession) -> None:
    """Metrics of files, partition values, manifests, and what is left of a filter in a partition."""
    hold(table("EvaluatorTable").text(), golden("metadata"))


@pytest.mark.tier("sweep")
def test_filters_of_readers(spark: SparkSession, tmp_path: Path) -> None:
    """Row groups of Parquet by statistics, dictionary and Bloom filter; stripes of ORC."""
    hold(table("FileFilterTable").text(str(tmp_path)), golden("readers"))
