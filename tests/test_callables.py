# ruff: noqa: E501 - a case is a line
"""SQL that programs pass to Spark in other ways than `.sql(...)`: Airflow, cursors, their own functions, loops."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings

SPARK = "from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator\n"
ANY = "from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator\n"
BAD = "CREATE TABLE db.t (id BIGINT) USING iceberg PARTITIONED BY (weeks(id))"
POSTGRES = "CREATE TABLE t (id int, d date) PARTITION BY RANGE (d)"


def found(text: str, *callables: str, notes: bool = False) -> list[str]:
    """The parts of a program that the findings are about."""
    linter, settings = Linter(), Settings(callables=callables)
    return [
        report.text[d.span.start : d.span.end]
        for report in linter.lint(linter.source("dag.py", text, settings), settings)
        for d in report
        if (str(d.severity) == "note") == notes
    ]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (f'{SPARK}SparkSqlOperator(task_id="a", sql="{BAD}")', ["weeks"]),
        (f'{SPARK}SparkSqlOperator(task_id="a", sql="""{BAD};\nSELECT 1""", name="{{x}}")', ["weeks"]),
        (f'{SPARK}Q = "{BAD}"\nSparkSqlOperator(task_id="a", sql=Q)', ["weeks"]),
        (f'from airflow.providers.apache.spark.operators import spark_sql\nspark_sql.SparkSqlOperator(sql="{BAD}")', ["weeks"]),
        (f'from elsewhere import SparkSqlOperator\nSparkSqlOperator(sql="{BAD}")', []),
        (f'{SPARK}SparkSqlOperator(task_id="a", sql="sql/create.sql")', []),
        (f'{SPARK}SparkSqlOperator(task_id="a", sql="{BAD.replace("db.t", "{{ params.t }}")}")', ["weeks"]),
        # The engine is unknown: its own words decide.
        (f'{ANY}SQLExecuteQueryOperator(task_id="a", sql="{BAD}")', ["weeks"]),
        (f'{ANY}SQLExecuteQueryOperator(task_id="a", sql=["SELECT 1", "{BAD}"])', ["weeks"]),
        (f'{ANY}SQLExecuteQueryOperator(task_id="a", sql="{POSTGRES}")', []),
        (f'{SPARK}{ANY}SQLExecuteQueryOperator(task_id="a", sql="{POSTGRES}")', []),
        (f'cursor.execute("{BAD}")', ["weeks"]),
        (f'cursor.execute("{POSTGRES}")', []),
        ('cursor.execute("ALTER TABLE db.t ADD PARTITION FIELD weeks(id)")', ["weeks"]),
        (f'with hive.connect("h").cursor() as c:\n    c.execute("""{BAD}""")', ["weeks"]),
        # Loops over what is written out.
        (f'for q in ["SELECT 1", "{BAD}"]:\n    spark.sql(q)', ["weeks"]),
        (f'QS = ("SELECT 1", "{BAD}")\nfor q in QS:\n    spark.sql(q)', ["weeks"]),
        (f'QS = ["{BAD}"]\nQS.append(more())\ndef run():\n    for q in QS:\n        cursor.execute(q)', ["weeks"]),
        (f'QS = ["{BAD}"]\nQS = other()\nfor q in QS:\n    spark.sql(q)', []),
        (f'for q in make("{BAD}"):\n    spark.sql(q)', []),
        (f'QS = {{"a": "{BAD}"}}\nfor q in QS:\n    spark.sql(q)', []),
    ],
)  # fmt: skip
def test_programs(program: str, expected: list[str]) -> None:
    assert found(program) == expected


@pytest.mark.parametrize(
    ("program", "name", "expected"),
    [
        (f'from jobs.db import run_sql\nrun_sql("{BAD}")', "jobs.db.run_sql", ["weeks"]),
        (f'from jobs import db\ndb.run_sql("{BAD}")', "jobs.db.run_sql", ["weeks"]),
        (f'import jobs.db as d\nd.run_sql(spark, "{BAD}")', "jobs.db.run_sql", ["weeks"]),
        (f'from jobs.db import run_sql as r\nr(query="{BAD}")', "jobs.db.run_sql", ["weeks"]),
        (f'def run_sql(q): ...\nrun_sql("{BAD}")', "run_sql", ["weeks"]),
        (f'self.client.run("{BAD}")', ".run", ["weeks"]),
        (f'run("{BAD}")', ".run", []),
        (f'from other import run_sql\nrun_sql("{BAD}")', "jobs.db.run_sql", []),
        (f'runner.run_sql("{BAD}")', "run_sql", []),
    ],
)  # fmt: skip
def test_functions_that_settings_name(program: str, name: str, expected: list[str]) -> None:
    assert found(program, name) == expected
    assert found(program) == []


def test_what_they_are_given_and_nobody_can_read_is_said() -> None:
    assert found("run(build())", "run", notes=True) == ["build()"]
    assert found(f"{SPARK}SparkSqlOperator(sql=build())", notes=True) == ["build()"]
    assert found("cursor.execute(build())", notes=True) == []


def test_a_name_that_is_none_is_refused() -> None:
    for wrong in (["a b"], [".a.b"], [""], ["run()"], "run"):
        with pytest.raises(ValueError, match="list of"):
            Settings.callables.value_type.read(wrong, None)  # type: ignore[arg-type]
