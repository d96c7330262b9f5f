"""The open texts, the notebooks that contain them, and their analyses, which are cached by version."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spark_iceberg_sql.checker.files.ddl_replay import ddl_files
from spark_iceberg_sql.checker.files.linter import Linter, checked_scripts
from spark_iceberg_sql.checker.files.placeholder_filter import not_checked
from spark_iceberg_sql.checker.statement_cache import StatementCache
from spark_iceberg_sql.config.configuration import OWN_FILE, Configuration
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Lines, Report
from spark_iceberg_sql.editor.analysis import Analysis, Script
from spark_iceberg_sql.editor.documents import Document, path_of
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.notebooks.cells import read_cells
from spark_iceberg_sql.files.source import SourceFile
from spark_iceberg_sql.model.metadata.catalogs import Catalogs
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.safe_output import sanitized_message

# Files of a dbt project that other ones depend on.
_PROJECT_SUFFIXES = frozenset({".sql", ".py", ".yml", ".yaml", ".csv"})
_DBT_ARTIFACTS = frozenset({"manifest.json", "catalog.json"})


@dataclass(slots=True)
class Notebook:
    """An open notebook. cells: the URIs of its cells, in order, and whether each is code."""

    uri: str
    cells: list[tuple[str, bool]] = field(default_factory=list)


@dataclass(slots=True)
class _UnitState:
    """The last analysis of a text or notebook, its versions, and the error that prevented it."""

    statement_cache: StatementCache = field(default_factory=StatementCache)
    documents: tuple[Document, ...] = ()
    analysis: Analysis | None = None
    error: str | None = None


class OpenFiles:
    """The open texts by URI, and the open notebooks.

    show_message: shows the user why a text cannot be checked. on_answer: called, in another thread, when a catalog has
    answered: a check does not wait for it.
    """

    def __init__(
        self, show_message: Callable[[str], None] = lambda _: None, on_answer: Callable[[], None] = lambda: None
    ) -> None:
        self._show_message = show_message
        self._catalogs = Catalogs(on_answer)
        self._withheld: set[str] = set()
        self.documents: dict[str, Document] = {}
        self.notebooks: dict[str, Notebook] = {}
        self.values: Mapping[str, Any] = {}
        self._units: dict[str, _UnitState] = {}
        self.forget()

    def forget(self) -> None:
        """Read settings, DDL files and metadata anew at the next check."""
        self._configuration: Configuration | None = None
        self._catalogs.forget()
        texts = {_file_of(uri): document.text for uri, document in self.documents.items()}
        overlays = {path: text for path, text in texts.items() if path is not None}
        self._linter = Linter(overlays, self._catalogs)
        self._units.clear()

    def put(self, document: Document) -> None:
        """Remember a text's version."""
        self.documents[document.uri] = document
        self._set_overlay(document.uri, document.text)

    def _set_overlay(self, uri: str, text: str | None) -> None:
        """Use a file's open text for other files of its dbt project; None: the saved one."""
        path = _file_of(uri)
        if path is None:
            return
        self._linter.set_overlay(path, text)
        for other in self.project_siblings(uri):
            if other in self._units:
                self._units[other] = _UnitState(self._units[other].statement_cache)

    def project_siblings(self, uri: str) -> list[str]:
        """The other open files of the same dbt project, which may depend on this one."""
        path = _file_of(uri)
        if path is None or path.suffix not in _PROJECT_SUFFIXES:
            return []
        project = self._linter.project_of(path)
        if project is None:
            return []
        candidates = [(unit, _file_of(unit)) for unit in self.units() if unit != uri]
        return [unit for unit, other in candidates if other is not None and self._linter.project_of(other) == project]

    def close(self, uri: str) -> None:
        """Forget a text or a notebook."""
        self.documents.pop(uri, None)
        self._units.pop(uri, None)
        self._set_overlay(uri, None)
        notebook = self.notebooks.pop(uri, None)
        for cell, _ in notebook.cells if notebook is not None else ():
            self.documents.pop(cell, None)

    def rename(self, old: str, new: str) -> None:
        """Rename a file, or a folder with files."""
        for uri in list(self.documents):
            if uri == old or uri.startswith(f"{old}/"):
                document = self.documents.pop(uri)
                self.put(document.with_uri(new + uri.removeprefix(old)))

    def unit(self, uri: str) -> str:
        """The URI of the notebook that a text is a cell of, or its own."""
        for notebook in self.notebooks.values():
            if any(uri == cell for cell, _ in notebook.cells):
                return notebook.uri
        return uri

    def units(self) -> list[str]:
        """The URIs of all open files and notebooks."""
        return list(dict.fromkeys(map(self.unit, self.documents)))

    def parts(self, unit: str) -> list[Document]:
        """The texts of a file or a notebook, as the parts of its source."""
        notebook = self.notebooks.get(unit)
        uris = [unit] if notebook is None else [cell for cell, code in notebook.cells if code]
        return [self.documents[uri] for uri in uris if uri in self.documents]

    def settings(self, name: str) -> Settings:
        """The settings of a file. Raises ConfigError."""
        if self._configuration is None:
            self._configuration = Configuration(values=self.values)
        return self._configuration.of(Path(name))

    def analysis(self, unit: str) -> Analysis:
        """The analysis of the current versions; an error that prevents it is shown once."""
        documents = tuple(self.parts(unit))
        state = self._units.setdefault(unit, _UnitState())
        if state.analysis is not None and [*map(id, state.documents)] == [*map(id, documents)]:
            return state.analysis
        error = None
        try:
            state.analysis = self._analyze(unit, documents, state.statement_cache)
        except IcebergSqlError as failure:
            reports = [_not_checked_report(document.text, failure) for document in documents]
            empty_source = SourceFile(path_of(unit), (), ())
            state.analysis = Analysis(empty_source, reports, [], Tables(), state.statement_cache)
            error = str(failure)
        state.documents = documents
        if error is not None and error != state.error:
            self._show_message(error)
        state.error = error
        return state.analysis

    def _analyze(self, unit: str, documents: tuple[Document, ...], statement_cache: StatementCache) -> Analysis:
        settings = self.settings(path_of(unit))
        self._report_withheld(settings)
        source = self._source(unit, documents, settings)
        if len(source.units) != len(documents) or (
            unit not in self.notebooks and source.units[0].cell is not None
        ):  # a notebook as JSON, whose positions are not those of its cells
            return Analysis(source, [Report(d.text) for d in documents], [], Tables(), statement_cache)
        reports = self._linter.lint(source, settings, statement_cache)
        file_scripts = [Script(*script) for script in checked_scripts(source, settings)]
        return Analysis(
            source, reports, file_scripts, self._linter.catalog_before(source.name, settings), statement_cache
        )

    def _report_withheld(self, settings: Settings) -> None:
        """Show once that a catalog is not opened."""
        if settings.catalog_is_withheld:
            note = settings.catalog_note("name it in the editor's settings of iceberg-sql")
            if note not in self._withheld:
                self._withheld.add(note)
                self._show_message(note)

    def _source(self, unit: str, documents: tuple[Document, ...], settings: Settings) -> SourceFile:
        if unit not in self.notebooks:
            return documents[0].source(self._linter, settings)
        cells = [(n, d.text, d.language) for n, d in enumerate(documents, start=1)]
        return read_cells(path_of(unit), cells, callables=settings.callables)

    def report_of(self, uri: str) -> Report | None:
        """The report of one text; None if it is not open, or a cell without code."""
        entry = self.analysis_of(uri)
        return entry[0].reports[entry[1]] if entry is not None else None

    def analysis_of(self, uri: str) -> tuple[Analysis, int] | None:
        """The analysis of the file or notebook that a text belongs to, and which part of it the text is."""
        unit = self.unit(uri)
        part = next((n for n, d in enumerate(self.parts(unit)) if d.uri == uri), None)
        return (self.analysis(unit), part) if part is not None else None

    def analyze_with(self, uri: str, text: str) -> tuple[SourceFile, Report] | None:
        """Analyze the file or notebook with a text in place of the open one: its source, and the text's report."""
        document, unit = self.documents.get(uri), self.unit(uri)
        if document is None:
            return None
        parts = self.parts(unit)
        documents = tuple(d.with_text(text) if d.uri == uri else d for d in parts)
        try:
            analysis = self._analyze(unit, documents, self._units.setdefault(unit, _UnitState()).statement_cache)
        except IcebergSqlError:
            return None
        finally:
            self._set_overlay(uri, document.text)
        number = next((n for n, d in enumerate(parts) if d.uri == uri), None)
        return (analysis.source, analysis.reports[number]) if number is not None else None

    def affects_checks(self, path: Path) -> bool:
        """True if a check of an open text may depend on a file: settings, DDL, migrations, metadata."""
        if path.name in (OWN_FILE, "pyproject.toml"):
            return True
        for unit in self.units():
            other = Path(path_of(unit))
            try:
                settings = self.settings(path_of(unit))
                if str(path) in ddl_files(settings):
                    return True
            except IcebergSqlError:
                return True  # what is missing may be there now
            # It may be an earlier migration of the same series.
            may_precede = path != other and (settings.scripts or path.parent == other.parent)
            is_metadata = any(_is_metadata_file(path, metadata) for metadata in settings.metadata.values())
            is_in_project = self._linter.project_of(other) in path.parents
            is_of_dbt = is_in_project and (path.suffix in _PROJECT_SUFFIXES or path.name in _DBT_ARTIFACTS)
            if may_precede or is_metadata or is_of_dbt or path == settings.dbt_manifest:
                return True
        return False


def _not_checked_report(text: str, error: IcebergSqlError) -> Report:
    """The report of a text that cannot be checked: with a note, so that it does not look correct."""
    note_text = f"not checked: {sanitized_message(str(error)).partition(chr(10))[0]}"
    line_span = Lines(text).span(0, len(text.splitlines()[0]) if text.strip() else 0)
    return Report(text, (not_checked(note_text, line_span),))


def _file_of(uri: str) -> Path | None:
    """The full path of a file; None for other URIs."""
    return Path(os.path.abspath(path_of(uri))) if uri.startswith("file:") else None


def _is_metadata_file(path: Path, metadata: Path) -> bool:
    """True if a file is a table's metadata, or in the folder configured for it."""
    location = metadata.absolute()
    return path == location or location in path.parents
