"""A block of a document that is marked as SQL, and the words that mark one."""

from __future__ import annotations

from spark_iceberg_sql.files.source_map import Offsets
from spark_iceberg_sql.records import record

SPARK_LANGUAGES = frozenset({"spark-sql", "sparksql", "spark_sql"})
LANGUAGES = frozenset({"sql", *SPARK_LANGUAGES})


@record(frozen=True, slots=True)
class SqlBlock:
    """A block. language: one of LANGUAGES. lines: the offsets of its lines, never empty, each with its line end.

    is_quoted: each line follows a prefix of the document, such as `> `, that is no part of the SQL.
    """

    language: str
    lines: tuple[Offsets, ...]
    is_quoted: bool = False


def line_offsets(text: str) -> list[Offsets]:
    """The offsets of a text's lines, each with its line end."""
    offsets, start = [], 0
    for line in text.splitlines(keepends=True):
        offsets.append((start, start + len(line)))
        start += len(line)
    return offsets
