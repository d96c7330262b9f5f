"""The native SQL functions iceberg_*: a loop over the transform table.

Each call becomes, while Spark analyses the statement, Iceberg's own function bound to the argument's type: a
static Java call in the generated code, with no Python on the row path. `java/TransformFunction.java` creates
it from the rows that this module compiles in, and refuses arguments that Iceberg itself would accept, such as
bucket(0, x).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.transform_record import Parameter, Transform
from spark_iceberg_sql.model.transforms import TRANSFORMS
from spark_iceberg_sql.model.types import Primitive, primitive_from_spark
from spark_iceberg_sql.spark.bridge.functions import native_functions, registries
from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm.java_records import constants_source
from spark_iceberg_sql.spark.bridge.jvm.java_rows import FunctionRow
from spark_iceberg_sql.spark.optimizer import injection

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The types that Spark SQL has, in the order in which messages list them.
_SPARK_TYPES = (
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "date",
    "timestamp", "timestamp_ntz", "string", "binary",
)  # fmt: skip
_UNLISTED = ("char", "varchar")  # strings, in the plans of Hive tables
# The Java classes of the functions, each built on the ones before it.
PARTS = ("CallArguments", "TransformFunction", "TransformFunctions")


def register(spark: SparkSession) -> None:
    """Register every function of the transform table; calling it again changes nothing.

    Raises IcebergSqlError if another function is registered under one of the names, or if the functions
    cannot be compiled for this version of Spark.
    """
    # The rules first: Iceberg's scans compare such a function with the wrong partition value in some tables,
    # and the rule `guard` keeps those filters in Spark.
    injection.ensure(spark)
    try:
        builder_of = native_functions.functions(sources(), injection.java_ensure)
    except ValueError as error:
        raise IcebergSqlError(f"the functions cannot be compiled for this version of Spark: {error}") from None
    for transform in TRANSFORMS:
        for name in transform.functions:
            registries.register_native(spark, name, partial(builder_of, name), **documentation(transform, name))


def unregister(spark: SparkSession) -> None:
    """Unregister the functions in a session and in Spark's built-in registry."""
    for transform in TRANSFORMS:
        for name in transform.functions:
            registries.unregister_function(spark, registries.SCALAR, name)


def sources() -> list[tuple[str, str]]:
    """The Java files of the functions, name and text, in the order in which they are compiled."""
    parts = [(name, compiler.source(__package__ or "", name)) for name in PARTS]
    scala = compiler.source(injection.__package__ or "", "ScalaTypes")
    return [("ScalaTypes", scala), ("FunctionRow", function_rows()), *parts]


def function_rows() -> str:
    """The functions of the transform table as Java."""
    return constants_source(FunctionRow, (_row(t, name) for t in TRANSFORMS for name in t.functions))


def _row(transform: Transform, name: str) -> FunctionRow:
    parameter = transform.parameter
    return FunctionRow(
        name=name,
        function=transform.spark_function,
        always_null=transform.is_void,
        narrow_as_int=transform.narrow_as_int,
        checks_precision=transform.checks_precision,
        result=None if transform.result is None else str(Primitive(transform.result)),
        accepted=tuple(type_name for type_name in (*_SPARK_TYPES, *_UNLISTED) if _takes(transform, type_name)),
        listed=tuple(type_name for type_name in _SPARK_TYPES if _takes(transform, type_name)),
        parameter=parameter.name if parameter else None,
        noun=parameter.noun if parameter else "",
        minimum=parameter.minimum if parameter else 0,
        maximum=parameter.maximum if parameter else 0,
        **documentation(transform, name),
    )


def _takes(transform: Transform, type_name: str) -> bool:
    return transform.is_void or transform.takes(primitive_from_spark(type_name))


def documentation(transform: Transform, name: str) -> dict[str, str]:
    """The text of DESCRIBE FUNCTION [EXTENDED], in Spark's own layout.

    Returns usage, arguments and examples, as `register_native` takes them.
    """
    parameter = transform.parameter
    prefix = f"{parameter.name}, " if parameter else ""
    rows = [f"col - {transform.accepts}"]
    if parameter:
        rows.insert(0, f"{parameter.name} - the {parameter.noun}, {_range(parameter)}")
    arguments = "".join(f"      * {row}\n" for row in rows)
    call, result = transform.example
    return {
        "usage": f"_FUNC_({prefix}col) - Returns {transform.summary} (Iceberg's partition transform {transform.name}).",
        "arguments": f"\n    Arguments:\n{arguments}  ",
        "examples": f"\n    Examples:\n      > SELECT _FUNC_({call});\n       {result}\n  ",
    }


def call_text(transform: BoundTransform, column: str) -> str:
    """The SQL of a transform's native function. column: the source column's text."""
    if transform.transform.is_identity:
        return column
    prefix = "" if transform.parameter is None else f"{transform.parameter}, "
    return f"{transform.transform.functions[-1]}({prefix}{column})"


def _range(parameter: Parameter) -> str:
    return f"a constant integer from {parameter.minimum} to {parameter.maximum}"
