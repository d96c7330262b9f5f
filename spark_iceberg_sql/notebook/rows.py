"""The first rows of a result, with values formatted by Spark, as HTML, as text and as a table to copy."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql.types import BinaryType, NumericType
from wcwidth import wcswidth

from spark_iceberg_sql import markup

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MOST_COLUMNS = 60
_LONGEST = 120  # characters of a value that are shown
_KEPT = 1_000  # characters of a value that are kept, to be copied
_LONGEST_TEXT = 40  # the same for plain text
_WIDEST = 160


@dataclass(frozen=True, slots=True)
class Rows:
    """The first rows of a DataFrame.

    names, types: of the columns shown. are_numbers: which of them are numbers. rows: values as text; None for
    a null. has_more: whether there are more rows. column_count: the number of columns in all.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[str | None, ...], ...]
    more: bool
    columns: int

    def part(self, start: int, end: int) -> Rows:
        """Some of these rows. start, end: indexes, as of a slice."""
        return replace(self, rows=self.rows[start:end], more=self.more or end < len(self.rows))


def first_rows(frame: DataFrame, limit: int) -> tuple[Rows, DataFrame]:
    """Run a query for its first rows; also returns the DataFrame that was run, which has the metrics of its scans.

    limit: the maximum number of rows.
    """
    fields = frame.schema.fields
    kept = fields[:_MOST_COLUMNS]
    # Names may be duplicated, and may contain any character.
    plain = frame.limit(limit + 1).toDF(*(f"c{i}" for i in range(len(fields))))
    # A binary inside of an array, a map or a struct need not be UTF-8, which Spark Connect insists on.
    before_4 = frame.sparkSession.version.startswith("3.")
    valid = "decode(CAST({} AS BINARY), 'UTF-8')" if before_4 else "make_valid_utf8({})"
    chosen = []
    for i, field in enumerate(kept):
        text = f"CAST(c{i} AS STRING)"
        if isinstance(field.dataType, BinaryType):
            text = f"concat('0x', hex(substring(c{i}, 1, {_KEPT // 2})))"
        elif "binary" in field.dataType.simpleString():
            text = valid.format(text)
        chosen.append(f"substring({text}, 1, {_KEPT + 1}) AS c{i}")
    shown = plain.selectExpr(*chosen)  # as text, also for Spark Connect
    rows = [tuple(row) for row in shown.collect()]
    found = Rows(
        tuple(field.name for field in kept),
        tuple(field.dataType.simpleString() for field in kept),
        tuple(isinstance(field.dataType, NumericType) for field in kept),
        tuple(rows[:limit]),
        len(rows) > limit,
        len(fields),
    )
    return found, shown


def tsv(rows: Rows) -> str:
    """The rows as tab-separated values, which a spreadsheet takes when they are pasted; a null is empty."""
    made = io.StringIO()
    writer = csv.writer(made, "excel-tab", lineterminator="\n")
    writer.writerow(rows.names)
    writer.writerows([["" if v is None else v[:_KEPT] for v in row] for row in rows.rows])
    return made.getvalue()


def incomplete(rows: Rows) -> list[str]:
    """The parts of a result that are not in the rows, as sentences for the person who copies them."""
    said = []
    if rows.more:
        said.append(f"the result has more than {len(rows.rows):,} rows")
    if rows.columns > len(rows.names):
        said.append(f"the result has {rows.columns:,} columns")
    if long := sum(v is not None and len(v) > _KEPT for row in rows.rows for v in row):
        said.append(f"{long:,} value{' is' if long == 1 else 's are'} cut at {_KEPT:,} characters")
    return said


def html(rows: Rows) -> str:
    """A table with names, types and values."""
    head = [
        f"{markup.html_text(markup.flat(name), 60)}<br><small>{markup.html_text(kind, 40)}</small>"
        for name, kind in zip(rows.names, rows.types, strict=True)
    ]
    null = '<i class="dim">null</i>'
    body = [
        [null if v is None else markup.html_text(markup.flat(v), _LONGEST) for v in row]
        for row in rows.rows
    ]
    return markup.table(head, body, rows.right)


def text(rows: Rows) -> str:
    """The table as plain text, cut to a terminal's width."""
    lines = [rows.names, *rows.rows]
    cells = [
        ["null" if v is None else markup.truncated(markup.flat(v), _LONGEST_TEXT) for v in row]
        for row in lines
    ]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    rule = ["-" * width for width in widths]
    return "\n".join(
        markup.truncated(_line(row, widths, rows.right), _WIDEST)
        for row in [cells[0], rule, *cells[1:]]
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
