"""AS in PARTITIONED BY.

## Why
CREATE TABLE names partition fields itself, `id_bucket`, `ts_day`; its grammar has no AS ("Syntax error
at or near 'AS'"). Only `ALTER TABLE ... ADD` and `REPLACE PARTITION FIELD` accept a name.

## Instead
Leave out AS; or create the table without that field and add it with a name while the table is empty.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts) AS event_day);
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD days(ts) AS event_day;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.syntax_errors import SYNTAX_ERRORS, Area

_TERM_BEFORE = regex(r"[(,]\s*((?:\w+\s*\([^()]*\)|[\w.`]+))\s*$")
_NAME_AFTER = regex(r"\s*(`(?:[^`]|``)*`|\w+|'[^']*'|\"[^\"]*\")")


@rule(Severity.ERROR, on=(nodes.InvalidStatement,), category=Category.TEXT)
def name_in_partitioned_by(context: Context) -> Findings:
    """AS after a term of PARTITIONED BY, which the grammar refuses."""
    node = context.node
    assert isinstance(node, nodes.InvalidStatement)
    if SYNTAX_ERRORS[node.error_kind].area is not Area.FIELD_NAME:
        return
    term_match = _TERM_BEFORE.search(context.text, node.span[0], node.error_span[0])
    name_match = _NAME_AFTER.match(context.text, node.error_span[1])
    term = term_match[1] if term_match else "..."
    table = node.table.text if node.table is not None else "t"
    name = name_match[1].strip("'\"") if name_match else "..."
    yield Finding(
        (node.error_span[0], name_match.end() if name_match else node.error_span[1]),
        "PARTITIONED BY takes no AS: CREATE TABLE chooses the names of partition fields",
        f"write `{term}` alone, or add the named field afterwards with "
        f"`ALTER TABLE {table} ADD PARTITION FIELD {term} AS {name}`",
    )
