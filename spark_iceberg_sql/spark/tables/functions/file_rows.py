"""Rows about a table's files for which Iceberg has no metadata table: column statistics, DuckDB's entries."""

from __future__ import annotations

from collections.abc import Mapping

from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.plans import read_branches, relations
from spark_iceberg_sql.spark.bridge.tables import table_metadata
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.functions.subject import Subject
from spark_iceberg_sql.syntax.identifiers import backticked, string_literal


def column_stats(subject: Subject) -> Java:
    """One row per column and file."""
    files = subject.metadata_table_rows("FILES")
    metrics = files.schema().apply("readable_metrics").dataType().fields()
    requested_name = subject.values.get("column")
    names = [str(field.name()) for field in metrics]
    if requested_name is not None:
        chosen_names = [n for n in names if n.lower() == str(requested_name).lower()]
        if not chosen_names:
            similar = similar_names(str(requested_name), names) or names
            raise invalid(
                subject.function,
                "column",
                f"there is no column `{requested_name}` with its own values; write {' or '.join(similar)}",
            )
        metrics = [field for field in metrics if str(field.name()) in chosen_names]
    schema = subject.table().schema
    types = {} if schema is None else {c.name: str(c.field.type) for c in schema.columns}
    structs = [_stats(field, types, as_text=requested_name is None) for field in metrics]
    field_names = {str(name) for name in files.schema().fieldNames()}
    leading_columns = [n for n in ("content", "file_path", "spec_id", "partition") if n in field_names]
    if not structs:  # no column has values to count
        structs = [_NO_STATS]
        files = files.limit(0)
    return table_metadata.projection(files, *leading_columns, f"inline(array({', '.join(structs)}))")


_COUNTS = ("column_size", "value_count", "null_value_count", "nan_value_count")
_NO_STATS = (
    "named_struct('column_name', '', 'column_type', '', 'column_size', 0L, 'value_count', 0L, "
    "'null_value_count', 0L, 'nan_value_count', 0L, 'lower_bound', '', 'upper_bound', '')"
)


def _stats(field: Java, types: Mapping[str, str], *, as_text: bool) -> str:
    """One column's statistics in one file, as a struct.

    types: Iceberg's, for a column without a type in Spark, which has no bounds there.
    """
    name = str(field.name())
    column = f"readable_metrics.{backticked(name)}"
    has_bounds = "lower_bound" in map(str, field.dataType().fieldNames())
    if has_bounds:
        type_name = str(field.dataType().apply("lower_bound").dataType().simpleString())
    else:
        type_name = types.get(name, "unknown")
    parts = [f"'column_name', {string_literal(name)}", f"'column_type', {string_literal(type_name)}"]
    parts += [f"'{count}', {column}.{count}" for count in _COUNTS]
    for bound in ("lower_bound", "upper_bound"):
        value = f"{column}.{bound}" if has_bounds else "CAST(NULL AS STRING)"
        if as_text and has_bounds:
            value = f"hex({value})" if type_name == "binary" else f"CAST({value} AS STRING)"
        parts.append(f"'{bound}', {value}")
    return f"named_struct({', '.join(parts)})"


def entries(subject: Subject) -> Java:
    """The entries as DuckDB shows them; an entry's manifest is the file that Spark reads it from."""
    functions = gateway.java_class("org.apache.spark.sql.functions")
    manifests = functions.broadcast(relations.data_frame(_manifests(subject)))
    status = "element_at(array('EXISTING', 'ADDED', 'DELETED'), status + 1) AS status"
    content = "element_at(array('DATA', 'POSITION_DELETES', 'EQUALITY_DELETES'), data_file.content + 1)"
    entries = subject.metadata_table_rows("ENTRIES").selectExpr(
        gateway.to_seq(
            [
                "input_file_name() AS __file",
                status,
                f"{content} AS content",
                "data_file.file_path AS file_path",
                "data_file.file_format AS file_format",
                "data_file.record_count AS record_count",
            ]
        )
    )
    joined = entries.join(manifests, functions.expr("__file = manifest_path"), "left")
    return table_metadata.projection(
        joined,
        "manifest_path",
        "manifest_sequence_number",
        "manifest_content",
        "status",
        "content",
        "file_path",
        "file_format",
        "record_count",
    )


def _manifests(subject: Subject) -> Java:
    """The manifests of the snapshot, with their sequence numbers, which Iceberg's metadata table omits."""
    snapshot = read_branches.snapshot_id(subject.spark_table())
    io = subject.operations.io()
    rows = [
        {
            "manifest_path": str(manifest.path()),
            "manifest_sequence_number": manifest.sequenceNumber(),
            "manifest_content": {"DATA": "DATA", "DELETES": "DELETE"}[str(manifest.content())],
        }
        for manifest in (() if snapshot is None else subject.metadata.snapshot(snapshot).allManifests(io))
    ]
    columns = "manifest_path string, manifest_sequence_number bigint, manifest_content string"
    return table_metadata.rows(columns, rows)
