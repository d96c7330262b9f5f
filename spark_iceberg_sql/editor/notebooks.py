"""Notebooks as an editor tells of them: cells that open, change, move and close."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from spark_iceberg_sql.editor.desk import Desk, Notebook
from spark_iceberg_sql.editor.documents import Document

SYNC = lsp.NotebookDocumentSyncOptions(
    notebook_selector=[
        lsp.NotebookDocumentFilterWithNotebook(
            notebook="*",
            cells=[lsp.NotebookCellLanguage("sql"), lsp.NotebookCellLanguage("python")],
        )
    ],
    save=True,
)


def opened(desk: Desk, params: lsp.DidOpenNotebookDocumentParams, codec: PositionCodec) -> None:
    """A notebook is open now, with its cells."""
    found = params.notebook_document
    desk.notebooks[found.uri] = Notebook(found.uri, [_cell(cell) for cell in found.cells])
    _put(desk, params.cell_text_documents, codec)


def changed(
    desk: Desk, params: lsp.DidChangeNotebookDocumentParams, codec: PositionCodec
) -> list[str]:
    """Cells have changed: the URIs of those that are gone."""
    notebook = desk.notebooks.get(params.notebook_document.uri)
    cells = params.change.cells
    if notebook is None or cells is None:
        return []
    gone: list[str] = []
    if cells.structure is not None:
        array = cells.structure.array
        notebook.cells[array.start : array.start + array.delete_count] = map(
            _cell, array.cells or ()
        )
        _put(desk, cells.structure.did_open or (), codec)
        gone = [closed.uri for closed in cells.structure.did_close or ()]
        for uri in gone:
            desk.close(uri)
    kinds = {cell.document: _cell(cell) for cell in cells.data or ()}
    notebook.cells = [kinds.get(uri, (uri, code)) for uri, code in notebook.cells]
    for text in cells.text_content or ():
        document = desk.documents.get(text.document.uri)
        if document is not None:
            desk.put(document.changed(text.changes, text.document.version))
    return gone


def _cell(cell: lsp.NotebookCell) -> tuple[str, bool]:
    return cell.document, cell.kind == lsp.NotebookCellKind.Code


def _put(desk: Desk, items: Iterable[lsp.TextDocumentItem], codec: PositionCodec) -> None:
    for item in items:
        desk.put(Document(item.uri, item.text, codec, item.language_id.lower(), item.version))
