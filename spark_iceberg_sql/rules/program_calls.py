"""Findings in programs: what several rules share."""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Diagnostic
from spark_iceberg_sql.files.source_map import SqlFragment
from spark_iceberg_sql.records import replace


def with_reader_message(fragment: SqlFragment, diagnostic: Diagnostic) -> Diagnostic:
    """The finding with the message and help of the reader of the program, if it has any for the same position."""
    span = (diagnostic.span.start, diagnostic.span.end)
    for override in fragment.overrides:
        if (override.start, override.end) == span:
            return replace(diagnostic, message=override.message, help=override.help, fix=None)
    return diagnostic
