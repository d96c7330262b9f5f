"""Names and strings as SQL takes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spark_iceberg_sql.lazy import regex

_PLAIN = regex(r"[A-Za-z_][A-Za-z0-9_]*")  # `3D` is a number to Spark


def quoted(name: str) -> str:
    """A name in backticks, where it is not a plain identifier."""
    return name if _PLAIN.fullmatch(name) else backticked(name)


def backticked(name: str) -> str:
    """A name in backticks, whatever it is: for what is handed to Spark."""
    return "`" + name.replace("`", "``") + "`"


def dotted(parts: Iterable[str]) -> str:
    """A name of several parts, each in backticks."""
    return ".".join(map(backticked, parts))


def qualified_name(parts: Iterable[str]) -> str:
    """A name of several parts, each in backticks where it is not a plain identifier: for people, and for statements."""
    return ".".join(map(quoted, parts))


def procedure_name(table: Sequence[str]) -> Sequence[str]:
    """A table's name as a procedure of its catalog takes it. table: its full name, catalog first.

    A table in no namespace keeps its catalog: Iceberg looks for a single name in the current namespace.
    """
    return table[1:] if len(table) > 2 else table


def string_literal(text: str) -> str:
    """A string as SQL writes it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
