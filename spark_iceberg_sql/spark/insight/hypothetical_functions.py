"""The previews as table functions, for SQL clients.

SELECT * FROM iceberg_preview('db.t', spec => 'days(ts), bucket(16, id)')
SELECT * FROM iceberg_preview('db.t', spec => 'days(ts)', by => 'partition')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.preview import Preview
from spark_iceberg_sql.spark.bridge import (
    call_arguments,
    jvm,
    local_relation,
    registries,
)
from spark_iceberg_sql.spark.insight import advise, preview

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Rows = tuple[str, Iterable[Mapping[str, object]]]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a table function.

    name: in SQL. words: its description. default: None if it is required. is_list: whether it may be an array.
    """

    name: str
    words: str
    default: str | None = None
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A table function. arguments: in order. rows: the result's columns as DDL, and its rows by the arguments."""

    name: str
    arguments: tuple[Argument, ...]
    summary: str
    example: str
    rows: Callable[[SparkSession, Mapping[str, Any]], Rows]


_SOURCE = Argument("source", "a table's name, a query or a path")

_SUMMARY = (
    "spec string, partitions bigint, files bigint, rows bigint, bytes bigint, small_files bigint, "
    "smallest_file bigint, median_file bigint, largest_file bigint, largest_partition string, skew double, "
    "written_with string, based_on string, files_error string, bytes_error string, notes array<string>"
)
_BY_PARTITION = "partition string, rows bigint, files bigint, bytes bigint"


def _preview(spark: SparkSession, given: Mapping[str, Any]) -> Rows:
    by = given["by"]
    if by not in ("table", "partition"):
        raise IcebergSqlError(f"`by` is 'table' or 'partition', not '{by}'", argument="by")
    found = preview.preview(spark, given["source"], given["spec"], using=given["using"])
    if by == "table":
        return _SUMMARY, [_summary(found)]
    parts = found.per_partition
    return _BY_PARTITION, [
        {"partition": p.partition, "rows": p.rows, "files": p.files, "bytes": p.bytes}
        for p in parts
    ]


def _summary(found: Preview) -> Mapping[str, object]:
    sizes = found.file_sizes
    largest = found.largest
    return {
        "spec": found.spec,
        "partitions": found.partitions,
        "files": found.files,
        "rows": found.rows,
        "bytes": found.bytes,
        "small_files": found.small_files,
        "smallest_file": sizes[0] if sizes else None,
        "median_file": sizes[len(sizes) // 2] if sizes else None,
        "largest_file": sizes[-1] if sizes else None,
        "largest_partition": largest.partition if largest else None,
        "skew": round(found.skew, 3),
        "written_with": found.settings,
        "based_on": found.basis.words,
        "files_error": found.basis.files,
        "bytes_error": found.basis.bytes,
        "notes": list(found.notes),
    }


_PROPOSALS = (
    "rank int, spec string, is_today boolean, files bigint, bytes bigint, cost bigint, table_files bigint, "
    "middle_file bigint, ddl array<string>, rewrite string, warnings array<string>, per_query "
    "array<struct<query string, weight double, files bigint, bytes bigint, files_now bigint, bytes_now bigint>>, "
    "based_on string, notes array<string>"
)


def _advise(spark: SparkSession, given: Mapping[str, Any]) -> Rows:
    found = advise.advise(spark, given["source"], given["queries"], using=given["using"])
    return _PROPOSALS, [
        {
            **asdict(proposal),
            "rank": rank,
            "based_on": found.basis,
            "notes": found.notes,
        }
        for rank, proposal in enumerate(found, 1)
    ]


QUESTIONS: tuple[Question, ...] = (
    Question(
        "iceberg_preview",
        (
            _SOURCE,
            Argument("spec", "the text for PARTITIONED BY; empty for an unpartitioned table"),
            Argument("using", "data: every row is read; sample: 100,000; metadata: none", "data"),
            Argument("by", "table: one row; partition: one row per partition", "table"),
        ),
        "the partitions and data files that writing a source under a partition spec would produce",
        "SELECT * FROM iceberg_preview('db.t', spec => 'days(ts), bucket(16, id)');",
        _preview,
    ),
    Question(
        "iceberg_advise",
        (
            _SOURCE,
            Argument("queries", "an array of queries, or one script of them", is_list=True),
            Argument("using", "data: a sample of the rows is read; metadata: none", "data"),
        ),
        "the partition specs that make queries read the least, best first",
        "SELECT * FROM iceberg_advise('db.t', queries => array('SELECT ...'));",
        _advise,
    ),
)


def register(spark: SparkSession) -> None:
    """Register the functions, for this session and those that this process starts later."""
    for question in QUESTIONS:
        names = ", ".join(a.name for a in question.arguments if a.default is None)
        lines = "".join(f"      * {a.name} - {a.words}\n" for a in question.arguments)
        registries.register_function(
            spark,
            registries.TABLE,
            question.name,
            partial(_build, question),
            usage=f"_FUNC_({names}[, name => value ...]) - {question.summary}.",
            arguments=f"\n    Arguments:\n{lines}",
            examples=f"\n    Examples:\n      > {question.example}\n",
            group="table_funcs",
        )


def unregister(spark: SparkSession) -> None:
    """Unregister the functions."""
    for question in QUESTIONS:
        registries.unregister_function(spark, registries.TABLE, question.name)


def _build(question: Question, arguments: jvm.Java) -> jvm.Java:
    given = _bound(question, jvm.from_seq(arguments))
    try:
        columns, rows = question.rows(local_relation.active_session(), given)
    except IcebergSqlError as error:
        words = "; ".join(str(error).splitlines())
        argument = error.argument or question.arguments[0].name
        raise jvm.invalid_value(question.name, argument, words) from None
    return local_relation.typed_rows(columns, rows)


def _bound(question: Question, arguments: Sequence[jvm.Java]) -> dict[str, Any]:
    """The arguments' values by name. Raises Refusal."""
    names = [argument.name for argument in question.arguments]
    needed = [a.name for a in question.arguments if a.default is None]
    if len(arguments) > len(names):
        raise jvm.wrong_count(question.name, f"{len(needed)} to {len(names)}", len(arguments))
    found: dict[str, Any] = {}
    for position, expression in enumerate(arguments):
        name, value = call_arguments.named_argument(expression)
        name = names[position] if name is None else name.lower()
        if name not in names:
            only = ", ".join(f"`{n}`" for n in names)
            raise jvm.invalid_value(
                question.name, name, f"unknown argument; the arguments are {only}"
            )
        if name in found:
            raise jvm.invalid_value(question.name, name, "given twice")
        found[name] = _value(question, question.arguments[names.index(name)], value)
    missing = [name for name in needed if name not in found]
    if missing:
        raise jvm.invalid_value(
            question.name, missing[0], f"missing; write {question.example.rstrip(';')}"
        )
    return {a.name: a.default for a in question.arguments} | found


def _value(question: Question, argument: Argument, expression: jvm.Java) -> Any:
    if argument.is_list and call_arguments.is_array(expression):
        items = call_arguments.array_items(expression)
        return [_text(question, argument, item) for item in items]
    return _text(question, argument, expression)


def _text(question: Question, argument: Argument, expression: jvm.Java) -> str:
    value = call_arguments.constant(question.name, argument.name, expression)
    if not isinstance(value, str):
        raise jvm.invalid_value(question.name, argument.name, f"{value!r} is not a string")
    return value
