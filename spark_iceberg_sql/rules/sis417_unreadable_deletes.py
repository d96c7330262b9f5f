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

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.terms import TermFacts
from spark_iceberg_sql.model.corruption import Kind
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.names import free_name, shown, with_name
from spark_iceberg_sql.rules.occasions import odd_fields
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField, nodes.SetProperties),
    spec="Reserved Field IDs",
    when=odd_fields,
    category=Category.TABLE,
)
def unreadable_deletes(context: Context) -> Iterator[Finding]:
    """Every new field with such a name: an error with merge-on-read, otherwise a warning."""
    new = isinstance(context.node, nodes.Create) and context.replaced is None
    if new and not any(map(_may_clash, context.terms)):
        return
    items, broken = context.damage_to_row_changes
    for item in items:
        if item.kind is Kind.DELETES_UNREADABLE:
            span, help_ = _remedy(context, item.field)
            yield Finding(
                span,
                f"{shown(item.field)} has the name of a column of `.position_deletes`: once there are delete "
                "files, that table cannot be read and `rewrite_position_delete_files` fails"
                if "`" not in item.field.name
                else f"{shown(item.field)} has a backtick in its name: once there are delete files, "
                "`rewrite_position_delete_files` fails",
                help_,
                severity=Severity.ERROR if broken else Severity.WARNING,
            )


def _remedy(context: Context, field: PartitionField) -> tuple[terms.Offsets, str]:
    name, table = (
        quoted(f"{field.name.replace('`', '_').replace('.', '_')}_field"),
        context.target.text,
    )
    if isinstance(context.node, nodes.AddField | nodes.ReplaceField) and context.wanted is not None:
        facts = context.new_terms[0]
        clause, _ = with_name(context, free_name(context.specs, context.schema, context.wanted))
        return (facts.name or facts.term).span, f"write `{clause}`"
    if isinstance(context.node, nodes.Create):
        facts_of = {_key(facts): facts for facts in context.terms}
        made = facts_of.get(field.key)
        if made is not None:
            clause = context.words(made.term.span)
            return made.term.span, (
                f"leave out the field, and then write `ALTER TABLE {table} ADD PARTITION FIELD {clause} AS {name}`"
            )
    return context.target.span, (
        f"first write `ALTER TABLE {table} DROP PARTITION FIELD {quoted(field.name)}`, rewrite the data files, "
        "and expire the snapshots with `clean_expired_metadata => true`"
    )


def _may_clash(facts: TermFacts) -> bool:
    """In a new table only identity fields have the column's name; the other transforms add a suffix."""
    identity = facts.transform is not None and facts.transform.suffix is None
    return identity or "`" in facts.source_text


def _key(facts: TermFacts) -> tuple[int, str] | None:
    wanted = facts.wanted
    return (wanted.source_id, str(wanted.transform)) if wanted is not None else None
