"""Publishes diagnostics shortly after each change, unless the editor requests them itself."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from spark_iceberg_sql.editor.open_files import OpenFiles
from spark_iceberg_sql.editor.request_handlers import RequestHandlers

# A check waits for a quarter of the time that the last one took, within these bounds in seconds: a version that is
# overtaken meanwhile is never checked.
_SHORTEST, _LONGEST = 0.01, 0.3


@dataclass(slots=True)
class Client:
    """The editor's capabilities.

    pulls: requests diagnostics. refreshes: requests them again on demand. watches: reports changed files. plans:
    shows the plans that it requests. snippets: supports tab stops in completions.
    resolves: requests the edit of an action when it is chosen.
    """

    pulls: bool = False
    refreshes: bool = False
    watches: bool = False
    plans: bool = False
    snippets: bool = False
    resolves: bool = False


class Publisher:
    """Sends diagnostics to an editor that does not request them, shortly after each change."""

    def __init__(self, server: LanguageServer, client: Client, files: OpenFiles, handlers: RequestHandlers) -> None:
        self._server = server
        self._client = client
        self._files = files
        self._handlers = handlers
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._last_duration = 0.0

    def schedule(self, unit: str) -> None:
        """Schedule a check of a file or notebook, which may change again at once."""
        self._cancel(unit)
        if not self._client.pulls:
            wait = min(max(self._last_duration / 4, _SHORTEST), _LONGEST)
            loop = asyncio.get_running_loop()
            self._waiting[unit] = loop.call_later(wait, self.publish, unit)

    def schedule_siblings(self, uri: str) -> None:
        """Schedule checks of the other files of a dbt project after one has changed."""
        for unit in self._files.project_siblings(uri):
            self.schedule(unit)

    def publish(self, unit: str) -> None:
        """Check a file or a notebook, and send its diagnostics."""
        self._cancel(unit)
        if self._client.pulls:
            return
        started = time.perf_counter()
        for document in self._files.parts(unit):
            self._send(document.uri, self._handlers.diagnostics(document.uri), document.version)
        self._last_duration = time.perf_counter() - started

    def publish_all(self) -> None:
        """Check all open files again after a change of settings or tables."""
        self._files.forget()
        if self._client.pulls:
            if self._client.refreshes:
                self._server.workspace_diagnostic_refresh(None)
            return
        for unit in self._files.units():
            self.publish(unit)

    def clear(self, uri: str) -> None:
        """Clear the diagnostics of a closed text."""
        self._cancel(uri)
        self._send(uri, [], None)

    def _send(self, uri: str, diagnostics: list[lsp.Diagnostic], version: int | None) -> None:
        self._server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics, version=version)
        )

    def _cancel(self, unit: str) -> None:
        if (handle := self._waiting.pop(unit, None)) is not None:
            handle.cancel()
