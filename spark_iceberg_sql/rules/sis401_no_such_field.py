"""DROP or REPLACE of a partition field that the table does not have.

## Why
A field is looked up by its name, or by its column and transform exactly as in the spec: `bucket(8, id)` is
not `bucket(16, id)`. The name of a column means identity on that column. Names are case-sensitive.

A version 1 table keeps a dropped field as void; dropping it again is accepted and changes nothing.

## Instead
One of the table's partition fields; the help lists them.

## Examples
```sql bad
CREATE TABLE users (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE users DROP PARTITION FIELD bucket(8, id);
```
```sql bad
CREATE TABLE users (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE users REPLACE PARTITION FIELD ts WITH hours(ts);
```
```sql good
CREATE TABLE users (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), bucket(16, id));
ALTER TABLE users DROP PARTITION FIELD id_bucket;
ALTER TABLE users REPLACE PARTITION FIELD ts_day WITH hours(ts);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import display_field, display_fields
from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.DropField, nodes.ReplaceField),
    spec="Partition Evolution",
    category=Category.TABLE,
    from_absence=True,
)
def no_such_field(context: Context) -> Findings:
    """A field to drop that is not in the spec; in version 1, one that is already void."""
    facts = next(facts for facts in context.terms if facts.dropping)
    field_text = context.text_at(facts.term.span)
    if facts.term.transform_name is not None and facts.bound is None:
        return
    field = context.dropped_field
    if field is None:
        suggestion = _suggested_field(context, facts)
        fix = None
        if suggestion is not None:
            name = _field_reference(context, suggestion)
            fix = Fix(f"write {name}", (Edit(*facts.term.span, name),))
        yield Finding(facts.term.span, _message(context, facts, field_text), _help(context, suggestion), fix)
        return
    is_void = field.transform.is_void and context.specs.format_version < 2
    if is_void and isinstance(context.node, nodes.DropField):
        yield Finding(
            facts.term.span,
            f"`{field.name}` is already void: version 1 keeps dropped fields as void, and nothing changes",
            f"leave out the statement, or upgrade to version 2 first: `ALTER TABLE {context.target.text} "
            "SET TBLPROPERTIES ('format-version' = '2')`",
            severity=Severity.WARNING,
        )


def _message(context: Context, facts: ResolvedTerm, field_text: str) -> str:
    table = context.target.text
    ref = facts.source
    if facts.term.transform_name is None and ref is not None:
        if context.schema.find(ref.parts) is not None:
            return f"`{table}` has no identity partition field on the column `{field_text}`"
        past = next((f for f in context.specs.all_fields if f.name == ref.parts[-1]), None)
        if past is not None and len(ref.parts) == 1:
            return f"`{field_text}` is no longer a partition field of `{table}`"
        return f"`{table}` has no partition field `{field_text}`"
    return f"`{table}` is not partitioned by `{field_text}`"


def _suggested_field(context: Context, facts: ResolvedTerm) -> PartitionField | None:
    """The field that is probably meant: the only one on the column, or the one with the closest name."""
    fields = context.specs.spec.fields
    column = facts.column
    if column is not None:
        column_fields = [f for f in fields if f.source_id == column.field.field_id and not f.transform.is_void]
        return column_fields[0] if len(column_fields) == 1 else None
    if facts.term.transform_name is None and facts.source is not None:
        matches = similar_names(facts.source.parts[-1], [f.name for f in fields])[:1]
        return next((f for f in fields if f.name in matches), None)
    return None


def _field_reference(context: Context, field: PartitionField) -> str:
    """How DDL can name the field: by its name, unless that means a column."""
    can_use_name = context.schema.find((field.name,)) is None or field.transform.transform.is_identity
    return quoted(field.name) if can_use_name else field.clause


def _help(context: Context, suggestion: PartitionField | None) -> str:
    fields = context.specs.spec.fields
    if not fields:
        return f"leave out the statement: `{context.target.text}` is not partitioned"
    if suggestion is not None:
        node, verb, with_clause = context.node, "DROP", ""
        if isinstance(node, nodes.ReplaceField):
            verb = "REPLACE"
            with_clause = " " + " ".join(context.text_at((node.old.span[1], node.span[1])).split())
        clause = f"`{verb} PARTITION FIELD {_field_reference(context, suggestion)}{with_clause}`"
        return (
            f"write {clause} for {display_field(suggestion)}"
            if len(fields) == 1
            else (f"write {clause}; the partition fields are {display_fields(fields)}")
        )
    return f"name one of its partition fields: {display_fields(fields)}"
