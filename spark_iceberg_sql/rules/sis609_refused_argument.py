"""An argument of a CALL that Spark or Iceberg's procedure refuses.

## Why
Spark 4 evaluates expressions in a CALL, but not all of them: where parameters are left out, it fails on
`current_timestamp() - INTERVAL 7 DAYS`, `timestampadd(...)`, `to_timestamp('...')` and others whose types it resolves
late, with "number of args and params must match after binding". Spark 3.5 takes literals only, and reports a syntax
error. `rewrite_data_files` has the strategies `binpack` and `sort`, and a sort order makes it the second. It and
`rewrite_position_delete_files` refuse an option that they do not have, sizes that are no number of bytes, and a target
size outside the smallest and the largest one. `where` and `sort_order` name columns: Iceberg derives partition fields,
such as `ts_day`, from them. In a session, Spark and Iceberg themselves read `where`, as the procedure would: one that
they do not understand, such as `id % 2 = 1`, is refused before anything is read.

A procedure also refuses a call without an argument that it needs, a value of another type than its parameter's (Spark 4
turns '5' into a number, and fails on 'five'), and arguments that exclude each other. `remove_orphan_files` refuses a
time within the last 24 hours. Spark reads the name of a table as in SQL, so that `my-table` needs backticks, and
Iceberg the columns of a sort order in their exact case.

Without the session, the check knows nothing of snapshots, branches, files and catalogs, and not which expressions of
`where` the session's functions and optimizer make to a filter of Iceberg: it is silent about them.

## Instead
A literal, `TIMESTAMP '2024-05-17 00:00:00'`; or on Spark 4 `timestamp_seconds(unix_timestamp() - 604800)`,
`date_sub(current_date(), 7)`, or a session variable. For z-order, `strategy => 'sort', sort_order => 'zorder(a, b)'`.

## Examples
```sql bad
CREATE TABLE db.events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.expire_snapshots(table => 'db.events', older_than => current_timestamp() - INTERVAL 7 DAYS);
```
```sql bad
CREATE TABLE db.events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.rewrite_data_files(table => 'db.events', strategy => 'zorder', sort_order => 'id, ts');
```
```sql bad
CREATE TABLE db.events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO db.events VALUES (1, TIMESTAMP '2024-05-17 10:00:00');
CALL local.system.rewrite_data_files(table => 'db.events', options => map('target-file-size-bytes', '128MB'));
```
```sql bad
CREATE TABLE db.events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.rewrite_data_files(table => 'db.events', where => 'ts_day = DATE "2024-05-17"');
```
```sql good
CREATE TABLE db.events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.expire_snapshots(table => 'db.events', older_than => date_sub(current_date(), 7));
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.runtime.procedures import BY_NAME, ICEBERG_VERSION
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.sis605_unknown_procedure import is_known_runtime
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.parser.dialect import names_table_in_one


@rule(Severity.ERROR, on=(nodes.Call,), category=Category.QUERY)
def refused_argument(context: Context) -> Findings:
    """Every argument that is missing, of another type or refused by the procedure."""
    node = context.node
    assert isinstance(node, nodes.Call)
    procedure = BY_NAME.get(node.procedure)
    if procedure is None or not names_table_in_one(node.arguments) or not is_known_runtime(context, node):
        return
    from spark_iceberg_sql.facts.call_checks import refused_by_procedure
    from spark_iceberg_sql.facts.call_parameters import Arguments  # the command starts sooner

    iceberg = context.catalog.iceberg
    if iceberg is not None and iceberg < procedure.since:
        return  # SIS605
    arguments = Arguments(procedure, node.arguments, context.statement.tokens, iceberg)
    for refused in (*arguments.refused(node.name_span), *refused_by_procedure(context, arguments, ICEBERG_VERSION)):
        edit = None if refused.text is None else Edit(*refused.span, refused.text)
        fix = None if edit is None else Fix(f"write {edit.text}", (edit,), safe=False)
        severity = None if refused.is_certain else Severity.WARNING
        yield Finding(refused.span, refused.message, refused.help, fix, severity=severity)
