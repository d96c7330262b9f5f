"""DDL in a template's own strings: `{% set ddl = "ALTER TABLE ..." %}`, hooks, `run_query("...")`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_iceberg_sql.files.ddl import TABLE_DDL
from spark_iceberg_sql.files.python.literals import read_literals
from spark_iceberg_sql.files.source_map import Piece, PieceMaker
from spark_iceberg_sql.lazy import regex

# A string literal of Jinja.
STRING = r"'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\""
STRINGS = regex(STRING, re.DOTALL)
# The rest of the expression if only the beginning of the statement is a literal.
_PARTITION = regex(r"\bpartition", re.IGNORECASE)
# A string that is a message, not SQL.
_MESSAGE = regex(r"\b(?:log|print|warn|raise_\w+|exception)\s*\(\s*$")
_JOINS = regex(rf"\s*[~+]\s*(?:[\w.()\[\]]+\s*[~+]\s*)?(?={STRING})", re.DOTALL)
_ENDS = regex(r"\s*[~+]\s*[\w.()\[\]]+")
_METHOD = regex(r"\s*\.\s*\w")
_FORMATTED = regex(r"\s*(?:(\.\s*format\b)|%\s*[^}]|\|\s*format\b)")


def texts_in(piece: Piece, start: int, end: int) -> Iterator[Piece]:
    """The partition DDL in the string literals of a range of a fragment, one fragment each.

    fragment: the SQL. start, end: a tag of the template in it. An expression that is joined to a literal is a
    placeholder.
    """
    text, at = piece.sql, start
    while (string := STRINGS.search(text, at, end)) is not None:
        at = string.end()
        if not TABLE_DDL.match(string.group()[1:].lstrip()) or _MESSAGE.search(
            text[max(start, string.start() - 40) : string.start()]
        ):
            continue
        maker = PieceMaker(piece.part)
        formatted = _formatted(text, at, end)
        read_literals(text, string.start(), at, maker, formatted=formatted)
        while (joins := _JOINS.match(text, at, end)) is not None:
            between = joins.group().strip(" ~+")
            if between:
                maker.hole(at, joins.end(), between)
            following = STRINGS.match(text, joins.end(), end)
            if following is None:
                break
            at = following.end()
            if _METHOD.match(text, at, end):  # `', '.join(fields)`
                maker.hole(joins.end(), at, following.group())
                break
            read_literals(text, following.start(), at, maker, formatted=formatted)
        rest = _ENDS.match(text, at, end)
        if rest is not None:
            maker.hole(at, rest.end(), rest.group().strip(" ~+"))
            at = rest.end()
        made = maker.piece()
        if _PARTITION.search(made.sql):
            yield Piece(
                made.sql,
                # Offsets of the built fragment are in the template's text; the outer fragment maps them to
                # the file.
                [piece.starts[i] for i in made.starts],
                [piece.ends[i] for i in made.ends],
                made.holes,
                piece.part,
            )


def _formatted(text: str, at: int, end: int) -> str:
    """The format character of the string that ends at an offset, as `read_literals` takes it."""
    found = _FORMATTED.match(text, at, end)
    if found is None:
        return ""
    return "{" if found[1] else "%"
