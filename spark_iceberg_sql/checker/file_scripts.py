"""Joins the SQL fragments of a file into scripts that are checked as one text."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.files.source import Source
from spark_iceberg_sql.files.source_map import Joined, Piece, join
from spark_iceberg_sql.files.templates import captured
from spark_iceberg_sql.syntax.lexer import Kind, tokenize


def scripts_of(source: Source) -> Iterator[Joined]:
    """A file's fragments as one script; a fragment with an unclosed quote or comment is a separate script."""
    closed_fragments = []
    for fragment in source.pieces:
        if len(source.pieces) > 1 and _is_unclosed(fragment):
            yield join([fragment])
        else:
            closed_fragments.append(fragment)
    if closed_fragments:
        yield join(closed_fragments)


def captured_scripts(source: Source) -> Iterator[Joined]:
    """The texts that a file's templates capture for later use, each as its own script, since their order is unknown."""
    for fragment in source.pieces:
        for captured_fragment in captured(fragment):
            yield join([captured_fragment])


def _is_unclosed(fragment: Piece) -> bool:
    return unclosed_start(fragment.sql) is not None


def unclosed_start(sql: str) -> int | None:
    """The start of the quote or comment that a text does not close."""
    tokens = tokenize(sql)
    return tokens[-1].start if tokens and tokens[-1].kind is Kind.UNCLOSED else None
