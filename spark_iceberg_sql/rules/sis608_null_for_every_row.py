"""A condition or unit that is NULL for every row.

## Why
`kind = NULL` and `kind != NULL` are NULL, which is not true, for every row: the query returns no rows, a DELETE removes
none, and Spark says nothing. `date_trunc('months', ts)` is NULL, too, since Spark knows no unit of that name. Units are
not looked at in programs, which may send the query to another engine, and in scripts in which nothing is Spark's alone,
such as `USING iceberg`.

## Instead
`IS NULL`, `IS NOT NULL`, or `<=>`, which takes two NULLs as equal. A unit in the singular: `'MONTH'`.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT count(*) FROM events WHERE kind != NULL;
```
```sql bad
CREATE TABLE events (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM events WHERE date_trunc('months', ts) = '2024-01-01';
```
```sql good
CREATE TABLE events (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT count(*) FROM events WHERE kind IS NOT NULL AND date_trunc('MONTH', ts) = '2024-01-01';
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import join_names
from spark_iceberg_sql.rules.spark_scripts import is_spark_query, may_be_spark_query
from spark_iceberg_sql.syntax import nodes


@rule(Severity.WARNING, on=(nodes.Expressions,), category=Category.QUERY)
def null_for_every_row(context: Context) -> Findings:
    """Every comparison with NULL in a condition, and every truncation to an unknown unit."""
    statement = context.statement
    has_null, has_unit = statement.may_contain("null"), statement.may_contain("trunc") and may_be_spark_query(context)
    if not has_null and not has_unit:
        return
    from spark_iceberg_sql.facts import null_expressions  # the command starts sooner

    for comparison in null_expressions.null_comparisons(statement.tokens) if has_null else ():
        operator, null = comparison.operator, comparison.null
        is_order = not comparison.is_equality and operator.text not in ("<>", "!=")
        instead = "IS NULL" if comparison.is_equality else "IS NOT NULL"
        yield Finding(
            (operator.start, null.end),
            f"`{context.text_at((operator.start, null.end))}` is true for no row: a comparison with NULL is NULL",
            "compare with a value; `IS NULL` and `IS NOT NULL` test for nulls" if is_order else f"write `{instead}`",
            None if is_order else Fix(f"write {instead}", (Edit(operator.start, null.end, instead),), safe=False),
        )
    for call in null_expressions.unknown_units(statement.tokens) if has_unit else ():
        if not context.catalog.live and not is_spark_query(context):  # which looks at the whole text
            return
        literal = f"'{call.intended_unit}'" if call.intended_unit else None
        help_ = (
            f"write `{literal}`"
            if literal
            else f"its units are {join_names(call.known_units, 'and', len(call.known_units))}"
        )
        if literal is None and call.function.word == "TRUNC":
            help_ += "; `date_trunc` has smaller ones"
        span = call.unit.span
        yield Finding(
            span,
            f"`{call.function.text}` has no unit {call.unit.text}, so it is NULL for every row",
            help_,
            Fix(f"write {literal}", (Edit(*span, literal),), safe=False) if literal else None,
        )
