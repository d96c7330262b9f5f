"""A filter on a partitioned column that does not prune.

## Why
Iceberg prunes by ranges of the column: `ts >= ... AND ts < ...`, or a function that gives such a range, as `year(ts)`
does in a session with this package. The month or the hour alone recurs every year or day, and `lower(name)` can have
any value in any partition: every file is read (except those of the partition of nulls). The rule reports nothing if
another condition may prune, in programs, where other code may filter the result again, or if the table's partitioning
is unknown. Nor for a query of a table that is partitioned by the values themselves: with this package, Spark evaluates
the predicate on each partition's value; for DELETE it does not.

## Instead
Add a range of the column itself, or a part that does not recur: `year(ts) = 2024 AND month(ts) = 2`. For a string,
compare the column as it is stored.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT count(*) FROM events WHERE month(ts) = 2;
```
```sql bad
CREATE TABLE events (id BIGINT, name STRING) USING iceberg PARTITIONED BY (truncate(4, name));
SELECT count(*) FROM events WHERE lower(name) = 'anna';
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT count(*) FROM events WHERE year(ts) = 2024 AND month(ts) = 2;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.field_names import display_field
from spark_iceberg_sql.syntax import nodes


@rule(Severity.WARNING, on=(nodes.Expressions,), category=Category.QUERY)
def filter_does_not_prune(context: Context) -> Findings:
    """The only condition on a partitioned column, if no range can be derived from it."""
    from spark_iceberg_sql.facts.filters import non_pruning_predicates  # the command starts sooner

    for predicate in non_pruning_predicates(context):
        predicate_text = context.text_at(predicate.span)
        if predicate.data_type.name == "string":
            help_ = f"compare `{predicate.column}` itself with values as they are stored"
        elif predicate.function == "DATE_FORMAT":
            format_ = f"`date_format({predicate.column}, 'yyyy-MM-dd')`"
            help_ = f"put the year first, as in {format_}, or compare `{predicate.column}` itself"
        else:
            combined_filter = f"`year({predicate.column}) = 2024 AND {predicate_text}`"
            help_ = f"add a range of `{predicate.column}`, for example {combined_filter}"
        field_text = display_field(predicate.field)
        yield Finding(predicate.span, f"`{predicate_text}` does not prune by the partition field {field_text}", help_)
