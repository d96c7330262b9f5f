"""A query in another engine's syntax, which Spark refuses.

## Why
Spark has no TOP and no `read_parquet`, reads no file in quotes after FROM, and has no AT before a time; it has no
DELETE ... USING, no `t$files` and, in MERGE, no names of columns after an alias: it refuses the statement, often with a
syntax error at a later word. A hint `OPTIONS('snapshot-id', '1')` it reads, and ignores: the table is read without the
option. The rule reports nothing in programs, which may send a query to
another engine, and in scripts in which nothing is Spark's alone, such as `USING iceberg`.

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
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT count(*) FROM events$files;
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT /*+ OPTIONS('split-size', '1048576') */ count(*) FROM events;
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM events LIMIT 10;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.spark_scripts import is_spark_query, may_be_spark_query
from spark_iceberg_sql.syntax import nodes


@rule(Severity.ERROR, on=(nodes.Expressions,), category=Category.QUERY)
def foreign_syntax(context: Context) -> Findings:
    """The first clause of another engine in a query of a script that is Spark's."""
    if not may_be_spark_query(context, with_changes=True):
        return
    from spark_iceberg_sql.syntax.foreign_clauses import foreign_clause  # the command starts sooner

    clause = foreign_clause(context.statement)
    if clause is None or not is_spark_query(context):  # which looks at the whole text
        return
    fix = None
    if clause.replacement is not None:
        fix = Fix(f"write {clause.replacement}", (Edit(*clause.span, clause.replacement),), safe=False)
    yield Finding(clause.span, clause.fact, clause.help, fix, Severity.WARNING if clause.is_ignored else None)
