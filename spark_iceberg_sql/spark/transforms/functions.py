"""The native SQL functions iceberg_*: a loop over the transform table.

Each call becomes, while Spark analyses the statement, Iceberg's own function bound to the
argument's type: a static Java call in the generated code. It is not pushed down until the
optimizer rule `guard` has verified that the scan returns correct results for it. Iceberg does not check
the first argument, so that is done here, before anything runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NoReturn, cast

from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.transform_record import Parameter, Transform
from spark_iceberg_sql.model.transforms import TRANSFORMS
from spark_iceberg_sql.model.types import Primitive, UnknownTypeError, primitive_from_spark
from spark_iceberg_sql.spark.bridge import compiler, expressions, jvm, registries
from spark_iceberg_sql.spark.bridge.jvm import Java, Refusal
from spark_iceberg_sql.spark.optimizer import injection

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_INTEGER_LITERAL = re.compile(r"(-?\d+)([LSY]?)")  # as Spark writes it: 16, 16L
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_TYPE = re.compile(r"(\w+)(?:\((\d+)(?:,\s*(\d+))?\))?")  # int, decimal(9,2)
# The types that Spark SQL has, in the order in which messages list them.
_SPARK_TYPES = (
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "date",
    "timestamp", "timestamp_ntz", "string", "binary",
)  # fmt: skip


def register(spark: SparkSession) -> None:
    """Register every function of the transform table; calling it again changes nothing.

    Raises IcebergSqlError if another function is registered under one of the names.
    """
    for transform in TRANSFORMS:
        for name in transform.functions:
            registries.register_function(
                spark,
                registries.SCALAR,
                name,
                Call(transform, name).build,
                **documentation(transform, name),
            )


def unregister(spark: SparkSession) -> None:
    """Unregister the functions in a session and in Spark's built-in registry."""
    for transform in TRANSFORMS:
        for name in transform.functions:
            registries.unregister_function(spark, registries.SCALAR, name)


def documentation(transform: Transform, name: str) -> dict[str, str]:
    """What DESCRIBE FUNCTION [EXTENDED] shows, in Spark's own layout.

    Returns usage, arguments and examples, as `register_function` takes them.
    """
    parameter = transform.parameter
    lead = f"{parameter.name}, " if parameter else ""
    rows = [f"col - {transform.accepts}"]
    if parameter:
        rows.insert(0, f"{parameter.name} - the {parameter.noun}, {_range(parameter)}")
    arguments = "".join(f"      * {row}\n" for row in rows)
    call, answer = transform.example
    return {
        "usage": f"_FUNC_({lead}col) - Returns {transform.summary} "
        f"(Iceberg's partition transform {transform.name}).",
        "arguments": f"\n    Arguments:\n{arguments}  ",
        "examples": f"\n    Examples:\n      > SELECT _FUNC_({call});\n       {answer}\n  ",
    }


def call_text(transform: BoundTransform, column: str) -> str:
    """The SQL of a transform's native function. column: the source column's text."""
    if transform.transform.is_identity:
        return column
    lead = "" if transform.parameter is None else f"{transform.parameter}, "
    return f"{transform.transform.functions[-1]}({lead}{column})"


def _range(parameter: Parameter) -> str:
    return f"a constant integer from {parameter.minimum} to {parameter.maximum}"


# ------------------------------------------------------------------------ one call, at analysis


@dataclass(frozen=True, slots=True)
class Call:
    """A function by one of its names: from argument expressions to the native expression."""

    transform: Transform
    name: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters, in order."""
        parameter = self.transform.parameter
        return ("col",) if parameter is None else (parameter.name, "col")

    def build(self, children: Java) -> Java:
        """The expression for a call; `children` is the Scala Seq of its resolved arguments.

        Raises Refusal for arguments that the transform does not accept. Each JVM call costs about 0.1 ms, so a
        valid call makes as few as possible.
        """
        parameter = self.transform.parameter
        place = len(self.parameters) - 1
        if (given := children.size()) != place + 1:
            self._refuse_count(given)
        children = expressions.positional(self.name, self.parameters, children)
        source = children.apply(place)
        kind = source.dataType().catalogString()
        arguments = children
        if parameter is not None:
            number, exact = self._number(parameter, children.apply(0), source, kind)
            if not exact:
                arguments = expressions.updated(children, 0, expressions.literal(number))
        if not self._takes(kind):
            self._refuse_type(source, place)
        return expressions.named(self.name, children, self._native(arguments, source, kind))

    def _takes(self, kind: str) -> bool:
        """Whether the transform accepts a Spark type; NULL without a type is always accepted."""
        if kind == "void" or self.transform.is_void:
            return True
        return self.transform.takes(_iceberg_type(kind))

    def _native(self, arguments: Java, source: Java, kind: str) -> Java:
        """The expression that evaluates the call."""
        function = self.transform.spark_function
        if self.transform.is_void:
            return expressions.null(source.dataType())
        if function is None or (kind == "void" and self.transform.result is None):
            return source
        if kind == "void":
            return expressions.null(
                expressions.data_type(str(Primitive(str(self.transform.result))))
            )
        if self.transform.narrow_as_int and kind in ("tinyint", "smallint"):
            # Iceberg stores them as int: its own narrow functions wrap where the table does not.
            kind = "int"
            arguments = expressions.updated(arguments, 1, expressions.cast(source, kind))
        types = f"v {kind}" if self.transform.parameter is None else f"n INT, v {kind}"
        injection.ensure(cast("SparkSession", jvm.ActiveSession()))
        call = compiler.withheld(expressions.iceberg_call(function, types, arguments))
        if self.transform.checks_precision and kind.startswith("decimal"):
            return expressions.within_precision(call)
        return call

    def _number(
        self, parameter: Parameter, given: Java, source: Java, kind: str
    ) -> tuple[int, bool]:
        """The constant first argument, and whether the expression is that int literal already."""
        literal = _INTEGER_LITERAL.fullmatch(given.sql())
        if literal is not None:
            number, exact = int(literal[1]), not literal[2]
        else:
            number, exact = self._constant(parameter, given, source, kind), False
        if not parameter.minimum <= number <= parameter.maximum:
            self._refuse_value(parameter, f"it is {number}")
        return number, exact

    def _constant(self, parameter: Parameter, given: Java, source: Java, kind: str) -> int:
        """The value of a first argument that is not an integer literal: `4 * 4`, a session variable."""
        given_kind, words = given.dataType().catalogString(), expressions.words(given)
        if given_kind == "void":
            self._refuse_value(parameter, "it is NULL")
        if not given.foldable() or given_kind not in _INTEGERS:
            fact = "not a constant" if not given.foldable() else f"of type {given_kind}"
            advice = ""
            if kind in _INTEGERS and source.foldable():
                swapped = f"{self.name}({expressions.words(source)}, {words})"
                advice = f"; this order of arguments is Hive's and Trino's, write {swapped}"
            self._refuse_value(parameter, f"it is {words}, {fact}", advice)
        value = given.eval(None)
        if value is None:
            self._refuse_value(parameter, "it is NULL")
        return int(value)

    # -------------------------------------------------------------------- refusals

    def _refuse_value(self, parameter: Parameter, fact: str, advice: str = "") -> NoReturn:
        raise Refusal(
            "INVALID_PARAMETER_VALUE.PATTERN",
            parameter=f"`{parameter.name}`",
            functionName=f"`{self.name}`",
            value=f"{fact}, but the {parameter.noun} must be {_range(parameter)}{advice}",
        )

    def _refuse_count(self, given: int) -> NoReturn:
        names = self.parameters
        expected = f"{len(names)} ({', '.join(f'`{name}`' for name in names)})"
        raise jvm.wrong_count(self.name, expected, given)

    def _refuse_type(self, source: Java, place: int) -> NoReturn:
        takes = [name for name in _SPARK_TYPES if self._takes(name)]
        raise Refusal(
            "UNEXPECTED_INPUT_TYPE",
            paramIndex=("first", "second")[place],
            functionName=f"`{self.name}`",
            requiredType="(" + " or ".join(f'"{name.upper()}"' for name in takes) + ")",
            inputSql=f'"{expressions.words(source)}"',
            inputType=f'"{source.dataType().sql()}"',
        )


_NO_TYPE = Primitive("not Iceberg's")


@cache
def _iceberg_type(kind: str) -> Primitive:
    """The Iceberg type of a Spark type's catalog string; a type that no transform accepts if there is none."""
    match = _TYPE.fullmatch(kind)
    if match is None:
        return _NO_TYPE
    try:
        return primitive_from_spark(match[1], tuple(int(n) for n in match.groups()[1:] if n))
    except UnknownTypeError:
        return _NO_TYPE
