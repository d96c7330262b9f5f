"""Table functions whose rows Python computes from constant arguments: one record per function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge import call_arguments, jvm, local_relation, registries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Rows = Iterable[Mapping[str, object]] | Iterable[Sequence[str | int | None]]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a table function.

    name: in SQL. description: for messages and DESCRIBE FUNCTION. default: None if it is required; an
    argument is an integer if this is. is_list: whether it may be an array.
    """

    name: str
    words: str
    default: str | int | None = None
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A table function whose rows Python computes.

    name: in SQL. arguments: in order. summary, example: for DESCRIBE FUNCTION. rows: from a session and the
    arguments' values, the result's columns as DDL and its rows, each as a sequence or by column.
    """

    name: str
    arguments: tuple[Argument, ...]
    summary: str
    example: str
    rows: Callable[[SparkSession, Mapping[str, Any]], tuple[str, Rows]]

    @property
    def required(self) -> list[str]:
        """The names of the arguments without a default value."""
        return [a.name for a in self.arguments if a.default is None]


def register(spark: SparkSession, answers: Iterable[Answer]) -> None:
    """Register functions, for this session and those that this process starts later."""
    for answer in answers:
        names = ", ".join(answer.required)
        more = "[, name => value ...]" if len(answer.required) < len(answer.arguments) else ""
        lines = "".join(f"      * {a.name} - {a.words}\n" for a in answer.arguments)
        registries.register_function(
            spark,
            registries.TABLE,
            answer.name,
            partial(_build, answer),
            usage=f"_FUNC_({names}{more}) - {answer.summary}.",
            arguments=f"\n    Arguments:\n{lines}",
            examples=f"\n    Examples:\n      > {answer.example}\n",
            group="table_funcs",
        )


def unregister(spark: SparkSession, answers: Iterable[Answer]) -> None:
    """Unregister functions."""
    for answer in answers:
        registries.unregister_function(spark, registries.TABLE, answer.name)


def _build(answer: Answer, arguments: jvm.Java) -> jvm.Java:
    given = _bound(answer, jvm.from_seq(arguments))
    try:
        columns, found = answer.rows(local_relation.active_session(), given)
        rows = list(found)
    except IcebergSqlError as error:
        argument = error.argument or answer.arguments[0].name
        raise jvm.invalid_value(answer.name, argument, str(error)) from None
    if rows and isinstance(rows[0], Mapping):
        return local_relation.typed_rows(columns, rows)  # type: ignore[arg-type]
    return local_relation.rows(columns, rows)  # type: ignore[arg-type]


def _bound(answer: Answer, arguments: Sequence[jvm.Java]) -> dict[str, Any]:
    """The arguments' values by name. Raises Refusal."""
    names, needed = [argument.name for argument in answer.arguments], answer.required
    if len(arguments) > len(names) or (not arguments and len(names) == 1):
        count = f"{len(needed)} to {len(names)}" if len(needed) < len(names) else f"{len(names)}"
        raise jvm.wrong_count(answer.name, count, len(arguments))
    found: dict[str, Any] = {}
    for position, expression in enumerate(arguments):
        name, value = call_arguments.named_argument(expression)
        name = names[position] if name is None else name.lower()
        if name not in names:
            only = ", ".join(f"`{n}`" for n in names)
            words = (
                f"the arguments are {only}" if len(names) > 1 else f"the only argument is {only}"
            )
            raise jvm.invalid_value(answer.name, name, f"unknown argument; {words}")
        if name in found:
            raise jvm.invalid_value(answer.name, name, "given twice")
        found[name] = _value(answer, answer.arguments[names.index(name)], value)
    missing = [name for name in needed if name not in found]
    if missing:
        example = answer.example.rstrip(";")
        raise jvm.invalid_value(answer.name, missing[0], f"missing; write {example}")
    return {a.name: a.default for a in answer.arguments} | found


def _value(answer: Answer, argument: Argument, expression: jvm.Java) -> Any:
    if argument.is_list and call_arguments.is_array(expression):
        items = call_arguments.array_items(expression)
        return [_text(answer, argument, item) for item in items]
    return _text(answer, argument, expression)


def _text(answer: Answer, argument: Argument, expression: jvm.Java) -> str | int:
    value = call_arguments.constant(answer.name, argument.name, expression)
    wanted, kind = (int, "an integer") if isinstance(argument.default, int) else (str, "a string")
    if not isinstance(value, wanted) or isinstance(value, bool):
        words = f"{value!r} is not {kind}: {argument.words}"
        raise jvm.invalid_value(answer.name, argument.name, words)
    return value
