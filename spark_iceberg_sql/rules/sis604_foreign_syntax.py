"""A query in another engine's syntax, which Spark refuses.

## Why
Spark has no TOP, reads no file in quotes after FROM, and has no AT before a time: it refuses the statement with a
syntax error at a later word. The rule reports nothing in programs, which may send a query to another engine, and in
scripts in which nothing is Spark's alone, such as `USING iceberg`.

## Instead
`LIMIT`, the format and the path in backticks, `TIMESTAMP AS OF` or `VERSION AS OF`.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT TOP 10 * FROM events;
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM events AT (TIMESTAMP => '2024-01-01 00:00:00');
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM events LIMIT 10;
```
"""

from __future__ import annotations

import re

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes

# Syntax of Spark alone.
_SPARK = regex(r"\busing\s+iceberg\b|\bpartition\s+field\b", re.IGNORECASE)


@rule(Severity.ERROR, on=(nodes.Query,), category=Category.QUERY)
def foreign_syntax(context: Context) -> Findings:
    """The first clause of another engine in a query of a script that is Spark's."""
    engine = context.catalog.engine
    if context.catalog.shared or context.statement.first not in ("SELECT", "WITH"):
        return
    from spark_iceberg_sql.syntax.foreign_clauses import foreign_clause  # the command starts sooner

    clause = foreign_clause(context.statement.tokens, context.text)
    is_spark = engine.is_spark if engine is not None else clause is not None and _SPARK.search(context.text) is not None
    if clause is None or not is_spark:
        return
    fix = None
    if clause.replacement is not None:
        fix = Fix(f"write {clause.replacement}", (Edit(*clause.span, clause.replacement),), safe=False)
    yield Finding(clause.span, clause.fact, clause.help, fix)
