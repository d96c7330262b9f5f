"""The language server: handlers for the editor's requests and notifications. Needs pygls."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from spark_iceberg_sql.config.configuration import OWN_FILE
from spark_iceberg_sql.editor import notebook_events
from spark_iceberg_sql.editor.documents import Document, path_of
from spark_iceberg_sql.editor.open_files import OpenFiles
from spark_iceberg_sql.editor.publisher import Client, Publisher
from spark_iceberg_sql.editor.request_handlers import FIX_ALL, NAME, PLAN, RequestHandlers
from spark_iceberg_sql.safe_output import sanitized_message, visible

_WATCHED_GLOBS = (
    f"**/{OWN_FILE}",
    "**/pyproject.toml",
    "**/*.sql",
    "**/*.metadata.json",
    "**/*.metadata.json.gz",
    "**/*.{yml,yaml}",  # of dbt
    "**/{manifest,catalog}.json",
)


class _OneLineFormatter(logging.Formatter):
    """Shortens pygls's log records: a message that it cannot read comes with a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        cause = f": {type(error).__name__}: {str(error).partition(chr(10))[0]}" if error else ""
        return visible(f"{NAME}: {record.getMessage().partition(chr(10))[0]}{cause}")


def serve() -> bool:
    """Serve over standard input and output; returns true if the editor requested the shutdown before it left."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLineFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    language_server, shutdown_requested = server(), threading.Event()

    @language_server.feature(lsp.SHUTDOWN)
    def shutdown(_: None) -> None:
        shutdown_requested.set()

    language_server.start_io()
    return shutdown_requested.is_set()


def server() -> LanguageServer:
    """A language server, ready to start."""
    # Full texts at each change: pygls and the protocol disagree about line breaks.
    language_server = LanguageServer(
        NAME, version("spark-iceberg-sql"), lsp.TextDocumentSyncKind.Full, notebook_document_sync=notebook_events.SYNC
    )
    catalog_listener = _CatalogListener()
    files = OpenFiles(lambda text: _show_message(language_server, text), catalog_listener)
    handlers, client = RequestHandlers(files), Client()
    publisher = Publisher(language_server, client, files, handlers)
    catalog_listener.check_again = publisher.publish_all
    _register_lifecycle(language_server, files, client, handlers, catalog_listener)
    _register_documents(language_server, files, publisher, client)
    _register_workspace(language_server, files, publisher)
    _register_requests(language_server, handlers, client)
    return language_server


class _CatalogListener:
    """Checks the open files again after a catalog has answered, in a thread of its own.

    loop: the server's, from its initialization on.
    """

    loop: asyncio.AbstractEventLoop | None = None
    check_again: Callable[[], None]

    def __call__(self) -> None:
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.check_again)


def _show_message(language_server: LanguageServer, text: str) -> None:
    """Show a message, of which only `help: ` begins a line."""
    language_server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, sanitized_message(text)))


def _register_lifecycle(
    language_server: LanguageServer,
    files: OpenFiles,
    client: Client,
    handlers: RequestHandlers,
    catalog_listener: _CatalogListener,
) -> None:
    """Initialization, and the editor's capabilities."""

    @language_server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        catalog_listener.loop = asyncio.get_running_loop()
        capabilities = params.capabilities
        # VS Code asks for the diagnostics of texts, but not for those of a notebook's cells.
        asks_per_document = capabilities.text_document is not None and capabilities.text_document.diagnostic is not None
        client.pulls = asks_per_document and capabilities.notebook_document is None
        if client.pulls:
            _register_pull(language_server, handlers)
        pulls = capabilities.workspace.diagnostics if capabilities.workspace else None
        client.refreshes = bool(pulls and pulls.refresh_support)
        watches = capabilities.workspace.did_change_watched_files if capabilities.workspace else None
        client.watches = bool(watches and watches.dynamic_registration)
        completes = capabilities.text_document.completion if capabilities.text_document else None
        items = completes.completion_item if completes else None
        client.snippets = bool(items and items.snippet_support)
        acts = capabilities.text_document.code_action if capabilities.text_document else None
        resolves = acts.resolve_support if acts else None
        client.resolves = bool(resolves and "edit" in resolves.properties)
        options = params.initialization_options
        client.plans = isinstance(options, dict) and options.get("showsPlans") is True
        _configure(files, options)

    @language_server.feature(lsp.INITIALIZED)
    def initialized(_: lsp.InitializedParams) -> None:
        if not client.watches:
            return
        options = lsp.DidChangeWatchedFilesRegistrationOptions(
            [lsp.FileSystemWatcher(pattern) for pattern in _WATCHED_GLOBS]
        )
        registration = lsp.Registration("watched", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        language_server.client_register_capability(lsp.RegistrationParams([registration]))


def _configure(files: OpenFiles, options: object) -> None:
    """Apply the editor's settings, which take precedence like those of the command line."""
    section = options.get(NAME, options) if isinstance(options, dict) else None
    section = section.get("settings") if isinstance(section, dict) else None
    files.values = {
        key: value
        for key, value in (section.items() if isinstance(section, Mapping) else ())
        if value not in (None, "", [], {})
    }


def _register_pull(language_server: LanguageServer, handlers: RequestHandlers) -> None:
    """Offer diagnostics to an editor that requests them."""

    @language_server.feature(
        lsp.TEXT_DOCUMENT_DIAGNOSTIC,
        lsp.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=NAME),
    )
    def diagnostic(params: lsp.DocumentDiagnosticParams) -> lsp.RelatedFullDocumentDiagnosticReport:
        return lsp.RelatedFullDocumentDiagnosticReport(items=handlers.diagnostics(params.text_document.uri))


def _register_documents(
    language_server: LanguageServer, files: OpenFiles, publisher: Publisher, client: Client
) -> None:
    """Handlers for texts and notebooks that open, change, are saved and close."""

    @language_server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        if not client.watches:
            files.forget()
        item, codec = params.text_document, language_server.workspace.position_codec
        language = item.language_id.lower()
        files.put(Document(item.uri, item.text, codec, language, item.version))
        publisher.publish(item.uri)
        publisher.schedule_siblings(item.uri)

    @language_server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        item, codec = params.text_document, language_server.workspace.position_codec
        document = files.documents.get(item.uri) or Document(item.uri, "", codec)
        files.put(document.with_changes(params.content_changes, item.version))
        publisher.schedule(files.unit(item.uri))
        publisher.schedule_siblings(item.uri)

    @language_server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        if not client.watches or files.affects_checks(Path(path_of(params.text_document.uri))):
            publisher.publish_all()
        else:
            publisher.publish(files.unit(params.text_document.uri))

    @language_server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        files.close(params.text_document.uri)
        publisher.clear(params.text_document.uri)
        publisher.schedule_siblings(params.text_document.uri)

    @language_server.feature(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    def notebook_opened(params: lsp.DidOpenNotebookDocumentParams) -> None:
        notebook_events.open_notebook(files, params, language_server.workspace.position_codec)
        publisher.publish(params.notebook_document.uri)

    @language_server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def notebook_changed(params: lsp.DidChangeNotebookDocumentParams) -> None:
        for uri in notebook_events.change_notebook(files, params, language_server.workspace.position_codec):
            publisher.clear(uri)
        publisher.schedule(params.notebook_document.uri)

    @language_server.feature(lsp.NOTEBOOK_DOCUMENT_DID_SAVE)
    def notebook_saved(params: lsp.DidSaveNotebookDocumentParams) -> None:
        publisher.publish(params.notebook_document.uri)

    @language_server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def notebook_closed(params: lsp.DidCloseNotebookDocumentParams) -> None:
        files.close(params.notebook_document.uri)
        for cell in params.cell_text_documents:
            files.close(cell.uri)
            publisher.clear(cell.uri)


def _register_workspace(language_server: LanguageServer, files: OpenFiles, publisher: Publisher) -> None:
    """Handlers for settings, and for files that open texts depend on."""

    @language_server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        if any(files.affects_checks(Path(path_of(change.uri))) for change in params.changes):
            publisher.publish_all()

    @language_server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: lsp.DidChangeConfigurationParams) -> None:
        _configure(files, params.settings)
        publisher.publish_all()

    all_files = lsp.FileOperationFilter(lsp.FileOperationPattern("**/*"), "file")

    @language_server.feature(lsp.WORKSPACE_DID_RENAME_FILES, lsp.FileOperationRegistrationOptions([all_files]))
    def renamed(params: lsp.RenameFilesParams) -> None:
        for file in params.files:
            files.rename(file.old_uri, file.new_uri)
            publisher.clear(file.old_uri)
        publisher.publish_all()


def _register_requests(language_server: LanguageServer, handlers: RequestHandlers, client: Client) -> None:
    """Handlers for the editor's requests."""

    kinds = [lsp.CodeActionKind.QuickFix, FIX_ALL]

    options = lsp.CodeActionOptions(kinds, resolve_provider=True)

    @language_server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, options)
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        only = params.context.only
        return handlers.actions(params.text_document.uri, params.range, only, resolves_later=client.resolves)

    @language_server.feature(lsp.CODE_ACTION_RESOLVE)
    def action(selected: lsp.CodeAction) -> lsp.CodeAction:
        return handlers.resolve(selected)

    @language_server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        return handlers.hover(params.text_document.uri, params.position)

    @language_server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["(", ",", " "]))
    def completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        return handlers.completion(params.text_document.uri, params.position, snippets=client.snippets)

    @language_server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        return handlers.hints(params.text_document.uri, params.range)

    @language_server.feature(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions(resolve_provider=True))
    def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        return handlers.lenses(params.text_document.uri)

    @language_server.feature(lsp.CODE_LENS_RESOLVE)
    def lens(code_lens: lsp.CodeLens) -> lsp.CodeLens:
        return handlers.lens(code_lens)

    @language_server.command(PLAN)
    def plan(uri: Any = None, offset: Any = None) -> str:
        text = handlers.plan(uri, offset)
        if not client.plans:
            language_server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, text))
        return text
