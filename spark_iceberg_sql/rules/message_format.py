"""Names and types as rule messages show them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.schema import LISTED, Column
from spark_iceberg_sql.model.types import Type
from spark_iceberg_sql.syntax.identifiers import qualified_name

# A name in backticks of which a part has its own.
_QUOTED = r"`[^`\s](?:[^`]*[^`\s])?`"
_NESTED_BACKTICKS = regex(rf"(?<![`\w])`((?:{_QUOTED}|\w+)(?:\.(?:{_QUOTED}|\w+))*)`(?![`\w])")
_PLAIN_NAME = regex(r"[\w.]+", re.ASCII)


def without_nested_backticks(text: str, *, to_write: bool = False) -> str:
    """A message with names in one pair of backticks: `db.t`, not ``db`.`t``. A part with a dot keeps its own.

    to_write: true if the user is to write the names like this: then those that need their own backticks keep them.
    """
    if "``" not in text:
        return text

    def bare(match: re.Match[str]) -> str:
        name = match[1].replace("`", "")
        has_dotted_part = any("." in part for part in re.findall(_QUOTED, match[1]))
        if "`" not in match[1] or has_dotted_part or (to_write and not _PLAIN_NAME.fullmatch(name)):
            return match[0]
        return f"`{name}`"

    return _NESTED_BACKTICKS.sub(bare, text)


def column_text(column: Column) -> str:
    """A column as DDL writes it; a struct's field as its dotted path."""
    return qualified_name(column.path)


def join_names(names: Iterable[str], conjunction: str = "or", limit: int = LISTED) -> str:
    """Names in backticks, `a`, `b` or `c`; at most `limit` of them."""
    quoted_names = [f"`{name}`" for name in islice(names, limit)]
    return f" {conjunction} ".join(
        [", ".join(quoted_names[:-1]), quoted_names[-1]] if quoted_names[1:] else quoted_names
    )


def abbreviate_names(names: Sequence[str], count: int) -> str:
    """Up to three names in backticks. names: the first few. count: how many there are in total."""
    if count <= 3:
        return join_names(names, "and")
    return f"{', '.join(f'`{name}`' for name in names[:3])} and {count - 3} more"


def type_with_article(data_type: Type) -> str:
    """A type with its article: `a string`, `an int`."""
    name = "void" if str(data_type) == "unknown" else str(data_type)
    return f"{'an' if name[:1] in 'aeio' else 'a'} {name}"
