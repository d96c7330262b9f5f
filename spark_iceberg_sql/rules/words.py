"""Names and types as rule messages show them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.schema import LISTED, Column
from spark_iceberg_sql.model.types import Type
from spark_iceberg_sql.syntax.identifiers import quoted

# A name in backticks of which a part has its own.
_QUOTED = r"`[^`\s](?:[^`]*[^`\s])?`"
_TWICE = regex(rf"(?<![`\w])`((?:{_QUOTED}|\w+)(?:\.(?:{_QUOTED}|\w+))*)`(?![`\w])")
_PLAIN = regex(r"[\w.]+", re.ASCII)


def once_quoted(text: str, *, to_write: bool = False) -> str:
    """A message with names in one pair of backticks: `db.t`, not ``db`.`t``. A part with a dot keeps its own.

    to_write: true if the user is to write the names like this: then those that need their own backticks
    keep them.
    """
    if "``" not in text:
        return text

    def bare(found: re.Match[str]) -> str:
        name = found[1].replace("`", "")
        dots = any("." in part for part in re.findall(_QUOTED, found[1]))
        if "`" not in found[1] or dots or (to_write and not _PLAIN.fullmatch(name)):
            return found[0]
        return f"`{name}`"

    return _TWICE.sub(bare, text)


def written(column: Column) -> str:
    """A column as DDL writes it; a struct's field as its dotted path."""
    return ".".join(map(quoted, column.path))


def listed(names: Iterable[str], word: str = "or", limit: int = LISTED) -> str:
    """Names in backticks, `a`, `b` or `c`; at most `limit` of them."""
    marked = [f"`{name}`" for name in islice(names, limit)]
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
