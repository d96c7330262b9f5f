"""Change plans of the statements of a text, each from the catalog state after the earlier ones."""

from __future__ import annotations

from spark_iceberg_sql.checker.engine import follow
from spark_iceberg_sql.checker.plan import Plan
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.facts.target import FIELD_STATEMENTS
from spark_iceberg_sql.model.spec import Specs
from spark_iceberg_sql.model.table import Kind, Name, Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.report import shown
from spark_iceberg_sql.rules.words import once_quoted
from spark_iceberg_sql.syntax import nodes, parser, terms
from spark_iceberg_sql.syntax.script import statements


def plan(known: Tables, text: str) -> Plan:
    """The effect of one statement on the partition specs of a known table.

    Raises IcebergSqlError for text that is not exactly one statement that could change a partitioning.
    """
    found = plans(known, text)
    if len(found) != 1:
        raise IcebergSqlError(
            f"a plan needs exactly one statement that changes a partitioning, not {len(found)}",
            help="write ALTER TABLE ... ADD, REPLACE or DROP PARTITION FIELD, or CREATE OR REPLACE TABLE",
        )
    return found[0]


def plans(known: Tables, text: str) -> tuple[Plan, ...]:
    """The plans of all statements of a script that could change a partitioning, each based on the one before."""
    known = known.copy()
    out = []
    for statement in statements(text):
        node, words = parser.read(statement), statement.text
        if isinstance(node, _PLANNED) and node.table is not None:
            name, before = _target(known, node, node.table)
            report = follow(words, known, binding=True)
            after = _target(known, node, node.table)[1] if report.ok else None
            why = _why_not(known, node.table) if report.ok and after is None else None
            report = shown.without_secrets(report)
            emptied = (
                isinstance(node, nodes.Create) and node.replace and None not in (before, after)
            )
            out.append(
                Plan(
                    shown.masked(words),
                    name,
                    before,
                    after,
                    report,
                    why_no_files=_EMPTIED if emptied else None,
                    unplanned=why,
                )
            )
        else:
            follow(words, known, binding=True)
    return tuple(out)


_EMPTIED = "the statement replaces the table and keeps none of its files"
_PLANNED = (
    nodes.Create,
    nodes.AddField,
    nodes.DropField,
    nodes.ReplaceField,
    nodes.SetProperties,
    nodes.Unreadable,
)


def _why_not(known: Tables, table: terms.Ref) -> str:
    """The reason why the effect of an accepted statement on a table's partitioning cannot be predicted."""
    found = known.get(table.parts)
    if not isinstance(found, Table):
        return f"the table is unknown: {known.why_unknown(table.parts)}"
    if found.kind is not Kind.ICEBERG:
        return once_quoted(f"`{table.text}` is {found.kind.value}")
    why = found.why_unknown or known.why_unknown(table.parts)
    return once_quoted(f"the partitioning of `{table.text}` is unknown: {why}")


def _target(known: Tables, node: nodes.Node, table: terms.Ref) -> tuple[Name, Specs | None]:
    """The full name of the table that a statement is about, and its specs."""
    parts = table.parts
    found = known.partitioned(parts) if isinstance(node, FIELD_STATEMENTS) else known.get(parts)
    if isinstance(found, Table):
        return found.name, None if found.meant else found.specs
    return known.full_name(parts), None
