"""The span in a statement that an error of Spark is about."""

from __future__ import annotations

import re

from spark_iceberg_sql.notebook.spark_errors import Said
from spark_iceberg_sql.syntax.lexer import Kind
from spark_iceberg_sql.syntax.script import Statement


def place(words: Said, statement: Statement) -> tuple[int, int]:
    """The span of an error in the cell's SQL; the statement's first word if the error has no position."""
    text = statement.text
    if words.fragment:
        at = words.start if words.start is not None else -1
        # The offset may be that of a rewritten statement: then the fragment's only occurrence is taken.
        if text[at : at + len(words.fragment)] != words.fragment or at < 0:
            at = text.find(words.fragment) if text.count(words.fragment) == 1 else -1
        if at >= 0:
            return statement.start + at, statement.start + at + len(words.fragment)
    if words.row is not None and words.column is not None:
        lines = text.split("\n")
        if words.row <= len(lines):
            at = sum(len(line) + 1 for line in lines[: words.row - 1]) + words.column
            found = (i for i, t in enumerate(statement.tokens) if t.end > statement.start + at)
            first = next(found, len(statement.tokens) - 1)
            last = first if "SYNTAX" in words.condition else _last(statement, first)
            return statement.tokens[first].start, statement.tokens[last].end
    return _named(words, statement) or (statement.tokens[0].start, statement.tokens[0].end)


def _last(statement: Statement, first: int) -> int:
    """The index of the last token of what starts at a token: a parameter, a name, or a call."""
    tokens = statement.tokens
    kinds = [t.kind in (Kind.WORD, Kind.QUOTED) for t in tokens]
    is_parameter = tokens[first].text == ":" and kinds[first + 1 : first + 2] == [True]
    last = first + 1 if is_parameter else first
    while [t.text for t in tokens[last + 1 : last + 2]] == ["."] and any(
        kinds[last + 2 : last + 3]
    ):
        last += 2
    if kinds[last] and [t.text for t in tokens[last + 1 : last + 2]] == ["("]:
        depth = 0
        for i, token in enumerate(tokens[last + 1 :], last + 1):
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            if not depth:
                return i
    return last


def _named(words: Said, statement: Statement) -> tuple[int, int] | None:
    """The span of the name or parameter that an error without a position is about, if it occurs once."""
    kind, given = words.condition.partition(".")[0], words.parameters
    tokens = statement.tokens
    if kind == "UNBOUND_SQL_PARAMETER":
        name = str(given.get("name", ""))
        for mark, after in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
            if mark.text == "?" and not name.isidentifier():
                return mark.start, mark.end
            if mark.text == ":" and after.text == name:
                return mark.start, after.end
    named = str(given.get("relationName") or given.get("schemaName") or "")
    wanted = [part.lower() for part in re.findall(r"`((?:[^`]|``)*)`", named)]
    found = []
    for i in range(len(tokens) if wanted else 0):
        parts = tokens[i : i + 2 * len(wanted) - 1]
        if [t.text.strip("`").lower() for t in parts[::2]] == wanted and all(
            t.text == "." for t in parts[1::2]
        ):
            found.append((parts[0].start, parts[-1].end))
    return found[0] if len(found) == 1 else None
