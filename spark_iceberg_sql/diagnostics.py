"""The result of a check: spans, diagnostics, fixes and the report."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cached_property
from typing import Any

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.safe_output import visible, visible_lines

INTERNAL = "SIS000"
_LINE_END = regex(r"\r\n|\n|\r")


class Severity(str, Enum):
    """The severity of a diagnostic; `str(severity)` is its printed name.

    ERROR: Iceberg's Spark runtime refuses the statement, or accepts it and the table is damaged.
    WARNING: the runtime accepts it, but it is probably not intended.
    NOTE: not checked, so the result is unknown.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    def __str__(self) -> str:
        return self.value


class Lines:
    """Converts offsets of a text to 1-based rows and columns (columns count code points)."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(m.end() for m in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """The row and column of an offset, both 1-based."""
        row = bisect_right(self._starts, offset)
        return row, offset - self._starts[row - 1] + 1

    @property
    def count(self) -> int:
        """The number of rows; a text that ends with a newline has an empty last row."""
        return len(self._starts)

    def start(self, row: int) -> int:
        """The offset at which a row (from 1) begins."""
        return self._starts[row - 1]

    def line(self, row: int) -> str:
        """The text of a row (from 1) without its newline."""
        start = self._starts[row - 1]
        end = self._starts[row] if row < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def span(self, start: int, end: int) -> Span:
        """The span between two offsets of the text."""
        row, column = self.position(start)
        end_row, end_column = self.position(max(start, end))
        return Span(start, max(start, end), row, column, end_row, end_column)


@record(frozen=True, slots=True, order=True)
class Span:
    """A range of a text: offsets from 0 (end excluded), rows and columns from 1 (end excluded)."""

    start: int
    end: int
    row: int
    column: int
    end_row: int
    end_column: int


@record(frozen=True, slots=True)
class Edit:
    """Replace `text[start:end]` by `text`."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits, which do not overlap."""
    chunks, offset = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        chunks += [text[offset : edit.start], edit.text]
        offset = edit.end
    return "".join([*chunks, text[offset:]])


@record(frozen=True, slots=True)
class Fix:
    """Edits that fix a finding.

    title: what it does, in the imperative. edits: not overlapping, in order of position. safe: whether the statement
    keeps its meaning: the runtime refuses it as written, or creates the same table. A guess at another column, field or
    name is not safe, nor is the removal of a comment.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", visible(self.title))

    @property
    def applicability(self) -> str:
        """`safe`, which `--fix` applies, or `unsafe`, which `--unsafe-fixes` applies as well."""
        return "safe" if self.safe else "unsafe"


@record(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    code: `SIS` and three digits, never reused. name: the fault in kebab-case. message: the fact, in the user's own
    names, on one line. span: the exact text. help: the complete clause to write instead.
    fix: edits that fix it. spec: the relevant section of the Iceberg spec. skipped: for a note, the codes of the rules
    that could not be checked. statements: how many it covers; there is one note per table.
    """

    code: str
    name: str
    severity: Severity
    message: str
    span: Span
    help: str | None = None
    fix: Fix | None = None
    spec: str | None = None
    skipped: tuple[str, ...] = ()
    statements: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", visible(self.message))
        if self.help is not None:
            object.__setattr__(self, "help", visible_lines(self.help))


@record(frozen=True, slots=True)
class Report:
    """The result of the check of one text.

    text, filename: of the checked text. diagnostics: sorted by position. statements: their number in the text.
    cell: for a notebook cell, its number from 1. unlisted: the number of notes that the settings hide.
    """

    text: str
    diagnostics: tuple[Diagnostic, ...] = ()
    filename: str | None = None
    statements: int = 0
    lines: Lines | None = field(default=None, repr=False, compare=False)
    cell: int | None = None
    unlisted: int = 0

    @property
    def ok(self) -> bool:
        """True if no error was found. Statements that could not be checked are in `not_checked`: look there too."""
        return not any(d.severity is Severity.ERROR for d in self.diagnostics)

    @property
    def failed(self) -> tuple[Diagnostic, ...]:
        """The internal errors of the checker, which say nothing about the text."""
        return tuple(d for d in self.diagnostics if d.code == INTERNAL)

    @property
    def refuses(self) -> bool:
        """True if an error in the text was found, other than an internal error of the checker."""
        return len(self.errors) > len(self.failed)

    @property
    def not_checked(self) -> tuple[Diagnostic, ...]:
        """The notes: statements that were not checked, once per table, with the reason and the remedy."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.NOTE)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of severity error."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.diagnostics)

    def __len__(self) -> int:
        return len(self.diagnostics)

    def __str__(self) -> str:
        entries = [
            f"{d.span.row}:{d.span.column}: {d.severity}[{d.code}] {d.message}"
            + (f"\n  help: {d.help}" if d.help else "")
            for d in self.diagnostics
        ]
        return "\n".join([*entries, self._result])

    @property
    def _result(self) -> str:
        unchecked = sum(d.statements for d in self.not_checked) + self.unlisted
        error_text = plural(len(self.errors), "error") if self.errors else "no errors"
        unchecked_text = f", {unchecked} of them not" if unchecked else ""
        return f"checked {plural(self.statements, 'statement')}{unchecked_text}: {error_text}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        from spark_iceberg_sql import markup

        return markup.box(*self.html_parts(), markup.dim_line(markup.html_text(self._result)))

    def html_parts(self) -> list[str]:
        """Each finding as HTML, with its source line underlined."""
        from spark_iceberg_sql import markup

        lines = self.lines or Lines(self.text)
        return [
            markup.finding(str(d.severity), d.code, d.message, _underlined(d.span, lines), d.help)
            for d in self.diagnostics
        ]


_WIDTH = 160  # characters of a source line that are shown


def _underlined(span: Span, lines: Lines) -> str:
    from spark_iceberg_sql import markup

    line = lines.line(span.row)
    start = span.column - 1
    end = span.end_column - 1 if span.end_row == span.row else len(line)
    begin = max(0, min(start - _WIDTH // 4, len(line) - _WIDTH))
    return markup.underlined_line(span.row, line[begin : begin + _WIDTH], start - begin, end - begin)
