"""A result as an HTML table that a small script lets its reader sort, search and page in place.

The script is a constant: values are only in the table, escaped. It loads nothing. Where no script runs, the first page
is shown as a plain table.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from spark_iceberg_sql import markup
from spark_iceberg_sql.notebook.display.result_rows import ResultRows, cells, header_cells

# As much of a result as stays in the notebook's file; a page is shown whatever its size.
_MAX_BYTES = 64_000
_STYLE = """<style>
div.sis-result caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
div.sis-result tr[hidden]{display:none}
div.sis-result .controls{display:flex;flex-wrap:wrap;gap:6px;align-items:center;margin:2px 0}
div.sis-result input,div.sis-result select,div.sis-result button{font:inherit;font-size:12px;color:inherit;
background:transparent;border:1px solid rgba(128,128,128,.6);border-radius:3px;padding:0 6px;height:22px;max-width:14em}
div.sis-result select option{color:black;background:white}
div.sis-result button{cursor:pointer}div.sis-result button:disabled{opacity:.4;cursor:default}
div.sis-result button.sort{border:0;padding:0;height:auto;max-width:none;
font-weight:bold;text-align:inherit;white-space:inherit}
div.sis-result th[aria-sort=ascending] button::after{content:" \\25B2"}
div.sis-result th[aria-sort=descending] button::after{content:" \\25BC"}
div.sis-result :focus-visible{outline:2px solid #3182bd;outline-offset:1px}
</style>"""
_INDENT = re.compile(r"^\s+|^\s*//.*\n", re.MULTILINE)


def html(rows: ResultRows, page_size: int, further: str) -> str:
    """The rows as a table of which the first page is shown, and the script.

    rows: those that were fetched. page_size: how many are shown at a time. further: how to see the rows that are not
    in the table, as text for a person.
    """
    body = cells(rows)
    in_table = _row_count(body, page_size)
    count, column_count = len(rows.rows), len(rows.names)
    total = f"{'more than ' if rows.has_more else ''}{count:,}"
    note = f", {column_count:,} columns" if column_count > 1 else ""
    if in_table < count or rows.has_more:
        note += f"; the result has {total} rows, further ones: {further}"
    caption = f"{total} rows, {column_count:,} columns, of which the first {min(page_size, count):,} rows are shown"
    table = markup.table(
        header_cells(rows), body[:in_table], rows.are_numbers, caption=markup.html_text(caption), visible=page_size
    )
    region = f'<div class="scroll" role="group" tabindex="0" aria-label="rows">{table}</div>'
    box = f'<div class="sis-result" data-sis-page="{page_size}" data-sis-note="{markup.html_text(note)}">{region}</div>'
    return f"{_STYLE}{box}<script>{script()}</script>"


def _row_count(body: list[list[str]], page_size: int) -> int:
    """How many of the rows are in the table."""
    size = 0
    for number, row in enumerate(body):
        size += sum(len(cell) + 9 for cell in row)  # `<td></td>`
        if size > _MAX_BYTES and number >= page_size:
            return number
    return len(body)


@cache
def script() -> str:
    """The script of each result, without comments and indentation."""
    text = resources.files(__package__ or "").joinpath("result_table.js").read_text("utf-8")
    return _INDENT.sub("", text)
