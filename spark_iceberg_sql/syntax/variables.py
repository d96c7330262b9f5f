"""Values from outside in a script: `${name}` put into the text, `:name` handed to Spark as a parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from spark_iceberg_sql.diagnostics import Lines
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.syntax.lexer import TokenKind, tokenize

# Spark's own substitution has prefixes and dotted configuration keys (`${env:HOME}`, `${spark.x}`).
_VARIABLE = re.compile(r"\$\{([^{}]*)\}")


def substitute_variables(text: str, values: Mapping[str, str]) -> str:
    """The text with every `${name}` replaced by its value.

    `${env:NAME}`, `${system:name}` and dotted keys of Spark's configuration are left to Spark.
    Raises IcebergSqlError, naming line and column, where a plain name has no value.
    """
    missing = [
        f"{name!r} at line {row}, column {column}"
        for match in _VARIABLE.finditer(text)
        if (name := match.group(1)) not in values and not set(":.") & set(name)
        for row, column in (Lines(text).position(match.start()),)
    ]
    if missing:
        raise IcebergSqlError(f"no value for {', '.join(missing)}", help="pass one with --var NAME=VALUE")
    return _VARIABLE.sub(lambda m: values.get(m.group(1), m.group()), text)


def parameters_of(text: str) -> frozenset[str]:
    """The names of a statement's `:name` parameters."""
    tokens = tokenize(text)
    return frozenset(
        name.text
        for colon, name in pairwise(tokens)
        if colon.kind is TokenKind.MARK and colon.text == ":" and name.kind is TokenKind.WORD
    )
