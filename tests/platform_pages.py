"""The pages of platforms: what each has as published, from docs/platforms.json, and which lay-outs were rebuilt.

The latter are results of tests/matrix.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import goldens
from matrix import results
from matrix.cells import AXES, USUAL, Result

DOCS = Path(__file__).parents[1] / "docs"
FOLDER = DOCS / "guide" / "platforms"
_BEGIN, _END = "<!-- published -->\n", "<!-- /published -->"
_COLUMNS = ("spark", "iceberg", "java", "python", "scala")


def records() -> dict[str, dict[str, Any]]:
    """The platforms by their page's name."""
    platforms: dict[str, dict[str, Any]] = json.loads((DOCS / "platforms.json").read_text("utf-8"))
    return platforms


def hold_pages() -> None:
    """Each page, and the index, has what the records and the results say."""
    cells = [result for result, _ in results.load(results.FILE)]
    for name, record in records().items():
        _hold(FOLDER / f"{name}.md", _published(record) + _rebuilt(record, cells))
    lines = [f"- [{record['title']}](platforms/{name}.md): {_newest(record)}\n" for name, record in records().items()]
    _hold(FOLDER.with_suffix(".md"), "".join(lines))


def _hold(page: Path, block: str) -> None:
    text = page.read_text("utf-8").partition(_BEGIN)[2].partition(_END)[0]
    goldens.replace(f"{_BEGIN}{text}{_END}", f"{_BEGIN}{block}{_END}", page)


def _newest(record: Mapping[str, Any]) -> str:
    for row in record["published"]:
        parts = [f"{key.capitalize()} {row[key]}" for key in ("spark", "iceberg") if key in row]
        if parts:
            return f"{row['release']} has {', '.join(parts)}"
    return "brings no Spark of its own"


def _published(record: Mapping[str, Any]) -> str:
    """A table of the columns of which something is published."""
    rows = record["published"]
    columns = [key for key in _COLUMNS if any(key in row for row in rows)]
    if not rows:
        return ""
    lines = [["As published", *(key.capitalize() for key in columns), "of"]]
    for row in rows:
        cells = [row.get(key, "not found") for key in columns]
        lines.append([f"[{row['release']}]({row['url']})", *cells, row.get("of", "no date")])
    texts = [f"| {' | '.join(cells)} |\n" for cells in lines]
    return "".join([texts[0], f"{'|---' * len(lines[0])}|\n", *texts[1:], "\n"])


def _rebuilt(record: Mapping[str, Any], cells: list[Result]) -> str:
    """A line for each lay-out and way in, with the versions with which every promise holds, never a platform's name."""
    lines = []
    for axis, names in (("layout", record["layouts"]), ("way", record.get("ways", []))):
        index = list(AXES).index(axis)
        for name in names:
            holding = sorted(
                {
                    f"Spark {cell.versions['spark']} and Iceberg {cell.versions['iceberg']}"
                    for cell in cells
                    if cell.holds and cell.cell[index] == name and _differs(cell.cell) <= {axis, "spark", "iceberg"}
                },
                reverse=True,
            )
            assert holding, name
            lines.append(f"- {AXES[axis][name].title}: {'; '.join(holding)}\n")
    return f"Lay-out rebuilt, not tested on the platform:\n\n{''.join(lines)}" if lines else "No lay-out was rebuilt.\n"


def _differs(cell: tuple[str, ...]) -> set[str]:
    return {axis for axis, part, usual in zip(AXES, cell, USUAL, strict=True) if part != usual}
