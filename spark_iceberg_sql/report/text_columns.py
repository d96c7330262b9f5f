"""A table as plain text: columns aligned by the width that a terminal shows, as many as a line has room for."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from spark_iceberg_sql import markup
from spark_iceberg_sql.quantities import plural

_MAX_LINE_LENGTH = 160


def text_columns(header: Sequence[str], rows: Sequence[Sequence[str]], right_aligned: Sequence[bool]) -> list[str]:
    """The lines of a table: its header, a rule, its rows, and the names of the columns that have no room.

    header: the names of the columns. rows: their values, each on one line. right_aligned: for each column.
    """
    widths = [max(map(width, column)) for column in zip(header, *rows, strict=True)]
    count = _column_count(widths)
    rule = ["-" * room for room in widths]
    lines = [_line(row[:count], widths[:count], right_aligned[:count]) for row in [header, rule, *rows]]
    if hidden_names := header[count:]:
        names = markup.truncated(", ".join(hidden_names), _MAX_LINE_LENGTH - 30)
        lines.append(f"and {plural(len(hidden_names), 'column')}: {names}")
    return lines


def _column_count(widths: Sequence[int]) -> int:
    """How many of the columns a line has room for; at least one."""
    end = -2
    for count, room in enumerate(widths):
        end += room + 2
        if end > _MAX_LINE_LENGTH:
            return max(1, count)
    return len(widths)


def _line(cells: Sequence[str], widths: Sequence[int], right_aligned: Sequence[bool]) -> str:
    padded_cells = [
        " " * (room - width(cell)) + cell if is_right else cell + " " * (room - width(cell))
        for cell, room, is_right in zip(cells, widths, right_aligned, strict=True)
    ]
    return "  ".join(padded_cells).rstrip()


def width(text: str) -> int:
    """The width of a text in columns of a terminal."""
    if text.isascii():
        return len(text)
    try:
        from wcwidth import wcswidth
    except ModuleNotFoundError:  # a session with this package's own files alone
        return sum(map(_character_width, text))
    columns: int = wcswidth(text)
    return columns if columns >= 0 else len(text)


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
