"""The file of results: a JSON object for each cell, of the run in which it was last run."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from matrix.cells import AXES, Result

FILE = Path(__file__).with_name("results.json")


def load(path: Path) -> list[tuple[Result, str]]:
    """The results of the cells that there are still, with the day of each."""
    rows = json.loads(path.read_text("utf-8")) if path.is_file() else []
    return [
        (_result(row), row["day"])
        for row in rows
        if all(part in parts for part, parts in zip(row["cell"], AXES.values(), strict=True))
    ]


def _result(row: dict[str, Any]) -> Result:
    promises, versions = row.get("promises", {}), row.get("versions", {})
    return Result(tuple(row["cell"]), promises, row.get("reason"), row["seconds"], versions)


def store(path: Path, result: Result) -> None:
    """Put a result into the file, in the place of an older one of its cell."""
    rows: list[dict[str, Any]] = json.loads(path.read_text("utf-8")) if path.is_file() else []
    rows = [row for row in rows if row["cell"] != list(result.cell)]
    row: dict[str, Any] = {"cell": list(result.cell), "day": f"{datetime.now(timezone.utc):%Y-%m-%d}"}
    row["seconds"] = round(result.seconds)
    if result.reason is not None:
        row["reason"] = result.reason
    else:
        row |= {"versions": dict(result.versions), "promises": dict(result.promises)}
    rows = sorted([*rows, row], key=_place)
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", "utf-8")


def _place(row: dict[str, Any]) -> list[int]:
    """The order of the file: that of the axes and their parts."""
    return [list(parts).index(part) for parts, part in zip(AXES.values(), row["cell"], strict=True)]
