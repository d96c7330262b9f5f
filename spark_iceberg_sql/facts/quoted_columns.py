"""Texts in double quotes where a query of one known table means the column of that name.

In: a statement. Out: the texts, with the column and the kind of place. Spark reads `"date"` as a text, as it reads
'date'; only places are reported at which a constant has no use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.schema import Column, Schema
from spark_iceberg_sql.model.table import RelationKind as TableKind
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.brackets import closing_index
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError

COMPARISON, SELECTED, ORDERED, ARGUMENT = "comparison", "selected", "ordered", "argument"
_NAME = regex(r'"([^"\\]+)"')
# A setting that makes a double-quoted word a name.
_NAMES_SETTING = regex(r"doubleQuotedIdentifiers", re.IGNORECASE)
# Anything that makes a statement more than a query of one table.
_UNSUPPORTED = frozenset({
    "SELECT", "WITH", "JOIN", "LATERAL", "PIVOT", "UNPIVOT", "VALUES", "UNION", "EXCEPT", "MINUS", "INTERSECT", "|>",
})  # fmt: skip
_BEFORE_CONDITION = frozenset({"WHERE", "AND", "OR", "NOT", "HAVING"})
_LITERAL_OPERATORS = frozenset({"=", "==", "<=>", "<>", "!=", "<", ">", "<=", ">=", "LIKE", "BETWEEN"})
_CLAUSES = frozenset({"GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW"})
_LIST_KEYWORDS = frozenset({"SELECT", "BY", "FROM", "SET"})
_MAX_BRACKETS = 30  # around a condition
_AFTER_CONDITION = _CLAUSES | {"AND", "OR", ")", ";", ""}
_AFTER_KEY = _CLAUSES | {",", "ASC", "DESC", "NULLS", ")", ";", ""}
# Functions of one argument, of which a constant has no use: aggregates, and parts of a time.
_FUNCTIONS = frozenset({
    "AVG", "COUNT", "MAX", "MEAN", "MEDIAN", "MIN", "STDDEV", "SUM", "VARIANCE", "APPROX_COUNT_DISTINCT",
    "DATE", "DAY", "HOUR", "MINUTE", "MONTH", "QUARTER", "SECOND", "TO_DATE", "TO_TIMESTAMP", "YEAR",
})  # fmt: skip


@record(frozen=True, slots=True)
class QuotedColumn:
    """A string meant as a column. token: the string. column: of the statement's table. place: a constant above."""

    token: Token
    column: Column
    place: str


def quoted_columns(context: Context) -> Iterator[QuotedColumn]:
    """The strings in double quotes that are meant as columns, in the order of the statement."""
    statement = context.statement
    # The program around a statement may have set that these are names.
    if statement.first not in ("SELECT", "DELETE", "UPDATE") or '"' not in statement.text or context.catalog.shared:
        return
    tokens = statement.tokens
    words = [token.word for token in tokens]
    schema = _schema(context, tokens, words) if _NAMES_SETTING.search(context.text) is None else None
    if schema is None:
        return
    lists = _Lists(tokens, words)
    for index, token in enumerate(tokens):
        name = _NAME.fullmatch(token.text) if token.kind is TokenKind.DOUBLE else None
        columns = schema.find_all((name[1],)) if name is not None else ()
        place = _place(tokens, words, index, lists) if len(columns) == 1 else None
        if place is not None:
            yield QuotedColumn(token, columns[0], place)


def _schema(context: Context, tokens: Sequence[Token], words: Sequence[str]) -> Schema | None:
    """The columns of the only table of a statement, if it is an Iceberg table whose columns are known."""
    keyword = "UPDATE" if words[0] == "UPDATE" else "FROM"
    if not _UNSUPPORTED.isdisjoint(words[1:]) or words.count(keyword) != 1:
        return None
    first = words.index(keyword) + 1
    cursor = Cursor(context.text, list(tokens[first:]), tokens[-1].end)
    try:
        parts = cursor.path("a table's name").parts
    except ParseError:
        return None
    end = first + 2 * len(parts) - 1  # of `a.b.c`
    table = context.catalog.get(parts)
    if words[end : end + 1] in ([","], ["("]) or not isinstance(table, Table):
        return None
    is_known = table.kind is TableKind.ICEBERG and table.is_certain and not table.is_partial
    return table.schema if is_known else None


class _Lists:
    """The lists of a statement. keywords: for each token the keyword of the list that it is in, `SELECT` or `BY`, else
    empty. names: those of the columns in the SELECT list, in lower case.
    """

    def __init__(self, tokens: Sequence[Token], words: Sequence[str]) -> None:
        self.keywords: list[str] = []
        self.names: set[str] = set()
        open_keywords = [""]
        for token, word in zip(tokens, words, strict=True):
            if word in _LIST_KEYWORDS or word in _CLAUSES or word == "WHERE":
                open_keywords[-1] = word if word in _LIST_KEYWORDS else ""
            self.keywords.append(open_keywords[-1])
            if open_keywords[0] == "SELECT" and token.kind is not TokenKind.DOUBLE:
                self.names.add(token.text.strip("`").lower())
            if word == "(":
                open_keywords.append("")
            elif word == ")" and len(open_keywords) > 1:
                open_keywords.pop()


def _place(tokens: Sequence[Token], words: Sequence[str], index: int, lists: _Lists) -> str | None:
    """The kind of place of a token; None if a string may be meant there."""
    before = words[index - 1]
    after = words[index + 1] if index + 1 < len(words) else ""
    if any(tokens[i].kind in STRINGS for i in (index - 1, index + 1) if i < len(tokens)):
        return None  # adjacent literals are one text
    if _follows_condition_start(words, index) and _is_constant_condition(tokens, words, index + 1):
        return COMPARISON
    if after == ")" and before == "(" and words[index - 2] in _FUNCTIONS:
        return ARGUMENT
    if before in ("BY", ",") and lists.keywords[index] == "BY":
        return ORDERED if after in _AFTER_KEY else None
    if before in ("SELECT", "DISTINCT", ",") and lists.keywords[index] == "SELECT":
        # Beside the column itself, the text may be its label.
        is_label = tokens[index].text.strip('"').lower() in lists.names
        return SELECTED if after in (",", "FROM", "AS") and not is_label else None
    return None


def _follows_condition_start(words: Sequence[str], index: int) -> bool:
    """True if a condition of WHERE or HAVING begins at a token."""
    start = index - 1
    while words[start] == "(" and start > index - _MAX_BRACKETS:
        start -= 1
    return words[start] in _BEFORE_CONDITION


def _is_constant_condition(tokens: Sequence[Token], words: Sequence[str], index: int) -> bool:
    """True if what follows the left side of a condition compares it with literals only."""
    following = list(words[index : index + 8])
    if following[:1] == ["NOT"]:
        index, following = index + 1, following[1:]
    operator = following[0] if following else ""
    if operator == "IS":
        end = index + (3 if following[1:2] == ["NOT"] else 2)
        return words[end - 1] == "NULL" and _ends(words, end)
    if operator == "IN" and following[1:2] == ["("]:
        end = closing_index(tokens, index + 1)
        values = [token for token in tokens[index + 2 : end] if token.text != ","]
        return end < len(tokens) and all(map(_is_literal, values)) and _ends(words, end + 1)
    value_end = _literal_end(tokens, index + 1) if operator in _LITERAL_OPERATORS else None
    if operator == "BETWEEN" and value_end is not None:
        value_end = _literal_end(tokens, value_end + 1) if words[value_end : value_end + 1] == ["AND"] else None
    return value_end is not None and _ends(words, value_end)


def _literal_end(tokens: Sequence[Token], index: int) -> int | None:
    """The index after a literal such as `5`, `'a'` or `DATE '2024-01-01'`; None if there is none."""
    if index < len(tokens) and tokens[index].word in ("DATE", "TIMESTAMP"):
        index += 1
    return index + 1 if index < len(tokens) and _is_literal(tokens[index]) else None


def _is_literal(token: Token) -> bool:
    return token.kind in STRINGS or token.kind is TokenKind.NUMBER


def _ends(words: Sequence[str], index: int) -> bool:
    """True if a condition ends before a token."""
    return index >= len(words) or words[index] in _AFTER_CONDITION
