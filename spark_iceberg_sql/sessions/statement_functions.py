"""Table functions that return findings and plans as rows, for SQL clients: one record per function.

SELECT * FROM iceberg_check('ALTER TABLE db.t ADD PARTITION FIELD days(name)') SELECT * FROM iceberg_plan('ALTER TABLE
db.t ADD PARTITION FIELD days(ts)')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.insight.explain import spark as explain
from spark_iceberg_sql.insight.spj import spark as shuffles
from spark_iceberg_sql.spark.bridge.functions.python_table_functions import PythonArgument, PythonTableFunction
from spark_iceberg_sql.spark.gate import intercept, live_plan
from spark_iceberg_sql.spark.gate.session_tables import SessionTables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = Sequence[str | int | None]


_STATEMENT = PythonArgument("statement", "SQL text")


def _table_function(
    argument: PythonArgument, columns: str, rows: Callable[[SparkSession, str], Iterable[Row]], **documentation: str
) -> PythonTableFunction:
    """A table function of one argument.

    argument: of the function. columns: of its rows, as DDL. rows: computes them from the session and the argument's
    value. documentation: name, summary and example.
    """
    return PythonTableFunction(
        arguments=(argument,), rows=lambda spark, values: (columns, rows(spark, values[argument.name])), **documentation
    )


def _diagnostics(spark: SparkSession, text: str) -> Iterable[Row]:
    report = check(text, SessionTables(spark, intercept.unchecked_sql(spark)))
    for diagnostic in report:
        span = diagnostic.span
        yield (
            diagnostic.code,
            diagnostic.name,
            str(diagnostic.severity),
            diagnostic.message,
            diagnostic.help,
            span.row,
            span.column,
            span.end_row,
            span.end_column,
        )


def _plan(spark: SparkSession, text: str) -> Iterable[Row]:
    return map(astuple, live_plan.plan(spark, text).rows())


def _explain(spark: SparkSession, text: str) -> Iterable[Row]:
    return explain.explain(spark, text).rows()


def _spj(spark: SparkSession, text: str) -> Iterable[Row]:
    return shuffles.spj(spark, text).rows()


STATEMENT_FUNCTIONS: tuple[PythonTableFunction, ...] = (
    _table_function(
        _STATEMENT,
        name="iceberg_check",
        columns=(
            "code string, name string, severity string, message string, help string, "
            "line int, column int, end_line int, end_column int"
        ),
        summary="the findings on a statement or a script, one row per diagnostic",
        example="SELECT * FROM iceberg_check('ALTER TABLE db.t ADD PARTITION FIELD bucket(0, id)');",
        rows=_diagnostics,
    ),
    _table_function(
        _STATEMENT,
        name="iceberg_plan",
        columns=("part string, spec_id int, field_id int, name string, source string, transform string, detail string"),
        summary="what a statement would do to its table's partitioning; the table is not changed",
        example="SELECT * FROM iceberg_plan('ALTER TABLE db.t ADD PARTITION FIELD days(ts)');",
        rows=_plan,
    ),
    _table_function(
        _STATEMENT,
        name="iceberg_explain",
        columns=(
            "scan int, table string, conjunct string, files bigint, total_files bigint, "
            "bytes bigint, total_bytes bigint, manifests bigint, total_manifests bigint, "
            "pruned_by string, why_not string, rewrite string, rewrite_files bigint"
        ),
        summary=(
            "what each scan of a statement would read, and what each conjunct of its filters "
            "contributes; the statement does not run"
        ),
        example="SELECT * FROM iceberg_explain('SELECT * FROM db.t WHERE year(ts) = 2024');",
        rows=_explain,
    ),
    _table_function(
        _STATEMENT,
        name="iceberg_spj",
        columns=(
            "kind string, keys string, tables string, happens string, fields string, bytes bigint, why string, "
            "statement string"
        ),
        summary="which joins, groups and windows of a query need no shuffle, and why the others do",
        example="SELECT * FROM iceberg_spj('SELECT * FROM db.a JOIN db.b ON a.id = b.id');",
        rows=_spj,
    ),
)
