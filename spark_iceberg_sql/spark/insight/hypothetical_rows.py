"""A spec over a DataFrame: its partition values as columns, the size of its rows, and one aggregation over both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as fn

from spark_iceberg_sql.insight.preview_layout import Piece
from spark_iceberg_sql.insight.specs import column_path
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.types import Field, List, Map, Primitive, Struct
from spark_iceberg_sql.spark.transforms.functions import call_text
from spark_iceberg_sql.syntax.identifiers import backticked, dotted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_WIDTHS = {
    "boolean": 0.125,
    "int": 4,
    "date": 4,
    "float": 4,
    "long": 8,
    "time": 8,
    "timestamp": 8,
    "timestamptz": 8,
    "double": 8,
    "uuid": 16,
}
_FLOATS = ("float", "double")
_LENGTH = 4  # bytes before each string and binary, in Parquet's plain encoding


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one partition, or of one partition in one map task or in one commit.

    values: of the partition fields. output: the number of rows and bytes. task: the number of the task that
    reads them. shuffle_partition: the one they are sent to. commit: the number of the commit they arrive in.
    """

    values: tuple[Any, ...]
    piece: Piece
    place: int = 0
    reducer: int = 0
    commit: int = 0


def value(field: PartitionField, schema: Schema) -> Column:
    """A partition field's value as a column: a native function, or the source column itself."""
    return fn.expr(call_text(field.transform, dotted(column_path(field, schema))))


def stored(column: Column, kind: str) -> Column:
    """A value in a form that Python reads and writes alike in every time zone.

    type_name: the value's Iceberg type. Dates become days and timestamps microseconds since 1970; timestamps
    without a zone become text.
    """
    if kind == "date":
        return fn.unix_date(column)
    if kind == "timestamptz":
        return fn.unix_micros(column)
    return column.cast("string") if kind == "timestamp" else column


def keys(spec: Spec, schema: Schema) -> list[Column]:
    """A spec's partition values, each as `portable_value` returns it; but floating-point numbers as text.

    To Iceberg, -0.0 and 0.0 are two partitions; Spark would group them, and NaN is not equal to itself in
    Python.
    """
    return [
        value(f, schema).cast("string")
        if (kind := result_type(f, schema)) in _FLOATS
        else stored(value(f, schema), kind)
        for f in spec.fields
    ]


def shown(values: Sequence[Any], spec: Spec, schema: Schema) -> tuple[Any, ...]:
    """The values of a group, with numbers as numbers."""
    kinds = [result_type(f, schema) for f in spec.fields]
    return tuple(
        float(v) if kind in _FLOATS and v is not None else v
        for v, kind in zip(values, kinds, strict=True)
    )


def result_type(field: PartitionField, schema: Schema) -> str:
    """The Iceberg type of a partition field's values."""
    return field.transform.transform.result or schema.types[field.source_id].name


def groups(
    frame: DataFrame,
    spec: Spec,
    schema: Schema,
    *,
    by_task: bool = False,
    reducers: int = 0,
    commit: str = "",
) -> list[Group]:
    """One aggregation: the partitions of a spec, with their rows and uncompressed bytes.

    frame: the rows. by_task: count the rows of each reading task separately. shuffle_partitions: the number
    of shuffle partitions, to find the one a partition is sent to; 0 if that does not matter. commit_column:
    the column with the number of a row's commit; empty for a single commit.
    """
    names = [f"k{i}" for i in range(len(spec.fields))]
    place = fn.spark_partition_id() if by_task else fn.lit(0)
    reducer = fn.lit(0)
    if reducers and names:
        # As in Spark's HashPartitioning: pmod of the Murmur3 hash, which is `hash` in SQL.
        reducer = fn.pmod(fn.hash(*(value(f, schema) for f in spec.fields)), fn.lit(reducers))
    shaped = frame.select(
        *(key.alias(name) for key, name in zip(keys(spec, schema), names, strict=True)),
        place.alias("place"),
        reducer.alias("reducer"),
        (fn.col(commit) if commit else fn.lit(0)).alias("commit"),
        raw_bytes(schema).alias("raw"),
    )
    counted = shaped.groupBy(*names, "place", "reducer", "commit").agg(
        fn.count(fn.lit(1)).alias("n"), fn.sum("raw").alias("raw")
    )
    return [
        Group(
            # Before Spark 4.1, binary values are arrays, which cannot be keys.
            tuple(bytes(v) if isinstance(v := row[name], bytearray) else v for name in names),
            Piece(row["n"], round(row["raw"] or 0)),
            row["place"],
            row["reducer"],
            row["commit"],
        )
        for row in counted.collect()
    ]


def added_up(counted: Sequence[Group]) -> list[Group]:
    """Groups that were counted by task, added up over the tasks."""
    total: dict[tuple[int, tuple[Any, ...]], Piece] = {}
    for group in counted:
        key = group.commit, group.values
        total[key] = total.get(key, Piece(0, 0)) + group.piece
    return [Group(values, piece, commit=commit) for (commit, values), piece in total.items()]


def raw_bytes(schema: Schema) -> Column:
    """The bytes of a row in Parquet's plain encoding, as a column."""
    parts = [part for f in schema.fields for part in _bytes(f, ())]
    total = fn.lit(0.0)
    for part in parts:
        total = total + part
    return total


def _bytes(item: Field, above: Sequence[str]) -> list[Column]:
    """The bytes of one column of a row, summed over a struct's fields; 0 for a null."""
    path = [*above, item.name]
    column = fn.col(".".join(map(backticked, path)))
    kind = item.type
    if isinstance(kind, Struct):
        return [part for inner in kind.fields for part in _bytes(inner, path)]
    if isinstance(kind, (List, Map)):
        return [fn.coalesce(fn.octet_length(fn.to_json(column)), fn.lit(0)).cast("double")]
    if isinstance(kind, Primitive) and kind.name == "decimal":
        width = _decimal_width(kind.arguments[0])
    elif kind.name in _WIDTHS:
        width = _WIDTHS[kind.name]
    elif kind.name == "fixed" and kind.arguments:
        width = kind.arguments[0]
    elif kind.name in ("string", "binary"):
        return [fn.coalesce(fn.octet_length(column) + fn.lit(_LENGTH), fn.lit(0)).cast("double")]
    else:
        text = fn.octet_length(column.cast("string"))
        return [fn.coalesce(text + fn.lit(_LENGTH), fn.lit(0)).cast("double")]
    return [fn.when(column.isNotNull(), fn.lit(float(width))).otherwise(fn.lit(0.0))]


def _decimal_width(precision: int) -> float:
    if precision <= 9:
        return 4
    return 8 if precision <= 18 else (10**precision).bit_length() // 8 + 1


def is_group(
    spec: Spec, schema: Schema, group: Group, *, by_task: bool, commit: str = ""
) -> Column:
    """A condition, as a column: the row belongs to the group."""
    found = fn.lit(True)
    for key, wanted in zip(keys(spec, schema), group.values, strict=True):
        found = found & key.eqNullSafe(fn.lit(wanted))
    if commit:
        found = found & (fn.col(commit) == group.commit)
    return found & (fn.spark_partition_id() == group.place) if by_task else found
