"""ADD of a partition field that the table already has, or REPLACE with one that it already has.

## Why
A spec can have each combination of column and transform only once, under any name ("Cannot add duplicate
partition field").

## Instead
No statement, if you only want the field. To rename it, REPLACE the field with itself AS the new name. If REPLACE
would add an existing field, DROP is enough.

## Examples
```sql bad
CREATE TABLE users (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE users ADD PARTITION FIELD bucket(16, id) AS shard;
```
```sql bad
CREATE TABLE users (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(16, id), days(ts));
ALTER TABLE users REPLACE PARTITION FIELD id_bucket WITH days(ts);
```
```sql good
CREATE TABLE users (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE users REPLACE PARTITION FIELD id_bucket WITH bucket(16, id) AS shard;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Diagnostic, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.files.source_map import SqlFragment
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import display_field
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


def _in_program(fragment: SqlFragment, diagnostic: Diagnostic) -> Diagnostic:
    """A PartitionSpec of pyiceberg may have two equal fields."""
    if fragment.api != "pyiceberg" or not fragment.sql.startswith("CREATE"):
        return diagnostic
    help_ = "leave this field out: it has the same values as the other one"
    return replace(diagnostic, severity=Severity.WARNING, help=help_, fix=None)


@rule(
    Severity.ERROR,
    on=(nodes.AddField, nodes.ReplaceField),
    spec="Partition Evolution",
    when=has_risky_fields,
    category=Category.TABLE,
    in_programs=_in_program,
)
def field_there(context: Context) -> Findings:
    """A new field whose source and transform the spec already has, in a field that REPLACE does not drop."""
    requested_field = context.requested_field
    if requested_field is None:
        return
    existing_field = context.specs.spec.field_for(requested_field.source_id, requested_field.transform)
    if existing_field is None or existing_field is context.dropped_field:
        return
    facts = context.new_terms[0]
    term_text = context.text_at(facts.term.span)
    start = f"ALTER TABLE {context.target.text}"
    if isinstance(context.node, nodes.ReplaceField):
        help_ = f"write `{start} DROP PARTITION FIELD {context.text_at(context.node.old.span)}`"
    elif facts.name is not None and facts.name.parts[0] != existing_field.name:
        old, new = quoted(existing_field.name), facts.name.text
        help_ = f"to rename it, write `{start} REPLACE PARTITION FIELD {old} WITH {term_text} AS {new}`"
    else:
        help_ = "leave out the statement"
    yield Finding(
        facts.term.span, f"`{context.target.text}` is already partitioned by {display_field(existing_field)}", help_
    )
