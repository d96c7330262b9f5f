"""Names and types as rule messages show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.types import Type
from spark_iceberg_sql.syntax.identifiers import quoted


def written(column: Column) -> str:
    """A column as DDL writes it; a struct's field as its dotted path."""
    parts = column.name.split(".") if column.parents else [column.name]
    return ".".join(quoted(part) for part in parts)


def listed(names: Iterable[str], word: str = "or", limit: int = 4) -> str:
    """Names in backticks, `a`, `b` or `c`; at most `limit` of them."""
    marked = [f"`{name}`" for name in names][:limit]
    return f" {word} ".join([", ".join(marked[:-1]), marked[-1]] if marked[1:] else marked)


def some(names: Sequence[str], count: int) -> str:
    """Up to three names in backticks. names: the first few. count: how many there are in total."""
    if count <= 3:
        return listed(names, "and")
    return f"{', '.join(f'`{name}`' for name in names[:3])} and {count - 3} more"


def a_type(kind: Type) -> str:
    """A type with its article: `a string`, `an int`."""
    name = "void" if str(kind) == "unknown" else str(kind)
    return f"{'an' if name[:1] in 'aeio' else 'a'} {name}"
