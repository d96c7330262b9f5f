"""An argument of a CALL that Spark or Iceberg's procedure refuses.

## Why
Spark 4 evaluates expressions in a CALL, but not all of them: where parameters are left out, it fails on
`current_timestamp() - INTERVAL 7 DAYS`, `timestampadd(...)`, `to_timestamp('...')` and others whose types it resolves
late, with "number of args and params must match after binding". Spark 3.5 takes literals only, and reports a syntax
error. `rewrite_data_files` has the strategies `binpack` and `sort`, and a sort order makes it the second. It and
`rewrite_position_delete_files` refuse an option that they do not have, sizes that are no number of bytes, and a target
size outside the smallest and the largest one. `where` is a condition over columns: Iceberg derives partition fields,
such as `ts_day`, from them.

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
from spark_iceberg_sql.model.procedures import BY_NAME, ICEBERG_VERSION, Procedure
from spark_iceberg_sql.model.table import Table, split_name
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.lexer import Token
from spark_iceberg_sql.syntax.parser.dialect import names_table_in_one

_LITERAL = "`TIMESTAMP '2024-05-17 00:00:00'`"
_STRATEGIES = ("binpack", "sort")


@rule(Severity.ERROR, on=(nodes.Call,), category=Category.QUERY)
def refused_argument(context: Context) -> Findings:
    """A time that Spark cannot compute; a strategy, an option or a column that does not exist."""
    node = context.node
    assert isinstance(node, nodes.Call)
    procedure = BY_NAME.get(node.procedure)
    if procedure is None or not names_table_in_one(node.arguments):
        return
    arguments = _by_parameter(node, procedure)
    if "older_than" in arguments and len(node.arguments) < len(procedure.parameters):
        yield from _refused_time(context, procedure, arguments["older_than"])
    if procedure.name == "rewrite_data_files" and "strategy" in arguments:
        yield from _refused_strategy(context, arguments)
    if "options" in arguments:
        yield from _refused_options(context, procedure, arguments["options"])
    if "where" in arguments and "table" in arguments:
        yield from _unknown_columns(context, arguments["table"], arguments["where"])


def _by_parameter(node: nodes.Call, procedure: Procedure) -> dict[str, nodes.CallArgument]:
    """The arguments of a call by the names of their parameters."""
    positions = zip(node.arguments, procedure.parameters, strict=False)
    return {argument.name or parameter: argument for argument, parameter in positions} | {
        argument.name: argument for argument in node.arguments if argument.name
    }


def _refused_time(context: Context, procedure: Procedure, argument: nodes.CallArgument) -> Findings:
    from spark_iceberg_sql.facts.call_times import is_refused_time, time_to_write  # the command starts sooner

    start, end = argument.value_span
    tokens = _tokens(context, argument)
    if not is_refused_time(tokens):
        return
    value, clause = context.text_at((start, end)), f"{argument.name} => " if argument.name else ""
    time = time_to_write(tokens)
    if time is None:
        help_ = (
            f"write `DECLARE VARIABLE expire_before TIMESTAMP DEFAULT {value}` first, and `{clause}expire_before`; "
            f"for Spark 3.5 a literal, {_LITERAL}"
        )
        fix = None
    else:
        help_ = f"write `{clause}{time.text}`" + ("" if time.is_literal else f"; for Spark 3.5 a literal, {_LITERAL}")
        fix = Fix(f"write `{time.text}`", (Edit(start, end, time.text),), safe=False)
    yield Finding(
        (start, end), f"`{procedure.name}` fails with `{value}`: Spark does not compute it in a CALL", help_, fix
    )


def _refused_strategy(context: Context, arguments: dict[str, nodes.CallArgument]) -> Findings:
    strategy, sort_order = arguments["strategy"], arguments.get("sort_order")
    if strategy.value is None or "{" in strategy.value or "$" in strategy.value:
        return
    columns = sort_order.value if sort_order is not None else None
    if strategy.value.lower() not in _STRATEGIES:
        is_z_order = strategy.value.lower().replace("-", "").replace("_", "") == "zorder"
        if is_z_order:
            is_plain = columns is not None and "(" not in columns
            order = f"zorder({columns})" if is_plain else columns or "zorder(a, b)"
            help_ = f"write `strategy => 'sort', sort_order => '{order}'`"
        else:
            help_ = "write `strategy => 'binpack'` or `strategy => 'sort'`"
        yield Finding(strategy.value_span, f"`rewrite_data_files` has no strategy `{strategy.value}`", help_)
    elif strategy.value.lower() == "binpack" and sort_order is not None:
        yield Finding(
            strategy.value_span,
            "`rewrite_data_files` takes no `sort_order` with `binpack`",
            "write `strategy => 'sort'`",
        )


def _tokens(context: Context, argument: nodes.CallArgument) -> list[Token]:
    start, end = argument.value_span
    return [token for token in context.statement.tokens if start <= token.start and token.end <= end]


def _refused_options(context: Context, procedure: Procedure, argument: nodes.CallArgument) -> Findings:
    from spark_iceberg_sql.facts.call_options import options_of, refused_options  # the command starts sooner

    for refused in refused_options(procedure.name, options_of(_tokens(context, argument)) or (), ICEBERG_VERSION):
        edit = None if refused.text is None else Edit(*refused.span, refused.text)
        fix = None if edit is None else Fix(f"write {edit.text}", (edit,), safe=False)
        severity = None if refused.is_certain else Severity.WARNING
        yield Finding(refused.span, refused.message, refused.help, fix, severity=severity)


def _unknown_columns(context: Context, table: nodes.CallArgument, where: nodes.CallArgument) -> Findings:
    """Partition fields and misspelt columns in the condition of a CALL."""
    if table.value is None or where.value is None or any(mark in where.value for mark in "{$"):
        return
    from spark_iceberg_sql.facts.call_conditions import unknown_names  # the command starts sooner

    node = context.node
    assert isinstance(node, nodes.Call)
    parts = split_name(table.value)
    if len(parts) == 1 and node.catalog:
        return  # which namespace of the catalog is current there is unknown
    target = context.catalog.get((*node.catalog, *parts) if len(parts) == 2 else parts)
    if not isinstance(target, Table) or target.schema is None or not target.is_certain:
        return
    for unknown in unknown_names(where.value, target.schema, target.specs):
        yield Finding(where.value_span, f"the condition of `{node.procedure}` {unknown.message}", unknown.help)
