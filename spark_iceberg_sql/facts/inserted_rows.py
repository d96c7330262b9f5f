"""The first row of INSERT ... VALUES, and the columns that it needs values for."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.table import RelationKind, Table
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.terms import Offsets

_TOKENS = 2000  # of a statement that are read; a longer first row is not counted
_ANY_SCHEMA = "write.spark.accept-any-schema"
_LITERALS = (*STRINGS, TokenKind.NUMBER)


@record(frozen=True, slots=True)
class InsertedRow:
    """The first row of VALUES. span: its offsets, brackets included. value_count: how many values it has.

    columns: for which it needs values, in order. has_list: whether the statement lists them.
    required: those that cannot be NULL.
    """

    span: Offsets
    value_count: int
    columns: tuple[str, ...]
    has_list: bool
    required: frozenset[str]


def inserted_row(context: Context) -> InsertedRow | None:
    """The first row of an INSERT into a table whose columns are known; None if it cannot be counted for certain."""
    table = context.table
    if not isinstance(table, Table) or table.kind is not RelationKind.ICEBERG or table.schema is None:
        return None
    is_known = table.is_certain and not table.is_partial and not table.is_intended
    if not is_known or table.properties.get(_ANY_SCHEMA, "false").lower() != "false":
        return None
    tokens = context.statement.opening(_TOKENS)
    index = next((i + 1 for i, token in enumerate(tokens) if token.end == context.target.span[1]), len(tokens))
    names = tuple(field.name for field in table.schema.fields)
    listed = _column_list(tokens, index)
    if listed is not None:
        index, names = listed
    start = index + 1
    if [token.text.upper() for token in tokens[index : start + 1]] != ["VALUES", "("]:
        return None
    end = closing_index(tokens, start)
    values = between_commas(tokens[start + 1 : end])
    if end == len(tokens) or not _is_countable(values):
        return None
    required = frozenset(field.name for field in table.schema.fields if field.required)
    return InsertedRow((tokens[start].start, tokens[end].end), len(values), names, listed is not None, required)


def _column_list(tokens: Sequence[Token], index: int) -> tuple[int, tuple[str, ...]] | None:
    """The index after a list of columns, and their names as written; None if there is no list."""
    if [token.text for token in tokens[index : index + 1]] != ["("]:
        return None
    end = closing_index(tokens, index)
    groups = between_commas(tokens[index + 1 : end])
    return end + 1, tuple("".join(token.text.strip("`") for token in group) for group in groups)


def _is_countable(values: Sequence[Sequence[Token]]) -> bool:
    """True if every value is one column: none is empty or has a template, and a single one is no struct in brackets."""
    unsure = (TokenKind.STRAY, TokenKind.UNCLOSED)
    if any(not value or any(token.kind in unsure for token in value) for value in values):
        return False
    return len(values) > 1 or (len(values[0]) == 1 and values[0][0].kind in _LITERALS)
