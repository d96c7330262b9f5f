"""A query, INSERT, MERGE, UPDATE or DELETE that Spark refuses.

## Why
Spark parses and resolves a statement when it runs: a job fails at it after those before it. These are found in the
text: a column that the table does not have, in a query over one table, in the list of an INSERT, in MERGE and UPDATE.
The rule needs a table whose columns are all known; in programs, where a view may have its name, columns of queries are
not compared. What Spark's grammar does not have is [SIS612](SIS612.md).

## Instead
The column of the table.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
INSERT INTO events (id, tz) VALUES (1, TIMESTAMP '2024-05-17 00:00:00');
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT idd FROM events WHERE id > 1;
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT id FROM events WHERE id > 1;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes


@rule(Severity.ERROR, on=(nodes.Expressions, nodes.Insert), category=Category.QUERY)
def refused_query(context: Context) -> Findings:
    """Every column that is certainly not there. In a session Spark says so itself, with more that it knows."""
    if context.catalog.live:
        return
    from spark_iceberg_sql.facts.refused_queries import (  # the command starts sooner
        refused_insert_columns,
        refused_words,
    )

    find = refused_insert_columns if isinstance(context.node, nodes.Insert) else refused_words
    for word in find(context):
        yield Finding(word.span, word.message, word.help)
