"""The two tables of docs/setup.md: what was seen of each Spark, and of each Spark with each Iceberg.

In Python, tests/spark/test_iceberg_versions.py keeps what it saw with `--update-goldens`; the rest is what
tests/matrix keeps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import goldens
from matrix import results as matrix_results
from matrix.cells import AXES, USUAL, Names, Result, iceberg_cells, parts_of
from matrix.icebergs import tested_with
from matrix.promises import PROMISES

from spark_iceberg_sql.spark.versions import SPARK_MINORS

FILE = Path(__file__).parent / "golden" / "iceberg_versions.json"
PAGE = Path(__file__).parents[1] / "docs" / "setup.md"
# Cells besides each line with each Iceberg: the first releases of the lines, of which these take the last, and the
# Scala that pip's pyspark does not have.
OTHERS = (("4.1.0", "1.12"), ("4.0.0", "1.11"), ("3.5_2.13", "1.11"))
_ICEBERGS = ("| Spark | Iceberg | off in Python | off by Spark Connect | off with the jar alone |", "icebergs")
_VERSIONS = ("| Spark | Iceberg | Java | Python | not supported |", "versions")


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


def hold_tables() -> None:
    """The page's tables are those of the results."""
    of_matrix = {result.cell: result for result, _ in matrix_results.load(matrix_results.FILE)}
    kept = results()
    rows = [
        _iceberg_row(spark.minor, minor, kept.get(f"{spark.minor}-{minor}"), iceberg_cells(name, minor), of_matrix)
        for name, spark in AXES["spark"].items()
        if name == spark.minor
        for minor in tested_with(spark)
    ]
    for spark, minor in OTHERS:
        cells = iceberg_cells(spark.replace("_", "-scala"), minor)
        rows.append(_iceberg_row(spark, minor, kept.get(f"{spark}-{minor}"), cells, of_matrix))
    _hold_table(*_ICEBERGS, rows)
    _hold_table(*_VERSIONS, [_version_row(line.spark, line.limitations, of_matrix) for line in SPARK_MINORS])


def _hold_table(header: str, name: str, rows: list[str]) -> None:
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    table = PAGE.read_text("utf-8").partition(begin)[2].partition(end)[0]
    new = f"{begin}{header}\n{'|---' * (header.count('|') - 1)}|\n{''.join(rows)}{end}"
    goldens.replace(f"{begin}{table}{end}", new, PAGE)


def _iceberg_row(
    line: str, minor: str, in_python: Mapping[str, Any] | None, cells: list[Names], of_matrix: Mapping[Names, Result]
) -> str:
    if in_python is None:
        return f"| {line} | {minor} | not run | not run | not run |\n"
    off = ", ".join(name.replace("_", " ") for name in in_python["off"]) or "nothing"
    matrix_cells = " | ".join(_off(of_matrix.get(cell)) for cell in cells[1:]) or "not run | not run"
    return f"| {in_python['spark']} | {in_python['iceberg']} | {off} | {matrix_cells} |\n"


def _off(result: Result | None) -> str:
    if result is None or result.reason is not None:
        return "not run" if result is None else f"not run: {result.reason}"
    titles = {promise.name: promise.title for promise in PROMISES}
    return "; ".join(titles.get(name, name) for name in result.faults) or "nothing"


def _version_row(minor: str, limitations: Mapping[str, str], of_matrix: Mapping[Names, Result]) -> str:
    """icebergs: with each Scala for which there is a runtime. Java and Python are those with which all holds."""
    parts = [AXES["spark"][name] for name in parts_of("spark") if AXES["spark"][name].minor == minor]
    usual = [of_matrix[_cell(spark=spark.name)] for spark in parts]
    icebergs = [
        result.versions["iceberg"] + (f" (Scala {spark.scala})" if len(parts) > 1 else "")
        for spark, result in zip(parts, usual, strict=True)
        if result.holds
    ]
    javas, pythons = (
        [name for name in AXES[axis] if (r := of_matrix.get(_cell(**{"spark": minor, axis: name}))) and r.holds]
        for axis in ("java", "python")
    )
    pythons.sort(key=lambda name: int(name.partition(".")[2]))
    span = f"{pythons[0]} to {pythons[-1]}"
    lacks = "; ".join(limitations.values()) or "nothing"
    return f"| {minor} | {', '.join(icebergs)} | {' or '.join(javas)} | {span} | {lacks} |\n"


def _cell(**parts: str) -> Names:
    return tuple((dict(zip(AXES, USUAL, strict=True)) | parts).values())
