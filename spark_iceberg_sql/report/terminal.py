"""Output for people: each diagnostic with a caret under the exact text, and a summary line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby

from spark_iceberg_sql.diagnostics import Diagnostic, Lines, Report, Severity
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.report import text_columns
from spark_iceberg_sql.report.edited_reports import without_secrets
from spark_iceberg_sql.safe_output import visible, visible_lines

_WIDTH = 160  # columns shown of a source line; of a longer one, the part around the span
_ROWS = 6  # rows shown of a span; of a longer one, the first and the last
_COLORS = {"error": "1;31", "warning": "1;33", "note": "1;36", "place": "34", "help": "1"}


def full(report: Report, *, color: bool = False) -> str:
    """Every diagnostic of one report with its location, source text, help and spec; no summary.

    report: of a check; credentials in its text are masked. color: ANSI colours. Returns an empty text for an empty
    report.
    """
    report = without_secrets(report) if len(report) else report
    paint = partial(_painted, color)
    lines = report.lines or Lines(report.text)
    return "\n".join(_diagnostic_block(report, d, lines, paint) for d in report)


def full_reports(reports: Sequence[Report], *, color: bool = False) -> str:
    """All reports with source lines and carets, and the summary."""
    blocks = [full(report, color=color) for report in reports if len(report)]
    return "\n".join([*blocks, summary(reports)]) + "\n"


def concise_reports(reports: Sequence[Report], *, color: bool = False) -> str:
    """One line for each diagnostic, and the summary."""
    paint = partial(_painted, color)
    lines = []
    for report in reports:
        for d in report:
            severity = paint(str(d.severity), str(d.severity))
            lines.append(f"{location(report, d)}: {severity}[{d.code}] {visible(d.message)}\n")
    return "".join(lines) + summary(reports) + "\n"


def grouped_reports(reports: Sequence[Report], *, color: bool = False) -> str:
    """The diagnostics of each file under its name, and the summary."""
    paint = partial(_painted, color)
    lines = []
    for name, group in groupby((r for r in reports if len(r)), key=lambda r: r.filename):
        lines.append(f"{paint(visible(name or '<sql>'), 'help')}:\n")
        for report in group:
            cell = f"cell {report.cell}:" if report.cell is not None else ""
            for d in report:
                severity = paint(str(d.severity), str(d.severity))
                position = f"{cell}{d.span.row}:{d.span.column}"
                lines.append(f"  {position}: {severity}[{d.code}] {visible(d.message)}\n")
        lines.append("\n")
    return "".join(lines) + summary(reports) + "\n"


def location(report: Report, diagnostic: Diagnostic) -> str:
    """`migrations/003.sql:4:20`, in a notebook `report.ipynb:cell 3:4:20`."""
    file_name = report.filename or "<sql>"
    if report.cell is not None:
        file_name += f":cell {report.cell}"
    return f"{visible(file_name)}:{diagnostic.span.row}:{diagnostic.span.column}"


def summary(reports: Sequence[Report]) -> str:
    """The last line: `Found 2 errors, 1 warning in 3 files (12 statements; 2 not checked)`."""
    count = {s: sum(d.severity is s for r in reports for d in r) for s in Severity}
    counts_text = [
        plural(count[severity], str(severity)) for severity in (Severity.ERROR, Severity.WARNING) if count[severity]
    ]
    files = plural(len({r.filename for r in reports}), "file")
    statements = plural(sum(r.statements for r in reports), "statement")
    notes = sum(d.statements for r in reports for d in r.not_checked)
    notes += sum(r.unlisted for r in reports)
    unchecked = f"; {notes} not checked" if notes else ""
    result = f"Found {', '.join(counts_text)}" if counts_text else "No problems found"
    return f"{result} in {files} ({statements}{unchecked})"


def _painted(color: bool, text: str, style: str) -> str:
    """A text in a colour, or as it is."""
    return f"\x1b[{_COLORS[style]}m{text}\x1b[0m" if color else text


def _diagnostic_block(report: Report, diagnostic: Diagnostic, lines: Lines, paint: Callable[[str, str], str]) -> str:
    span, severity = diagnostic.span, str(diagnostic.severity)
    pad = " " * (len(str(span.end_row)) + 1)
    header = paint(f"{severity}[{diagnostic.code}]", severity)
    rows = [f"{header}: {paint(visible(diagnostic.message), 'help')}"]
    rows.append(f"{pad}{paint('-->', 'place')} {location(report, diagnostic)}")
    bar = paint("|", "place")
    rows.append(f"{pad} {bar}")
    for row, text, is_marker in _frame_rows(diagnostic, lines):
        number = f" {row:>{len(pad) - 1}} " if row is not None else f"{pad} "
        body = paint(text, severity) if is_marker else text
        rows.append(f"{paint(number, 'place')}{bar} {body}".rstrip())
    for label, label_text in (("help", diagnostic.help), ("spec", diagnostic.spec)):
        if label_text:
            first_line, *remaining_lines = visible_lines(label_text).splitlines()
            rows.append(f"{pad} {paint('=', 'place')} {paint(f'{label}:', 'help')} {first_line}")
            rows += [f"{pad}         {line}".rstrip() for line in remaining_lines]
    return "\n".join(rows) + "\n"


def _frame_rows(diagnostic: Diagnostic, lines: Lines) -> Iterator[tuple[int | None, str, bool]]:
    """Rows of the frame: line number (None: not a source line), text, and true for the row of carets."""
    span = diagnostic.span
    last_row, last_column = span.end_row, span.end_column
    if last_row > span.row and last_column == 1:  # ends with a line break
        last_row -= 1
        last_column = len(lines.line(last_row)) + 1
    if last_row == span.row:
        line = lines.line(span.row)
        begin, end = _window(line, span.column - 1, last_column - 1)
        lead, tail = ("…" if begin else ""), ("…" if end < len(line) else "")
        prefix = lead + visible(line[begin : span.column - 1])
        marked_text = visible(line[span.column - 1 : min(last_column - 1, end)])
        yield span.row, lead + visible(line[begin:end]) + tail, False
        yield None, " " * text_columns.width(prefix) + "^" * max(1, text_columns.width(marked_text)), True
        return
    rows = range(span.row, last_row + 1)
    for row in rows:
        is_omitted = len(rows) > _ROWS and row - span.row >= _ROWS // 2 and last_row - row >= _ROWS // 2
        if not is_omitted:
            line = lines.line(row)
            text = visible(line[:_WIDTH]) + ("…" if len(line) > _WIDTH else "")
            yield row, f"{'/' if row == span.row else '|'} {text}", False
        elif row - span.row == _ROWS // 2:
            yield None, "| …", False
    marked_text = visible(lines.line(last_row)[: min(last_column - 1, _WIDTH)])
    yield None, "|" + "_" * max(1, text_columns.width(marked_text)) + "^", True


def _window(line: str, start: int, end: int) -> tuple[int, int]:
    """The part of a line to show; it contains the text between start and end."""
    if len(line) <= _WIDTH:
        return 0, len(line)
    begin = max(0, min(start - _WIDTH // 4, len(line) - _WIDTH))
    return begin, min(len(line), max(begin + _WIDTH, min(end, start + _WIDTH)))


def counts_by_code(reports: Sequence[Report]) -> list[tuple[int, str, str]]:
    """The number of findings of each code, with the code and its rule's name, most frequent first."""
    codes = sorted((d.code, d.name) for r in reports for d in r)
    rows = [(len(list(group)), code, name) for (code, name), group in groupby(codes)]
    return sorted(rows, key=lambda row: (-row[0], row[1]))


def statistics(reports: Sequence[Report]) -> str:
    """The number of findings of each code, most frequent first; an empty string without findings."""
    rows = counts_by_code(reports)
    width = max((len(str(number)) for number, _, _ in rows), default=0)
    return "".join(f"{number:>{width}}  {code}  {name}\n" for number, code, name in rows)
