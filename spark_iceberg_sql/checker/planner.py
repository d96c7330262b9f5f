"""Change plans of the statements of a text, each from the catalog state after the earlier ones."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.checker.engine import check_and_apply
from spark_iceberg_sql.checker.plan import Plan
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.facts.target_context import FIELD_STATEMENTS
from spark_iceberg_sql.model.spec import Specs
from spark_iceberg_sql.model.table import Name, RelationKind, Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.report import credentials, edited_reports
from spark_iceberg_sql.rules.message_format import without_nested_backticks
from spark_iceberg_sql.syntax import grammar, nodes, parser, terms
from spark_iceberg_sql.syntax.script import statements


def plan(catalog: Tables, text: str) -> Plan:
    """The effect of one statement on the partition specs of a known table.

    Raises IcebergSqlError for text that is not exactly one statement that could change a partitioning.
    """
    all_plans = plans(catalog, text)
    if len(all_plans) != 1:
        raise IcebergSqlError(
            f"a plan needs exactly one statement that changes a partitioning, not {len(all_plans)}",
            help="write ALTER TABLE ... ADD, REPLACE or DROP PARTITION FIELD, or CREATE OR REPLACE TABLE",
        )
    return all_plans[0]


def plans(catalog: Tables, text: str) -> tuple[Plan, ...]:
    """The plans of all statements of a script that could change a partitioning, each based on the one before."""
    followed = grammar.follow(catalog.spark)
    try:
        return tuple(_plans(catalog.copy(), text))
    finally:
        grammar.end(followed)


def _plans(catalog: Tables, text: str) -> Iterator[Plan]:
    for statement in statements(text):
        node, statement_text = parser.parse(statement), statement.text
        if isinstance(node, _PLANNED_NODES) and node.table is not None:
            name, old_specs = _target_specs(catalog, node, node.table)
            report = check_and_apply(statement_text, catalog, before_execution=True)
            new_specs = _target_specs(catalog, node, node.table)[1] if report.ok else None
            reason = _unplanned_reason(catalog, node.table) if report.ok and new_specs is None else None
            report = edited_reports.without_secrets(report)
            is_emptied = isinstance(node, nodes.Create) and node.replace and None not in (old_specs, new_specs)
            yield Plan(
                credentials.masked(statement_text),
                name,
                old_specs,
                new_specs,
                report,
                why_no_files=_NO_FILES_LEFT if is_emptied else None,
                unplanned=reason,
            )
        else:
            check_and_apply(statement_text, catalog, before_execution=True)


_NO_FILES_LEFT = "the statement replaces the table and keeps none of its files"
_PLANNED_NODES = (
    nodes.Create,
    nodes.AddField,
    nodes.DropField,
    nodes.ReplaceField,
    nodes.SetProperties,
    nodes.InvalidStatement,
)


def _unplanned_reason(catalog: Tables, table: terms.NamePath) -> str:
    """The reason why the effect of an accepted statement on a table's partitioning cannot be predicted."""
    entry = catalog.get(table.parts)
    if not isinstance(entry, Table):
        return f"the table is unknown: {catalog.why_unknown(table.parts)}"
    if entry.kind is not RelationKind.ICEBERG:
        return without_nested_backticks(f"`{table.text}` is {entry.kind.value}")
    reason = entry.why_unknown or catalog.why_unknown(table.parts)
    return without_nested_backticks(f"the partitioning of `{table.text}` is unknown: {reason}")


def _target_specs(catalog: Tables, node: nodes.Node, table: terms.NamePath) -> tuple[Name, Specs | None]:
    """The full name of the table that a statement is about, and its specs."""
    entry = catalog.partitioned(table.parts) if isinstance(node, FIELD_STATEMENTS) else catalog.get(table.parts)
    if isinstance(entry, Table):
        return entry.name, None if entry.is_intended else entry.specs
    return catalog.full_name(table.parts), None
