"""The joins, groups and windows of a query: grouped without a shuffle or not, as the rule `colocate` has decided."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.jvm.java_records import list_from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import ShuffleRow
from spark_iceberg_sql.spark.bridge.plans.spark_issues import issues_of

if TYPE_CHECKING:
    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

_RULE = "colocate"
SMALL = 1 << 20  # bytes that nobody minds to shuffle for a group


def decisions(optimized: Java) -> list[ShuffleRow] | None:
    """Those on each join, group and window, in the order in which they run; None in a session without the rule.

    optimized: a plan after all rules, in a session that is active.
    """
    registry = compiler.rule_registry() if compiler.has_registry() else None
    text = None if registry is None else registry.described(_RULE, optimized)
    return None if text is None else list(map(_with_faults, list_from_json(ShuffleRow, text)))


def notes(optimized: Java) -> list[str]:
    """Why tables are shuffled by the columns of their partition fields, one sentence for each operator."""
    try:
        rows = decisions(optimized) or []
    except JVM_ERRORS:  # what they explain is planned without them
        return []
    return [_note(row) for row in rows if _is_notable(row)]


def statement_text(row: ShuffleRow) -> str | None:
    """The statement with which no shuffle is needed, and what else is to do; None if there is none."""
    if row.statement is None:
        return None
    return row.statement + ("; then rewrite its files" if row.statement.startswith("ALTER") else "")


def _is_notable(row: ShuffleRow) -> bool:
    return row.is_shuffled and row.is_partitioned and (row.operator == "join" or row.bytes >= SMALL)


def _note(row: ShuffleRow) -> str:
    text, statement = f"{' and '.join(row.tables)}: shuffled, since {row.reason}", statement_text(row)
    return text if statement is None else f"{text}; to avoid it: {statement}"


def _with_faults(row: ShuffleRow) -> ShuffleRow:
    """A decision that depends on a setting with what Spark does wrong under it."""
    faults = " and ".join(f"{issue.cost} ({issue.reference})" for issue in issues_of(row.statement))
    return replace(row, reason=f"{row.reason}, with which {faults}") if faults else row
