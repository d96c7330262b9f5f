"""What was seen of each Spark with each Iceberg: kept by tests/spark/test_iceberg_versions.py with `--update-goldens`,
and shown by docs/setup.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import goldens

FILE = Path(__file__).parent / "golden" / "iceberg_versions.json"
PAGE = Path(__file__).parents[1] / "docs" / "setup.md"
# Cells besides each line with each Iceberg: the first releases of the lines, of which these take the last, and the
# Scala that pip's pyspark does not have.
OTHERS = (("4.1.0", "1.12"), ("4.0.0", "1.11"), ("3.5_2.13", "1.11"))
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
    """Of `3.5-1.7`, and of `3.5_2.13-1.11` with a Scala that is not the usual one."""
    return [[int(number) for number in re.findall(r"\d+", version)] for version in cell.split("-")]


def hold_table(cells: Sequence[str]) -> None:
    """The page's table is that of the results. cells: those that there should be, in their order."""
    table = PAGE.read_text("utf-8").partition(_BEGIN)[2].partition(_END)[0]
    kept = results()
    rows = "".join(_row(cell, kept.get(cell)) for cell in cells)
    new = f"{_BEGIN}| Spark | Iceberg | off |\n|---|---|---|\n{rows}{_END}"
    goldens.replace(f"{_BEGIN}{table}{_END}", new, PAGE)


def _row(cell: str, result: Mapping[str, Any] | None) -> str:
    if result is None:
        return f"| {' | '.join(cell.split('-'))} | not run |\n"
    off = ", ".join(map(_step, result["off"])) or "nothing"
    return f"| {result['spark']} | {result['iceberg']} | {off} |\n"


def _step(name: str) -> str:
    return name.replace("_", " ")
