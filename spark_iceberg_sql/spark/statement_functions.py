"""Table functions that return findings and plans as rows, for SQL clients: one record per function.

SELECT * FROM iceberg_check('ALTER TABLE db.t ADD PARTITION FIELD days(name)')
SELECT * FROM iceberg_plan('ALTER TABLE db.t ADD PARTITION FIELD days(ts)')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from typing import TYPE_CHECKING

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge import (
    call_arguments,
    jvm,
    local_relation,
    registries,
)
from spark_iceberg_sql.spark.gate import intercept, live_plan
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.spark.insight import explain, health, joins

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = Sequence[str | int | None]


@dataclass(frozen=True, slots=True)
class Answer:
    """A table function over the text of a statement or a script, or over a table.

    name: in SQL. columns: of its rows, as DDL. summary, example: for DESCRIBE FUNCTION.
    rows: from a session and the text. argument: its name. words: its description.
    """

    name: str
    columns: str
    summary: str
    example: str
    rows: Callable[[SparkSession, str], Iterable[Row]]
    argument: str = "statement"
    words: str = "SQL text"


def _diagnostics(spark: SparkSession, text: str) -> Iterable[Row]:
    report = check(text, SessionTables(spark, intercept.own_sql(spark)))
    for d in report:
        place = d.span
        yield (
            *(d.code, d.name, str(d.severity), d.message, d.help),
            *(place.row, place.column, place.end_row, place.end_column),
        )


def _plan(spark: SparkSession, text: str) -> Iterable[Row]:
    return map(astuple, live_plan.plan(spark, text).rows())


def _explain(spark: SparkSession, text: str) -> Iterable[Row]:
    return explain.explain(spark, text).rows()


def _health(spark: SparkSession, table: str) -> Iterable[Row]:
    return health.health(spark, table).rows()


def _spj(spark: SparkSession, text: str) -> Iterable[Row]:
    return joins.spj(spark, text).rows()


ANSWERS: tuple[Answer, ...] = (
    Answer(
        name="iceberg_check",
        columns=(
            "code string, name string, severity string, message string, help string, "
            "line int, column int, end_line int, end_column int"
        ),
        summary="the findings on a statement or a script, one row per diagnostic",
        example="SELECT * FROM iceberg_check('ALTER TABLE db.t ADD PARTITION FIELD bucket(0, id)');",
        rows=_diagnostics,
    ),
    Answer(
        name="iceberg_plan",
        columns=(
            "part string, spec_id int, field_id int, name string, source string, "
            "transform string, detail string"
        ),
        summary="what a statement would do to its table's partitioning; the table is not changed",
        example="SELECT * FROM iceberg_plan('ALTER TABLE db.t ADD PARTITION FIELD days(ts)');",
        rows=_plan,
    ),
    Answer(
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
    Answer(
        name="iceberg_spj",
        columns=(
            "condition string, tables string, happens string, shuffles int, best int, "
            "sets string, why string"
        ),
        summary="whether the joins of a query are storage-partitioned, and what is missing",
        example="SELECT * FROM iceberg_spj('SELECT * FROM db.a JOIN db.b ON a.id = b.id');",
        rows=_spj,
    ),
    Answer(
        name="iceberg_health",
        columns=(
            "problem string, detail string, files bigint, bytes bigint, call string, "
            "rewritten_files bigint, rewritten_bytes bigint, basis string"
        ),
        summary="what slows down a table's queries, and the statement that fixes it",
        example="SELECT * FROM iceberg_health('db.t');",
        rows=_health,
        argument="table",
        words="the name of a table",
    ),
)


def register(spark: SparkSession) -> None:
    """Register the functions, for this session and those that this process starts later."""
    for answer in ANSWERS:
        registries.register_function(
            spark,
            registries.TABLE,
            answer.name,
            partial(_build, answer),
            usage=f"_FUNC_({answer.argument}) - {answer.summary}.",
            arguments=f"\n    Arguments:\n      * {answer.argument} - {answer.words}, a constant string\n",
            examples=f"\n    Examples:\n      > {answer.example}\n",
            group="table_funcs",
        )


def unregister(spark: SparkSession) -> None:
    """Unregister the functions."""
    for answer in ANSWERS:
        registries.unregister_function(spark, registries.TABLE, answer.name)


def _build(answer: Answer, arguments: jvm.Java) -> jvm.Java:
    refused = partial(jvm.invalid_value, answer.name, answer.argument)
    given = jvm.from_seq(arguments)
    if len(given) != 1:
        raise jvm.wrong_count(answer.name, "1", len(given))
    name, expression = call_arguments.named_argument(given[0])
    if name not in (None, answer.argument):
        raise refused(f"unknown argument `{name}`; the only argument is `{answer.argument}`")
    text = call_arguments.constant(answer.name, answer.argument, expression)
    if not isinstance(text, str):
        raise refused(f"{text!r} is not a string with {answer.words}")
    try:
        values = list(answer.rows(local_relation.active_session(), text))
    except IcebergSqlError as error:
        raise refused(f"the {answer.argument} cannot be processed: {error}") from None
    return local_relation.rows(answer.columns, values)
