"""A file under its settings: its SQL checked as one script, and what is found put in the file's own lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from spark_iceberg_sql.checker.engine import Around, Verdict, check, follow
from spark_iceberg_sql.checker.unresolved import NOT_CHECKED, Holes, sure
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Lines, Report, Severity
from spark_iceberg_sql.files.discovery import decode, find, read_bytes, source
from spark_iceberg_sql.files.source import Source, Unread
from spark_iceberg_sql.files.source_map import Joined, Piece, join
from spark_iceberg_sql.files.templates import captured, choices, with_placeholders
from spark_iceberg_sql.model.table import Tables
from spark_iceberg_sql.rules.sis003_unused_ignore import unused_ignore
from spark_iceberg_sql.syntax.lexer import Kind, tokenize
from spark_iceberg_sql.syntax.literals import parts


class Linter:
    """Checks files; what settings say is known is read once for all files that they hold for."""

    def __init__(self) -> None:
        self._series: dict[int, _Series] = {}

    def lint(self, found: Source, settings: Settings) -> list[Report]:
        """The reports of a file's parts, under its settings, without what these do not select.

        Raises IcebergSqlError for a metadata file, a catalog or a DDL file that cannot be read.
        """
        known = self.known(found.name, settings)
        pieces = tuple(with_placeholders(piece, settings.placeholders) for piece in found.pieces)
        found = replace(found, pieces=pieces) if settings.placeholders else found
        verdict = _Verdict(settings, found.name)
        lines = [Lines(part.text) for part in found.parts]
        by_part: list[list[Diagnostic]] = [[] for _ in found.parts]
        count = 0
        scripts = [(script, False) for script in _scripts(found)]
        scripts += [(script, True) for script in _kept(found)]
        for script, kept in scripts:
            statements, placed = _check_script(script, known, verdict, lines, found, kept=kept)
            count += statements
            for part, diagnostic in placed:
                by_part[part].append(diagnostic)
        for unread in found.unread:
            note = sure(_unread_note(unread, lines[unread.part]), verdict)
            by_part[unread.part] += [note] if note is not None else []
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
        """The tables that are there before a file, as its settings say; a copy. Raises IcebergSqlError."""
        if id(settings) not in self._series:
            self._series[id(settings)] = _Series(settings)
        return self._series[id(settings)].before(str(Path(name).absolute())).copy()


class _Series:
    """What is known after each of the DDL files that settings name, read no further than asked for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._files = ddl_files(settings)
        self._numbers = {path: number for number, path in enumerate(self._files)}
        self._known = [_known(settings)]

    def before(self, path: str) -> Tables:
        """What is known before a file: after all, or after those before it where it is one of them."""
        wanted = self._numbers.get(path, len(self._files))
        while len(self._known) <= wanted:
            known = self._known[-1].copy()
            _follow_file(self._files[len(self._known) - 1], known)
            self._known.append(known)
        return self._known[wanted]


def ddl_files(settings: Settings) -> list[str]:
    """The files that the key `ddl` means, in order, as full paths. Raises FileError where there is none."""
    patterns = [str(settings.root.absolute() / pattern) for pattern in settings.ddl]
    return list(find(patterns, lambda path: False))


def _known(settings: Settings) -> Tables:
    namespace = tuple(part for part in (settings.default_namespace or "").split(".") if part)
    if settings.metadata or settings.catalog:
        from spark_iceberg_sql.model.offline import known_from

        return known_from(
            settings.metadata,
            pyiceberg_catalog=settings.catalog,
            catalog=settings.default_catalog,
            namespace=namespace,
            case_sensitive=settings.case_sensitive,
        )
    return Tables(
        catalog=settings.default_catalog,
        namespace=namespace,
        case_sensitive=settings.case_sensitive,
    )


def _follow_file(path: str, known: Tables) -> None:
    """Let a file's statements, each template in its first choice, leave behind what they leave."""
    text, _, _ = decode(read_bytes(path), path)
    for script in _scripts(source(path, text)):
        for piece in script.pieces:
            follow(choices(piece)[0].sql, known)


def _scripts(found: Source) -> Iterator[Joined]:
    """A file's pieces as one script; a piece whose end nobody can tell stands alone."""
    together = []
    for piece in found.pieces:
        if len(found.pieces) > 1 and _is_open(piece):
            yield join([piece])
        else:
            together.append(piece)
    if together:
        yield join(together)


def _kept(found: Source) -> Iterator[Joined]:
    """The texts that a file's templates keep for later, each by itself: nobody knows when they run."""
    for piece in found.pieces:
        for inner in captured(piece):
            yield join([inner])


def _is_open(piece: Piece) -> bool:
    tokens = tokenize(piece.sql)
    return bool(tokens) and tokens[-1].kind is Kind.UNCLOSED


class _Verdict:
    """The settings' word on each finding; counts the notes that they leave out."""

    def __init__(self, settings: Settings, name: str) -> None:
        self._settings = settings
        self._path = Path(name) if name != "-" else None
        self.unlisted = 0

    def __call__(self, code: str, own: Severity) -> Severity | None:
        severity = self._settings.severity_of(code, own, self._path)
        self.unlisted += severity is None and own is Severity.NOTE
        return severity


def _check_script(
    script: Joined,
    known: Tables,
    verdict: Verdict,
    lines: list[Lines],
    source: Source,
    *,
    kept: bool,
) -> tuple[int, list[tuple[int, Diagnostic]]]:
    """Check a script in each of its choices: the number of statements, and part and diagnostic.

    kept: whether it is a text that a template keeps for later, and perhaps a part of a statement only.
    """
    variants = [choices(piece) for piece in script.pieces]
    number_of_variants = max(len(v) for v in variants)
    count = 0
    found: dict[tuple[int, str, int, int], Diagnostic] = {}
    for number in range(number_of_variants):
        chosen = join(v[min(number, len(v) - 1)] for v in variants)
        around = _around(chosen, source)
        report = check(chosen.sql, known, verdict=verdict, around=around)
        count = max(count, report.statements)
        holes = Holes(script, chosen, verdict)
        said = [holes.said(diagnostic) for diagnostic in report]
        said += [*holes.readable(known, around), *(() if kept else holes.nothing_else())]
        for diagnostic in said:
            if diagnostic is None:
                continue
            if diagnostic.code == unused_ignore.code and number_of_variants > 1:
                continue  # it may be used in another choice
            piece, offset = chosen.piece_at(diagnostic.span.start)
            placed = _placed(diagnostic, piece, offset, lines[piece.part])
            key = (piece.part, placed.code, placed.span.start, placed.span.end)
            found.setdefault(key, placed)
    return count, [(part, diagnostic) for (part, *_), diagnostic in found.items()]


def _around(script: Joined, source: Source) -> Around:
    """What stands around a script in its file."""
    made = tuple(
        (offset, tuple(map(parts, names)) if names is not None else None)
        for offset, names in script.made
    )
    return Around(source.spark, source.elsewhere, source.program, made, script.arms)


def _placed(diagnostic: Diagnostic, piece: Piece, offset: int, lines: Lines) -> Diagnostic:
    """The diagnostic of a script, in the file's own offsets and lines."""
    end = min(diagnostic.span.end - offset, len(piece.sql))
    span = lines.span(*piece.place(diagnostic.span.start - offset, end))
    return replace(diagnostic, span=span, fix=_placed_fix(diagnostic.fix, piece, offset))


def _placed_fix(fix: Fix | None, piece: Piece, offset: int) -> Fix | None:
    """The fix in the file's own offsets; None where the file does not have those words as they are."""
    edits = []
    for edit in fix.edits if fix is not None else ():
        start, end = edit.start - offset, edit.end - offset
        if start < 0 or end > len(piece.sql) or not piece.verbatim(start, end):
            return None
        if not isinstance(piece.starts, range) and set(edit.text) & set("\\'\"{}%\r\n"):
            return None
        edits.append(Edit(*piece.place(start, end), edit.text))
    return replace(fix, edits=tuple(edits)) if fix is not None else None


def _unread_note(unread: Unread, lines: Lines) -> Diagnostic:
    return Diagnostic(
        *NOT_CHECKED,
        Severity.NOTE,
        f"not checked: {unread.why}",
        lines.span(unread.start, unread.end),
        unread.help,
    )
