"""Findings in programs, as several rules word them."""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Diagnostic
from spark_iceberg_sql.files.source_map import SqlFragment
from spark_iceberg_sql.records import replace


def in_words_of_reader(piece: SqlFragment, diagnostic: Diagnostic) -> Diagnostic:
    """The finding with the message and help of the reader of the program, if it has any for the same position."""
    span = (diagnostic.span.start, diagnostic.span.end)
    for said in piece.overrides:
        if (said.start, said.end) == span:
            return replace(diagnostic, message=said.message, help=said.help, fix=None)
    return diagnostic
