"""A partition field with the name of a column of `.position_deletes`.

## Why
`.position_deletes` has the columns `file_path`, `pos`, `row`, `partition`, `spec_id` and `delete_file_path`,
and in version 3 `content_offset` and `content_size_in_bytes`; its readers bind every spec of the table, past
ones too, to these columns. A partition field with such a name is accepted, for example identity on a column
`partition`. Once a merge-on-read DELETE, UPDATE or MERGE, or another engine, has written delete files, `SELECT`
from `.position_deletes` and `rewrite_position_delete_files` fail ("Cannot create identity partition sourced from
different field in schema: partition"). A backtick in the name makes the procedure fail in the same way. Names
are case-sensitive, and renaming a column does not rename the field.

## Instead
Another name for the field: `ADD PARTITION FIELD partition AS part`. To repair an existing table, drop the field,
rewrite the data files, and expire the snapshots with `clean_expired_metadata => true`.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, partition INT) USING iceberg
PARTITIONED BY (partition) TBLPROPERTIES ('write.delete.mode' = 'merge-on-read');
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD bucket(8, id) AS row;
```
```sql good
CREATE TABLE events (id BIGINT, partition INT) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD partition AS part;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.model.corruption import CorruptionKind
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import display_field, renamed_clause, unused_field_name
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField, nodes.SetProperties),
    spec="Reserved Field IDs",
    when=has_risky_fields,
    category=Category.TABLE,
)
def unreadable_deletes(context: Context) -> Findings:
    """Every new field with such a name: an error with merge-on-read, otherwise a warning."""
    is_new_table = isinstance(context.node, nodes.Create) and context.replaced_table is None
    if is_new_table and not any(map(_may_clash, context.terms)):
        return
    items, merges_on_read = context.row_change_corruption
    for item in items:
        if item.kind is CorruptionKind.DELETES_UNREADABLE:
            span, help_ = _remedy(context, item.field)
            yield Finding(
                span,
                f"{display_field(item.field)} has the name of a column of `.position_deletes`: once there are delete "
                "files, that table cannot be read and `rewrite_position_delete_files` fails"
                if "`" not in item.field.name
                else f"{display_field(item.field)} has a backtick in its name: once there are delete files, "
                "`rewrite_position_delete_files` fails",
                help_,
                severity=Severity.ERROR if merges_on_read else Severity.WARNING,
            )


def _remedy(context: Context, field: PartitionField) -> tuple[terms.Offsets, str]:
    name, table = (quoted(f"{field.name.replace('`', '_').replace('.', '_')}_field"), context.target.text)
    if isinstance(context.node, nodes.AddField | nodes.ReplaceField) and context.requested_field is not None:
        facts = context.new_terms[0]
        clause, _ = renamed_clause(context, unused_field_name(context.specs, context.schema, context.requested_field))
        return (facts.name or facts.term).span, f"write `{clause}`"
    if isinstance(context.node, nodes.Create):
        facts_of = {_key(facts): facts for facts in context.terms}
        if (new_facts := facts_of.get(field.key)) is not None:
            clause = context.text_at(new_facts.term.span)
            return new_facts.term.span, (
                f"leave out the field, and then write `ALTER TABLE {table} ADD PARTITION FIELD {clause} AS {name}`"
            )
    return context.target.span, (
        f"first write `ALTER TABLE {table} DROP PARTITION FIELD {quoted(field.name)}`, rewrite the data files, "
        "and expire the snapshots with `clean_expired_metadata => true`"
    )


def _may_clash(facts: ResolvedTerm) -> bool:
    """In a new table only identity fields have the column's name; the other transforms add a suffix."""
    identity = facts.transform is not None and facts.transform.suffix is None
    return identity or "`" in facts.source_text


def _key(facts: ResolvedTerm) -> tuple[int, str] | None:
    requested_field = facts.requested_field
    return (requested_field.source_id, str(requested_field.transform)) if requested_field is not None else None
