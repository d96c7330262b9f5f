"""A description from a table's metadata in the JVM."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone

from spark_iceberg_sql.insight.commit_text import commit_text
from spark_iceberg_sql.insight.listing.description_model import (
    DescribedColumn,
    DescribedField,
    DescribedSnapshot,
    DescribedSpec,
    Description,
)
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import Spec, Specs
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.report.table_ddl import field_clause, sort_order_terms, type_ddl
from spark_iceberg_sql.rules.message_format import column_text
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_rows import SpecFiles
from spark_iceberg_sql.spark.bridge.plans import read_branches
from spark_iceberg_sql.spark.bridge.tables import table_metadata
from spark_iceberg_sql.spark.bridge.tables.table_metadata import SnapshotFacts
from spark_iceberg_sql.spark.bridge.tables.tables_as_read import TableAsRead
from spark_iceberg_sql.syntax.identifiers import quoted

_MAX_SNAPSHOTS = 10


def description(
    title: str, table: Table, metadata: Java, read: TableAsRead, files_by_spec: Sequence[SpecFiles] | None
) -> Description:
    """The description of a table.

    title: its name or path. table, metadata: its metadata, as Python values and in the JVM. read: the table as the
    session reads it. files_by_spec: of its current snapshot; None if they were not counted.
    """
    assert table.schema is not None
    assert table.specs is not None
    metadata_as_read = table_metadata.current(read.table)
    totals = table_metadata.current_totals(metadata_as_read)
    count, snapshots = table_metadata.last_snapshots(metadata, _MAX_SNAPSHOTS)
    references = defaultdict(list)
    for reference, snapshot_id in table_metadata.snapshots_of_refs(metadata).items():
        if reference != "main" or read.branch:
            references[snapshot_id].append(reference)
    current = table_metadata.current_snapshot_id(metadata_as_read)
    return Description(
        table=read_branches.title(title, read.branch),
        location=table_metadata.location(metadata),
        format_version=table.specs.format_version,
        last_change=utc_text(table_metadata.last_updated_ms(metadata)),
        rows=totals.records,
        files=totals.data_files,
        delete_files=totals.delete_files,
        bytes=totals.bytes,
        comment=table.properties.get("comment"),
        columns=tuple(_columns(table.schema, table.specs)),
        specs=tuple(_specs(table.schema, table.specs, files_by_spec)),
        sort_order=sort_order_terms(table, table.schema) or "",
        snapshots=tuple(_snapshot(s, references[s.snapshot_id], s.snapshot_id == current) for s in snapshots),
        snapshot_count=count,
    )


def utc_text(milliseconds: int) -> str:
    """A time as ISO 8601 in UTC: `2026-11-26T12:51:26.123Z`. milliseconds: since 1970."""
    time = datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _columns(schema: Schema, specs: Specs) -> Iterator[DescribedColumn]:
    """The columns; of those in a struct, the ones with a comment or a partition field."""
    clauses: dict[int, list[str]] = defaultdict(list)
    for field in specs.spec.fields:
        if not field.transform.is_void:
            clauses[field.source_id].append(field_clause(field, schema))
    for column in schema.columns:
        field_clauses = tuple(clauses.get(column.field.field_id or 0, ()))
        if column.parents and (column.in_collection or not (field_clauses or column.field.doc)):
            continue
        name = column_text(column) if column.parents else quoted(column.field.name)
        yield DescribedColumn(name, type_ddl(column.field.type), column.field.required, column.field.doc, field_clauses)


def _specs(schema: Schema, specs: Specs, files_by_spec: Sequence[SpecFiles] | None) -> Iterator[DescribedSpec]:
    no_files = [SpecFiles(spec_id=spec.spec_id, files=0, bytes=0) for spec in specs.all_specs]
    counted = {} if files_by_spec is None else {spec.spec_id: spec for spec in (*no_files, *files_by_spec)}
    previous: Mapping[int, str] | None = None
    for spec in sorted(specs.all_specs, key=lambda spec: spec.spec_id):
        clauses = _clauses(spec, schema)
        files = counted.get(spec.spec_id)
        added = [clause for key, clause in clauses.items() if previous is not None and key not in previous]
        yield DescribedSpec(
            spec.spec_id,
            spec.spec_id == specs.current,
            tuple(DescribedField(f.name, clauses[f.field_id]) for f in spec.fields if f.field_id in clauses),
            tuple(added),
            tuple(clause for key, clause in (previous or {}).items() if key not in clauses),
            None if files is None else files.files,
            None if files is None else files.bytes,
        )
        previous = clauses


def _clauses(spec: Spec, schema: Schema) -> dict[int, str]:
    """The fields of a spec as DDL writes them, by their ids, without void ones."""
    return {field.field_id: field_clause(field, schema) for field in spec.fields if not field.transform.is_void}


def _snapshot(facts: SnapshotFacts, references: Sequence[str], is_current: bool) -> DescribedSnapshot:
    counts = {key: int(value) for key, value in facts.summary.items() if value.isdigit()}
    change = commit_text(facts.operation, counts)
    time = utc_text(facts.committed_ms)
    return DescribedSnapshot(facts.snapshot_id, time, facts.operation, change, tuple(sorted(references)), is_current)
