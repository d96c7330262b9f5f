"""What a procedure refuses of its arguments by their meaning: times, strategies, options, conditions, sort orders."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.facts.call_conditions import not_evaluated, unknown_names, wrong_form
from spark_iceberg_sql.facts.call_names import refused_names
from spark_iceberg_sql.facts.call_options import options_of, refused_options
from spark_iceberg_sql.facts.call_orders import refused_order
from spark_iceberg_sql.facts.call_parameters import Arguments
from spark_iceberg_sql.facts.call_refusals import Refused, is_template
from spark_iceberg_sql.facts.call_texts import refused_texts
from spark_iceberg_sql.facts.call_times import is_of_today, is_refused_time, time_to_write
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.table import RelationKind, Table, split_name
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.lexer import NAME_KINDS

_LITERAL = "`TIMESTAMP '2024-05-17 00:00:00'`"
_COMPARISONS = frozenset({"=", "<", ">", "<=", ">=", "<>", "!="})
_STRATEGIES = ("binpack", "sort")
_REWRITE = "rewrite_data_files"


def refused_by_procedure(context: Context, arguments: Arguments, version: str) -> Iterator[Refused]:
    """What the procedure of a CALL refuses. version: Iceberg's, whose options are known."""
    by_name, procedure = arguments.by_name, arguments.procedure
    for name in ("older_than", "timestamp"):
        if name in by_name:
            yield from _refused_time(context, arguments, by_name[name])
    table = _table(context, arguments)
    yield from refused_texts(context, arguments)
    yield from _of_known_table(arguments, table)
    if procedure.name == _REWRITE:
        yield from _refused_strategy(arguments, table)
    else:
        yield from refused_names(arguments, table)
    yield from _unquoted(context, arguments)
    if (options := by_name.get("options")) is not None:
        pairs = options_of(arguments.tokens(options)) or ()
        yield from refused_options(procedure.name, pairs, version, _strategy(arguments), table)
    if (where := by_name.get("where")) is not None:
        yield from _refused_condition(context, procedure.name, where, table)
    if (order := by_name.get("sort_order")) is not None and order.value is not None and not is_template(order.value):
        yield from refused_order(
            order.value, order.value_span, table.schema if table else None, table.specs if table else None
        )


def _unquoted(context: Context, arguments: Arguments) -> Iterator[Refused]:
    """The name of a table, and a condition, that should be a string: Spark takes it for columns or variables."""
    table, where = arguments.by_name.get("table"), arguments.by_name.get("where")
    if table is not None and table.value is None:
        tokens = arguments.tokens(table)
        parts = tuple(token.text.strip("`") for token in tokens[::2])
        is_path = len(parts) > 1 and len(tokens) % 2 == 1 and all(token.text == "." for token in tokens[1::2])
        if is_path and isinstance(context.catalog.get(parts), Table):
            text = f"'{'.'.join(parts)}'"
            message = f"`{'.'.join(parts)}` is no text: Spark looks for a column of this name"
            yield Refused(table.value_span, message, f"write `{text}`", text)
    if where is not None and where.value is None:
        tokens = arguments.tokens(where)
        is_comparison = len(tokens) > 2 and tokens[0].kind in NAME_KINDS and tokens[1].text in _COMPARISONS
        if is_comparison and not is_template(condition := context.text_at(where.value_span)):
            text = '"' + condition.replace('"', "'") + '"'
            yield Refused(where.value_span, "`where` must be a text with the condition", f"write `{text}`", text)


def _of_known_table(arguments: Arguments, table: Table | None) -> Iterator[Refused]:
    """What a procedure refuses since the table exists, or has no partitions."""
    name, by_name = arguments.procedure.name, arguments.by_name
    if table is None:
        return
    if name == "register_table":
        message = f"`{by_name['table'].value}` exists already"
        yield Refused(by_name["table"].value_span, message, "write another name, or drop it first, without PURGE")
    is_unpartitioned = table.specs is not None and not table.is_partial and not table.specs.spec.fields
    if name == "add_files" and is_unpartitioned and "partition_filter" in by_name:
        message = "the table is not partitioned, so there is nothing to filter by"
        yield Refused(by_name["partition_filter"].value_span, message, "leave `partition_filter` out")


def _table(context: Context, arguments: Arguments) -> Table | None:
    """The Iceberg table of a CALL, if its columns are known."""
    argument, node = arguments.by_name.get("table"), context.node
    assert isinstance(node, nodes.Call)
    if argument is None or argument.value is None or is_template(argument.value):
        return None
    parts = split_name(argument.value)
    if len(parts) == 1 and node.catalog:
        return None  # which namespace of the catalog is current there is unknown
    target = context.catalog.get((*node.catalog, *parts) if len(parts) == 2 else parts)
    if not isinstance(target, Table) or target.schema is None or not target.is_certain or target.is_intended:
        return None
    return target if target.kind is RelationKind.ICEBERG else None


def _refused_time(context: Context, arguments: Arguments, argument: nodes.CallArgument) -> Iterator[Refused]:
    span, tokens = argument.value_span, arguments.tokens(argument)
    name = arguments.procedure.name
    value, clause = context.text_at(span), f"{argument.name} => " if argument.name else ""
    if name == "remove_orphan_files" and is_of_today(tokens):
        message = f"`{name}` refuses a time within the last 24 hours, such as `{value}`"
        yield Refused(span, message, "leave it out, for three days ago, or write an earlier time")
        return
    is_whole = len(arguments.by_name) == len(arguments.procedure.parameters_of(arguments.iceberg))
    if is_whole or not is_refused_time(tokens):
        return
    time = time_to_write(tokens)
    if time is None:
        help_ = (
            f"write `DECLARE VARIABLE expire_before TIMESTAMP DEFAULT {value}` first, and `{clause}expire_before`; "
            f"for Spark 3.5 a literal, {_LITERAL}"
        )
    else:
        help_ = f"write `{clause}{time.text}`" + ("" if time.is_literal else f"; for Spark 3.5 a literal, {_LITERAL}")
    message = f"`{name}` fails with `{value}`: Spark does not compute it in a CALL"
    yield Refused(span, message, help_, None if time is None else time.text)


def _refused_strategy(arguments: Arguments, table: Table | None) -> Iterator[Refused]:
    strategy, sort_order = arguments.by_name.get("strategy"), arguments.by_name.get("sort_order")
    if strategy is None or strategy.value is None or is_template(strategy.value):
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
        yield Refused(strategy.value_span, f"`{_REWRITE}` has no strategy `{strategy.value}`", help_)
    elif strategy.value.lower() == "binpack" and sort_order is not None:
        message = f"`{_REWRITE}` takes no `sort_order` with `binpack`"
        yield Refused(strategy.value_span, message, "write `strategy => 'sort'`")
    elif (
        strategy.value.lower() == "sort" and sort_order is None and table is not None and table.sorted_by == frozenset()
    ):
        message = f"`{_REWRITE}` cannot sort by the table's own order: the table has none"
        yield Refused(strategy.value_span, message, "add `sort_order => 'a, b'`, or write `strategy => 'binpack'`")


def _strategy(arguments: Arguments) -> str | None:
    """What decides which options a rewrite of data files takes: binpack, sort or zorder; None if it is unknown."""
    if arguments.procedure.name != _REWRITE:
        return None
    strategy, order = arguments.by_name.get("strategy"), arguments.by_name.get("sort_order")
    if order is not None:
        if order.value is None or is_template(order.value):
            return None
        return "zorder" if "order" in order.value.lower().partition("(")[0] else "sort"
    if strategy is None:
        return "binpack"
    value = (strategy.value or "").lower()
    return value if value in _STRATEGIES else None


def _may_have_variables(context: Context) -> bool:
    """Whether a name may be a variable that a statement elsewhere, or in this text, declares."""
    catalog = context.catalog
    return catalog.live or catalog.shared or "declare" in context.text.lower()


def _refused_condition(
    context: Context, procedure: str, where: nodes.CallArgument, table: Table | None
) -> Iterator[Refused]:
    """A condition that is none, or that names partition fields and misspelt columns."""
    if where.value is None or is_template(where.value):
        return
    subject = f"the condition of `{procedure}`"
    if (wrong := wrong_form(where.value, context.catalog.spark)) is not None:
        yield Refused(where.value_span, f"{subject} {wrong.message}", wrong.help)
        return
    if table is None or table.schema is None:
        return
    is_named = False
    for unknown in unknown_names(where.value, table.schema, table.specs, may_be_variables=_may_have_variables(context)):
        is_named = True
        yield Refused(where.value_span, f"{subject} {unknown.message}", unknown.help)
    if not is_named and not context.catalog.live and (wrong := not_evaluated(where.value)) is not None:
        is_named = True
        yield Refused(where.value_span, f"{subject} {wrong.message}", wrong.help)
    if not is_named and (fault := context.catalog.condition_fault(table.name, where.value)) is not None:
        fact, _, help_ = fault.partition("\nhelp: ")
        yield Refused(where.value_span, f"{subject} {fact}", help_)
