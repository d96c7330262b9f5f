"""The names in a statement that stand where it names tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.syntax.lexer import NAME_KINDS, Token

_TABLE_KEYWORDS = frozenset({"FROM", "JOIN", "INTO", "TABLE", "UPDATE", "USING", "DESCRIBE", "DESC", "OVERWRITE"})


def table_names(tokens: Sequence[Token]) -> Iterator[tuple[str, ...]]:
    """The names in the positions where a statement names tables."""
    index = 0
    while index < len(tokens):
        if tokens[index].word in _TABLE_KEYWORDS and index + 1 < len(tokens):
            index += 1
            parts = []
            while index < len(tokens) and tokens[index].kind in NAME_KINDS:
                parts.append(tokens[index].text.strip("`").replace("``", "`"))
                if index + 1 >= len(tokens) or tokens[index + 1].text != ".":
                    break
                index += 2
            if parts:
                yield tuple(parts)
        index += 1
