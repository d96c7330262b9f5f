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

from spark_iceberg_sql.config.settings import OWN_FILE
from spark_iceberg_sql.editor import notebooks
from spark_iceberg_sql.editor.answers import FIX_ALL, NAME, PLAN, Answers
from spark_iceberg_sql.editor.documents import Document, path_of
from spark_iceberg_sql.editor.open_files import OpenFiles
from spark_iceberg_sql.editor.publisher import Client, Publisher
from spark_iceberg_sql.outgoing import message, visible

_WATCHED = (
    f"**/{OWN_FILE}",
    "**/pyproject.toml",
    "**/*.sql",
    "**/*.metadata.json",
    "**/*.metadata.json.gz",
    "**/*.{yml,yaml}",  # of dbt
    "**/{manifest,catalog}.json",
)


class _OneLine(logging.Formatter):
    """Shortens pygls's log records: a message that it cannot read comes with a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        said = record.exc_info[1] if record.exc_info else None
        cause = f": {type(said).__name__}: {str(said).partition(chr(10))[0]}" if said else ""
        return visible(f"{NAME}: {record.getMessage().partition(chr(10))[0]}{cause}")


def serve() -> bool:
    """Serve over standard input and output; returns true if the editor requested the shutdown before it left."""
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
    # Full texts at each change: pygls and the protocol disagree about line breaks.
    served = LanguageServer(
        NAME,
        version("spark-iceberg-sql"),
        lsp.TextDocumentSyncKind.Full,
        notebook_document_sync=notebooks.SYNC,
    )
    answered = _Answered()
    files = OpenFiles(lambda said: _message(served, said), answered)
    answers, client = Answers(files), Client()
    publisher = Publisher(served, client, files, answers)
    answered.check_again = publisher.everything
    _life(served, files, client, answers, answered)
    _texts(served, files, publisher, client)
    _surroundings(served, files, publisher)
    _questions(served, answers, client)
    return served


class _Answered:
    """Checks the open files again after a catalog has answered, in a thread of its own.

    loop: the server's, from its initialization on.
    """

    loop: asyncio.AbstractEventLoop | None = None
    check_again: Callable[[], None]

    def __call__(self) -> None:
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.check_again)


def _message(served: LanguageServer, text: str) -> None:
    """Show a message, of which only `help: ` begins a line."""
    served.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, message(text)))


def _life(
    served: LanguageServer,
    files: OpenFiles,
    client: Client,
    answers: Answers,
    answered: _Answered,
) -> None:
    """Initialization, and the editor's capabilities."""

    @served.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        answered.loop = asyncio.get_running_loop()
        can = params.capabilities
        # VS Code asks for the diagnostics of texts, but not for those of a notebook's cells.
        asks = can.text_document is not None and can.text_document.diagnostic is not None
        client.pulls = asks and can.notebook_document is None
        if client.pulls:
            _pull(served, answers)
        pulls = can.workspace.diagnostics if can.workspace else None
        client.refreshes = bool(pulls and pulls.refresh_support)
        watches = can.workspace.did_change_watched_files if can.workspace else None
        client.watches = bool(watches and watches.dynamic_registration)
        completes = can.text_document.completion if can.text_document else None
        items = completes.completion_item if completes else None
        client.snippets = bool(items and items.snippet_support)
        acts = can.text_document.code_action if can.text_document else None
        resolves = acts.resolve_support if acts else None
        client.resolves = bool(resolves and "edit" in resolves.properties)
        options = params.initialization_options
        client.plans = isinstance(options, dict) and options.get("showsPlans") is True
        _configure(files, options)

    @served.feature(lsp.INITIALIZED)
    def initialized(_: lsp.InitializedParams) -> None:
        if not client.watches:
            return
        options = lsp.DidChangeWatchedFilesRegistrationOptions(
            [lsp.FileSystemWatcher(pattern) for pattern in _WATCHED]
        )
        asked = lsp.Registration("watched", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        served.client_register_capability(lsp.RegistrationParams([asked]))


def _configure(files: OpenFiles, options: object) -> None:
    """Apply the editor's settings, which take precedence like those of the command line."""
    given = options.get(NAME, options) if isinstance(options, dict) else None
    given = given.get("settings") if isinstance(given, dict) else None
    files.values = {
        key: value
        for key, value in (given.items() if isinstance(given, Mapping) else ())
        if value not in (None, "", [], {})
    }


def _pull(served: LanguageServer, answers: Answers) -> None:
    """Offer diagnostics to an editor that requests them."""

    @served.feature(
        lsp.TEXT_DOCUMENT_DIAGNOSTIC,
        lsp.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=False, identifier=NAME
        ),
    )
    def diagnostic(params: lsp.DocumentDiagnosticParams) -> lsp.RelatedFullDocumentDiagnosticReport:
        found = answers.diagnostics(params.text_document.uri)
        return lsp.RelatedFullDocumentDiagnosticReport(items=found)


def _texts(served: LanguageServer, files: OpenFiles, publisher: Publisher, client: Client) -> None:
    """Handlers for texts and notebooks that open, change, are saved and close."""

    @served.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        if not client.watches:
            files.forget()
        item, codec = params.text_document, served.workspace.position_codec
        language = item.language_id.lower()
        files.put(Document(item.uri, item.text, codec, language, item.version))
        publisher.now(item.uri)
        publisher.beside(item.uri)

    @served.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        item, codec = params.text_document, served.workspace.position_codec
        document = files.documents.get(item.uri) or Document(item.uri, "", codec)
        files.put(document.changed(params.content_changes, item.version))
        publisher.later(files.unit(item.uri))
        publisher.beside(item.uri)

    @served.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        if not client.watches or files.concerns(Path(path_of(params.text_document.uri))):
            publisher.everything()
        else:
            publisher.now(files.unit(params.text_document.uri))

    @served.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        files.close(params.text_document.uri)
        publisher.gone(params.text_document.uri)
        publisher.beside(params.text_document.uri)

    @served.feature(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    def notebook_opened(params: lsp.DidOpenNotebookDocumentParams) -> None:
        notebooks.opened(files, params, served.workspace.position_codec)
        publisher.now(params.notebook_document.uri)

    @served.feature(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def notebook_changed(params: lsp.DidChangeNotebookDocumentParams) -> None:
        for uri in notebooks.changed(files, params, served.workspace.position_codec):
            publisher.gone(uri)
        publisher.later(params.notebook_document.uri)

    @served.feature(lsp.NOTEBOOK_DOCUMENT_DID_SAVE)
    def notebook_saved(params: lsp.DidSaveNotebookDocumentParams) -> None:
        publisher.now(params.notebook_document.uri)

    @served.feature(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def notebook_closed(params: lsp.DidCloseNotebookDocumentParams) -> None:
        files.close(params.notebook_document.uri)
        for cell in params.cell_text_documents:
            files.close(cell.uri)
            publisher.gone(cell.uri)


def _surroundings(served: LanguageServer, files: OpenFiles, publisher: Publisher) -> None:
    """Handlers for settings, and for files that open texts depend on."""

    @served.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        if any(files.concerns(Path(path_of(change.uri))) for change in params.changes):
            publisher.everything()

    @served.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: lsp.DidChangeConfigurationParams) -> None:
        _configure(files, params.settings)
        publisher.everything()

    everything = lsp.FileOperationFilter(lsp.FileOperationPattern("**/*"), "file")

    @served.feature(
        lsp.WORKSPACE_DID_RENAME_FILES, lsp.FileOperationRegistrationOptions([everything])
    )
    def renamed(params: lsp.RenameFilesParams) -> None:
        for file in params.files:
            files.rename(file.old_uri, file.new_uri)
            publisher.gone(file.old_uri)
        publisher.everything()


def _questions(served: LanguageServer, answers: Answers, client: Client) -> None:
    """Handlers for the editor's requests."""

    kinds = [lsp.CodeActionKind.QuickFix, FIX_ALL]

    options = lsp.CodeActionOptions(kinds, resolve_provider=True)

    @served.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, options)
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        only = params.context.only
        kinds = list(only) if only is not None else None
        return answers.actions(params.text_document.uri, params.range, kinds, later=client.resolves)

    @served.feature(lsp.CODE_ACTION_RESOLVE)
    def action(chosen: lsp.CodeAction) -> lsp.CodeAction:
        return answers.resolved(chosen)

    @served.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        return answers.hover(params.text_document.uri, params.position)

    @served.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["(", ",", " "])
    )
    def completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        return answers.completion(
            params.text_document.uri, params.position, snippets=client.snippets
        )

    @served.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        return answers.hints(params.text_document.uri, params.range)

    @served.feature(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions(resolve_provider=True))
    def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        return answers.lenses(params.text_document.uri)

    @served.feature(lsp.CODE_LENS_RESOLVE)
    def lens(asked: lsp.CodeLens) -> lsp.CodeLens:
        return answers.lens(asked)

    @served.command(PLAN)
    def plan(uri: Any = None, offset: Any = None) -> str:
        text = answers.plan(uri, offset)
        if not client.plans:
            served.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, text))
        return text
