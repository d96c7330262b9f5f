"""Joins the SQL fragments of a file into scripts that are checked as one text."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.files.source import SourceFile
from spark_iceberg_sql.files.source_map import JoinedScript, join_fragments
from spark_iceberg_sql.files.templates import stored_fragments
from spark_iceberg_sql.syntax.lexer import TokenKind, tokenize


def scripts_of(source: SourceFile) -> Iterator[JoinedScript]:
    """A file's fragments as one script; a fragment with an unclosed quote or comment is a separate script."""
    closed_fragments = []
    for fragment in source.fragments:
        if len(source.fragments) > 1 and unclosed_start(fragment.sql) is not None:
            yield join_fragments([fragment])
        else:
            closed_fragments.append(fragment)
    if closed_fragments:
        yield join_fragments(closed_fragments)


def captured_scripts(source: SourceFile) -> Iterator[JoinedScript]:
    """The texts that a file's templates capture for later use, each as its own script, since their order is unknown."""
    for fragment in source.fragments:
        yield from (join_fragments([captured_fragment]) for captured_fragment in stored_fragments(fragment))


def unclosed_start(sql: str) -> int | None:
    """The start of the quote or comment that a text does not close."""
    tokens = tokenize(sql)
    return tokens[-1].start if tokens and tokens[-1].kind is TokenKind.UNCLOSED else None
