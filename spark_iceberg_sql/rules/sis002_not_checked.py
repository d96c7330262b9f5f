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

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.rules.base import Category, Event, Finding, Findings, Rule, rule
from spark_iceberg_sql.rules.preconditions import has_special_clauses
from spark_iceberg_sql.syntax import nodes, terms

OFFLINE_HELP = "add its CREATE TABLE earlier, pass --ddl, --metadata or --catalog, or check in a Spark session"
QUERY_HELP = "add the CREATE TABLE of the query's tables earlier, cast computed columns, or check in a Spark session"
PLACEHOLDER_HELP = "check the statement with the values filled in, as `iceberg-sql run --var` does"
# The same in a session, where the catalogs have already been asked.
LIVE_HELP = "run the statement again when the catalog answers"
LIVE_QUERY_HELP = "run the query alone: Spark reports what it refuses"
LIVE_NAME_HELP = "write out the table's name"
LIVE_PLACEHOLDER_HELP = "write out the value"


class SkippedRule(NamedTuple):
    """A rule that could not run, the unknown fact it needs, and the reason why that is unknown."""

    rule: Rule
    fact: str
    reason: str


@rule(
    Severity.NOTE,
    on=(nodes.Templated, nodes.Create),
    when=has_special_clauses,
    category=Category.CHECK,
    event=Event.NOT_CHECKED,
)
def not_checked(context: Context) -> Findings:
    """A template or a parameter in place of a keyword or name; a table whose name is an expression."""
    if isinstance(context.node, nodes.Create) and context.target.is_computed:
        yield Finding(
            context.target.span,
            f"not checked: the table that `{context.target.text}` names is only known when the statement runs",
            LIVE_NAME_HELP if context.catalog.live else f"check it in a session, or {LIVE_NAME_HELP}",
        )
    if isinstance(context.node, nodes.Templated) and context.node.is_too_deep:
        yield Finding(
            context.node.template_span, "not checked: the type is nested more than 100 deep", "flatten the type"
        )
    elif isinstance(context.node, nodes.Templated) and not _is_checked_later(context, context.node):
        placeholder_text = context.text_at(context.node.template_span)
        yield Finding(
            context.node.template_span,
            f"not checked: the value of `{placeholder_text}` is unknown",
            LIVE_PLACEHOLDER_HELP if context.catalog.live else PLACEHOLDER_HELP,
        )


def _is_checked_later(context: Context, node: nodes.Templated) -> bool:
    """True for an EXECUTE IMMEDIATE in the gate: the statement that it executes is checked separately."""
    return context.repaired and context.text_at(node.span)[:7].upper() == "EXECUTE"


def skipped_note(context: Context, skipped: Sequence[SkippedRule]) -> Finding:
    """The single note about all rules that were skipped for a statement."""
    missing_facts = "; ".join(dict.fromkeys(_fact_message(item.fact, item.reason) for item in skipped))
    query = isinstance(context.node, nodes.Create) and context.node.query is not None
    if context.catalog.live and isinstance(_table(context), terms.NamePath) and context.target.is_computed:
        help_ = LIVE_NAME_HELP
    elif context.catalog.live:
        help_ = LIVE_QUERY_HELP if query and not missing_facts.startswith("table ") else LIVE_HELP
    else:
        help_ = _other_engine_help(context.statement.text) or (QUERY_HELP if query else OFFLINE_HELP)
    scope = "only the text was checked" if missing_facts.startswith("table ") else "partly checked"
    return Finding(_target_span(context), f"{scope}: {missing_facts}", help_)


def _fact_message(fact: str, reason: str) -> str:
    """The unknown fact, as a sentence; for a table, the reason is given only if its catalog failed."""
    if fact.startswith("the table "):
        catalog_failure = f" ({reason})" if "did not answer" in reason or reason.startswith("the catalog ") else ""
        return f"{fact.removeprefix('the ')} is unknown{catalog_failure}"
    if fact.startswith("whether "):
        return f"it is unknown {fact} ({reason})"
    return f"{fact} {'are' if fact.endswith('s') else 'is'} unknown ({reason})"


def dialect_note(context: Context) -> Finding:
    """The single note about SQL that is, or may be, another engine's."""
    engine = context.catalog.engine
    if engine is not None:
        return Finding(
            _target_span(context),
            f"not checked: the statements are for {engine.name}",
            "for statements that Spark runs, leave out the comment `-- dialect: ...` or the setting `engine`",
        )
    return Finding(
        _target_span(context),
        "not checked: nothing shows that this is Spark SQL or an Iceberg table",
        _script_help(context.text)
        or "write `USING iceberg` in CREATE TABLE, or name the catalog with `--default-catalog`, "
        "or with `default-catalog` in the configuration",
    )


# What only one engine writes for an Iceberg table.
_MARKS = {
    "trino": regex(
        r"\bpartitioning\s*=\s*ARRAY\s*\[|\bWITH\s*\(\s*(?:format|format_version|sorted_by)\s*=", re.IGNORECASE
    ),
    "athena": regex(r"'table_type'\s*=\s*'iceberg'", re.IGNORECASE),
    "flink": regex(r"'connector'\s*=\s*'iceberg'", re.IGNORECASE),
}


def _other_engine_help(text: str) -> str | None:
    """What to do with DDL that is plainly another engine's; None for any other text."""
    for engine, mark in _MARKS.items():
        if mark.search(text) is not None:
            return (
                f"if it is {engine.capitalize()}'s, say so with `-- dialect: {engine}` in the first line; "
                f"`iceberg-sql translate --from {engine}` writes it for Spark"
            )
    return None


@lru_cache(maxsize=1)  # a script is asked for once for each of its statements
def _script_help(script: str) -> str | None:
    return _other_engine_help(script)


def _target_span(context: Context) -> terms.Offsets:
    table = _table(context)
    if isinstance(table, terms.NamePath):
        return table.span
    return context.node.error_span if isinstance(context.node, nodes.InvalidStatement) else context.node.span


def _table(context: Context) -> object:
    return getattr(context.node, "table", None)
