"""Columns beside aggregates in a SELECT without GROUP BY, which Spark refuses.

Read are the SELECTs outside all brackets: those in a subquery may refer to the outer query's columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.function_calls import AGGREGATES
from spark_iceberg_sql.facts.query_types import BARE_FUNCTIONS
from spark_iceberg_sql.facts.query_values import top_level_tokens
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.schema import folded
from spark_iceberg_sql.model.table import RelationKind, Table
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.terms import Offsets

# Functions of a row whose arguments are columns and literals.
_ROW_FUNCTIONS = frozenset({
    "DATE", "DATE_FORMAT", "DATE_TRUNC", "DAY", "DAYOFWEEK", "HOUR", "LOWER", "MINUTE", "MONTH", "QUARTER", "SUBSTR",
    "SUBSTRING", "TO_DATE", "TRIM", "TRUNC", "UPPER", "WEEKOFYEAR", "YEAR",
})  # fmt: skip
# Words that are read as functions or literals where no column has the name.
_NO_COLUMNS = BARE_FUNCTIONS | {
    "CURRENT_CATALOG", "CURRENT_DATABASE", "CURRENT_SCHEMA", "CURRENT_TIME", "FALSE", "GROUPING__ID", "LOCALTIMESTAMP",
    "NULL", "SESSION_USER", "TRUE", "USER",
}  # fmt: skip
_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "MINUS", "INTERSECT", "|>"})
# GROUP BY stands before these.
_LATER_CLAUSES = frozenset({"HAVING", "WINDOW", "QUALIFY", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET"})
_UNSUPPORTED = frozenset({"GROUP", "LATERAL", "PIVOT", "UNPIVOT", "TRANSFORM", "/*+"})
# These may make a name a variable, and a known function another one.
_REDEFINITION = regex(r"\b(?:declare|function|variable)\b", re.IGNORECASE)
_NAMES = NAME_KINDS


@record(frozen=True, slots=True)
class UngroupedColumn:
    """A column beside an aggregate. text: its name as written. span: of the name. group_offset: where GROUP BY belongs.

    is_certain: whether it is a column for certain, and no variable of the session.
    """

    text: str
    span: Offsets
    group_offset: int
    is_certain: bool


def ungrouped_columns(context: Context) -> Iterator[UngroupedColumn]:
    """The first such column of every SELECT of a statement."""
    tokens = context.statement.tokens
    starts = [i for i, _, word in top_level_tokens(tokens) if word == "SELECT"]
    for start in starts:
        following = [(i + start, word) for i, _, word in top_level_tokens(tokens[start:])]
        end = next((i for i, word in following[1:] if word in _SET_OPERATORS or word == "SELECT"), len(tokens))
        column = _ungrouped(context, tokens[start:end])
        if column is not None and _REDEFINITION.search(context.text) is None:
            yield column


def _ungrouped(context: Context, tokens: Sequence[Token]) -> UngroupedColumn | None:
    """The first such column of one SELECT, without set operators."""
    top = top_level_tokens(tokens)
    words = [word for _, _, word in top]
    from_index = next((i for i, _, word in top if word == "FROM"), None)
    if from_index is None or not _UNSUPPORTED.isdisjoint(words):
        return None
    first = 2 if words[1:2] in (["ALL"], ["DISTINCT"]) else 1
    items = between_commas(tokens[first:from_index])
    if not any(map(_is_aggregate, items)):
        return None
    group_index = next((i for i, _, word in top if word in _LATER_CLAUSES and i > from_index), len(tokens))
    aliases: set[str] = set()
    for item in items:
        column = _column(item)
        if column and folded(column[0].text.strip("`")) not in aliases:
            text = "".join(token.text for token in column)
            is_certain = _is_column(context, tokens[from_index + 1 :], column)
            return UngroupedColumn(text, (column[0].start, column[-1].end), tokens[group_index - 1].end, is_certain)
        if len(item) > 1 and item[-1].kind in _NAMES:
            aliases.add(folded(item[-1].text.strip("`")))
    return None


def _is_aggregate(item: Sequence[Token]) -> bool:
    """True if an item of SELECT is an aggregate, with or without a name."""
    if len(item) < 3 or item[0].word not in AGGREGATES or item[1].text != "(":
        return False
    end = closing_index(item, 1)
    return _is_alias(item[end + 1 :])


def _is_alias(tokens: Sequence[Token]) -> bool:
    """True if what follows an expression is nothing or a name for it."""
    tokens = tokens[1:] if tokens and tokens[0].word == "AS" else tokens
    return not tokens or (len(tokens) == 1 and tokens[0].kind in _NAMES)


def _column(item: Sequence[Token]) -> Sequence[Token] | None:
    """The name of the column that an item of SELECT is, or that is an argument of a function of a row; else None."""
    if not item:
        return None
    if len(item) > 2 and item[0].word in _ROW_FUNCTIONS and item[1].text == "(":
        end = closing_index(item, 1)
        arguments = between_commas(item[2:end])
        columns = [argument for argument in arguments if _is_path(argument)]
        are_plain = all(_is_path(argument) or _is_literal(argument) for argument in arguments)
        return columns[0] if columns and are_plain and _is_alias(item[end + 1 :]) else None
    end = 1
    while end + 1 < len(item) and item[end].text == ".":
        end += 2
    return item[:end] if _is_path(item[:end]) and _is_alias(item[end:]) else None


def _is_path(tokens: Sequence[Token]) -> bool:
    is_name = len(tokens) % 2 == 1 and all(token.kind in _NAMES for token in tokens[::2])
    return is_name and all(token.text == "." for token in tokens[1::2]) and tokens[0].word not in _NO_COLUMNS


def _is_literal(tokens: Sequence[Token]) -> bool:
    return len(tokens) == 1 and (tokens[0].kind in STRINGS or tokens[0].kind is TokenKind.NUMBER)


def _is_column(context: Context, relation: Sequence[Token], column: Sequence[Token]) -> bool:
    """True if a name is a column for certain: of a table that is known, or with the name or alias of the only relation.

    relation: the tokens after FROM.
    """
    end = 1
    while end + 1 < len(relation) and relation[end].text == ".":
        end += 2
    if not _is_path(relation[:end]):
        return False
    has_as = end < len(relation) and relation[end].word == "AS"
    alias = relation[end + has_as : end + has_as + 1]
    names = {folded(token.text.strip("`")) for token in (relation[end - 1], *alias) if token.kind in _NAMES}
    if len(column) == 3 and folded(column[0].text.strip("`")) in names:
        return True
    table = context.catalog.get(tuple(token.text.strip("`") for token in relation[:end:2]))
    if not isinstance(table, Table) or table.kind is not RelationKind.ICEBERG or table.schema is None:
        return False
    return len(column) == 1 and bool(table.schema.find_all((column[0].text.strip("`"),)))
