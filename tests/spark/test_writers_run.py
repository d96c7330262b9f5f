"""The runtime decides: the checker's findings on DataFrame writers and pyiceberg match what these do."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from writers import FRAME, IMPORTS, PYICEBERG_IMPORTS, PYICEBERG_SCHEMA, SPECS, WRITERS, Case

from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm.shims import SPARK_VERSION


def runs(program: str, names: dict[str, Any]) -> str:
    """The error of a program; empty if it runs."""
    try:
        exec(program, names)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.filterwarnings("ignore:Deprecated in 4.0.0:FutureWarning")
@pytest.mark.parametrize("case", WRITERS, ids=lambda case: case.call)
def test_dataframe_writers(spark: SparkSession, case: Case) -> None:
    if "partitioning." in case.call and SPARK_VERSION < (4, 0):
        pytest.skip("pyspark.sql.functions.partitioning is new in Spark 4.0")
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.writers")
    table = f"local.writers.t{WRITERS.index(case)}"
    with requests.mode_override("off"):
        raised = runs(_here(IMPORTS) + FRAME + case.call.format(t=table), {"spark": spark})
    assert bool(raised) is case.fails, raised


def _here(imports: str) -> str:
    """The imports without the module `partitioning`, which pyspark has since 4.0."""
    return imports if SPARK_VERSION >= (4, 0) else imports.replace("partitioning, ", "")


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pyiceberg = pytest.importorskip("pyiceberg.catalog.sql")
    folder: Path = tmp_path_factory.mktemp("pyiceberg")
    sql_catalog = pyiceberg.SqlCatalog("prod", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
    sql_catalog.create_namespace("db")
    yield sql_catalog
    sql_catalog.engine.dispose()


@pytest.mark.parametrize("case", SPECS, ids=lambda case: case.call)
def test_pyiceberg(catalog: Any, case: Case) -> None:
    """A wrong spec is refused, or no row can be written to a table with it."""
    pyarrow = pytest.importorskip("pyarrow")
    name = f"db.t{SPECS.index(case)}"
    program = PYICEBERG_IMPORTS + PYICEBERG_SCHEMA + case.call.replace("{t}", name)
    raised = runs(program, {"catalog": catalog})
    if not raised:
        table = catalog.load_table(name)
        day = datetime.date(2024, 5, 17)
        moment = datetime.datetime.combine(day, datetime.time(1))
        row = {"id": 1, "ts": moment, "name": "a", "p": {"x": 1}, "d": day}
        rows = pyarrow.Table.from_pylist([{**row, "f": 1.0}], schema=table.schema().as_arrow())
        try:
            table.append(rows)
        except Exception as error:
            raised = f"{type(error).__name__}: {error}"
    assert bool(raised) is case.fails, raised
