"""A statement that could not be checked, or not in full.

## Why
Silence means "checked and fine". Where a table's columns or partition specs are not known, where a template
or a variable stands in the statement, or where the columns come from a query, the rules that need them
cannot say anything, and this note says so, once for each table; `-v` and JSON name the rules. It is no error:
the statement may be fine.

## Instead
Tell the checker what it lacks: the table's CREATE TABLE in the same script or in a file before it
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
from typing import TYPE_CHECKING, NamedTuple

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Finding, Rule, rule
from spark_iceberg_sql.syntax import nodes

if TYPE_CHECKING:
    from spark_iceberg_sql.syntax.nodes import Offsets

_WAYS = (
    "put its CREATE TABLE before, pass --ddl, --metadata or --catalog, or check in a Spark session"
)
_QUERY_WAYS = "put the CREATE TABLE of what the query reads before, cast what it computes, or check in a session"


class Skipped(NamedTuple):
    """A rule that could not say anything, what it lacked, and why that is not known."""

    rule: Rule
    what: str
    why: str


@rule(Severity.NOTE, on=(nodes.Templated, nodes.Create))
def not_checked(context: Context) -> Iterator[Finding]:
    """A template or a parameter where a word is needed; a table whose name an expression makes."""
    if isinstance(context.node, nodes.Create) and context.target.computed:
        yield Finding(
            context.target.span,
            f"not checked: `{context.target.text}` names a table when it runs, and none is known here",
            "check it in a session, or write the table's name out",
        )
    if isinstance(context.node, nodes.Templated):
        words = context.words(context.node.at)
        yield Finding(
            context.node.at,
            f"not checked: `{words}` stands for words that are not known here",
            "check the text with its values put in, as `iceberg-sql run --var` does",
        )


def note(context: Context, skipped: Sequence[Skipped]) -> Finding:
    """The one note about all the rules that were skipped on a statement."""
    lacks = "; ".join(dict.fromkeys(_unknown(item.what, item.why) for item in skipped))
    query = isinstance(context.node, nodes.Create) and context.node.query is not None
    help_ = _QUERY_WAYS if query else _WAYS
    scope = "only the text was checked" if lacks.startswith("table ") else "not checked in full"
    return Finding(_place(context), f"{scope}: {lacks}", help_)


def _unknown(what: str, why: str) -> str:
    """What is not known, as a sentence; of a table, why is said where its catalog is at fault."""
    if what.startswith("the table "):
        silent = f" ({why})" if "did not answer" in why else ""
        return f"{what.removeprefix('the ')} is unknown{silent}"
    several = what.endswith("s") and not what.startswith("whether ")
    return f"{what} {'are' if several else 'is'} unknown ({why})"


def elsewhere(context: Context) -> Finding:
    """The one note about a text that may be another engine's."""
    return Finding(
        _place(context),
        "not checked: nothing here says that this is SQL of Spark or of Iceberg",
        "write `USING iceberg` in CREATE TABLE, or name the catalog: `--default-catalog`, "
        "`default-catalog` in the configuration",
    )


def _place(context: Context) -> Offsets:
    table = getattr(context.node, "table", None)
    return table.span if isinstance(table, nodes.Ref) else context.node.span
