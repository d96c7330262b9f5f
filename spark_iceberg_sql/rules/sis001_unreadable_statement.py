"""A CREATE or ALTER TABLE that neither Spark's nor Iceberg's grammar accepts.

## Why
Spark parses CREATE TABLE and column changes; Iceberg's extension parses ALTER TABLE ... PARTITION FIELD.
Anything else is a syntax error for the whole statement: another engine's dialect (PARTITION BY, SET
PARTITION SPEC, `partitioning = ARRAY[...]`, ADD without COLUMN), several fields in one ALTER, a name in
quotes, a repeated clause, an expression. Without its `;`, a statement swallows the next one, and an unclosed
quote or comment swallows everything after it: none of it runs.

## Instead
`PARTITIONED BY (days(ts), bucket(16, id))` in CREATE TABLE; one field per ALTER TABLE statement, with ADD,
DROP or REPLACE ... WITH. Names that are not plain identifiers need backticks.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELDS days(ts), bucket(16, id);
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITION BY (days(ts));
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD days(ts) AS 'day';
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD note STRING;
```
```sql bad
DROP TABLE IF EXISTS events
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE events ADD PARTITION FIELD bucket(16, id) AS shard;
ALTER TABLE events ADD COLUMN note STRING;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.syntax_errors import SYNTAX_ERRORS, Area


@rule(Severity.ERROR, on=(nodes.InvalidStatement,), category=Category.SYNTAX, needs_whole_text=True)
def unreadable_statement(context: Context) -> Findings:
    """A statement at whose words both grammars stop."""
    node = context.node
    assert isinstance(node, nodes.InvalidStatement)
    from spark_iceberg_sql.rules.repairs import help_values, repair  # the command starts sooner

    message, help_, area, is_refused, is_of_extension = SYNTAX_ERRORS[node.error_kind]
    severity = None if is_refused else Severity.WARNING
    if is_of_extension:
        if context.catalog.live:  # the session's own parser has refused it
            message = "this is a statement of {expected}, which Spark takes only with its extension"
        else:
            severity = Severity.NOTE
    if area is not Area.GRAMMAR:
        return
    table = node.table.text if node.table is not None else "t"
    values = {"table": table, "found": node.token_text, "expected": node.expected, **help_values(context, node)}
    values["snapshots"] = context.metadata_table("snapshots") if node.table is not None else "db.t.snapshots"
    if message is not None:
        message_pattern = message
    elif node.error_span[0] == node.error_span[1]:
        message_pattern = "the statement ends where the grammar expects {expected}"
    else:
        message_pattern = "`{found}` is unexpected here: the grammar expects {expected}"
    if "{expected}" in help_ and node.expected == "the end of the statement":
        help_ = "leave it out, or put a `;` before it if it is another statement"
    suggestion = repair(context, node)
    if suggestion is None:
        yield Finding(node.error_span, _fill(message_pattern, values), _fill(help_, values), None, severity)
    else:
        fix = Fix(suggestion.help, suggestion.edits) if suggestion.is_complete else None
        yield Finding(
            node.error_span, suggestion.message or _fill(message_pattern, values), suggestion.help, fix, severity
        )


def _fill(pattern: str, values: dict[str, str]) -> str:
    """The pattern with its placeholders filled; not `format`, since a user's text may contain braces."""
    for key, value in values.items():
        pattern = pattern.replace("{" + key + "}", value)
    return pattern
