"""CREATE OR REPLACE TABLE that gives a source column a type its partition fields do not accept.

## Why
CREATE OR REPLACE TABLE gives a column with an old name its old field id, whatever its type, and keeps all
past specs. If the transform of a spec does not accept the new type, the whole table becomes unreadable: SELECT,
INSERT, ALTER and even DROP TABLE fail ("Cannot bucket by type: double"). If a source column becomes a struct,
every INSERT fails ("Cannot partition by non-primitive source field"). And if the spec stays the same while its
source column changes from a timestamp to a date, or back, Iceberg refuses the statement ("Invalid source type date
for transform: day").

Identity and truncate store values of the column itself in the manifests. If the old type cannot be widened to the
new one, everything that reads the old manifests fails for as long as their snapshots are kept: `.all_entries`,
often `.all_manifests`, and for some types `expire_snapshots` itself ("Wrong class", "BufferUnderflowException").
That is a warning. Columns that no spec uses are not reported, although the bounds of their old values can make
`.all_files` and `.all_entries` fail in the same way until those snapshots are expired.

## Instead
Another name for the column, or DROP TABLE and then CREATE TABLE, which keeps nothing. From timestamp to
date and back: replace the table without PARTITIONED BY, then ALTER TABLE ... ADD PARTITION FIELD.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, code STRING) USING iceberg PARTITIONED BY (truncate(2, code));
CREATE OR REPLACE TABLE events (id BIGINT, code DATE) USING iceberg;
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CREATE OR REPLACE TABLE events (id BIGINT, ts DATE) USING iceberg PARTITIONED BY (days(ts));
```
```sql bad
CREATE TABLE events (id BIGINT, code STRING) USING iceberg PARTITIONED BY (code);
CREATE OR REPLACE TABLE events (id BIGINT, code INT) USING iceberg;
```
```sql good
CREATE TABLE events (id BIGINT, code STRING) USING iceberg PARTITIONED BY (bucket(8, code));
CREATE OR REPLACE TABLE events (id BIGINT, code DATE) USING iceberg;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.corruption import CorruptionKind
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.model.types import Field, Primitive, Type, promotes
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import display_field
from spark_iceberg_sql.rules.message_format import type_with_article
from spark_iceberg_sql.rules.preconditions import has_special_clauses
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(Severity.ERROR, on=(nodes.Create,), spec="Schema Evolution", when=has_special_clauses, category=Category.TABLE)
def replaced_source_type(context: Context) -> Findings:
    """Every column of CREATE OR REPLACE whose new type conflicts with a spec of the table."""
    old_table = context.replaced_table
    table_after = context.table_after if old_table is not None else None
    if old_table is None or table_after is None or table_after.specs is None or table_after.schema is None:
        return
    for item in context.new_corruption:
        if item.kind is CorruptionKind.TYPE_NOT_TAKEN:
            yield _not_taken(context, table_after.schema, item.field)
    if old_table.specs is None or old_table.schema is None:
        return
    if table_after.specs.current in {spec.spec_id for spec in old_table.specs.all_specs}:
        yield from _kept_spec_findings(context, table_after.specs, old_table.schema, table_after.schema)
    yield from _kept_value_findings(context, old_table.specs, old_table.schema, table_after.schema)


def _kept_spec_findings(context: Context, specs: Specs, old: Schema, new: Schema) -> Findings:
    """Fields of a spec that is kept; a new spec is bound to the new types."""
    for field in specs.spec.fields:
        old_column, new_column = old.by_id(field.source_id), new.by_id(field.source_id)
        if (
            old_column is not None
            and new_column is not None
            and _changes_time_kind(field, old_column.field, new_column.field)
        ):
            yield Finding(
                _column_span(context, field.source),
                f"`{field.source}` changes from {type_with_article(old_column.field.type)} to "
                f"{type_with_article(new_column.field.type)}, and "
                f"Iceberg refuses to keep the spec with {display_field(field)}",
                f"leave out PARTITIONED BY, and then write `ALTER TABLE {context.target.text} "
                f"ADD PARTITION FIELD {field.clause}`",
            )


def _kept_value_findings(context: Context, specs: Specs, old: Schema, new: Schema) -> Findings:
    """Columns with values in manifests that cannot be read as the new type; each is reported once."""
    reported_ids: set[int] = set()
    for field in specs.all_fields:
        transform = field.transform.transform
        old_column, new_column = old.by_id(field.source_id), new.by_id(field.source_id)
        if field.source_id in reported_ids or field.transform.is_void or transform.result is not None:
            continue
        if old_column is None or new_column is None or not transform.takes(new_column.field.type):
            continue
        if not _can_read(old_column.field.type, new_column.field.type):
            reported_ids.add(field.source_id)
            yield Finding(
                _column_span(context, field.source),
                f"`{field.source}` changes from {type_with_article(old_column.field.type)} to "
                f"{type_with_article(new_column.field.type)}, and a spec of "
                f"the table partitions by it, in {display_field(field)}: while old snapshots are kept, "
                "`.all_entries` cannot be read, and `expire_snapshots` may fail",
                _another_name(context, field),
                severity=Severity.WARNING,
            )


# Types whose values are stored in the same binary form.
_SAME_BINARY_FORM = ({"int", "date"}, {"long", "timestamp", "timestamptz"})


def _can_read(old_type: Type, new_type: Type) -> bool:
    """True if a partition value of the old type can be read as the new type."""
    if promotes(old_type, new_type):
        return True
    if not (isinstance(old_type, Primitive) and isinstance(new_type, Primitive)):
        return False
    if old_type.name == new_type.name == "decimal":
        return old_type.arguments[1] == new_type.arguments[1]  # unscaled digits, whatever the precision
    return any({old_type.name, new_type.name} <= type_group for type_group in _SAME_BINARY_FORM)


def _not_taken(context: Context, schema: Schema, field: PartitionField) -> Finding:
    column = schema.by_id(field.source_id)
    assert column is not None
    has_suffix = field.transform.transform.suffix is not None
    harm = "the table cannot be read, written or dropped" if has_suffix else "every INSERT fails"
    return Finding(
        _column_span(context, field.source),
        f"`{field.source}` becomes {type_with_article(column.field.type)}, and a spec of the table partitions by it, "
        f"in {display_field(field)}: afterwards {harm}",
        _another_name(context, field),
    )


def _another_name(context: Context, field: PartitionField) -> str:
    return (
        f"give the column another name, for example `{quoted(field.source + '_new')}`; or, if none of the table's "
        f"snapshots is needed, write `DROP TABLE {context.target.text}` first"
    )


def _changes_time_kind(field: PartitionField, old_field: Field, new_field: Field) -> bool:
    """True if the column of a time transform changes between date and timestamp."""
    transform = field.transform.transform
    takes_both = transform.takes(old_field.type) and transform.takes(new_field.type)
    return transform.granularity is not None and takes_both and _is_date(old_field) != _is_date(new_field)


def _is_date(field: Field) -> bool:
    return isinstance(field.type, Primitive) and field.type.name == "date"


def _column_span(context: Context, source: str) -> terms.Offsets:
    """The span of the column, or else of the table's name."""
    assert isinstance(context.node, nodes.Create)
    columns = (*(context.node.columns or ()), *context.node.typed_partitions)
    name = source.partition(".")[0].lower()
    spans = {column.name.lower(): column.span for column in columns}
    return spans.get(name, context.target.span)
