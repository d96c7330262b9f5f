"""The query of a CREATE TABLE ... AS SELECT of another engine, as Spark takes it: names in quotes, types in casts."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.syntax.identifiers import backticked
from spark_iceberg_sql.syntax.lexer import Token, TokenKind
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.translation.definitions import lose, unsupported


def query_start(tokens: Sequence[Token]) -> int:
    """The index of the AS before a query among the clauses of a CREATE TABLE; the number of tokens without one."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.text in "([") - (token.text in ")]")
        if depth == 0 and token.word == "AS":
            return index
    return len(tokens)


def spark_query(script: str, tokens: Sequence[Token], engine: str) -> str:
    """The text of a query for Spark. tokens: of the query, after AS. Raises IcebergSqlError if there is none."""
    if tokens and tokens[0].text == "(" and tokens[-1].text == ")":
        tokens = tokens[1:-1]
    if not tokens or tokens[0].word not in ("SELECT", "WITH", "VALUES", "TABLE"):
        raise unsupported("the query after AS cannot be read", "write AS SELECT ...")
    lose(f"the query is {engine}'s: its names and functions are not checked, and it gives the columns and their types")
    parts, offset = [], tokens[0].start
    for index, token in enumerate(tokens):
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        parts += [script[offset : token.start], _spark_text(token, following)]
        offset = token.end
    return "".join(parts)


def _spark_text(token: Token, following: str) -> str:
    if token.kind is TokenKind.DOUBLE:  # a name: it is a string in Spark
        return backticked(unescape(token.text))
    if token.word == "VARCHAR" and following != "(":
        return "STRING"
    return token.text
