"""Checks a file under its settings: its SQL is checked as one script, and findings are mapped to lines of the file.

Each template is checked in several variants; a finding is reported once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from functools import cache
from os.path import abspath
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spark_iceberg_sql.checker.beside import Beside, in_literals
from spark_iceberg_sql.checker.engine import Around, check, follow
from spark_iceberg_sql.checker.file_scripts import kept_by, opened_at, scripts_of
from spark_iceberg_sql.checker.hidden_text import hidden_statements
from spark_iceberg_sql.checker.known_tables import Series
from spark_iceberg_sql.checker.memo import Memo
from spark_iceberg_sql.checker.placed_fixes import hull, placed_fix
from spark_iceberg_sql.checker.program_words import in_words_of
from spark_iceberg_sql.checker.reporting import Verdict
from spark_iceberg_sql.checker.suppressions import Ignore
from spark_iceberg_sql.checker.unresolved import Holes, not_checked, sure
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Diagnostic, Fix, Lines, Report, Severity
from spark_iceberg_sql.errors import SourceError
from spark_iceberg_sql.files.discovery import source
from spark_iceberg_sql.files.filled_in import with_placeholders
from spark_iceberg_sql.files.projects.tools import Projects, statements_before
from spark_iceberg_sql.files.source import Source, Unread
from spark_iceberg_sql.files.source_map import COMPILED, Joined, join
from spark_iceberg_sql.files.templates import barest, choices
from spark_iceberg_sql.model.table import Table, parts
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.base import Event
from spark_iceberg_sql.rules.registry import BY_CODE, reporter

if TYPE_CHECKING:
    from spark_iceberg_sql.model.catalogs import Catalogs

_ONE_ORDER = "give each migration its own version; tables that they change are unknown afterwards"


class Linter:
    """Checks files. The tables that settings name are read once for all files with the same settings.

    overlays: texts of open files, by full path, used instead of the saved files in dbt projects.
    catalogs: those that tables are looked up in; by default, they are opened when settings name one.
    """

    def __init__(
        self, opened: Mapping[Path, str] | None = None, catalogs: Catalogs | None = None
    ) -> None:
        self._catalogs = catalogs
        self._series: dict[int, Series] = {}
        self._projects = Projects(opened)

    def says(self, path: Path, text: str | None) -> None:
        """Use a text as the content of an open file. text: None if the file is not open any more."""
        self._projects.says(path, text)

    def project_of(self, path: Path) -> Path | None:
        """The folder of the dbt project that a file configures or belongs to; None if there is none."""
        project = self._projects.of(path)
        return project.root if project is not None and project.has(path) else None

    def source(self, name: str, text: str, settings: Settings) -> Source:
        """The source file of a text. Raises FileError for an invalid notebook."""
        return source(name, text, self._projects, settings.callables, settings.dbt_manifest)

    def lint(self, found: Source, settings: Settings, memo: Memo | None = None) -> list[Report]:
        """The reports of a file's parts, without the findings that its settings do not select.

        statement_cache: results of this linter for an earlier version of the file, under the same settings.
        Raises IcebergSqlError for a metadata file, a catalog or a DDL file that cannot be read.
        """
        known = self.known(found.name, settings)
        pieces = tuple(with_placeholders(piece, settings.placeholders) for piece in found.pieces)
        found = replace(found, pieces=pieces) if settings.placeholders else found
        verdict = _Verdict(settings, found.name)
        lines = [Lines(part.text) for part in found.parts]
        by_part: list[list[Diagnostic]] = [[] for _ in found.parts]
        beside = Beside(found, lines)
        count = 0
        if beside.skip_file:
            return [
                Report(part.text, (), found.name, 0, lines[number], part.cell)
                for number, part in enumerate(found.parts)
            ]
        scripts = [(script, False) for script in scripts_of(found)]
        scripts += [(script, True) for script in kept_by(found)]
        text = found.parts[0].text if found.parts else ""
        # For a model of dbt: statements that create the tables it reads, from what dbt has recorded.
        before = statements_before(found.name, text, self._projects)
        read = known.copy() if before else known
        for statement in before:
            follow(statement, read)
        for script, kept in scripts:
            statements, placed = _check_script(
                script, known if kept else read, verdict, lines, found, beside, kept=kept, memo=memo
            )
            count += statements
            for part, diagnostic in placed:
                by_part[part].append(diagnostic)
        step = self._series[id(settings)].migrations.of(abspath(found.name))
        doubts = [step.unsure] if step is not None and step.unsure is not None else []
        placeless = [Unread(0, 0, 0, why, _ONE_ORDER) for why in doubts]
        for unread in (*placeless, *found.unread):
            note = _unread_note(unread, lines[unread.part])
            if beside.silence(unread.part, unread.start, note.code):
                continue
            shown = sure(note, verdict)
            by_part[unread.part] += [shown] if shown is not None else []
        self.require_answers()
        for number, diagnostic in beside.findings():
            severity = verdict(diagnostic.code, diagnostic.severity)
            if severity is not None:
                by_part[number].append(replace(diagnostic, severity=severity))
        return [
            Report(
                part.text,
                tuple(sorted(by_part[number], key=lambda d: (d.span, d.code))),
                found.name,
                count if number == 0 else 0,
                lines[number],
                part.cell,
                verdict.unlisted if number == 0 else 0,
            )
            for number, part in enumerate(found.parts)
        ]

    def known(self, name: str, settings: Settings) -> Tables:
        """The catalog state before a file, according to its settings; a copy. Raises IcebergSqlError."""
        return self._of(settings).before(abspath(name)).copy()

    def basis(self, name: str, settings: Settings) -> str | None:
        """A digest of everything that the findings in a file depend on, except for its own name and text.

        None if that is not known. Raises IcebergSqlError.
        """
        return self._of(settings).basis(abspath(name))

    def require_answers(self) -> None:
        """Raise SourceError if a catalog did not answer: findings until then may be incomplete."""
        if self._catalogs is not None and self._catalogs.failure is not None:
            raise SourceError(self._catalogs.failure)

    def _opened_catalogs(self) -> Catalogs:
        if self._catalogs is None:
            from spark_iceberg_sql.model.catalogs import Catalogs  # the command starts sooner

            self._catalogs = Catalogs()
        return self._catalogs

    def _of(self, settings: Settings) -> Series:
        if id(settings) not in self._series:
            self._series[id(settings)] = Series(settings, self._opened_catalogs)
        return self._series[id(settings)]

    def after(self, name: str, settings: Settings) -> list[tuple[str, tuple[Table, ...]]]:
        """The tables at the end of a file, or of the last migrations of its series, with the name of each file.

        Tables from before the file are among them. Raises IcebergSqlError.
        """
        self.known(name, settings)
        return self._series[id(settings)].after(abspath(name))


def scripts(found: Source, settings: Settings) -> Iterator[tuple[Joined, Around]]:
    """A file's SQL as it is checked, with the first variant of each template."""
    pieces = tuple(with_placeholders(piece, settings.placeholders) for piece in found.pieces)
    beside = Beside(found, [Lines(part.text) for part in found.parts])
    for script in scripts_of(replace(found, pieces=pieces) if settings.placeholders else found):
        chosen = join(choices(piece)[0] for piece in script.pieces)
        yield chosen, _around(chosen, found, beside.of(script))


class _Verdict:
    """The severity of each finding of a file under the settings; counts the notes that they hide."""

    def __init__(self, settings: Settings, name: str) -> None:
        path = Path(name) if name != "-" else None
        # Asked once for each rule: the settings may have thousands of globs, and the file as many findings.
        self._severity = cache(lambda code, own: settings.severity_of(code, own, path))
        self.unlisted = 0

    def __call__(self, code: str, own: Severity) -> Severity | None:
        severity = self._severity(code, own)
        if severity is None and own is Severity.NOTE:
            self.unlisted += 1
        return severity


_Key = tuple[int, str, int, int]  # part, code and place


class _Placed(NamedTuple):
    """A diagnostic in offsets of the file, and its fix in offsets of the script."""

    diagnostic: Diagnostic
    fix: Fix | None


def _check_script(
    script: Joined,
    known: Tables,
    verdict: Verdict,
    lines: list[Lines],
    source: Source,
    beside: Beside,
    *,
    kept: bool,
    memo: Memo | None,
) -> tuple[int, list[tuple[int, Diagnostic]]]:
    """Check a script in each of its variants: the number of statements, and each diagnostic with its part.

    is_captured: the text is one that a template stores for later, and possibly only part of a statement.
    """
    variants = [choices(piece) for piece in script.pieces]
    number_of_variants = max(len(v) for v in variants)
    texts = [
        join(v[min(number, len(v) - 1)] for v in variants) for number in range(number_of_variants)
    ]

    ignores = beside.of(script)

    def judged(chosen: Joined, verdict: Verdict) -> tuple[int, dict[_Key, _Placed]]:
        holes = Holes(script, chosen, verdict, filled_in=known.filled_in)
        around = replace(_around(chosen, source, ignores), filled=holes.filled)
        report = check(chosen.sql, known, verdict=verdict, around=around, memo=memo)
        said = [holes.said(diagnostic) for diagnostic in report]
        if kept and (opened := opened_at(chosen.sql)) is not None:  # half a quoted text
            said = [_half(d, holes) if d and d.span.start == opened else d for d in said]
        said += [*holes.readable(known, around), *(() if kept else holes.nothing_else())]
        found: dict[_Key, _Placed] = {}
        for diagnostic in said:
            if diagnostic is None:
                continue
            unused = BY_CODE[diagnostic.code].event is Event.UNUSED_IGNORE
            if unused and number_of_variants > 1:
                continue  # it may be used in another choice
            placed = _placed(diagnostic, script, chosen, lines)
            if placed is None:
                continue
            piece, _ = chosen.piece_at(diagnostic.span.start)
            key = (piece.part, placed.code, placed.span.start, placed.span.end)
            earlier = found.setdefault(key, _Placed(placed, diagnostic.fix))
            if piece.api == COMPILED and earlier.diagnostic.fix is None:
                found[key] = _Placed(placed, diagnostic.fix)  # only what is written can be fixed
        return report.statements, found

    reports = [judged(chosen, verdict) for chosen in texts]
    count = max(statements for statements, _ in reports)
    every = [(chosen.sql, found) for chosen, (_, found) in zip(texts, reports, strict=True)]
    if any(item.diagnostic.fix is not None for _, found in every for item in found.values()):
        # A fix must also be right where every condition of the template is false.
        bare = join(map(barest, script.pieces))
        if bare.sql not in [sql for sql, _ in every]:
            every.append((bare.sql, judged(bare, copy(verdict))[1]))  # its notes do not count
    found: dict[_Key, Diagnostic] = {}
    for sql, items in every[:number_of_variants]:
        for key, item in items.items():
            if key not in found:
                found[key] = item.diagnostic
                if not _in_all(key, item, sql, every):
                    found[key] = replace(item.diagnostic, fix=None)
    placed = [(part, diagnostic) for (part, *_), diagnostic in found.items()]
    for note in hidden_statements(script, texts, verdict, kept=kept):
        piece, _ = script.piece_at(note.span.start)
        worded = _placed(note, script, script, lines)
        placed += [(piece.part, worded)] if worded is not None else []
    return count, placed


def _in_all(
    key: _Key, item: _Placed, sql: str, every: list[tuple[str, dict[_Key, _Placed]]]
) -> bool:
    """True if every variant with the same text around a fix offers the same fix.

    mapped: a diagnostic of one variant, and sql: that variant's text. variant_results: the texts and
    diagnostics of all.
    """
    if item.fix is None or item.diagnostic.fix is None:
        return True
    start, end = hull(item.fix.edits)
    words = slice(max(start - 1, 0), end + 1)
    return all(
        key in found and found[key].diagnostic.fix == item.diagnostic.fix
        for other, found in every
        if other[words] == sql[words]
    )


def _half(diagnostic: Diagnostic, holes: Holes) -> Diagnostic | None:
    """The note about an unclosed quote in a text that a template captures; None if it is a note already."""
    return None if diagnostic.severity is Severity.NOTE else holes.unsure(diagnostic)


def _around(script: Joined, source: Source, ignores: tuple[Ignore, ...]) -> Around:
    """The origin of a script in its file."""
    made = tuple(
        (offset, tuple(map(parts, names)) if names is not None else None)
        for offset, names in script.made
    )
    strings = source.program and all(in_literals(piece) for piece in script.pieces if piece.sql)
    origin = (source.spark, source.elsewhere, source.program, made, script.arms, ignores)
    return Around(*origin, strings=strings)


def _placed(
    diagnostic: Diagnostic, script: Joined, chosen: Joined, lines: list[Lines]
) -> Diagnostic | None:
    """The diagnostic of a script, in offsets and lines of the file."""
    piece, offset = chosen.piece_at(diagnostic.span.start)
    end = min(diagnostic.span.end - offset, len(piece.sql))
    span = lines[piece.part].span(*piece.place(diagnostic.span.start - offset, end))
    placed = replace(diagnostic, span=span, fix=placed_fix(diagnostic.fix, script, chosen))
    return in_words_of(piece, placed)


def _unread_note(unread: Unread, lines: Lines) -> Diagnostic:
    span = lines.span(unread.start, unread.end)
    if unread.refused:
        rule = reporter(Event.REFUSED_CALL)
        return Diagnostic(rule.code, rule.name, rule.severity, unread.why, span, unread.help)
    return not_checked(f"not checked: {unread.why}", span, unread.help)
