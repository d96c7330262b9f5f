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

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.corruption import Kind
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.model.types import Field, Primitive, Type, promotes
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.names import shown
from spark_iceberg_sql.rules.occasions import odd_clauses
from spark_iceberg_sql.rules.words import a_type
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create,),
    spec="Schema Evolution",
    when=odd_clauses,
    category=Category.TABLE,
)
def replaced_source_type(context: Context) -> Iterator[Finding]:
    """Every column of CREATE OR REPLACE whose new type conflicts with a spec of the table."""
    old = context.replaced
    after = context.after if old is not None else None
    if old is None or after is None or after.specs is None or after.schema is None:
        return
    for item in context.new_damage:
        if item.kind is Kind.TYPE_NOT_TAKEN:
            yield _not_taken(context, after.schema, item.field)
    if old.specs is None or old.schema is None:
        return
    if after.specs.current in {spec.spec_id for spec in old.specs.every}:
        yield from _taken_over(context, after.specs, old.schema, after.schema)
    yield from _kept_values(context, old.specs, old.schema, after.schema)


def _taken_over(context: Context, specs: Specs, old: Schema, new: Schema) -> Iterator[Finding]:
    """Fields of a spec that is kept; a new spec is bound to the new types."""
    for field in specs.spec.fields:
        was, now = old.by_id(field.source_id), new.by_id(field.source_id)
        if was is not None and now is not None and _turns(field, was.field, now.field):
            yield Finding(
                _place(context, field.source),
                f"`{field.source}` changes from {a_type(was.field.type)} to {a_type(now.field.type)}, and "
                f"Iceberg refuses to keep the spec with {shown(field)}",
                f"leave out PARTITIONED BY, and then write `ALTER TABLE {context.target.text} "
                f"ADD PARTITION FIELD {field.clause}`",
            )


def _kept_values(context: Context, specs: Specs, old: Schema, new: Schema) -> Iterator[Finding]:
    """Columns with values in manifests that cannot be read as the new type; each is reported once."""
    told: set[int] = set()
    for field in specs.all_fields:
        transform = field.transform.transform
        was, now = old.by_id(field.source_id), new.by_id(field.source_id)
        if was is None or now is None or field.transform.is_void or transform.result is not None:
            continue
        if field.source_id in told or not transform.takes(now.field.type):
            continue
        if not _reads(was.field.type, now.field.type):
            told.add(field.source_id)
            yield Finding(
                _place(context, field.source),
                f"`{field.source}` changes from {a_type(was.field.type)} to {a_type(now.field.type)}, and a spec of "
                f"the table partitions by it, in {shown(field)}: while old snapshots are kept, "
                "`.all_entries` cannot be read, and `expire_snapshots` may fail",
                _another_name(context, field),
                severity=Severity.WARNING,
            )


# Types whose values are stored in the same binary form.
_ALIKE = ({"int", "date"}, {"long", "timestamp", "timestamptz"})


def _reads(was: Type, now: Type) -> bool:
    """True if a partition value of the old type can be read as the new type."""
    if promotes(was, now):
        return True
    if not (isinstance(was, Primitive) and isinstance(now, Primitive)):
        return False
    if was.name == now.name == "decimal":
        return was.arguments[1] == now.arguments[1]  # unscaled digits, whatever the precision
    return any({was.name, now.name} <= alike for alike in _ALIKE)


def _not_taken(context: Context, schema: Schema, field: PartitionField) -> Finding:
    column = schema.by_id(field.source_id)
    assert column is not None
    whole = field.transform.transform.suffix is not None
    harm = "the table cannot be read, written or dropped" if whole else "every INSERT fails"
    return Finding(
        _place(context, field.source),
        f"`{field.source}` becomes {a_type(column.field.type)}, and a spec of the table partitions by it, "
        f"in {shown(field)}: afterwards {harm}",
        _another_name(context, field),
    )


def _another_name(context: Context, field: PartitionField) -> str:
    return (
        f"give the column another name, for example `{quoted(field.source + '_new')}`, or write "
        f"`DROP TABLE {context.target.text}` first"
    )


def _turns(field: PartitionField, was: Field, now: Field) -> bool:
    """True if the column of a time transform changes between date and timestamp."""
    transform = field.transform.transform
    both = transform.takes(was.type) and transform.takes(now.type)
    return transform.granularity is not None and both and _is_date(was) != _is_date(now)


def _is_date(field: Field) -> bool:
    return isinstance(field.type, Primitive) and field.type.name == "date"


def _place(context: Context, source: str) -> terms.Offsets:
    """The span of the column, or else of the table's name."""
    assert isinstance(context.node, nodes.Create)
    columns = (*(context.node.columns or ()), *context.node.typed_partitions)
    name = source.partition(".")[0].lower()
    spans = {column.name.lower(): column.span for column in columns}
    return spans.get(name, context.target.span)
