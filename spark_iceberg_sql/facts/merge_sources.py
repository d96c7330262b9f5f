"""The columns of a MERGE's source, where the statement or the catalog names all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spark_iceberg_sql.model.schema import folded
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, Token

KnownTable = Callable[[Sequence[Token], int], tuple[Table | None, int]]
_NAMES = NAME_KINDS
# Behind a source that is read as it is now, with all of its columns.
_AFTER_TABLE = frozenset({"AS", "ON"})
_AFTER_LIST = frozenset({"FROM", "WHERE", "UNION", "EXCEPT", "INTERSECT", "MINUS", "LIMIT", "ORDER", "GROUP", "HAVING"})


def source_columns(tokens: Sequence[Token], start: int, known_table: KnownTable) -> frozenset[str] | None:
    """The names of the columns, folded; None if they are not certain.

    tokens: of the MERGE. start: the index behind USING. known_table: returns the known table whose name begins at an
    index, and the index behind it.
    """
    if start >= len(tokens):
        return None
    if tokens[start].text == "(":
        return _listed_columns(tokens[start + 1 : closing_index(tokens, start)])
    table, end = known_table(tokens, start)
    if table is None or table.schema is None or end + 1 >= len(tokens):
        return None
    has_alias = tokens[end].kind in _NAMES and tokens[end + 1].word == "ON"
    if tokens[end].word not in _AFTER_TABLE and not has_alias:
        return None
    return frozenset(folded(field.name) for field in table.schema.fields)


def _listed_columns(tokens: Sequence[Token]) -> frozenset[str] | None:
    """The names that the list of a SELECT gives; None if one of them is not written."""
    if not tokens or tokens[0].word != "SELECT":
        return None
    start = 1 + (len(tokens) > 1 and tokens[1].word in ("DISTINCT", "ALL"))
    depth, end = 0, start
    while end < len(tokens) and (depth or tokens[end].word not in _AFTER_LIST):
        depth += (tokens[end].text in "([") - (tokens[end].text in ")]")
        end += 1
    names = [_name(item) for item in between_commas(tokens[start:end])]
    return None if None in names else frozenset(folded(name) for name in names if name is not None)


def _name(item: Sequence[Token]) -> str | None:
    """The name of an item: behind AS, or the last part of a column's; None for any other, and for all columns."""
    if not item or item[-1].kind not in _NAMES:
        return None
    has_alias = len(item) > 2 and item[-2].word == "AS"
    is_column = all(token.kind in _NAMES if i % 2 == 0 else token.text == "." for i, token in enumerate(item))
    return item[-1].text.strip("`") if has_alias or is_column else None
