"""Checks a file under its settings: its SQL is checked as one script, and findings are mapped to lines of the file.

Each template is checked in several variants; a finding is reported once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from os.path import abspath
from pathlib import Path
from typing import TYPE_CHECKING

from spark_iceberg_sql.checker.engine import TextOrigin, check_and_apply
from spark_iceberg_sql.checker.files.ddl_replay import DdlReplay
from spark_iceberg_sql.checker.files.file_scripts import captured_scripts, scripts_of
from spark_iceberg_sql.checker.files.host_suppressions import HostSuppressions
from spark_iceberg_sql.checker.files.placeholder_filter import not_checked, with_severity
from spark_iceberg_sql.checker.files.script_check import check_script, origin_of
from spark_iceberg_sql.checker.statement_cache import StatementCache
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Diagnostic, Lines, Report, Severity
from spark_iceberg_sql.errors import SourceError
from spark_iceberg_sql.files.discovery import extract_source
from spark_iceberg_sql.files.placeholder_patterns import with_placeholders
from spark_iceberg_sql.files.projects.project_readers import Projects, upstream_statements
from spark_iceberg_sql.files.source import ExtractionProblem, SourceFile
from spark_iceberg_sql.files.source_map import JoinedScript, join_fragments
from spark_iceberg_sql.files.templates import template_variants
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.base import Event
from spark_iceberg_sql.rules.registry import reporter

if TYPE_CHECKING:
    from spark_iceberg_sql.model.metadata.catalogs import Catalogs

_VERSION_HELP = "give each migration its own version; tables that they change are unknown afterwards"


class Linter:
    """Checks files. The tables that settings name are read once for all files with the same settings.

    overlays: texts of open files, by full path, used instead of the saved files in dbt projects.
    catalogs: those that tables are looked up in; by default, they are opened when settings name one.
    """

    def __init__(self, overlays: Mapping[Path, str] | None = None, catalogs: Catalogs | None = None) -> None:
        self._catalogs = catalogs
        self._replays: dict[int, DdlReplay] = {}
        self._projects = Projects(overlays)

    def set_overlay(self, path: Path, text: str | None) -> None:
        """Use a text as the content of an open file. text: None if the file is not open any more."""
        self._projects.set_overlay(path, text)

    def project_of(self, path: Path) -> Path | None:
        """The folder of the dbt project that a file configures or belongs to; None if there is none."""
        project = self._projects.project_of(path)
        return project.root if project is not None and project.reads_file(path) else None

    def source(self, name: str, text: str, settings: Settings) -> SourceFile:
        """The source file of a text. Raises FileError for an invalid notebook."""
        return extract_source(name, text, self._projects, settings.callables, settings.dbt_manifest)

    def lint(
        self, source: SourceFile, settings: Settings, statement_cache: StatementCache | None = None
    ) -> list[Report]:
        """The reports of a file's parts, without the findings that its settings do not select.

        statement_cache: results of this linter for an earlier version of the file, under the same settings.
        Raises IcebergSqlError for a metadata file, a catalog or a DDL file that cannot be read.
        """
        if not source.units:  # a notebook without code is a file that was checked
            return [Report("", (), source.name)]
        catalog = self.catalog_before(source.name, settings)
        source = _with_placeholders(source, settings)
        severity_policy = _FileSeverityPolicy(settings, source.name)
        lines = [Lines(part.text) for part in source.units]
        by_part: list[list[Diagnostic]] = [[] for _ in source.units]
        host_suppressions = HostSuppressions(source, lines)
        count = 0
        if host_suppressions.skip_file:
            return [
                Report(part.text, (), source.name, 0, lines[number], part.cell)
                for number, part in enumerate(source.units)
            ]
        text = source.units[0].text
        # For a model of dbt: statements that create the tables it reads, from what dbt has recorded.
        prior_statements = upstream_statements(source.name, text, self._projects)
        script_catalog = catalog.copy() if prior_statements else catalog
        for statement in prior_statements:
            check_and_apply(statement, script_catalog)
        captured = ((script, True) for script in captured_scripts(source))
        for script, is_captured in (*((script, False) for script in scripts_of(source)), *captured):
            statements, placed = check_script(
                script,
                catalog if is_captured else script_catalog,
                severity_policy,
                lines,
                source,
                host_suppressions,
                is_captured=is_captured,
                statement_cache=statement_cache,
            )
            count += statements
            for part, diagnostic in placed:
                by_part[part].append(diagnostic)
        migration = self._replays[id(settings)].migrations.migration_at(abspath(source.name))
        problems = source.problems
        if migration is not None and migration.order_problem is not None:
            problems = (ExtractionProblem(0, 0, 0, migration.order_problem, _VERSION_HELP), *problems)
        for problem in problems:
            note = _problem_note(problem, lines[problem.unit_index])
            if not host_suppressions.suppresses(problem.unit_index, problem.start, note.code):
                by_part[problem.unit_index] += with_severity(note, severity_policy)
        self.require_answers()
        for number, diagnostic in host_suppressions.findings():
            by_part[number] += with_severity(diagnostic, severity_policy)
        return [
            Report(
                part.text,
                tuple(sorted(by_part[number], key=lambda d: (d.span, d.code))),
                source.name,
                count if number == 0 else 0,
                lines[number],
                part.cell,
                severity_policy.hidden_notes if number == 0 else 0,
            )
            for number, part in enumerate(source.units)
        ]

    def catalog_before(self, name: str, settings: Settings) -> Tables:
        """The catalog state before a file, according to its settings; a copy. Raises IcebergSqlError."""
        return self._replay_for(settings).catalog_before(abspath(name)).copy()

    def dependency_digest(self, name: str, settings: Settings) -> str | None:
        """A digest of everything that the findings in a file depend on, except for its own name and text.

        None if that is not known. Raises IcebergSqlError.
        """
        return self._replay_for(settings).dependency_digest(abspath(name))

    def require_answers(self) -> None:
        """Raise SourceError if a catalog did not answer: findings until then may be incomplete."""
        if self._catalogs is not None and self._catalogs.failure is not None:
            raise SourceError(self._catalogs.failure)

    def _open_catalogs(self) -> Catalogs:
        if self._catalogs is None:
            from spark_iceberg_sql.model.metadata.catalogs import Catalogs  # the command starts sooner

            self._catalogs = Catalogs()
        return self._catalogs

    def _replay_for(self, settings: Settings) -> DdlReplay:
        if id(settings) not in self._replays:
            self._replays[id(settings)] = DdlReplay(settings, self._open_catalogs)
        return self._replays[id(settings)]

    def tables_after(self, name: str, settings: Settings) -> list[tuple[str, tuple[Table, ...]]]:
        """The tables at the end of a file, or of the last migrations of its series, with the name of each file.

        Tables from before the file are among them. Raises IcebergSqlError.
        """
        self.catalog_before(name, settings)
        return self._replays[id(settings)].tables_after(abspath(name))


def checked_scripts(source: SourceFile, settings: Settings) -> Iterator[tuple[JoinedScript, TextOrigin]]:
    """A file's SQL as it is checked, with the first variant of each template."""
    host_suppressions = HostSuppressions(source, [Lines(part.text) for part in source.units])
    for script in scripts_of(_with_placeholders(source, settings)):
        variant = join_fragments(template_variants(fragment)[0] for fragment in script.fragments)
        yield variant, origin_of(variant, source, host_suppressions.suppressions_in(script))


def _with_placeholders(source: SourceFile, settings: Settings) -> SourceFile:
    fragments = tuple(with_placeholders(fragment, settings.placeholders) for fragment in source.fragments)
    return replace(source, fragments=fragments) if settings.placeholders else source


class _FileSeverityPolicy:
    """The severity of each finding of a file under the settings; counts the notes that they hide."""

    def __init__(self, settings: Settings, name: str) -> None:
        path = Path(name) if name != "-" else None
        # Asked once for each rule: the settings may have thousands of globs, and the file as many findings.
        self._severity = cache(lambda code, declared_severity: settings.severity_of(code, declared_severity, path))
        self.hidden_notes = 0

    def __call__(self, code: str, declared_severity: Severity) -> Severity | None:
        severity = self._severity(code, declared_severity)
        if severity is None and declared_severity is Severity.NOTE:
            self.hidden_notes += 1
        return severity


def _problem_note(problem: ExtractionProblem, lines: Lines) -> Diagnostic:
    span = lines.span(problem.start, problem.end)
    if problem.is_refused or problem.is_ignored:
        rule = reporter(Event.REFUSED_CALL)
        severity = rule.severity if problem.is_refused else Severity.WARNING
        return Diagnostic(rule.code, rule.name, severity, problem.reason, span, problem.help)
    return not_checked(f"not checked: {problem.reason}", span, problem.help)
