"""Table functions whose rows Python computes from constant arguments: one record per function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.functions import call_arguments, registries
from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.plans import local_relation
from spark_iceberg_sql.spark.bridge.plans.expressions import node_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Rows = Iterable[Mapping[str, object]] | Iterable[Sequence[str | int | None]]


@dataclass(frozen=True, slots=True)
class PythonArgument:
    """An argument of a table function.

    name: in SQL. description: for messages and DESCRIBE FUNCTION. default: None if it is required; an
    argument is an integer if this is. is_list: whether it may be an array.
    """

    name: str
    description: str
    default: str | int | None = None
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class PythonTableFunction:
    """A table function whose rows Python computes.

    name: in SQL. arguments: in order. summary, example: for DESCRIBE FUNCTION. rows: from a session and the
    arguments' values, the result's columns as DDL and its rows, each as a sequence or by column.
    """

    name: str
    arguments: tuple[PythonArgument, ...]
    summary: str
    example: str
    rows: Callable[[SparkSession, Mapping[str, Any]], tuple[str, Rows]]

    @property
    def required(self) -> list[str]:
        """The names of the arguments without a default value."""
        return [a.name for a in self.arguments if a.default is None]


def register(spark: SparkSession, functions: Iterable[PythonTableFunction]) -> None:
    """Register functions, for this session and those that this process starts later."""
    for function in functions:
        names = ", ".join(function.required)
        optional = "[, name => value ...]" if len(function.required) < len(function.arguments) else ""
        registries.register_table_function(
            spark,
            function.name,
            partial(_build_plan, function),
            usage=f"_FUNC_({names}{optional}) - {function.summary}.",
            arguments=(f"{argument.name} - {argument.description}" for argument in function.arguments),
            example=function.example.rstrip(";"),
        )


def unregister(spark: SparkSession, functions: Iterable[PythonTableFunction]) -> None:
    """Unregister functions."""
    for function in functions:
        registries.unregister_function(spark, registries.TABLE, function.name)


def _build_plan(function: PythonTableFunction, arguments: gateway.Java) -> gateway.Java:
    values = _bind(function, gateway.from_seq(arguments))
    try:
        columns, records = function.rows(local_relation.active_session(), values)
        rows = list(records)
    except IcebergSqlError as error:
        argument = error.argument or function.arguments[0].name
        raise gateway.invalid_value(function.name, argument, str(error)) from None
    if rows and isinstance(rows[0], Mapping):
        return local_relation.typed_rows(columns, rows)  # type: ignore[arg-type]
    return local_relation.rows(columns, rows)  # type: ignore[arg-type]


def _bind(function: PythonTableFunction, arguments: Sequence[gateway.Java]) -> dict[str, Any]:
    """The arguments' values by name. Raises Refusal."""
    names, needed = [argument.name for argument in function.arguments], function.required
    if len(arguments) > len(names) or (not arguments and len(names) == 1):
        count = f"{len(needed)} to {len(names)}" if len(needed) < len(names) else f"{len(names)}"
        raise gateway.wrong_count(function.name, count, len(arguments))
    values: dict[str, Any] = {}
    for position, expression in enumerate(arguments):
        name, value = call_arguments.named_argument(expression)
        name = names[position] if name is None else name.lower()
        if name not in names:
            only = ", ".join(f"`{accepted_name}`" for accepted_name in names)
            accepted = f"the arguments are {only}" if len(names) > 1 else f"the only argument is {only}"
            raise gateway.invalid_value(function.name, name, f"unknown argument; {accepted}")
        if name in values:
            raise gateway.invalid_value(function.name, name, "given twice")
        values[name] = _value(function, function.arguments[names.index(name)], value)
    if missing := [name for name in needed if name not in values]:
        example = function.example.rstrip(";")
        raise gateway.invalid_value(function.name, missing[0], f"missing; write {example}")
    return {declared.name: declared.default for declared in function.arguments} | values


def _value(function: PythonTableFunction, argument: PythonArgument, expression: gateway.Java) -> Any:
    if argument.is_list and node_class(expression) == "CreateArray":
        return [_constant(function, argument, item) for item in gateway.from_seq(expression.children())]
    return _constant(function, argument, expression)


def _constant(function: PythonTableFunction, argument: PythonArgument, expression: gateway.Java) -> str | int:
    value = call_arguments.constant(function.name, argument.name, expression)
    expected_type, type_name = (int, "an integer") if isinstance(argument.default, int) else (str, "a string")
    if not isinstance(value, expected_type) or isinstance(value, bool):
        raise gateway.invalid_value(
            function.name, argument.name, f"{value!r} is not {type_name}: {argument.description}"
        )
    return value
