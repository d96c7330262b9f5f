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

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.terms import TermFacts
from spark_iceberg_sql.model.schema import near
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.names import all_shown, shown
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.ERROR,
    on=(nodes.DropField, nodes.ReplaceField),
    spec="Partition Evolution",
    category=Category.TABLE,
    from_absence=True,
)
def no_such_field(context: Context) -> Iterator[Finding]:
    """A field to drop that is not in the spec; in version 1, one that is already void."""
    facts = next(facts for facts in context.terms if facts.dropping)
    words = context.words(facts.term.span)
    if facts.term.call is not None and facts.bound is None:
        return
    field = context.dropped
    if field is None:
        meant = _meant(context, facts)
        fix = None
        if meant is not None:
            name = _written(context, meant)
            fix = Fix(f"write {name}", (Edit(*facts.term.span, name),))
        yield Finding(facts.term.span, _message(context, facts, words), _help(context, meant), fix)
        return
    void = field.transform.is_void and context.specs.format_version < 2
    if void and isinstance(context.node, nodes.DropField):
        yield Finding(
            facts.term.span,
            f"`{field.name}` is already void: version 1 keeps dropped fields as void, and nothing changes",
            f"leave out the statement, or upgrade to version 2 first: `ALTER TABLE {context.target.text} "
            "SET TBLPROPERTIES ('format-version' = '2')`",
            severity=Severity.WARNING,
        )


def _message(context: Context, facts: TermFacts, words: str) -> str:
    table = context.target.text
    ref = facts.source
    if facts.term.call is None and ref is not None:
        if context.schema.find(ref.parts) is not None:
            return f"`{table}` has no identity partition field on the column `{words}`"
        past = next((f for f in context.specs.all_fields if f.name == ref.parts[-1]), None)
        if past is not None and len(ref.parts) == 1:
            return f"`{words}` is no longer a partition field of `{table}`"
        return f"`{table}` has no partition field `{words}`"
    return f"`{table}` is not partitioned by `{words}`"


def _meant(context: Context, facts: TermFacts) -> PartitionField | None:
    """The field that is probably meant: the only one on the column, or the one with the closest name."""
    fields = context.specs.spec.fields
    column = facts.column
    if column is not None:
        mine = [
            f for f in fields if f.source_id == column.field.field_id and not f.transform.is_void
        ]
        return mine[0] if len(mine) == 1 else None
    if facts.term.call is None and facts.source is not None:
        close = near(facts.source.parts[-1], [f.name for f in fields])[:1]
        return next((f for f in fields if f.name in close), None)
    return None


def _written(context: Context, field: PartitionField) -> str:
    """How DDL can name the field: by its name, unless that means a column."""
    named = context.schema.find((field.name,)) is None or field.transform.transform.is_identity
    return quoted(field.name) if named else field.clause


def _help(context: Context, meant: PartitionField | None) -> str:
    fields = context.specs.spec.fields
    if not fields:
        return f"leave out the statement: `{context.target.text}` is not partitioned"
    if meant is not None:
        node, what, rest = context.node, "DROP", ""
        if isinstance(node, nodes.ReplaceField):
            what, rest = (
                "REPLACE",
                " ".join(context.words((node.old.span[1], node.span[1])).split()),
            )
            rest = f" {rest}"
        clause = f"`{what} PARTITION FIELD {_written(context, meant)}{rest}`"
        return (
            f"write {clause} for {shown(meant)}"
            if len(fields) == 1
            else (f"write {clause}; the partition fields are {all_shown(fields)}")
        )
    return f"name one of its partition fields: {all_shown(fields)}"
