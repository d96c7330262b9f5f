"""An open text, with conversions between the editor's positions and the checker's offsets."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types as lsp
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Lines
from spark_iceberg_sql.files.notebooks.cells import read_cell
from spark_iceberg_sql.files.source import SourceFile, TextUnit
from spark_iceberg_sql.files.yaml_nodes import YAML_SUFFIXES

_CELL = "vscode-notebook-cell:"


class Document:
    """One version of an open text.

    uri: as the editor names it. codec: counts characters as the editor does (UTF-16 code units, unless it asks for
    others). language: as the editor names it. version: the editor's number, if it gave one.
    """

    def __init__(
        self, uri: str, text: str, codec: PositionCodec, language: str = "sql", version: int | None = None
    ) -> None:
        self.uri = uri
        self.text = text
        self.language = language
        self.version = version
        self.lines = Lines(text)
        self._codec = codec

    @property
    def name(self) -> str:
        """The file's path, or the path in the URI of a text that is no file: a version, a notebook's cell."""
        return path_of(self.uri)

    def source(self, linter: Linter, settings: Settings) -> SourceFile:
        """The content to check. linter, settings: of the file. Raises FileError for an invalid notebook."""
        suffix = Path(self.name).suffix.lower()
        # An editor for notebooks may give its cells as one program, under the notebook's name.
        is_program = suffix == ".ipynb" and not self.text.lstrip().startswith("{")
        if self.uri.startswith(_CELL) or (is_program and self.text.strip()):
            return read_cell(self.name, self.text, self.language, settings.callables)
        if suffix == ".ipynb" and is_program:
            return SourceFile(self.name, (), ())
        if suffix in YAML_SUFFIXES and linter.project_of(Path(os.path.abspath(self.name))) is None:
            return SourceFile(self.name, (TextUnit(self.text),), ())
        read_as = self.name
        if self.language == "python" and suffix not in (".py", ".ipynb"):
            read_as += ".py"
        elif "sql" in self.language and suffix not in (".py", ".ipynb", ".sql", *YAML_SUFFIXES):
            read_as += ".sql"
        return replace(linter.source(read_as, self.text, settings), name=self.name)

    def with_changes(self, changes: Iterable[lsp.TextDocumentContentChangeEvent], version: int | None) -> Document:
        """The version after some changes, applied one after the other."""
        document = self
        for change in changes:
            text = change.text
            if isinstance(change, lsp.TextDocumentContentChangePartial):
                start, end = document.offset(change.range.start), document.offset(change.range.end)
                text = document.text[:start] + text + document.text[max(start, end) :]
            document = document.with_text(text)
        document.version = version
        return document

    def with_text(self, text: str) -> Document:
        """The same document with another text."""
        return Document(self.uri, text, self._codec, self.language)

    def with_uri(self, uri: str) -> Document:
        """The same document under another name."""
        return Document(uri, self.text, self._codec, self.language, self.version)

    def position(self, offset: int) -> lsp.Position:
        """The editor's position for an offset."""
        row, column = self.lines.position(offset)
        start = self.lines.start(row)
        line_prefix = self.text[start : start + column - 1].rstrip("\r\n")
        units = len(line_prefix) if line_prefix.isascii() else self._codec.client_num_units(line_prefix)
        return lsp.Position(row - 1, units)

    def range(self, start: int, end: int) -> lsp.Range:
        """The range between two offsets."""
        return lsp.Range(self.position(start), self.position(end))

    def offset(self, position: lsp.Position) -> int:
        """The offset of an editor's position; the nearest one if the position does not exist."""
        row = max(position.line, 0) + 1
        if row > self.lines.count:
            return len(self.text)
        start, line = self.lines.start(row), self.lines.line(row)
        if line.isascii():
            return start + min(max(position.character, 0), len(line))
        units = 0
        for index, char in enumerate(line):
            if units >= position.character:
                return start + index
            units += self._codec.client_num_units(char)
        return start + len(line)


def path_of(uri: str) -> str:
    """The path of a file's URI, or the path in any other."""
    return to_fs_path(uri) or unquote(urlparse(uri).path) or uri
