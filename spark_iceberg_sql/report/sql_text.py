"""SQL as people read it: on several lines where one is too long, and in colours.

Layout changes blanks alone: a statement whose tokens would not stay the same stays as it is. sqlparse is loaded at the
first use: a check starts without it. Where it is not installed, the text stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import groupby
from typing import Any

from spark_iceberg_sql import markup
from spark_iceberg_sql.safe_output import visible_lines, without_commands
from spark_iceberg_sql.syntax.lexer import TRIVIA, tokenize

_WIDTH = 100
_WRAP = 80  # columns of a list in a query, which begins where its clause ends
_LONGEST = 20_000  # characters of a query: sqlparse's time grows faster than its length
_CLAUSES = frozenset({"PARTITIONED", "TBLPROPERTIES", "AS"})
_ANSI = {"k": "1;34", "s": "32", "n": "36", "c": "2"}


def laid_out(statement: str, width: int = _WIDTH) -> str:
    """A generated CREATE TABLE with a column and a clause per line, a CALL with an argument per line.

    width: up to this length, it stays on its line; other statements, and those with comments, always do.
    """
    if len(statement) <= width or not _has_sqlparse():
        return statement
    tokens, types = _tokens(statement)
    if tokens[0][1] not in ("CREATE", "CALL") or any(kind is types.Comment for kind, _ in tokens):
        return statement
    return "".join(_broken(tokens, types))


def _broken(tokens: Sequence[tuple[Any, str]], types: Any) -> Iterator[str]:
    """The texts of tokens, line ends around the first list in brackets, after its commas and before clauses."""
    depth, before, blank = 0, "", ""
    is_open: bool | None = None  # the list; None before it
    for kind, text in tokens:
        if kind is types.Whitespace:
            blank = text
            continue
        depth -= text in (")", ">")
        clause = kind in types.Keyword and text in _CLAUSES and before != "."
        if depth == 0 and (clause or (is_open and text == ")")):
            blank, is_open = "\n", False
        elif depth == 1 and is_open and before in ("(", ","):
            blank = "\n  "
        yield blank + text
        if depth == 0 and text == "(" and is_open is None:
            is_open = True
        depth += text in ("(", "<")
        before, blank = text, ""


def in_a_line(query: str) -> str:
    """A query without its comments, a blank where there are any between tokens."""
    groups = groupby(tokenize(query), key=lambda token: token.kind in TRIVIA)
    return " ".join("".join(t.text for t in tokens) for trivia, tokens in groups if not trivia)


def query_lines(query: str) -> list[str]:
    """A query in a line or, where it is long, as sqlparse lays it out."""
    line = in_a_line(query)
    if not _WIDTH < len(line) <= _LONGEST or not _has_sqlparse() or any("\n" in text for text in _significant(line)):
        return [line]
    import sqlparse

    try:
        text = sqlparse.format(line, reindent=True, wrap_after=_WRAP)
    except (sqlparse.exceptions.SQLParseError, RecursionError):
        return [line]
    lines = [part.rstrip(" ") for part in text.split("\n") if part.strip(" ")]
    return lines if _significant("\n".join(lines)) == _significant(line) else [line]


def _significant(text: str) -> list[str]:
    return [token.text for token in tokenize(text) if token.kind not in TRIVIA]


def painted(text: str) -> str:
    """SQL in the colours of a terminal, without other control characters than line ends."""
    return "".join(
        f"\x1b[{_ANSI[name]}m{part}\x1b[0m" if name else part
        for name, part in _classes(without_commands(visible_lines(text)))
    )


def html(text: str) -> str:
    """SQL as HTML, whose colours `markup.box` has."""
    return "".join(
        f'<span class="sql-{name}">{markup.html_lines(part)}</span>' if name else markup.html_lines(part)
        for name, part in _classes(text)
    )


def _classes(text: str) -> Iterator[tuple[str, str]]:
    """The tokens of a text, each after its class: k, s, n, c, or empty."""
    if not _has_sqlparse():
        yield "", text
        return
    tokens, types = _tokens(text)
    classes = {"k": types.Keyword, "s": types.String, "n": types.Number, "c": types.Comment}
    for kind, part in tokens:
        yield next((name for name, group in classes.items() if kind in group), ""), part


@cache
def _has_sqlparse() -> bool:
    return find_spec("sqlparse") is not None


def _tokens(text: str) -> tuple[list[tuple[Any, str]], Any]:
    """The tokens of a text, and sqlparse's types."""
    from sqlparse import tokens as types

    from spark_iceberg_sql.syntax.sqlparse_lexer import SparkLexer

    return list(SparkLexer().get_tokens(text)), types
