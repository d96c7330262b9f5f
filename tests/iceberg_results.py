"""What was seen of each Spark with each Iceberg: kept by tests/spark/test_iceberg_versions.py with `--update-goldens`,
and shown by docs/setup.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import goldens

FILE = Path(__file__).parent / "golden" / "iceberg_versions.json"
PAGE = Path(__file__).parents[1] / "docs" / "setup.md"
_BEGIN, _END = "<!-- icebergs -->\n", "<!-- /icebergs -->"


def results() -> dict[str, dict[str, Any]]:
    """By cell, `3.5-1.7`: the whole versions of Spark and Iceberg, and what does not work, by the step's name."""
    kept: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8")) if FILE.is_file() else {}
    return kept


def hold(cell: str, spark: str, iceberg: str, off: Mapping[str, object]) -> None:
    """What does not work in a cell is what is kept; with --update-goldens, that is kept."""
    if goldens.UPDATE:
        kept = results() | {cell: {"spark": spark, "iceberg": iceberg, "off": dict(off)}}
        newest_first = sorted(kept, key=_number, reverse=True)
        FILE.write_text(json.dumps({name: kept[name] for name in newest_first}, indent=1) + "\n", "utf-8")
    assert off == results()[cell]["off"], off


def _number(cell: str) -> list[list[int]]:
    return [[int(part) for part in version.split(".")] for version in cell.split("-")]


def hold_table() -> None:
    """The page's table is that of the results."""
    table = PAGE.read_text("utf-8").partition(_BEGIN)[2].partition(_END)[0]
    rows = (
        f"| {row['spark']} | {row['iceberg']} | {', '.join(map(_step, row['off'])) or 'nothing'} |\n"
        for row in results().values()
    )
    goldens.replace(
        f"{_BEGIN}{table}{_END}", f"{_BEGIN}| Spark | Iceberg | off |\n|---|---|---|\n{''.join(rows)}{_END}", PAGE
    )


def _step(name: str) -> str:
    return name.replace("_", " ")
