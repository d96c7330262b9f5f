"""Ignore comments written for all findings of a file, without changing what its SQL or its program does."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from spark_iceberg_sql.checker.beside import comments
from spark_iceberg_sql.checker.fixes import fixed
from spark_iceberg_sql.checker.ignore_comments import read_comment
from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Edit, Fix, Lines, Report, Severity
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.discovery import source
from spark_iceberg_sql.files.notebook_positions import as_one
from spark_iceberg_sql.files.source import Source
from spark_iceberg_sql.files.source_map import Piece
from spark_iceberg_sql.files.templates import template_spans
from spark_iceberg_sql.syntax.lexer import Kind, tokenize
from spark_iceberg_sql.syntax.script import statements

_UNUSED = "SIS003"  # remove the comment instead


def with_ignores(
    name: str, text: str, found: list[Report], check: Callable[[str], list[Report]]
) -> tuple[str, list[Report], int, tuple[Diagnostic, ...]]:
    """A file's text with a comment for each error and warning.

    name: the file's. found: its reports. check: makes those of a text. A comment goes to the end of the finding's
    line, or of the literal that the SQL is in, or before the statement: wherever it suppresses the finding, reveals
    no other, and leaves the statements and the program as they are. Returns the text, its reports, the number
    of findings that have a comment now, and those that cannot have one.
    """
    before = len(_due(found))
    for place in (_line_end, _literal_end, _before):
        if not _due(found):
            break

        def offered(changed: str, place: _Place = place) -> Report:
            reports = check(changed)
            here = source(name, changed)
            given = [_with_edits(here, part, report, place) for part, report in enumerate(reports)]
            return as_one(changed, given)

        result = fixed(text, offered)
        if result.applied and _alike(name, text, result.text):
            text, found = result.text, check(result.text)
    left = tuple(_due(found))
    return text, found, before - len(left), left


def _due(reports: list[Report]) -> list[Diagnostic]:
    """The findings that a comment is to suppress."""
    return [
        d
        for report in reports
        for d in report
        if d.severity is not Severity.NOTE and d.code not in (INTERNAL, _UNUSED)
    ]


@dataclass(frozen=True, slots=True)
class _Here:
    """A place in a part of a file: the part's text and lines, the piece of SQL that a finding is in."""

    text: str
    lines: Lines
    piece: Piece
    diagnostic: Diagnostic

    @property
    def in_program(self) -> bool:
        """Whether the SQL is in a program's strings, which a comment of the program stands beside."""
        return not isinstance(self.piece.starts, range)


_Place = Callable[[_Here, str], Edit | None]


def _with_edits(found: Source, part: int, report: Report, place: _Place) -> Report:
    """A report whose findings have an edit as their fix: the comment that suppresses them."""
    due = _due([report])
    lines = Lines(report.text)
    sure = _same_program(report.text, report.text)
    given = []
    for diagnostic in report:
        edit = None
        if diagnostic in due:
            start = diagnostic.span.start
            pieces = [p for p in found.pieces if p.part == part and p.sql]
            piece = next((p for p in pieces if min(p.starts) <= start <= max(p.ends)), None)
            if piece is not None and (sure or isinstance(piece.starts, range)):
                row = diagnostic.span.row
                codes = dict.fromkeys(d.code for d in due if d.span.row == row)
                edit = place(_Here(report.text, lines, piece, diagnostic), ", ".join(codes))
        fix = Fix("ignore it", (edit,), safe=True) if edit is not None else None
        given.append(replace(diagnostic, fix=fix))
    return replace(report, diagnostics=tuple(given))


def _line_end(here: _Here, codes: str) -> Edit | None:
    """A comment at the end of the finding's line."""
    if here.in_program:
        return _program_comment(here, here.diagnostic.span.row, codes)
    row = here.diagnostic.span.row
    end = here.lines.start(row) + len(here.lines.line(row))
    at = end - here.piece.starts[0]
    if not 0 <= at <= len(here.piece.sql):
        return None
    if any(a < at < b for a, b in template_spans(here.piece.sql)):
        return None
    templated = bool(list(template_spans(here.piece.sql)))
    # A template may take the line end away: `{%-`.
    comment = f"/* noqa: {codes} */" if templated else f"-- noqa: {codes}"
    last = next((t for t in tokenize(here.piece.sql) if t.start < at <= t.end), None)
    if last is None or last.kind is not Kind.COMMENT:
        inside = last is not None and at < last.end and last.text.strip()
        return None if inside else Edit(end, end, f"  {comment}")
    if at < len(last.text.rstrip("\r\n")) + last.start or last.text.startswith("/*+"):
        return None
    start = last.start + here.piece.starts[0]
    said = read_comment(last.text)
    if said is not None and said.shared and said.codes:
        return Edit(start + said.end, start + said.end, f", {codes}")
    return Edit(start, start, f"{comment} ") if last.text.startswith("--") else None


def _literal_end(here: _Here, codes: str) -> Edit | None:
    """A comment of the program at the end of the line in which the SQL ends."""
    if not here.in_program:
        return None
    row, _ = here.lines.place(here.piece.starts[-1])
    return _program_comment(here, row, codes)


def _program_comment(here: _Here, row: int, codes: str) -> Edit | None:
    start = here.lines.start(row)
    end = start + len(here.lines.line(row))
    there = [(at, text) for at, text in comments(here.text) if start <= at < end]
    for at, text in there:
        said = read_comment(text)
        if said is not None and said.shared and said.codes:
            return Edit(at + said.end, at + said.end, f", {codes}")
    added = f"  # noqa: {codes}"
    changed = here.text[:end] + added + here.text[end:]
    if not any(at == end + 2 for at, _ in comments(changed)):  # it would be inside a string
        return None
    return Edit(end, end, added)


def _before(here: _Here, codes: str) -> Edit | None:
    """A comment before the statement, on a line of its own or in its line."""
    if here.in_program:
        return None
    offset = here.piece.starts[0]
    at = here.diagnostic.span.start - offset
    for statement in statements(here.piece.sql):
        if statement.start <= at <= statement.end:
            start = statement.start + offset
            row, column = here.lines.place(start)
            indent = here.lines.line(row)[: column - 1]
            if indent.strip() or start < offset + len(indent):
                return Edit(start, start, f"/* iceberg-sql: ignore[{codes}] */ ")
            newline = "\r\n" if "\r\n" in here.text else "\n"
            return Edit(start, start, f"-- iceberg-sql: ignore[{codes}]{newline}{indent}")
    return None


def _alike(name: str, before: str, after: str) -> bool:
    """Whether two texts have the same statements, and the same program around them, comments aside."""
    try:
        one, other = source(name, before), source(name, after)
    except IcebergSqlError:
        return False
    if list(_words(one)) != list(_words(other)) or len(one.parts) != len(other.parts):
        return False
    if not name.lower().endswith((".py", ".ipynb")):
        return True
    return all(
        a.text == b.text or _same_program(a.text, b.text) or _is_sql(one, part)
        for part, (a, b) in enumerate(zip(one.parts, other.parts, strict=True))
    )


def _words(found: Source) -> Iterator[str]:
    for piece in found.pieces:
        yield from (
            t.text for t in tokenize(piece.sql) if t.kind is not Kind.COMMENT and t.text.strip()
        )


def _is_sql(found: Source, part: int) -> bool:
    """Whether a cell has SQL as it stands: under a magic, or in a notebook of SQL."""
    pieces = [piece for piece in found.pieces if piece.part == part and piece.sql]
    return bool(pieces) and all(isinstance(piece.starts, range) for piece in pieces)


def _same_program(before: str, after: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one, other = (ast.dump(ast.parse(text)) for text in (before, after))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return one == other
