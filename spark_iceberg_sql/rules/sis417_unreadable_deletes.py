"""A partition field's name that the table of position deletes has for a column of its own.

## Why
`.position_deletes` has the columns `file_path`, `pos`, `row`, `partition`, `spec_id` and `delete_file_path`,
and in version 3 `content_offset` and `content_size_in_bytes`; its readers bind every spec of the table, past
ones too, to these. A partition field of such a name, identity on a column `partition` for one, is accepted.
Once DELETE, UPDATE or MERGE with merge-on-read, or another engine, has written delete files, `SELECT` from
`.position_deletes` and `rewrite_position_delete_files` fail ("Cannot create identity partition sourced from
different field in schema: partition"). A backtick in the name has the same effect on the procedure. Letter
case counts, and a renamed column does not rename the field.

## Instead
Another name for the field: `ADD PARTITION FIELD partition AS part`. Where it has happened: drop the field,
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
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.rules.names import free_name, shown, with_name
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField, nodes.SetProperties),
    spec="Reserved Field IDs",
)
def unreadable_deletes(context: Context) -> Iterator[Finding]:
    """Every new field of such a name: an error with merge-on-read, else a warning."""
    new = isinstance(context.node, nodes.Create) and context.replaced is None
    if new and not any(map(_may_clash, context.terms)):
        return
    items, broken = context.damage_to_row_changes
    for item in items:
        if item.kind is Kind.DELETES_UNREADABLE:
            span, help_ = _remedy(context, item.field)
            yield Finding(
                span,
                f"{shown(item.field)} has the name of a column of `.position_deletes`: that table is not read, "
                "and `rewrite_position_delete_files` fails, as soon as there are delete files"
                if "`" not in item.field.name
                else f"{shown(item.field)} has a backtick in its name: `rewrite_position_delete_files` fails, "
                "as soon as there are delete files",
                help_,
                severity=Severity.ERROR if broken else Severity.WARNING,
            )


def _remedy(context: Context, field: PartitionField) -> tuple[nodes.Offsets, str]:
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
                f"leave the field out, and write `ALTER TABLE {table} ADD PARTITION FIELD {clause} AS {name}` "
                "after it"
            )
    return context.target.span, (
        f"first write `ALTER TABLE {table} DROP PARTITION FIELD {quoted(field.name)}`, rewrite the data files, "
        "and expire the snapshots with `clean_expired_metadata => true`"
    )


def _may_clash(facts: TermFacts) -> bool:
    """Only identity gives a new table's field its column's name; the others add to it."""
    identity = facts.transform is not None and facts.transform.suffix is None
    return identity or "`" in facts.source_text


def _key(facts: TermFacts) -> tuple[int, str] | None:
    wanted = facts.wanted
    return (wanted.source_id, str(wanted.transform)) if wanted is not None else None
