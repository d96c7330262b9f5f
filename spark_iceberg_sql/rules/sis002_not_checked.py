"""A statement that could not be checked, or not in full.

## Why
No findings means "checked and fine". If a table's columns or partition specs are unknown, if the statement
contains a template or a variable, or if the columns come from a query, the rules that need them cannot run.
This note says so, once per table; `-v` and JSON list the rules. It is not an error: the statement may be fine.

## Instead
Give the checker the missing information: the table's CREATE TABLE earlier in the script or in another file
(`--ddl`), its metadata file (`--metadata db.t=.../v3.metadata.json`), a catalog (`--catalog`), or a Spark
session (`sis.check` in a notebook, `iceberg-sql run`).

## Examples
```sql bad
ALTER TABLE sales.orders ADD PARTITION FIELD bucket(16, customer_id);
```
```sql good
CREATE TABLE sales.orders (customer_id BIGINT) USING iceberg;
ALTER TABLE sales.orders ADD PARTITION FIELD bucket(16, customer_id);
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Event, Finding, Rule, rule
from spark_iceberg_sql.rules.occasions import odd_clauses
from spark_iceberg_sql.syntax import nodes, terms

WAYS = (
    "add its CREATE TABLE earlier, pass --ddl, --metadata or --catalog, or check in a Spark session"
)
QUERY_WAYS = "add the CREATE TABLE of the query's tables earlier, cast computed columns, or check in a Spark session"
FILLED_IN = "check the statement with the values filled in, as `iceberg-sql run --var` does"
# The same in a session, where the catalogs have already been asked.
LIVE_WAYS = "run the statement again when the catalog answers"
LIVE_QUERY_WAYS = "run the query alone: Spark reports what it refuses"
LIVE_NAME = "write out the table's name"
LIVE_FILLED_IN = "write out the value"


class Skipped(NamedTuple):
    """A rule that could not run, the unknown fact it needs, and the reason why that is unknown."""

    rule: Rule
    what: str
    why: str


@rule(
    Severity.NOTE,
    on=(nodes.Templated, nodes.Create),
    when=odd_clauses,
    category=Category.CHECK,
    event=Event.NOT_CHECKED,
)
def not_checked(context: Context) -> Iterator[Finding]:
    """A template or a parameter in place of a keyword or name; a table whose name is an expression."""
    if isinstance(context.node, nodes.Create) and context.target.computed:
        yield Finding(
            context.target.span,
            f"not checked: the table that `{context.target.text}` names is only known when the statement runs",
            LIVE_NAME if context.known.live else f"check it in a session, or {LIVE_NAME}",
        )
    if isinstance(context.node, nodes.Templated) and context.node.deep:
        yield Finding(
            context.node.at,
            "not checked: the type is nested more than 100 deep",
            "flatten the type",
        )
    elif isinstance(context.node, nodes.Templated) and not _is_checked_later(context, context.node):
        words = context.words(context.node.at)
        yield Finding(
            context.node.at,
            f"not checked: the value of `{words}` is unknown",
            LIVE_FILLED_IN if context.known.live else FILLED_IN,
        )


def _is_checked_later(context: Context, node: nodes.Templated) -> bool:
    """True for an EXECUTE IMMEDIATE in the gate: the statement that it executes is checked separately."""
    return context.repaired and context.words(node.span)[:7].upper() == "EXECUTE"


def note(context: Context, skipped: Sequence[Skipped]) -> Finding:
    """The single note about all rules that were skipped for a statement."""
    lacks = "; ".join(dict.fromkeys(_unknown(item.what, item.why) for item in skipped))
    query = isinstance(context.node, nodes.Create) and context.node.query is not None
    if context.known.live:
        table_is_computed = isinstance(_table(context), terms.Ref) and context.target.computed
        help_ = LIVE_QUERY_WAYS if query and not lacks.startswith("table ") else LIVE_WAYS
        if table_is_computed:
            help_ = LIVE_NAME
    else:
        help_ = QUERY_WAYS if query else WAYS
    scope = "only the text was checked" if lacks.startswith("table ") else "partly checked"
    return Finding(_place(context), f"{scope}: {lacks}", help_)


def _unknown(what: str, why: str) -> str:
    """The unknown fact, as a sentence; for a table, the reason is given only if its catalog failed."""
    if what.startswith("the table "):
        silent = f" ({why})" if "did not answer" in why or why.startswith("the catalog ") else ""
        return f"{what.removeprefix('the ')} is unknown{silent}"
    if what.startswith("whether "):
        return f"it is unknown {what} ({why})"
    several = what.endswith("s")
    return f"{what} {'are' if several else 'is'} unknown ({why})"


def elsewhere(context: Context) -> Finding:
    """The single note about SQL that may be another engine's."""
    return Finding(
        _place(context),
        "not checked: nothing shows that this is Spark SQL or an Iceberg table",
        "write `USING iceberg` in CREATE TABLE, or name the catalog with `--default-catalog`, "
        "or with `default-catalog` in the configuration",
    )


def _place(context: Context) -> terms.Offsets:
    table = _table(context)
    if isinstance(table, terms.Ref):
        return table.span
    return context.node.at if isinstance(context.node, nodes.Unreadable) else context.node.span


def _table(context: Context) -> object:
    return getattr(context.node, "table", None)
