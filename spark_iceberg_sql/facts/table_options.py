"""The options that a query gives a table, `FROM t WITH ('split-size' = '1')`, where the table is Iceberg's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.table import RelationKind, Table
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS, Token
from spark_iceberg_sql.syntax.terms import Property

_NAMES = NAME_KINDS


def read_options(context: Context) -> Iterator[Property]:
    """The options with values in quotes of the known Iceberg tables that a query reads."""
    tokens = context.statement.tokens
    for index in range(2, len(tokens) - 1):
        if (
            tokens[index].word != "WITH"
            or tokens[index + 1].text != "("
            or not _follows_iceberg(context, tokens, index)
        ):
            continue
        for pair in between_commas(tokens[index + 2 : closing_index(tokens, index + 1)]):
            if len(pair) == 3 and pair[1].text == "=" and pair[0].kind in STRINGS and pair[2].kind in STRINGS:
                key, value = pair[0].text[1:-1], pair[2].text[1:-1]
                yield Property(key, value, pair[0].span, pair[2].span)


def _follows_iceberg(context: Context, tokens: Sequence[Token], index: int) -> bool:
    start = index - 1
    while start > 1 and tokens[start - 1].text == ".":
        start -= 2
    path = tokens[start:index:2]
    if tokens[start - 1].word not in ("FROM", "JOIN", ",", "TABLE") or any(token.kind not in _NAMES for token in path):
        return False
    table = context.catalog.get(tuple(token.text.strip("`") for token in path))
    return isinstance(table, Table) and table.kind is RelationKind.ICEBERG and table.is_certain
