"""The first rows of a result, with values formatted by Spark, as HTML, as text and as a table to copy."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql.types import BinaryType, NumericType

from spark_iceberg_sql import markup
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.report.text_columns import text_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MAX_COLUMNS = 60
_MAX_SHOWN_LENGTH = 120  # characters of a value that are shown
_MAX_KEPT_LENGTH = 1_000  # characters of a value that are kept, to be copied
_MAX_TEXT_LENGTH = 40  # the same for plain text


@dataclass(frozen=True, slots=True)
class ResultRows:
    """The first rows of a DataFrame.

    names, types: of the columns shown. are_numbers: which of them are numbers. rows: values as text; None for a null.
    has_more: whether there are more rows. column_count: the number of columns in all.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    are_numbers: tuple[bool, ...]
    rows: tuple[tuple[str | None, ...], ...]
    has_more: bool
    column_count: int

    def slice_rows(self, start: int, end: int) -> ResultRows:
        """Some of these rows. start, end: indexes, as of a slice."""
        return replace(self, rows=self.rows[start:end], has_more=self.has_more or end < len(self.rows))


def first_rows(frame: DataFrame, limit: int) -> tuple[ResultRows, DataFrame]:
    """Run a query for its first rows; also returns the DataFrame that was run, which has the metrics of its scans.

    limit: the maximum number of rows.
    """
    fields = frame.schema.fields
    visible_fields = fields[:_MAX_COLUMNS]
    texts = frame_of_first_rows(frame, limit)
    rows = [tuple(row) for row in texts.collect()]
    result = ResultRows(
        tuple(field.name for field in visible_fields),
        tuple(field.dataType.simpleString() for field in visible_fields),
        tuple(isinstance(field.dataType, NumericType) for field in visible_fields),
        tuple(rows[:limit]),
        len(rows) > limit,
        len(fields),
    )
    return result, texts


def frame_of_first_rows(frame: DataFrame, limit: int) -> DataFrame:
    """The DataFrame that runs for the first rows of another, and for one more. limit: as of `first_rows`."""
    return text_frame(frame.limit(limit + 1), _MAX_KEPT_LENGTH, min(len(frame.columns), _MAX_COLUMNS))


def text_frame(frame: DataFrame, max_length: int | None = None, column_count: int | None = None) -> DataFrame:
    """The columns of a DataFrame as text, also for Spark Connect.

    max_length: the number of characters of a value that are needed; None for all. column_count: the number of columns;
    None for all.
    """
    fields = frame.schema.fields
    # Names may be duplicated, and may contain any character.
    numbered_frame = frame.toDF(*(f"c{i}" for i in range(len(fields))))
    # A binary inside of an array, a map or a struct need not be UTF-8, which Spark Connect insists on.
    before_4 = frame.sparkSession.version.startswith("3.")
    utf8_sql = "decode(CAST({} AS BINARY), 'UTF-8')" if before_4 else "make_valid_utf8({})"
    expressions = []
    for i, field in enumerate(fields[:column_count]):
        expression = f"CAST(c{i} AS STRING)"
        if isinstance(field.dataType, BinaryType):
            needed = f"c{i}" if max_length is None else f"substring(c{i}, 1, {max_length // 2})"
            expression = f"concat('0x', hex({needed}))"
        elif "binary" in field.dataType.simpleString():
            expression = utf8_sql.format(expression)
        if max_length is not None:
            expression = f"substring({expression}, 1, {max_length + 1})"
        expressions.append(f"{expression} AS c{i}")
    return numbered_frame.selectExpr(*expressions)


def tsv(rows: ResultRows) -> str:
    """The rows as tab-separated values, which a spreadsheet takes when they are pasted; a null is empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, "excel-tab", lineterminator="\n")
    writer.writerow(rows.names)
    writer.writerows([["" if v is None else v[:_MAX_KEPT_LENGTH] for v in row] for row in rows.rows])
    return buffer.getvalue()


def missing_parts(rows: ResultRows) -> list[str]:
    """The parts of a result that are not in the rows, as sentences for the person who copies them."""
    remarks = []
    if rows.has_more:
        remarks.append(f"the result has more than {len(rows.rows):,} rows")
    if rows.column_count > len(rows.names):
        remarks.append(f"the result has {rows.column_count:,} columns")
    if cut_values := sum(v is not None and len(v) > _MAX_KEPT_LENGTH for row in rows.rows for v in row):
        remarks.append(f"{plural(cut_values, 'value is', 'values are')} cut at {_MAX_KEPT_LENGTH:,} characters")
    return remarks


def html(rows: ResultRows) -> str:
    """A table with names, types and values."""
    return markup.table(header_cells(rows), cells(rows), rows.are_numbers)


def header_cells(rows: ResultRows) -> list[str]:
    """Each column's name and type, as HTML."""
    return [
        f"{_with_value(name, 60, always=True)}<br><small>{markup.html_text(type_name, 40)}</small>"
        for name, type_name in zip(rows.names, rows.types, strict=True)
    ]


def cells(rows: ResultRows) -> list[list[str]]:
    """The values, as HTML."""
    null = '<i class="dim">null</i>'
    return [[null if v is None else _with_value(v, _MAX_SHOWN_LENGTH) for v in row] for row in rows.rows]


def _with_value(text: str, max_length: int, *, always: bool = False) -> str:
    """A text as shown; one that is cut or changed for that is in an element that has all of it."""
    html_text = markup.html_text(markup.flat(text), max_length)
    if html_text == markup.html_text(text):
        return f"<span>{html_text}</span>" if always else html_text
    return f'<span data-v="{markup.attribute(text)}">{html_text}</span>'


def text(rows: ResultRows) -> str:
    """The table as plain text: the columns that a line has room for, and the names of the others."""
    lines = [rows.names, *rows.rows]
    texts = [
        ["null" if v is None else markup.truncated(markup.flat(v), _MAX_TEXT_LENGTH) for v in row] for row in lines
    ]
    return "\n".join(text_columns(texts[0], texts[1:], rows.are_numbers))
