"""The language server: diagnostics as one types, quick fixes, hover, completion. Needs pygls."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec

from spark_iceberg_sql import rules
from spark_iceberg_sql.checker.files import Linter
from spark_iceberg_sql.config.settings import Configuration, Settings
from spark_iceberg_sql.diagnostics import (
    Diagnostic,
    Lines,
    Report,
    Severity,
)
from spark_iceberg_sql.editor.completion import meaning, suggestions
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.notebooks import read_cell
from spark_iceberg_sql.files.source import Source
from spark_iceberg_sql.model.table import Tables
from spark_iceberg_sql.report.rule_pages import page, url_of

NAME = "iceberg-sql"
_SEVERITY = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
_KIND = {"transform": lsp.CompletionItemKind.Function, "column": lsp.CompletionItemKind.Field}


class Document:
    """An open text: its last report, and places in it both ways.

    codec: counts characters as the editor does (UTF-16 code units, unless it asks for others).
    language: as the editor names it.
    """

    def __init__(self, uri: str, text: str, codec: PositionCodec, language: str = "sql") -> None:
        self.uri = uri
        self.language = language
        self.text = text
        self.lines = Lines(text)
        self.report = Report(text)
        self._codec = codec

    @property
    def name(self) -> str:
        """The file's path, or the path in the URI of a text that is no file: a version, a notebook's cell."""
        return to_fs_path(self.uri) or unquote(urlparse(self.uri).path) or self.uri

    @property
    def is_cell(self) -> bool:
        """Whether it is one cell of a notebook."""
        return self.uri.startswith("vscode-notebook-cell:")

    def source(self, linter: Linter, settings: Settings) -> Source:
        """What there is to check. Raises FileError for a notebook that is none."""
        if self.is_cell:
            return read_cell(self.name, self.text, self.language, settings.callables)
        return linter.source(self.name, self.text, settings)

    @property
    def is_sql(self) -> bool:
        """Whether the text is SQL from its first character to its last."""
        if self.is_cell:
            return "sql" in self.language
        return Path(self.name).suffix.lower() not in (".py", ".ipynb", ".yml", ".yaml")

    def position(self, offset: int) -> lsp.Position:
        """An offset as the editor counts."""
        row, column = self.lines.place(offset)
        before = self.lines.line(row)[: column - 1]
        return lsp.Position(row - 1, self._codec.client_num_units(before))

    def range(self, start: int, end: int) -> lsp.Range:
        """The range between two offsets."""
        return lsp.Range(self.position(start), self.position(end))

    def offset(self, position: lsp.Position) -> int:
        """The offset of a place that the editor names."""
        if position.line >= self.lines.count:
            return len(self.text)
        start, line = self.lines.start(position.line + 1), self.lines.line(position.line + 1)
        units = 0
        for index, char in enumerate(line):
            if units >= position.character:
                return start + index
            units += self._codec.client_num_units(char)
        return start + len(line)


class Checker:
    """The open documents, and the settings that hold for them."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.forget()

    def forget(self) -> None:
        """Read configuration and metadata anew at the next check."""
        self._configuration = Configuration()
        self._linter = Linter()

    def settings(self, document: Document) -> Settings:
        """The settings of a document. Raises ConfigError."""
        return self._configuration.of(Path(document.name))

    def check(self, document: Document) -> None:
        """Check a document and remember it. Raises IcebergSqlError for settings that cannot be followed."""
        self.documents[document.uri] = document
        settings = self.settings(document)
        found = document.source(self._linter, settings)
        if len(found.parts) == 1 and found.parts[0].cell is None:
            document.report = self._linter.lint(found, settings)[0]

    def known(self, document: Document) -> Tables:
        """The tables that are there before the document. Raises IcebergSqlError."""
        return self._linter.known(document.name, self.settings(document))


class _OneLine(logging.Formatter):
    """pygls logs each message that it cannot read with a traceback, which no editor's user can use."""

    def format(self, record: logging.LogRecord) -> str:
        said = record.exc_info[1] if record.exc_info else None
        cause = f": {type(said).__name__}: {str(said).partition(chr(10))[0]}" if said else ""
        return f"{NAME}: {record.getMessage().splitlines()[0]}{cause}"


def serve() -> bool:
    """Serve over standard input and output; whether the editor asked for the shutdown before it left."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    served, asked = server(), threading.Event()

    @served.feature(lsp.SHUTDOWN)
    def shutdown(_: None) -> None:
        asked.set()

    served.start_io()
    return asked.is_set()


def server() -> LanguageServer:
    """A language server, ready to start."""
    # Whole texts at each change: pygls and the protocol do not agree on what ends a line.
    served = LanguageServer(NAME, version("spark-iceberg-sql"), lsp.TextDocumentSyncKind.Full)
    checker = Checker()

    def show(uri: str, text: str, number: int | None, language: str | None = None) -> None:
        if language is None:
            language = checker.documents[uri].language if uri in checker.documents else "sql"
        document = Document(uri, text, served.workspace.position_codec, language)
        try:
            checker.check(document)
        except IcebergSqlError as error:
            served.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, str(error)))
        found = [_diagnostic(document, d) for d in document.report]
        served.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=number)
        )

    @served.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        checker.forget()
        item = params.text_document
        show(item.uri, item.text, item.version, item.language_id.lower())

    @served.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        item = params.text_document
        show(item.uri, served.workspace.get_text_document(item.uri).source, item.version)

    @served.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        # A saved file may be another's configuration or DDL: all are checked again.
        checker.forget()
        for document in list(checker.documents.values()):
            show(document.uri, document.text, None)

    @served.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        checker.documents.pop(uri, None)
        served.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    @served.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    )
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        document = checker.documents.get(params.text_document.uri)
        return list(_fixes(document, params.range)) if document is not None else []

    @served.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        document = checker.documents.get(params.text_document.uri)
        return _hover(checker, document, params.position) if document is not None else None

    @served.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["(", ",", " "])
    )
    def completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        document = checker.documents.get(params.text_document.uri)
        if document is None or not document.is_sql:
            return []
        offset = document.offset(params.position)
        return _completions(document.text, offset, _known(checker, document))

    return served


def _known(checker: Checker, document: Document) -> Tables:
    try:
        return checker.known(document)
    except IcebergSqlError:  # it was shown when the document was checked
        return Tables()


def _diagnostic(document: Document, diagnostic: Diagnostic) -> lsp.Diagnostic:
    help_ = f"\nhelp: {diagnostic.help}" if diagnostic.help else ""
    url = url_of(diagnostic.code)
    return lsp.Diagnostic(
        range=document.range(diagnostic.span.start, diagnostic.span.end),
        message=f"{diagnostic.message}{help_}",
        severity=_SEVERITY[diagnostic.severity],
        code=diagnostic.code,
        code_description=lsp.CodeDescription(url) if url is not None else None,
        source=NAME,
    )


def _fixes(document: Document, place: lsp.Range) -> Iterator[lsp.CodeAction]:
    start, end = document.offset(place.start), document.offset(place.end)
    for found in document.report:
        if found.fix is None or found.span.end < start or end < found.span.start:
            continue
        edits = [lsp.TextEdit(document.range(e.start, e.end), e.text) for e in found.fix.edits]
        yield lsp.CodeAction(
            title=f"{found.fix.title} ({found.code})",
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[_diagnostic(document, found)],
            edit=lsp.WorkspaceEdit(changes={document.uri: edits}),
            is_preferred=found.fix.safe,
        )


def _hover(checker: Checker, document: Document, place: lsp.Position) -> lsp.Hover | None:
    """The meaning of the term there, and the pages of the rules that found something there."""
    offset = document.offset(place)
    texts: list[str] = []
    start, end = offset, offset
    if document.is_sql:
        term = meaning(document.text, offset, _known(checker, document))
        if term is not None:
            texts, start, end = [term.text], term.start, term.end
    for found in document.report:
        if found.span.start <= offset <= found.span.end:
            texts += [page(rule) for rule in rules.ALL if rule.code == found.code]
            start, end = found.span.start, found.span.end
    if not texts:
        return None
    content = lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n---\n\n".join(texts))
    return lsp.Hover(content, document.range(start, end))


def _completions(text: str, offset: int, known: Tables) -> list[lsp.CompletionItem]:
    return [
        lsp.CompletionItem(
            label=item.label,
            kind=_KIND[item.kind],
            detail=item.detail,
            insert_text=item.insert,
            insert_text_format=(
                lsp.InsertTextFormat.Snippet if item.snippet else lsp.InsertTextFormat.PlainText
            ),
        )
        for item in suggestions(text, offset, known)
    ]
