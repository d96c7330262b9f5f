"""Spark expressions, which the functions build during analysis.

Constant ones are cached per JVM: the caches' first argument is its gateway.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from spark_iceberg_sql.spark.bridge.jvm import (
    ANALYSIS,
    EXPRESSIONS,
    Java,
    gateway,
    java_class,
    scala_object,
    to_option,
    to_seq,
)

_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"


def data_type(ddl: str) -> Java:
    """The DataType of a type's SQL text."""
    return _data_type(gateway(), ddl)


@cache
def _data_type(_: Any, ddl: str) -> Java:
    return java_class("org.apache.spark.sql.types.DataType").fromDDL(ddl)


def literal(value: int) -> Java:
    """An int literal."""
    return java_class(f"{EXPRESSIONS}.Literal")(value, data_type("int"))


def null(kind: Java) -> Java:
    """NULL of a DataType."""
    return java_class(f"{EXPRESSIONS}.Literal")(None, kind)


def cast(expression: Java, ddl: str) -> Java:
    """A cast that cannot fail, to the type of that SQL text."""
    return scala_object(f"{EXPRESSIONS}.Cast").apply(expression, data_type(ddl), False)


def alias(expression: Java, name: str) -> Java:
    """An expression as a column of a result."""
    none, nil = to_option(), scala_object("scala.collection.immutable.Nil")
    made = java_class(f"{EXPRESSIONS}.NamedExpression").newExprId()
    return java_class(f"{EXPRESSIONS}.Alias")(expression, name, made, nil, none, nil)


def words(expression: Java) -> str:
    """An expression approximately as written: `tailnum`, `(id + 1)`, `'a'`."""
    text: str = expression.sql()
    if text.startswith("'"):  # the pretty form of a string has no quotes
        return text
    package = scala_object("org.apache.spark.sql.catalyst.util.package")
    pretty: str = package.toPrettySQL(expression, True)
    return pretty


def positional(name: str, parameters: tuple[str, ...], arguments: Java) -> Java:
    """The arguments of a call in the order of its parameters, named arguments included.

    Spark itself refuses a name that the function does not have, and one given twice.
    """
    return java_class(f"{_LOGICAL}.NamedParametersSupport").defaultRearrange(
        _signature(gateway(), parameters), arguments, name, _any_letter_case(gateway())
    )


@cache
def _signature(_: Any, parameters: tuple[str, ...]) -> Java:
    parameter = java_class(f"{_LOGICAL}.InputParameter")
    return java_class(f"{_LOGICAL}.FunctionSignature")(
        to_seq(parameter(name, to_option()) for name in parameters)
    )


@cache
def _any_letter_case(_: Any) -> Java:
    return scala_object(f"{ANALYSIS}.package").caseInsensitiveResolution()


def within_precision(decimal: Java) -> Java:
    """A decimal expression that fails if the value exceeds the precision of its type.

    Iceberg's truncate of a decimal can; Spark would return NULL, but the table refuses the row.
    """
    return java_class(f"{EXPRESSIONS}.CheckOverflow")(decimal, decimal.dataType(), False)


def iceberg_call(function: str, types: str, arguments: Java) -> Java:
    """A call of one of Iceberg's own Spark functions, which Spark can push into a scan.

    function: its name in `system`, such as bucket. types: of its arguments, `n INT, v BIGINT`.
    arguments: a Scala Seq of them.
    """
    bound = _bound(gateway(), function, types)
    utils = java_class(f"{EXPRESSIONS}.V2ExpressionUtils")
    return utils.resolveScalarFunction(bound, arguments)


@cache
def _bound(_: Any, function: str, types: str) -> Java:
    arguments = java_class("org.apache.spark.sql.types.StructType").fromDDL(types)
    functions = java_class("org.apache.iceberg.spark.functions.SparkFunctions")
    return functions.load(function).bind(arguments)


def named(name: str, arguments: Java, replacement: Java) -> Java:
    """`replacement` under the name of a function call, as the result's column shows it.

    Spark has one public expression class that can replace another expression and accepts any arguments: Decode.
    The tag makes it print as `name(arguments)`; the optimizer unwraps it first.
    """
    carrier = java_class(f"{EXPRESSIONS}.Decode")(arguments, replacement)
    carrier.setTagValue(_name_tag(gateway()), name)
    return carrier


@cache
def _name_tag(_: Any) -> Java:
    return scala_object(f"{ANALYSIS}.FunctionRegistry").FUNC_ALIAS()
