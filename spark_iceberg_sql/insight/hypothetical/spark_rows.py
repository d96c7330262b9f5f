"""A spec over a DataFrame: its partition values as columns, the size of its rows, and one aggregation over both."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as fn

from spark_iceberg_sql.insight.hypothetical.written_files import TaskOutput
from spark_iceberg_sql.insight.specs import column_path
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.types import Field, List, Map, Primitive, Struct
from spark_iceberg_sql.spark.transforms.functions import call_text
from spark_iceberg_sql.syntax.identifiers import dotted

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
_LENGTH_PREFIX = 4  # bytes before each string and binary, in Parquet's plain encoding


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one partition, or of one partition in one map task or in one commit.

    values: of the partition fields. output: the number of rows and bytes. task: the number of the task that reads them.
    shuffle_partition: the one they are sent to. commit: the number of the commit they arrive in.
    key_hash: of what the rows that are written together have in common.
    """

    values: tuple[Any, ...]
    output: TaskOutput
    task: int = 0
    shuffle_partition: int = 0
    commit: int = 0
    key_hash: int = 0


def value(field: PartitionField, schema: Schema) -> Column:
    """A partition field's value as a column: a native function, or the source column itself."""
    return fn.expr(call_text(field.transform, dotted(column_path(field, schema))))


def portable_value(column: Column, type_name: str) -> Column:
    """A value in a form that Python reads and writes alike in every time zone.

    type_name: the value's Iceberg type. Dates become days and timestamps microseconds since 1970; timestamps without a
    zone become text.
    """
    if type_name == "date":
        return fn.unix_date(column)
    if type_name == "timestamptz":
        return fn.unix_micros(column)
    return column.cast("string") if type_name == "timestamp" else column


def key_columns(spec: Spec, schema: Schema) -> list[Column]:
    """A spec's partition values, each as `portable_value` returns it; but floating-point numbers as text.

    To Iceberg, -0.0 and 0.0 are two partitions; Spark would group them, and NaN is not equal to itself in Python.
    """
    return [
        value(f, schema).cast("string")
        if (type_name := result_type(f, schema)) in _FLOATS
        else portable_value(value(f, schema), type_name)
        for f in spec.fields
    ]


def typed_values(values: Sequence[Any], spec: Spec, schema: Schema) -> tuple[Any, ...]:
    """The values of a group, with numbers as numbers."""
    type_names = [result_type(f, schema) for f in spec.fields]
    return tuple(
        float(v) if type_name in _FLOATS and v is not None else v
        for v, type_name in zip(values, type_names, strict=True)
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
    shuffle_partitions: int = 0,
    commit_column: str = "",
    null_free: Set[int] = frozenset(),
) -> list[Group]:
    """One aggregation: the partitions of a spec, with their rows and uncompressed bytes.

    frame: the rows. by_task: count the rows of each reading task separately. shuffle_partitions: the number of shuffle
    partitions, to find the one a partition is sent to, where the rows of all tasks come together; 0 if each task writes
    its own. commit_column: the column with the number of a row's commit; empty for a single commit.
    null_free: ids of columns without nulls.
    """
    names = [f"k{i}" for i in range(len(spec.fields))]
    task = fn.spark_partition_id() if by_task else fn.lit(0)
    shuffle_partition = fn.lit(0)
    if shuffle_partitions and names:
        # As in Spark's HashPartitioning: pmod of the Murmur3 hash, which is `hash` in SQL.
        shuffle_partition = fn.pmod(fn.hash(*(value(f, schema) for f in spec.fields)), fn.lit(shuffle_partitions))
    key_frame = frame.select(
        *(key.alias(name) for key, name in zip(key_columns(spec, schema), names, strict=True)),
        task.alias("place"),
        shuffle_partition.alias("reducer"),
        (fn.col(commit_column) if commit_column else fn.lit(0)).alias("commit"),
        raw_bytes(schema, spec, null_free).alias("raw"),
    )
    writing_task = fn.lit(0) if shuffle_partitions else fn.col("place")
    counts = (
        key_frame.groupBy(*names, "place", "reducer", "commit")
        .agg(fn.count(fn.lit(1)).alias("n"), fn.sum("raw").alias("raw"))
        .withColumn("key_hash", _hash([*map(fn.col, names), writing_task, fn.col("commit")]))
        .select("n", "raw", "place", "reducer", "commit", "key_hash", *names)
    )
    return [
        Group(
            # Before Spark 4.1, binary values are arrays, which cannot be keys.
            tuple(bytes(v) if isinstance(v, bytearray) else v for v in values),
            TaskOutput(row_count, round(raw)),
            place,
            reducer,
            commit,
            key_hash,
        )
        # A row's fields by name are slow.
        for row_count, raw, place, reducer, commit, key_hash, *values in map(tuple, counts.collect())
    ]


def sum_over_tasks(task_groups: Sequence[Group]) -> list[Group]:
    """Groups that were counted by task, added up over the tasks."""
    totals: dict[tuple[int, tuple[Any, ...]], Group] = {}
    for group in task_groups:
        key = group.commit, group.values
        output = totals[key].output + group.output if key in totals else group.output
        totals[key] = Group(group.values, output, commit=group.commit, key_hash=group.key_hash)
    return list(totals.values())


def raw_bytes(schema: Schema, spec: Spec | None = None, null_free: Set[int] = frozenset()) -> Column:
    """The bytes of a row in Parquet's plain encoding, as a column.

    spec: that of the files. A column that has one value in each of them takes next to no bytes there, so that it does
    not count, unless there is no other. null_free: ids of columns without nulls, which are not read for their bytes if
    each value has the same.
    """
    fields = spec.fields if spec else ()
    constant = {field.source_id for field in fields if field.transform.transform.is_identity}
    parts = [part for f in schema.fields for part in _column_bytes(f, (), constant, null_free)]
    all_parts = parts or [part for f in schema.fields for part in _column_bytes(f, (), set(), null_free)]
    return fn.expr(" + ".join(["0D", *all_parts]))  # one text: a call for each function takes longer than the analysis


def _column_bytes(field: Field, parent_path: Sequence[str], omitted: Set[int], null_free: Set[int]) -> list[str]:
    """The bytes of one column of a row, as SQL; those of each field of a struct; 0 for a null.

    omitted: ids of columns that are left out. null_free: ids of columns without nulls.
    """
    if field.field_id in omitted:
        return []
    path = [*parent_path, field.name]
    column = dotted(path)
    data_type = field.type
    if isinstance(data_type, Struct):
        return [part for child in data_type.fields for part in _column_bytes(child, path, omitted, null_free)]
    if isinstance(data_type, (List, Map)):
        return [f"cast(coalesce(octet_length(to_json({column})), 0) AS double)"]
    if isinstance(data_type, Primitive) and data_type.name == "decimal":
        width = _decimal_width(data_type.arguments[0])
    elif data_type.name in _WIDTHS:
        width = _WIDTHS[data_type.name]
    elif data_type.name == "fixed" and data_type.arguments:
        width = data_type.arguments[0]
    else:
        content = column if data_type.name in ("string", "binary") else f"cast({column} AS string)"
        return [f"cast(coalesce(octet_length({content}) + {_LENGTH_PREFIX}, 0) AS double)"]
    return [f"{float(width)}D" if field.field_id in null_free else f"if({column} IS NULL, 0D, {float(width)}D)"]


def _decimal_width(precision: int) -> float:
    if precision <= 9:
        return 4
    return 8 if precision <= 18 else (10**precision).bit_length() // 8 + 1


def group_number(
    spec: Spec, schema: Schema, groups: Sequence[Group], *, by_task: bool, commit_column: str = ""
) -> Column:
    """The number of a row's group among some, from 1, as a column; 0 for a row of another.

    groups: as `groups` returns them for these arguments.
    """
    task = fn.spark_partition_id() if by_task else fn.lit(0)
    commit = fn.col(commit_column) if commit_column else fn.lit(0)
    hashes = fn.expr(f"array({', '.join(f'{group.key_hash}L' for group in groups)})")
    # By its name: before Spark 4.0, pyspark's function takes no column to look for.
    return fn.call_function("array_position", hashes, _hash([*key_columns(spec, schema), task, commit]))


def _hash(parts: Sequence[Column]) -> Column:
    """A hash of columns, as a column: of 64 bits, so that no two of a source's groups are expected to share it."""
    # A null alone leaves a hash as it was.
    return fn.xxhash64(*(column for part in parts for column in (part, part.isNull())))


def unused_name(name: str, used_names: Sequence[str]) -> str:
    """An unused column name."""
    lower_names = {column.lower() for column in used_names}
    while name in lower_names:
        name += "_"
    return name
