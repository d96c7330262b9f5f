"""The notifications of an editor about notebooks: cells that open, change, move and close."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from spark_iceberg_sql.editor.documents import Document
from spark_iceberg_sql.editor.open_files import Notebook, OpenFiles

SYNC = lsp.NotebookDocumentSyncOptions(
    notebook_selector=[
        lsp.NotebookDocumentFilterWithNotebook(
            notebook="*", cells=[lsp.NotebookCellLanguage("sql"), lsp.NotebookCellLanguage("python")]
        )
    ],
    save=True,
)


def open_notebook(files: OpenFiles, params: lsp.DidOpenNotebookDocumentParams, codec: PositionCodec) -> None:
    """Open a notebook with its cells."""
    notebook = params.notebook_document
    files.notebooks[notebook.uri] = Notebook(notebook.uri, [_cell(cell) for cell in notebook.cells])
    _put_documents(files, params.cell_text_documents, codec)


def change_notebook(files: OpenFiles, params: lsp.DidChangeNotebookDocumentParams, codec: PositionCodec) -> list[str]:
    """Cells have changed: the URIs of those that are gone."""
    notebook = files.notebooks.get(params.notebook_document.uri)
    cells = params.change.cells
    if notebook is None or cells is None:
        return []
    closed_uris: list[str] = []
    if cells.structure is not None:
        array = cells.structure.array
        notebook.cells[array.start : array.start + array.delete_count] = map(_cell, array.cells or ())
        _put_documents(files, cells.structure.did_open or (), codec)
        closed_uris = [closed.uri for closed in cells.structure.did_close or ()]
        for uri in closed_uris:
            files.close(uri)
    cells_by_uri = {cell.document: _cell(cell) for cell in cells.data or ()}
    notebook.cells = [cells_by_uri.get(uri, (uri, code)) for uri, code in notebook.cells]
    for text in cells.text_content or ():
        if (document := files.documents.get(text.document.uri)) is not None:
            files.put(document.with_changes(text.changes, text.document.version))
    return closed_uris


def _cell(cell: lsp.NotebookCell) -> tuple[str, bool]:
    return cell.document, cell.kind == lsp.NotebookCellKind.Code


def _put_documents(files: OpenFiles, items: Iterable[lsp.TextDocumentItem], codec: PositionCodec) -> None:
    for item in items:
        files.put(Document(item.uri, item.text, codec, item.language_id.lower(), item.version))
