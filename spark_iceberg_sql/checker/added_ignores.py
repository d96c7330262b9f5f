"""`--add-noqa`: adds an ignore comment for each finding of a file; the SQL and the program stay the same."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from functools import cached_property

from spark_iceberg_sql.checker.beside import comments, open_ends
from spark_iceberg_sql.checker.fixes import fixed
from spark_iceberg_sql.checker.ignore_comments import read_comment
from spark_iceberg_sql.diagnostics import INTERNAL, Diagnostic, Edit, Fix, Lines, Report, Severity
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.notebooks.positions import as_one
from spark_iceberg_sql.files.source import Source
from spark_iceberg_sql.files.source_map import Piece
from spark_iceberg_sql.files.templates import template_spans
from spark_iceberg_sql.syntax.lexer import Kind, Token, tokenize
from spark_iceberg_sql.syntax.script import statements

_LISTED = re.compile(r"[:\[]\s*([\w.,\s-]+?)\s*\]?$")
_CODE = re.compile(r"\b[A-Z]+\d+\b")
_CLOSING = re.compile(r"\s*\*/")
_UNUSED = "SIS003"  # remove the comment instead


def with_ignores(
    read: Callable[[str], Source],
    text: str,
    found: list[Report],
    check: Callable[[str], list[Report]],
) -> tuple[str, list[Report], int, tuple[Diagnostic, ...]]:
    """A file's text with a comment for each error and warning.

    read: returns what the checker sees of a text of the file. found: its reports. check: returns the reports of a
    text. A comment is put at the end of the finding's line, at the end of the string literal that contains the SQL,
    or before the statement: the first place where it suppresses the finding, causes no other, and changes neither
    the statements nor the program.
    Returns the text, its reports, the number of findings that now have a comment, and those that cannot have one.
    """
    before = len(_due(found))
    unused = {_words_of(report, d) for report in found for d in report if d.code == _UNUSED}
    for place in (_line_end, _literal_end, _before):
        if not _due(found):
            break

        def offered(changed: str, place: _Place = place) -> Report:
            reports = check(changed)
            here = read(changed)
            given = [_with_edits(here, part, report, place) for part, report in enumerate(reports)]
            return as_one(changed, given)

        result = fixed(text, offered)
        if result.applied and _alike(read, text, result.text):
            text, found = result.text, check(result.text)

    def idle(changed: str) -> Report:
        return as_one(changed, [_without_idle(report, unused) for report in check(changed)])

    result = fixed(text, idle)
    if result.applied and _alike(read, text, result.text):
        text, found = result.text, check(result.text)
    left = tuple(_due(found))
    return text, found, before - len(left), left


def _due(reports: list[Report]) -> list[Diagnostic]:
    """The findings that need a comment."""
    return [diagnostic for report in reports for diagnostic in report if _is_due(diagnostic)]


def _is_due(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity is not Severity.NOTE and diagnostic.code not in (INTERNAL, _UNUSED)


class _Part:
    """A part of a file: its text, its lines, and its pieces of SQL with their first and last offsets."""

    def __init__(self, found: Source, part: int, text: str) -> None:
        self.text = text
        self.lines = Lines(text)
        pieces = [piece for piece in found.pieces if piece.part == part and piece.sql]
        self._pieces = [(*_bounds(piece), _Sql(piece)) for piece in pieces]

    def sql_at(self, offset: int) -> _Sql | None:
        """The SQL that an offset is in."""
        found = (sql for start, end, sql in self._pieces if start <= offset <= end)
        return next(found, None)

    def line_end(self, row: int) -> int:
        """The offset at which a row ends."""
        return self.lines.start(row) + len(self.lines.line(row))

    @cached_property
    def is_program(self) -> bool:
        """Whether it is Python that `ast` can parse, so without IPython magics."""
        return _same_program(self.text, self.text)

    @cached_property
    def comments(self) -> dict[int, list[tuple[int, str]]]:
        """The comments of a program, by their rows."""
        found: dict[int, list[tuple[int, str]]] = {}
        for at, text in comments(self.text):
            found.setdefault(self.lines.place(at)[0], []).append((at, text))
        return found

    @cached_property
    def open_ends(self) -> frozenset[int]:
        """The line ends at which a comment can be added: not inside a string, not after a backslash."""
        return frozenset(open_ends(self.text))


class _Sql:
    """A piece of SQL with its tokens and statements. offset: its start in the part, for SQL outside of strings."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self.text = piece.sql
        self.offset = piece.starts[0]
        self.in_program = not isinstance(piece.starts, range)

    @cached_property
    def templates(self) -> list[tuple[int, int]]:
        """The ranges that a template fills in."""
        return list(template_spans(self.text))

    @cached_property
    def _tokens(self) -> tuple[list[Token], list[int]]:
        tokens = tokenize(self.text)
        return tokens, [token.start for token in tokens]

    def token_before(self, at: int) -> Token | None:
        """The token that contains an offset or ends at it."""
        tokens, starts = self._tokens
        number = bisect_left(starts, at) - 1
        return tokens[number] if number >= 0 and at <= tokens[number].end else None

    @cached_property
    def statements(self) -> list[tuple[int, int]]:
        """Where its statements begin and end."""
        return [(statement.start, statement.end) for statement in statements(self.text)]


def _bounds(piece: Piece) -> tuple[int, int]:
    if isinstance(piece.starts, range):
        return piece.starts[0], piece.ends[-1]
    return min(piece.starts), max(piece.ends)


_Place = Callable[[_Part, _Sql, Diagnostic, str], Edit | None]


def _with_edits(found: Source, number: int, report: Report, place: _Place) -> Report:
    """A report in which the fix of each finding is the edit that adds its comment."""
    part = _Part(found, number, report.text)
    codes: dict[int, dict[str, None]] = {}
    for due in _due([report]):
        codes.setdefault(due.span.row, {})[due.code] = None
    given = []
    for diagnostic in report:
        edit = None
        if _is_due(diagnostic):
            sql = part.sql_at(diagnostic.span.start)
            if sql is not None and (part.is_program or not sql.in_program):
                edit = place(part, sql, diagnostic, ", ".join(codes[diagnostic.span.row]))
        fix = Fix("ignore it", (edit,), safe=True) if edit is not None else None
        given.append(replace(diagnostic, fix=fix))
    return replace(report, diagnostics=tuple(given))


def _words_of(report: Report, diagnostic: Diagnostic) -> str:
    return report.text[diagnostic.span.start : diagnostic.span.end]


def _without_idle(report: Report, unused: Set[str]) -> Report:
    """A report in which the fix of each unused code of an added comment removes it.

    A suppressed error counts as a statement that runs, so later findings may no longer exist. unused: the comments
    that were unused before.
    """
    given = []
    for diagnostic in report:
        comment = _words_of(report, diagnostic)
        ours = diagnostic.code == _UNUSED and comment not in unused
        edit = _removal(report.text, diagnostic, comment) if ours else None
        fix = Fix("remove what is unused", (edit,), safe=True) if edit is not None else None
        given.append(replace(diagnostic, fix=fix))
    return replace(report, diagnostics=tuple(given))


def _removal(text: str, diagnostic: Diagnostic, comment: str) -> Edit | None:
    """The edit that removes the unused codes from a comment, or the comment."""
    said, listed = read_comment(comment), _LISTED.search(comment)
    if said is None or said.wrong is not None or listed is None:
        return None
    idle = _CODE.findall(diagnostic.message)
    kept = [code for code in said.codes if code not in idle]
    start, end = diagnostic.span.start, diagnostic.span.end
    if kept:
        return Edit(start + listed.start(1), start + listed.end(1), ", ".join(kept))
    closing = _CLOSING.match(text, end)
    end = closing.end() if closing is not None else end
    if text[end : end + 1] not in ("", "\r", "\n"):  # another comment follows, or the statement
        return Edit(start, end + (text[end] == " "), "")
    row = text.rfind("\n", 0, start) + 1
    if not text[row:start].strip():  # a line of its own
        line_end = re.compile(r"\r?\n").match(text, end)
        return Edit(row, line_end.end() if line_end is not None else end, "")
    return Edit(len(text[:start].rstrip(" ")), end, "")


def _line_end(part: _Part, sql: _Sql, diagnostic: Diagnostic, codes: str) -> Edit | None:
    """A comment at the end of the finding's line."""
    row = diagnostic.span.row
    if sql.in_program:
        return _program_comment(part, row, codes)
    end = part.line_end(row)
    at = end - sql.offset
    if not 0 <= at <= len(sql.text) or any(a < at < b for a, b in sql.templates):
        return None
    # A template may remove the line end: `{%-`.
    comment = f"/* noqa: {codes} */" if sql.templates else f"-- noqa: {codes}"
    last = sql.token_before(at)
    if last is None or last.kind is not Kind.COMMENT:
        inside = last is not None and at < last.end and last.text.strip()
        return None if inside else Edit(end, end, f"  {comment}")
    if at < len(last.text.rstrip("\r\n")) + last.start or last.text.startswith("/*+"):
        return None
    start = last.start + sql.offset
    said = read_comment(last.text)
    if said is not None and said.shared and said.codes:
        return Edit(start + said.end, start + said.end, f", {codes}")
    return Edit(start, start, f"{comment} ") if last.text.startswith("--") else None


def _literal_end(part: _Part, sql: _Sql, diagnostic: Diagnostic, codes: str) -> Edit | None:
    """A comment of the program at the end of the line in which the SQL ends."""
    if not sql.in_program:
        return None
    return _program_comment(part, part.lines.place(sql.piece.starts[-1])[0], codes)


def _program_comment(part: _Part, row: int, codes: str) -> Edit | None:
    for at, text in part.comments.get(row, ()):
        said = read_comment(text)
        if said is not None and said.shared and said.codes:
            return Edit(at + said.end, at + said.end, f", {codes}")
    end = part.line_end(row)
    return Edit(end, end, f"  # noqa: {codes}") if end in part.open_ends else None


def _before(part: _Part, sql: _Sql, diagnostic: Diagnostic, codes: str) -> Edit | None:
    """A comment before the statement, on a line of its own or in its line."""
    at = diagnostic.span.start - sql.offset
    found = [(start, end) for start, end in sql.statements if start <= at <= end]
    if sql.in_program or not found:
        return None
    start = found[0][0] + sql.offset
    row, column = part.lines.place(start)
    indent = part.lines.line(row)[: column - 1]
    if indent.strip() or start < sql.offset + len(indent):
        return Edit(start, start, f"/* iceberg-sql: ignore[{codes}] */ ")
    newline = "\r\n" if "\r\n" in part.text else "\n"
    return Edit(start, start, f"-- iceberg-sql: ignore[{codes}]{newline}{indent}")


def _alike(read: Callable[[str], Source], before: str, after: str) -> bool:
    """Whether two texts have the same statements and the same program, apart from comments."""
    try:
        one, other = read(before), read(after)
    except IcebergSqlError:
        return False
    if list(_words(one)) != list(_words(other)) or len(one.parts) != len(other.parts):
        return False
    if not one.name.lower().endswith((".py", ".ipynb")):
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
    """Whether a cell is SQL: under a magic, or in a SQL notebook."""
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
