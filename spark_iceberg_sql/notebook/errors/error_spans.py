"""The span in a statement that an error of Spark is about."""

from __future__ import annotations

import re

from spark_iceberg_sql.notebook.errors.spark_errors import ParsedError
from spark_iceberg_sql.syntax.brackets import closing_index
from spark_iceberg_sql.syntax.lexer import NAME_KINDS
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.spark_mistakes.procedures import argument_token

UNKNOWN_SNAPSHOT = re.compile(r"Cannot find snapshot with ID (\d+)")


def error_span(parsed_error: ParsedError, statement: Statement) -> tuple[int, int]:
    """The span of an error in the cell's SQL; the statement's first word if the error has no position."""
    text = statement.text
    if parsed_error.fragment:
        offset = parsed_error.start if parsed_error.start is not None else -1
        # The offset may be that of a rewritten statement: then the fragment's only occurrence is taken.
        if text[offset : offset + len(parsed_error.fragment)] != parsed_error.fragment or offset < 0:
            offset = text.find(parsed_error.fragment) if text.count(parsed_error.fragment) == 1 else -1
        if offset >= 0:
            return statement.start + offset, statement.start + offset + len(parsed_error.fragment)
    if parsed_error.row is not None and parsed_error.column is not None:
        lines = text.split("\n")
        if parsed_error.row <= len(lines):
            offset = sum(len(line) + 1 for line in lines[: parsed_error.row - 1]) + parsed_error.column
            indexes = (i for i, t in enumerate(statement.tokens) if t.end > statement.start + offset)
            first = next(indexes, len(statement.tokens) - 1)
            last = first if "SYNTAX" in parsed_error.condition else _last_index(statement, first)
            return statement.tokens[first].start, statement.tokens[last].end
    return _name_span(parsed_error, statement) or (statement.tokens[0].start, statement.tokens[0].end)


def _last_index(statement: Statement, first: int) -> int:
    """The index of the last token of what starts at a token: a parameter, a name, or a call."""
    tokens = statement.tokens
    are_names = [t.kind in NAME_KINDS for t in tokens]
    is_parameter = tokens[first].text == ":" and are_names[first + 1 : first + 2] == [True]
    last = first + 1 if is_parameter else first
    while [t.text for t in tokens[last + 1 : last + 2]] == ["."] and any(are_names[last + 2 : last + 3]):
        last += 2
    if are_names[last] and [t.text for t in tokens[last + 1 : last + 2]] == ["("]:
        closing = closing_index(tokens, last + 1)
        return closing if closing < len(tokens) else last
    return last


def _name_span(parsed_error: ParsedError, statement: Statement) -> tuple[int, int] | None:
    """The span of the name or parameter that an error without a position is about, if it occurs once."""
    condition_name, parameters = parsed_error.condition.partition(".")[0], parsed_error.parameters
    tokens = statement.tokens
    if condition_name == "UNBOUND_SQL_PARAMETER":
        name = str(parameters.get("name", ""))
        for marker, following in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
            if marker.text == "?" and not name.isidentifier():
                return marker.start, marker.end
            if marker.text == ":" and following.text == name:
                return marker.start, following.end
    if snapshot_match := UNKNOWN_SNAPSHOT.search(parsed_error.sentence):
        numbers = [token for token in tokens if token.text.strip("'") == snapshot_match[1]]
        return (numbers[0].start, numbers[0].end) if len(numbers) == 1 else None
    if (argument := argument_token(parameters, tokens)) is not None:
        return argument.start, argument.end
    name_text = str(parameters.get("relationName") or parameters.get("schemaName") or "")
    name_parts = [part.lower() for part in re.findall(r"`((?:[^`]|``)*)`", name_text)]
    spans = []
    for i in range(len(tokens) if name_parts else 0):
        parts = tokens[i : i + 2 * len(name_parts) - 1]
        if [t.text.strip("`").lower() for t in parts[::2]] == name_parts and all(t.text == "." for t in parts[1::2]):
            spans.append((parts[0].start, parts[-1].end))
    return spans[0] if len(spans) == 1 else None
