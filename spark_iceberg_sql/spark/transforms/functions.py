"""The native SQL functions iceberg_*, and ClickHouse's of the same transforms: a loop over the transform table.

They are also the functions of the catalog `iceberg_functions`, which Iceberg's expressions spec reserves.

Each call becomes, while Spark analyses the statement, Iceberg's own function bound to the argument's type: a static
Java call in the generated code, with no Python on the row path. `java/TransformFunction.java` creates it from the rows
that this module compiles in, and refuses arguments that Iceberg itself would accept, such as bucket(0, x).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import SPEC_FUNCTIONS, TRANSFORMS
from spark_iceberg_sql.model.types import Primitive, primitive_from_spark
from spark_iceberg_sql.spark.bridge.functions import native_functions, registries
from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm.gateway import java_session
from spark_iceberg_sql.spark.bridge.jvm.java_records import constants_source
from spark_iceberg_sql.spark.bridge.jvm.java_rows import FunctionRow, SpecFunctionRow
from spark_iceberg_sql.spark.optimizer import injection

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The types that Spark SQL has, in the order in which messages list them.
_SPARK_TYPES = (
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "date",
    "timestamp", "timestamp_ntz", "string", "binary",
)  # fmt: skip
_UNLISTED = ("char", "varchar")  # strings, in the plans of Hive tables
_ONLY_HASHED = ("boolean", "float", "double")  # types that have a hash, but no buckets in Iceberg
_EPOCH = date(1970, 1, 1)


def register(spark: SparkSession) -> None:
    """Register every function of the transform table; calling it again changes nothing.

    Raises IcebergSqlError if another function is registered under one of the names, or if the functions cannot be
    compiled for this version of Spark.
    """
    # The rules first: Iceberg's scans compare such a function with the wrong partition value in some tables, and the
    # rule `guard` keeps those filters in Spark.
    injection.ensure(spark)
    try:
        registry = native_functions.registry(sources(), injection.java_ensure)
    except ValueError as error:
        raise IcebergSqlError(f"the functions cannot be compiled for this version of Spark: {error}") from None
    for row in function_rows():
        texts = {"usage": row.usage, "arguments": row.arguments, "examples": row.examples}
        registries.register_native(spark, row.name, partial(registry.byName, row.name), **texts)
    registry.specFunctions().add(java_session(spark))


def unregister(spark: SparkSession) -> None:
    """Unregister the functions in a session and in Spark's built-in registry."""
    for row in function_rows():
        registries.unregister_function(spark, registries.SCALAR, row.name)


def sources() -> list[tuple[str, str]]:
    """The Java files of the functions, name and text, in the order in which they are compiled."""
    scala = compiler.source(injection.__package__ or "", "ScalaTypes")
    spec_functions = [SpecFunctionRow(name, function) for name, function in SPEC_FUNCTIONS.items()]
    return [
        ("ScalaTypes", scala),
        ("FunctionRow", constants_source(FunctionRow, function_rows())),
        ("SpecFunctionRow", constants_source(SpecFunctionRow, spec_functions)),
        *compiler.sources(__package__ or "", "TransformFunctions"),
    ]


def function_rows() -> Iterator[FunctionRow]:
    """The functions of the transform table: this package's names, then ClickHouse's."""
    for transform in TRANSFORMS:
        for name in transform.functions:
            yield _row(transform, name)
        for name in transform.clickhouse_transforms:
            yield _clickhouse_row(transform, name)
        if transform.clickhouse_hash is not None:
            yield _hash_row(transform, *transform.clickhouse_hash)


def _row(transform: Transform, name: str) -> FunctionRow:
    parameter = transform.parameter
    row = FunctionRow(
        name=name,
        function=transform.spark_function,
        always_null=transform.is_void,
        is_hash=False,
        counts_days=False,
        hashed=(),
        narrow_as_int=transform.narrow_as_int,
        checks_precision=transform.checks_precision,
        result=None if transform.result is None else str(Primitive(transform.result)),
        accepted=tuple(type_name for type_name in (*_SPARK_TYPES, *_UNLISTED) if _takes(transform, type_name)),
        listed=tuple(type_name for type_name in _SPARK_TYPES if _takes(transform, type_name)),
        parameter=parameter.name if parameter else None,
        noun=parameter.noun if parameter else "",
        minimum=parameter.minimum if parameter else 0,
        maximum=parameter.maximum if parameter else 0,
        usage="",
        arguments="",
        examples="",
    )
    return _documented(row, transform, transform.summary, transform.accepts, transform.example)


def _clickhouse_row(transform: Transform, name: str) -> FunctionRow:
    """ClickHouse's function for a transform: a date is a number, and every type that has a hash has a bucket."""
    row, summary, (call, result) = _row(transform, name), transform.summary, transform.example
    if transform.result == "date":
        row = replace(row, counts_days=True, result="int")
        summary, result = f"{summary}, as days since 1970-01-01", str((date.fromisoformat(result) - _EPOCH).days)
    if transform.hashes:
        row = _with_hashed_types(row)
    return _documented(row, transform, summary, _accepted(row), (call, result))


def _hash_row(transform: Transform, name: str, call: str, result: str) -> FunctionRow:
    """ClickHouse's function for the hash that a transform divides into buckets."""
    row = _with_hashed_types(_row(transform, name))
    row = replace(row, is_hash=True, parameter=None, noun="", minimum=0, maximum=0)
    summary = "the value's 32-bit Murmur3 hash"
    return _documented(row, transform, summary, _accepted(row), (call, result))


def _with_hashed_types(row: FunctionRow) -> FunctionRow:
    listed = tuple(t for t in _SPARK_TYPES if t in row.listed or t in _ONLY_HASHED)
    return replace(row, hashed=_ONLY_HASHED, accepted=(*row.accepted, *_ONLY_HASHED), listed=listed)


def _accepted(row: FunctionRow) -> str:
    return f"a value of one of the types {', '.join(row.listed)}"


def _takes(transform: Transform, type_name: str) -> bool:
    return transform.is_void or transform.takes(primitive_from_spark(type_name))


def _documented(
    row: FunctionRow, transform: Transform, summary: str, accepted: str, example: tuple[str, str]
) -> FunctionRow:
    """The function with the text of DESCRIBE FUNCTION [EXTENDED], in Spark's own layout.

    summary: of the value. accepted: of the last argument. example: the arguments of a call, and its value.
    """
    prefix, lines = "", [f"col - {accepted}"]
    if row.parameter is not None:
        prefix = f"{row.parameter}, "
        lines.insert(0, f"{row.parameter} - the {row.noun}, a constant integer from {row.minimum} to {row.maximum}")
    arguments = "".join(f"      * {line}\n" for line in lines)
    call, result = example
    return replace(
        row,
        usage=f"_FUNC_({prefix}col) - Returns {summary} (Iceberg's partition transform {transform.name}).",
        arguments=f"\n    Arguments:\n{arguments}  ",
        examples=f"\n    Examples:\n      > SELECT _FUNC_({call});\n       {result}\n  ",
    )


def call_text(transform: BoundTransform, column: str) -> str:
    """The SQL of a transform's native function. column: the source column's text."""
    if transform.transform.is_identity:
        return column
    prefix = "" if transform.parameter is None else f"{transform.parameter}, "
    return f"{transform.transform.functions[-1]}({prefix}{column})"
