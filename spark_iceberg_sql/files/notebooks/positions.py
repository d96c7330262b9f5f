"""Offsets in a notebook's file of the characters of its cells, so that fixes can be applied to the file.

In: the notebook's JSON, and reports with offsets in cells. Out: one report with offsets in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Report
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import replace

_TOKEN = regex(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)
_CHARACTER = regex(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.DOTALL)
_IN_JSON = regex(r'[^"\\\x00-\x1f]*')


def merge_reports(text: str, reports: Sequence[Report]) -> Report:
    """The reports of a file's text units as one report, with offsets in the file. text: the file's."""
    return reports[0] if reports[0].cell is None else file_report(text, reports)


def file_report(text: str, reports: Sequence[Report]) -> Report:
    """The findings of a notebook's cells as one report whose fixes have offsets in the file.

    text: the notebook's JSON. reports: those of its code cells. A fix of text that JSON escapes is omitted.
    """
    offsets_by_cell = _cell_offsets(text)
    diagnostics = tuple(
        _move_fix(diagnostic, text, offsets_by_cell.get(report.cell or 0, []))
        for report in reports
        for diagnostic in report
    )
    return Report(text, diagnostics, reports[0].filename if reports else None)


def _move_fix(diagnostic: Diagnostic, text: str, offsets: list[int]) -> Diagnostic:
    if diagnostic.fix is None:
        return diagnostic
    edits = []
    for edit in diagnostic.fix.edits:
        if edit.start == edit.end and _IN_JSON.fullmatch(edit.text) and offsets:
            at_end = edit.start >= len(offsets)
            last_character = _CHARACTER.match(text, offsets[-1]) if at_end else None
            offset = last_character.end() if last_character is not None else offsets[edit.start]
            edits.append(Edit(offset, offset, edit.text))
            continue
        edit_offsets = offsets[edit.start : max(edit.end, edit.start + 1)]
        # The edited text must be one range of plain characters: an edit cannot replace part of a JSON escape.
        if (
            not edit_offsets
            or edit_offsets[-1] - edit_offsets[0] != len(edit_offsets) - 1
            or text[edit_offsets[-1]] == "\\"
            or not _IN_JSON.fullmatch(edit.text)
        ):
            return replace(diagnostic, fix=None)
        edits.append(Edit(edit_offsets[0], edit_offsets[0] + edit.end - edit.start, edit.text))
    return replace(diagnostic, fix=replace(diagnostic.fix, edits=tuple(edits)))


def _cell_offsets(text: str) -> dict[int, list[int]]:
    """For each cell, by its number from 1, the offset of each character of its source."""
    offsets_by_cell: dict[int, list[int]] = {}
    for path, start, end in _strings(text):
        if path[:1] == ("cells",) and path[2:3] == ("source",) and len(path) in (3, 4):
            offsets = offsets_by_cell.setdefault(int(path[1]) + 1, [])
            offsets += [c.start() for c in _CHARACTER.finditer(text, start, end)]
    return offsets_by_cell


def _strings(text: str) -> Iterator[tuple[tuple[str | int, ...], int, int]]:
    """Every string that is a value: its path, and the offsets of the text between its quotes."""
    # `json` gives no offsets; the file was parsed by it before, so brackets and strings match here.
    path: list[str | int] = []  # the current path: keys and indices from the root
    waits_for_key: list[bool] = []
    for token in _TOKEN.finditer(text):
        token_text = token.group()
        if token_text in "{[":
            path.append("" if token_text == "{" else 0)
            waits_for_key.append(token_text == "{")
        elif token_text in "}]":
            path.pop()
            waits_for_key.pop()
        elif token_text == ",":
            last_key = path[-1]
            waits_for_key[-1] = isinstance(last_key, str)
            path[-1] = last_key + 1 if isinstance(last_key, int) else ""
        elif token_text == ":":
            waits_for_key[-1] = False
        elif waits_for_key and waits_for_key[-1]:
            path[-1] = token_text[1:-1]
        else:
            yield tuple(path), token.start() + 1, token.end() - 1
