"""A sample of a source's rows for `advise`: the filtered columns and every candidate field's values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as fn

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.advise_counted import Partition
from spark_iceberg_sql.insight.advise_layout import Sample
from spark_iceberg_sql.insight.advise_metadata import Assumed, assumed
from spark_iceberg_sql.insight.hypothetical import Bounds
from spark_iceberg_sql.insight.hypothetical_values import has_bounds
from spark_iceberg_sql.insight.preview_layout import Sizes, WriteSettings
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.types import Primitive, Type
from spark_iceberg_sql.spark.bridge import hypothetical
from spark_iceberg_sql.spark.insight import hypothetical_rows as rows
from spark_iceberg_sql.spark.insight.hypothetical_source import Source
from spark_iceberg_sql.spark.insight.preview_estimates import first_rows, from_spark, known_files
from spark_iceberg_sql.spark.insight.preview_settings import settings_of
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

_PARTITIONS = 200_000  # that the driver counts for one spec
_WHOLE = 2  # a source smaller than this many samples is read whole
_SEED = 20


def sampled(
    spark: SparkSession,
    source: Source,
    columns: Sequence[int],
    fields: Sequence[PartitionField],
    count: int,
    like: Sample | None = None,
) -> Sample:
    """A sample of the rows.

    columns: field ids, for the files' bounds. fields: the candidates. count: the approximate number of rows.
    earlier: a smaller sample of the same source, whose row count, bounds and size model are used again.
    """
    schema = source.schema
    kinds = {i: schema.types[i] for i in columns if has_bounds(schema.types[i])}
    total, ends = (like.rows, like.ends) if like else _counted(source, kinds)
    picked = [
        rows.stored(_column(source, i), kind.name).alias(f"c{i}") for i, kind in kinds.items()
    ]
    picked += _keys(fields, schema)
    frame = source.frame
    if total > _WHOLE * count:
        frame = frame.sample(count / total, seed=_SEED)
    taken = frame.select(*picked, rows.raw_bytes(schema).alias("raw")).collect()
    seen = len(taken)
    if total and not seen:
        raise IcebergSqlError(
            f"a sample of about {count:,} of {total:,} rows is empty",
            help="give a larger sample",
            argument="sample",
        )
    *values, sizes_raw = zip(*taken, strict=True) if taken else ((),) * (len(picked) + 1)
    raw = sum(sizes_raw) / max(1, seen)
    return Sample(
        rows=total,
        raw=max(1.0, raw),
        columns={
            i: [from_spark(kind, value) for value in column]
            for (i, kind), column in zip(kinds.items(), values, strict=False)
        },
        keys={
            f.key: [from_spark(kind, value) for value in column]
            for f, column in zip(fields, values[len(kinds) :], strict=True)
            for kind in (_result(source, f),)
        },
        sizes=like.sizes if like else _sizes(spark, source, max(1.0, raw)),
        seen=seen,
        ends=ends,
    )


def _counted(source: Source, kinds: Mapping[int, Type]) -> tuple[int, dict[int, tuple[Any, Any]]]:
    """The number of rows, and the minimum and maximum of columns: often known to Iceberg without a scan."""
    ends = [
        rows.stored(end(_column(source, i)), kind.name).alias(f"{name}{i}")
        for i, kind in kinds.items()
        for name, end in (("low", fn.min), ("high", fn.max))
    ]
    row = source.frame.agg(fn.count(fn.lit(1)).alias("rows"), *ends).first()
    assert row is not None
    return row["rows"], {
        i: (from_spark(kind, row[f"low{i}"]), from_spark(kind, row[f"high{i}"]))
        for i, kind in kinds.items()
    }


def partitions(
    source: Source, columns: Iterable[int], fields: Sequence[PartitionField]
) -> list[Partition] | None:
    """Every partition under a spec, in one aggregation; None if there are too many.

    columns: field ids, for the bounds. fields: the spec's.
    """
    schema = source.schema
    kinds = {i: schema.types[i] for i in columns}
    found: list[Column] = [fn.count(fn.lit(1)).alias("rows")]
    for i, kind in kinds.items():
        column = _column(source, i)
        nan = fn.isnan(column) if kind.name in ("float", "double") else fn.lit(False)
        known = fn.when(~nan, column)
        found += [
            rows.stored(fn.min(known), kind.name).alias(f"low{i}"),
            rows.stored(fn.max(known), kind.name).alias(f"high{i}"),
            fn.count_if(column.isNull()).alias(f"nulls{i}"),
            fn.count_if(nan).alias(f"nans{i}"),
        ]
    taken = (
        source.frame.groupBy(*_keys(fields, schema)).agg(*found).limit(_PARTITIONS + 1).collect()
    )
    if len(taken) > _PARTITIONS:
        return None
    results = [_result(source, f) for f in fields]
    return [
        Partition(
            tuple(from_spark(kind, row[f"k{n}"]) for n, kind in enumerate(results)),
            row["rows"],
            {
                i: Bounds(
                    from_spark(kind, row[f"low{i}"]),
                    from_spark(kind, row[f"high{i}"]),
                    row[f"nulls{i}"],
                    row[f"nans{i}"],
                )
                for i, kind in kinds.items()
            },
        )
        for row in taken
    ]


def _keys(fields: Sequence[PartitionField], schema: Schema) -> list[Column]:
    return [
        rows.stored(rows.value(f, schema), rows.result_type(f, schema)).alias(f"k{n}")
        for n, f in enumerate(fields)
    ]


def _column(source: Source, field_id: int) -> Column:
    return fn.col(dotted(_path(source, field_id)))


def _sizes(spark: SparkSession, source: Source, raw: float) -> Sizes:
    """The sizes of files of a table like the source. row_bytes: uncompressed bytes per row."""
    with hypothetical.table(source.as_table(Spec(0))) as table:
        settings = settings_of(spark, table)
        return Sizes(first_rows(spark, source, table, raw, settings), settings)


def assumed_rows(
    spark: SparkSession,
    source: Source,
    columns: Sequence[int],
    fields: Sequence[PartitionField],
    count: int,
) -> tuple[Assumed, WriteSettings, int]:
    """A sample from the bounds of the table's files, the write settings, and the number of its data files."""
    types = source.schema.types
    kinds = {i: types[i].name for i in columns if has_bounds(types[i])}
    known, deletes = known_files(spark, source, list(kinds))
    with hypothetical.table(source.as_table(Spec(0))) as table:
        settings = settings_of(spark, table)
    found = assumed(known, kinds, fields, count, settings)
    notes = (f"{deletes:,} delete files are not applied",) if deletes else ()
    return replace(found, left_out=(*notes, *found.left_out)), settings, len(known)


def _path(source: Source, field_id: int) -> list[str]:
    column = source.schema.by_id(field_id)
    assert column is not None
    return list(column.path)


def _result(source: Source, field: PartitionField) -> Primitive:
    kind = source.schema.types[field.source_id]
    assert isinstance(kind, Primitive)
    return kind if field.transform.transform.result is None else Primitive("int")
