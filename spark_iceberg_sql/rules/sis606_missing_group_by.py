"""A column beside an aggregate, without GROUP BY.

## Why
An aggregate without GROUP BY has one row for the whole table, and a column has a value in every row: Spark refuses the
query (MISSING_GROUP_BY). The rule reads the outermost SELECT, and columns that stand alone or in a simple function; it
is a warning where the table is unknown, since the name may be a session variable. It reports nothing in programs, which
may send a query to another engine, and in scripts in which nothing is Spark's alone, such as `USING iceberg`.

## Instead
`GROUP BY ALL`, which groups by every column that is not aggregated; or an aggregate of the column, such as `max(kind)`.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT kind, count(*) FROM events;
```
```sql good
CREATE TABLE events (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT kind, count(*) FROM events GROUP BY ALL;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.spark_scripts import is_spark_query, may_be_spark_query
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.spark_mistakes.query_clauses import GROUP_BY_ALL


@rule(Severity.ERROR, on=(nodes.Expressions,), category=Category.QUERY)
def missing_group_by(context: Context) -> Findings:
    """The first column of every SELECT that has aggregates too."""
    if not may_be_spark_query(context) or context.statement.may_contain("group"):
        return
    from spark_iceberg_sql.facts.ungrouped_columns import ungrouped_columns  # the command starts sooner

    for column in ungrouped_columns(context):
        if not is_spark_query(context):  # which looks at the whole text
            return
        yield Finding(
            column.span,
            f"`{column.text}` stands beside an aggregate, but the query has no GROUP BY",
            GROUP_BY_ALL,
            Fix("add GROUP BY ALL", (Edit(column.group_offset, column.group_offset, " GROUP BY ALL"),), safe=False),
            Severity.ERROR if column.is_certain else Severity.WARNING,
        )
