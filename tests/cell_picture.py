"""A cell of a notebook as an SVG picture, light and dark: the README shows what the product printed.

The statement, the rows and the map of the partitions are those of the committed notebook, whose outputs
tests/spark/test_notebooks.py compares with a run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from doc_pages import ROOT
from sqlparse import tokens

from spark_iceberg_sql.syntax.script import statements
from spark_iceberg_sql.syntax.sqlparse_lexer import SparkLexer

NOTEBOOK = ROOT / "notebooks" / "00_ten_minutes.ipynb"
FOLDER = ROOT / "docs" / "images"
_MAP = re.compile(r"<svg.*?</svg>", re.DOTALL)
_STRIP = re.compile(r"^[ ░█]+ {2}\S")  # the map as text
_MARGIN, _LINE, _CHARACTER = 20, 17, 7.3  # pixels


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture."""

    name: str
    background: str
    border: str
    text: str
    keyword: str
    string: str


THEMES = (
    Theme("light", "#ffffff", "#d0d7de", "#1f2328", "#0550ae", "#116329"),
    Theme("dark", "#0d1117", "#30363d", "#e6edf3", "#79c0ff", "#7ee787"),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """The last statement of a cell, its output as text, and its map of the partitions as SVG."""

    statement: str
    output: str
    map: str


def cell_of(notebook: Path, ending: str) -> Cell:
    """The cell whose source ends with a text, and that has a map of partitions."""
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if not source.endswith(ending):
            continue
        for output in cell["outputs"]:
            picture = _MAP.search("".join(output.get("data", {}).get("text/html", "")))
            if picture is not None:
                *_, last = statements(source.partition("\n")[2])
                lines = "".join(output["data"]["text/plain"]).splitlines()
                text = "\n".join(line for line in lines if not _STRIP.match(line))
                return Cell(last.text.strip(), text, picture[0])
    raise LookupError(f"{notebook.name} has no such cell with a map")


def svg(cell: Cell, theme: Theme) -> str:
    """The picture."""
    lines = [_highlighted(line, theme) for line in cell.statement.splitlines()]
    lines += ["", *(escape(line) for line in cell.output.splitlines())]
    top = _MARGIN + len(lines) * _LINE
    map_width, map_height = map(int, re.findall(r'(?:width|height)="(\d+)"', cell.map)[:2])
    longest = max(map(len, (*cell.statement.splitlines(), *cell.output.splitlines())))
    width = round(max(map_width, longest * _CHARACTER)) + 2 * _MARGIN
    height = top + map_height + _MARGIN
    text = "\n".join(
        f'<text x="{_MARGIN}" y="{_MARGIN + 10 + n * _LINE}" xml:space="preserve">{line}</text>'
        for n, line in enumerate(lines)
        if line
    )
    placed_map = cell.map.replace("<svg ", f'<svg x="{_MARGIN}" y="{top}" font-family="sans-serif" ', 1)
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" {size}>
<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="6" fill="{theme.background}" stroke="{theme.border}"/>
<g color="{theme.text}" fill="{theme.text}" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="12">
{text}
{placed_map}
</g>
</svg>
"""


def _highlighted(line: str, theme: Theme) -> str:
    return "".join(_spans(line, theme))


def _spans(line: str, theme: Theme) -> Iterator[str]:
    for kind, value in SparkLexer().get_tokens(line):
        color = theme.keyword if kind in tokens.Keyword else theme.string if kind in tokens.String else None
        yield escape(value) if color is None else f'<tspan fill="{color}">{escape(value)}</tspan>'
