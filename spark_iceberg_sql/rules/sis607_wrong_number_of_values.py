"""An INSERT whose rows have more or fewer values than the table has columns.

## Why
Spark refuses the statement ("not enough data columns", "too many data columns"): a row of VALUES needs a value for
every column, or for every column in the list after the table's name. The rule reports nothing if the table is unknown,
if the statement has PARTITION, or if the table accepts rows of any schema.

## Instead
A value for every column, NULL included. A list of some of the columns is not enough: only newer versions of Spark take
it.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO events VALUES (1, 'click');
```
```sql good
CREATE TABLE events (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO events VALUES (1, 'click', NULL);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import join_names
from spark_iceberg_sql.syntax import nodes


@rule(Severity.ERROR, on=(nodes.Insert,), category=Category.QUERY)
def wrong_number_of_values(context: Context) -> Findings:
    """The first row of VALUES; Spark refuses rows of different lengths by itself."""
    node = context.node
    assert isinstance(node, nodes.Insert)
    if context.repaired or node.partition:  # in a session Spark itself counts them
        return
    from spark_iceberg_sql.facts.inserted_rows import inserted_row  # the command starts sooner

    row = inserted_row(context)
    if row is None or row.value_count == len(row.columns):
        return
    table = context.target.text
    count, values = len(row.columns), plural(row.value_count, "value")
    subject = (
        f"the list names {plural(count, 'column')}" if row.has_list else f"`{table}` has {plural(count, 'column')}"
    )
    if row.value_count > count:
        extra = row.value_count - count
        help = f"leave out {plural(extra, 'value')}" + (f", or name {plural(extra, 'more column')}" * row.has_list)
        yield Finding(row.span, f"{subject}, but the row has {values}", help)
        return
    missing = row.columns[row.value_count :]
    names = join_names(missing, "and")
    help = f"add a value for {names}"
    if row.required.isdisjoint(missing):
        help += ", such as NULL"
    yield Finding(row.span, f"{subject}, but the row has {values}: none for {names}", help)
