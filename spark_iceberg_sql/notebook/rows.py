"""The first rows of a result, with values formatted by Spark, as HTML and as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 - the usual alias
from pyspark.sql.types import BinaryType, NumericType
from wcwidth import wcswidth

from spark_iceberg_sql import markup

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MOST_COLUMNS = 60
_LONGEST = 120  # characters of a value
_LONGEST_TEXT = 40  # the same for plain text
_WIDEST = 160


@dataclass(frozen=True, slots=True)
class Rows:
    """The first rows of a DataFrame.

    names, types: of the columns shown. right: which of them are numbers. rows: values as text; None for a null.
    more: whether there are more rows. columns: the number of columns in all. shown: the DataFrame that was run, with
    the metrics of its scans.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[str | None, ...], ...]
    more: bool
    columns: int
    shown: DataFrame


def first_rows(frame: DataFrame, limit: int) -> Rows:
    """Run a query for its first rows. limit: the maximum number of rows."""
    fields = frame.schema.fields
    kept = fields[:_MOST_COLUMNS]
    # Names may be duplicated, and may contain any character.
    plain = frame.limit(limit + 1).toDF(*(f"c{i}" for i in range(len(fields))))
    chosen = []
    for i, field in enumerate(kept):
        column = F.col(f"c{i}")
        if isinstance(field.dataType, BinaryType):
            text = F.concat(F.lit("0x"), F.hex(F.substring(column, 1, _LONGEST)))
        else:
            text = column.cast("string")
        chosen.append(F.substring(text, 1, _LONGEST + 1).alias(f"c{i}"))
    shown = plain.select(*chosen)
    rows = [tuple(row) for row in shown.collect()]
    return Rows(
        tuple(field.name for field in kept),
        tuple(field.dataType.simpleString() for field in kept),
        tuple(isinstance(field.dataType, NumericType) for field in kept),
        tuple(rows[:limit]),
        len(rows) > limit,
        len(fields),
        shown,
    )


def counted(rows: Rows) -> str:
    """The number of rows as text: `3 rows`, `first 20 rows`, `no rows`; and whether columns are not shown."""
    number = len(rows.rows)
    said = f"{number:,} row{'' if number == 1 else 's'}" if number else "no rows"
    if rows.more:
        said = f"first {said}" if number else "more than 0 rows"
    if rows.columns > len(rows.names):
        said += f", first {len(rows.names)} of {rows.columns:,} columns"
    return said


def html(rows: Rows) -> str:
    """A table with names, types and values."""
    head = [
        f"{markup.words(markup.flat(name), 60)}<small>{markup.words(kind, 40)}</small>"
        for name, kind in zip(rows.names, rows.types, strict=True)
    ]
    null = '<i class="dim">null</i>'
    body = [
        [null if v is None else markup.words(markup.flat(v), _LONGEST) for v in row]
        for row in rows.rows
    ]
    return markup.table(head, body, rows.right)


def text(rows: Rows) -> str:
    """The table as plain text, cut to a terminal's width."""
    lines = [rows.names, *rows.rows]
    cells = [
        ["null" if v is None else markup.cut(markup.flat(v), _LONGEST_TEXT) for v in row]
        for row in lines
    ]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    rule = ["-" * width for width in widths]
    return "\n".join(
        markup.cut(_line(row, widths, rows.right), _WIDEST) for row in [cells[0], rule, *cells[1:]]
    )


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = [
        " " * (width - _width(cell)) + cell if numeric else cell + " " * (width - _width(cell))
        for cell, width, numeric in zip(cells, widths, right, strict=True)
    ]
    return "  ".join(padded).rstrip()


def _width(text: str) -> int:
    width = wcswidth(text)
    return width if width >= 0 else len(text)
