"""A column in double quotes, which Spark reads as a string.

## Why
In Spark, `"date"` is the string 'date', unlike in PostgreSQL, Trino, Snowflake or DuckDB. A condition on it is the same
for every row: the query returns all of them or none, a DELETE deletes all or none, and nothing is pruned. The rule
reports nothing in programs, or if a script sets `spark.sql.ansi.doubleQuotedIdentifiers`, which makes such words names;
nor if the columns of the statement's table are unknown, or where a string may be meant, as in `kind = "date"`.

## Instead
Write the name without quotes, or in backticks.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, date DATE) USING iceberg PARTITIONED BY (date);
SELECT count(*) FROM events WHERE "date" = '2024-01-01';
```
```sql good
CREATE TABLE events (id BIGINT, date DATE) USING iceberg PARTITIONED BY (date);
SELECT count(*) FROM events WHERE date = '2024-01-01';
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import backticked
from spark_iceberg_sql.syntax.identifiers import quoted as plain_name


@rule(Severity.WARNING, on=(nodes.Expressions,), category=Category.QUERY)
def column_in_double_quotes(context: Context) -> Findings:
    """Every string in double quotes that is meant as a column of the statement's table."""
    if '"' not in context.statement.text:
        return
    from spark_iceberg_sql.facts import quoted_columns  # the command starts sooner

    effects = {
        quoted_columns.COMPARISON: "the condition is the same for every row",
        quoted_columns.SELECTED: "the result has this string in every row",
        quoted_columns.ORDERED: "it is the same for every row",
        quoted_columns.ARGUMENT: "the function gets the same string for every row",
    }
    for quoted in quoted_columns.quoted_columns(context):
        name = quoted.column.name
        in_backticks = backticked(name)
        edit = Edit(quoted.token.start, quoted.token.end, in_backticks)
        is_plain = plain_name(name) == name
        help = f"write `{name}` without double quotes, or in backticks" if is_plain else f"write `` {in_backticks} ``"
        yield Finding(
            quoted.token.span,
            f"`{quoted.token.text}` is a string literal, not the column of this name: {effects[quoted.place]}",
            help,
            Fix(f"name the column `{name}`", (edit,), safe=False),
        )
