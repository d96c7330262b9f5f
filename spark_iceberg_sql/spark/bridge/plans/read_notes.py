"""Why the scans of a query read fewer files than its filters need, as the optimizer rules noted it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm.java_records import from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import AnsweredRow

if TYPE_CHECKING:
    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

REFUSING_SCAN = "UnfilteredScan"  # the class of a scan that the rule `require_filter` keeps from reading


def reason(scan: Java) -> str | None:
    """Such as `top 10 by ts`; None if there is none. scan: of an optimized plan."""
    facts = compiler.relation_facts()
    text = None if facts is None else facts.readReason(scan)
    return None if text is None else str(text)


def answered(leaf: Java) -> AnsweredRow | None:
    """The files from whose metadata a leaf of an optimized plan comes; None for any other leaf."""
    facts = compiler.relation_facts()
    row = None if facts is None else facts.answered(leaf)
    return None if row is None else from_json(AnsweredRow, row)


def answer_text(row: AnsweredRow) -> str:
    """That files were answered from metadata, in words."""
    return f"answered from the metadata of {plural(row.files, 'file')}"


def refusal(scan: Java) -> str | None:
    """The text with which the rule `require_filter` refuses a scan that it has replaced; None if it may read."""
    if scan.getClass().getSimpleName() != REFUSING_SCAN:
        return None
    text = scan.refusal()
    return None if text is None else str(text)
