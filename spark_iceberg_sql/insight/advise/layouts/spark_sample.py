"""A sample of a source's rows for `advise`: the filtered columns and every candidate field's values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as fn

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.advise.layouts.counted_files import CountedPartition
from spark_iceberg_sql.insight.advise.layouts.file_layout import AssumedSample, assume_rows
from spark_iceberg_sql.insight.advise.layouts.layout import Sample
from spark_iceberg_sql.insight.hypothetical import spark_rows as rows
from spark_iceberg_sql.insight.hypothetical.partitions import Bounds, result_type
from spark_iceberg_sql.insight.hypothetical.spark_source import Source
from spark_iceberg_sql.insight.hypothetical.values import has_bounds
from spark_iceberg_sql.insight.hypothetical.written_files import FileSizeModel, WriteSettings
from spark_iceberg_sql.insight.preview.existing_files import ManifestStats
from spark_iceberg_sql.insight.preview.spark_estimates import column_from_spark, from_spark, write_first_rows
from spark_iceberg_sql.insight.preview.spark_files import delete_file_notes, existing_files
from spark_iceberg_sql.insight.preview.spark_settings import settings_of
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.types import Type
from spark_iceberg_sql.spark.bridge.tables import hypothetical_tables
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

_MAX_PARTITIONS = 200_000  # that the driver counts for one spec
_FULL_READ_FACTOR = 2  # a source smaller than this many samples is read whole
_SEED = 20


def take_sample(
    spark: SparkSession,
    source: Source,
    columns: Sequence[int],
    fields: Sequence[PartitionField],
    count: int,
    earlier: Sample | None = None,
) -> Sample:
    """A sample of the rows.

    columns: field ids, for the files' bounds. fields: the candidates. count: the approximate number of rows.
    earlier: a smaller sample of the same source, whose row count, bounds and size model are used again.
    """
    schema = source.schema
    data_types = {field_id: schema.types[field_id] for field_id in columns if has_bounds(schema.types[field_id])}
    table_rows, table_bounds = (
        (earlier.rows, earlier.table_bounds) if earlier else _row_count_and_bounds(source, data_types)
    )
    expressions = [
        rows.portable_value(_column(source, field_id), data_type.name).alias(f"c{field_id}")
        for field_id, data_type in data_types.items()
    ]
    expressions += _field_columns(fields, schema)
    frame = source.frame
    if table_rows > _FULL_READ_FACTOR * count:
        frame = frame.sample(count / table_rows, seed=_SEED)
    collected = frame.select(*expressions, rows.raw_bytes(schema).alias("raw")).collect()
    sampled_rows = len(collected)
    if table_rows and not sampled_rows:
        raise IcebergSqlError(
            f"a sample of about {count:,} of {table_rows:,} rows is empty",
            help="give a larger sample",
            argument="sample",
        )
    *values, raw_sizes = zip(*collected, strict=True) if collected else ((),) * (len(expressions) + 1)
    row_bytes = sum(raw_sizes) / max(1, sampled_rows)
    return Sample(
        rows=table_rows,
        row_bytes=max(1.0, row_bytes),
        columns={
            field_id: column_from_spark(data_type, column)
            for (field_id, data_type), column in zip(data_types.items(), values, strict=False)
        },
        field_values={
            f.key: column_from_spark(data_type, column)
            for f, column in zip(fields, values[len(data_types) :], strict=True)
            for data_type in (result_type(source.schema, f),)
        },
        size_model=earlier.size_model if earlier else _file_size_model(spark, source, max(1.0, row_bytes)),
        sampled_rows=sampled_rows,
        table_bounds=table_bounds,
    )


def _row_count_and_bounds(source: Source, data_types: Mapping[int, Type]) -> tuple[int, dict[int, tuple[Any, Any]]]:
    """The number of rows, and the minimum and maximum of columns: often known to Iceberg without a scan."""
    bounds = [
        rows.portable_value(aggregate(_column(source, field_id)), data_type.name).alias(f"{name}{field_id}")
        for field_id, data_type in data_types.items()
        for name, aggregate in (("low", fn.min), ("high", fn.max))
    ]
    row = source.frame.agg(fn.count(fn.lit(1)).alias("rows"), *bounds).first()
    assert row is not None
    return row["rows"], {
        field_id: (from_spark(data_type, row[f"low{field_id}"]), from_spark(data_type, row[f"high{field_id}"]))
        for field_id, data_type in data_types.items()
    }


def count_partitions(
    source: Source, columns: Iterable[int], fields: Sequence[PartitionField]
) -> list[CountedPartition] | None:
    """Every partition under a spec, in one aggregation; None if there are too many.

    columns: field ids, for the bounds. fields: the spec's.
    """
    schema = source.schema
    data_types = {field_id: schema.types[field_id] for field_id in columns}
    aggregates: list[Column] = [fn.count(fn.lit(1)).alias("rows")]
    for field_id, data_type in data_types.items():
        column = _column(source, field_id)
        nan = fn.isnan(column) if data_type.name in ("float", "double") else fn.lit(False)
        numbers = fn.when(~nan, column)
        aggregates += [
            rows.portable_value(fn.min(numbers), data_type.name).alias(f"low{field_id}"),
            rows.portable_value(fn.max(numbers), data_type.name).alias(f"high{field_id}"),
            fn.count_if(column.isNull()).alias(f"nulls{field_id}"),
            fn.count_if(nan).alias(f"nans{field_id}"),
        ]
    collected = (
        source.frame.groupBy(*_field_columns(fields, schema)).agg(*aggregates).limit(_MAX_PARTITIONS + 1).collect()
    )
    if len(collected) > _MAX_PARTITIONS:
        return None
    result_types = [result_type(source.schema, f) for f in fields]
    partitions = []
    for row in map(tuple, collected):  # by position: a Row searches for each name
        keys, count, figures = row[: len(fields)], row[len(fields)], iter(row[len(fields) + 1 :])
        values = tuple(from_spark(data_type, key) for data_type, key in zip(result_types, keys, strict=True))
        bounds = {
            field_id: Bounds(from_spark(data_type, low), from_spark(data_type, high), nulls, nans)
            for (field_id, data_type), low, high, nulls, nans in zip(
                data_types.items(), figures, figures, figures, figures, strict=False
            )
        }
        partitions.append(CountedPartition(values, count, bounds))
    return partitions


def _field_columns(fields: Sequence[PartitionField], schema: Schema) -> list[Column]:
    return [
        rows.portable_value(rows.value(f, schema), rows.result_type(f, schema)).alias(f"k{n}")
        for n, f in enumerate(fields)
    ]


def _column(source: Source, field_id: int) -> Column:
    column = source.schema.by_id(field_id)
    assert column is not None
    return fn.col(dotted(column.path))


def _file_size_model(spark: SparkSession, source: Source, row_bytes: float) -> FileSizeModel:
    """The sizes of files of a table like the source. row_bytes: uncompressed bytes per row."""
    with hypothetical_tables.table(source.as_table(Spec(0))) as table:
        settings = settings_of(spark, table)
        raw_bytes = rows.raw_bytes(source.schema)
        model = FileSizeModel(write_first_rows(spark, source, table, raw_bytes, settings), settings)
    # The first rows may compress unlike the others; a property that the caller overrides makes other files.
    if source.metadata is not None and source.metadata.get("properties", {}) == source.properties:
        manifests = [*existing_files(source, ())]
        raw_sizes = (count * row_bytes for manifest in manifests for count in manifest.rows)
        model.fit(raw_sizes, sum(sum(manifest.sizes) for manifest in manifests))
    return model


def bounded_columns(source: Source, columns: Iterable[int]) -> list[int]:
    """Those of columns, by field id, whose bounds files have."""
    return [field_id for field_id in columns if has_bounds(source.schema.types[field_id])]


def assumed_rows(
    spark: SparkSession,
    source: Source,
    columns: Sequence[int],
    fields: Sequence[PartitionField],
    count: int,
    manifests: Iterable[ManifestStats],
) -> tuple[AssumedSample, WriteSettings]:
    """A sample from the bounds of the table's files, and the write settings.

    columns: field ids, those of `bounded_columns`. manifests: of the table, with the bounds of these.
    """
    type_names = {field_id: source.schema.types[field_id].name for field_id in columns}
    with hypothetical_tables.table(source.as_table(Spec(0))) as table:
        settings = settings_of(spark, table)
    result = assume_rows(manifests, type_names, fields, count, settings)
    return replace(result, left_out=(*delete_file_notes(source), *result.left_out)), settings
