"""Joins the SQL fragments of a file into scripts that are checked as one text."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.files.source import Source
from spark_iceberg_sql.files.source_map import Joined, Piece, join
from spark_iceberg_sql.files.templates import captured
from spark_iceberg_sql.syntax.lexer import Kind, tokenize


def scripts_of(found: Source) -> Iterator[Joined]:
    """A file's fragments as one script; a fragment with an unclosed quote or comment is a separate script."""
    together = []
    for piece in found.pieces:
        if len(found.pieces) > 1 and _is_open(piece):
            yield join([piece])
        else:
            together.append(piece)
    if together:
        yield join(together)


def kept_by(found: Source) -> Iterator[Joined]:
    """The texts that a file's templates capture for later use, each as its own script, since their order is unknown."""
    for piece in found.pieces:
        for inner in captured(piece):
            yield join([inner])


def _is_open(piece: Piece) -> bool:
    return opened_at(piece.sql) is not None


def opened_at(sql: str) -> int | None:
    """The start of the quote or comment that a text does not close."""
    tokens = tokenize(sql)
    return tokens[-1].start if tokens and tokens[-1].kind is Kind.UNCLOSED else None
