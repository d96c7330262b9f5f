"""Draws what tests.benchmarks.scale has printed: files against the CPU seconds of a planning, and against the MB of the
heap after many, with and without rules.

python -m tests.benchmarks.growth_chart FILE > docs/images/planning-growth.svg
"""

from __future__ import annotations

import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from spark_iceberg_sql import markup

SHOWN = ("all rows", "top", "by day", "values", "one hour")
# The column of the ratio.
WAYS = {"without the rules": None, "a new query": 3, "the next session's first": 4, "the first of all": 5}
HEAP = "heap after many queries, MB"
_HEAP_LINE = re.compile(r"([\d,]+) files, .* rules (true|false): .* MB before, (\d+) after")
COLOURS = ("#888888", "#1f77b4", "#e69f00", "#d62728")  # readable on light and dark pages
WIDTH, HEIGHT, LEFT, TOP = 250, 180, 44, 34  # of a panel, pixels

Points = list[tuple[int, float]]


def series(text: str) -> Mapping[str, Mapping[str, Points]]:
    """By query, by way: the seconds for each number of files; and the MB after many queries."""
    result: dict[str, dict[str, Points]] = defaultdict(lambda: defaultdict(list))
    heaps: dict[str, Points] = defaultdict(list)
    files = 0
    for line in text.splitlines():
        if memory := _HEAP_LINE.match(line):
            way = "a new query" if memory[2] == "true" else "without the rules"
            heaps[way].append((int(memory[1].replace(",", "")), float(memory[3])))
        if heading := re.fullmatch(r"([\d,]+) files", line):
            files = int(heading[1].replace(",", ""))
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if files and line.startswith("|") and cells[0] in SHOWN:
            plain = float(cells[1])
            for way, column in WAYS.items():
                ratio = 1.0 if column is None else float(cells[column].split()[0])
                result[cells[0]][way].append((files, plain * ratio))
    return {**result, HEAP: heaps} if heaps else result


def _panel(query: str, ways: Mapping[str, Points], index: int) -> Iterator[str]:
    left, top = LEFT + index % 3 * (WIDTH + LEFT), TOP + index // 3 * (HEIGHT + TOP)

    def x(files: int) -> float:
        return left + (math.log10(files) - 4) / 2 * WIDTH

    ticks, least, decades = ((100, 300, 1000), 50, 1.5) if query == HEAP else ((0.01, 0.1, 1, 10), 0.01, 3.5)
    unit = "" if query == HEAP else " s"

    def y(value: float) -> float:
        return top + HEIGHT - math.log10(max(1, value / least)) / decades * HEIGHT

    yield f'<text x="{left}" y="{top - 8}" font-weight="bold">{markup.html_text(query)}</text>'
    for tick in ticks:
        yield f'<path d="M{left} {y(tick):.0f}h{WIDTH}" stroke="#8884"/>'
        yield f'<text x="{left - 4}" y="{y(tick) + 4:.0f}" text-anchor="end">{tick:g}{unit}</text>'
    for files, label in ((10_000, "10,000"), (100_000, "100,000"), (1_000_000, "1,000,000")):
        yield f'<text x="{x(files):.0f}" y="{top + HEIGHT + 14}" text-anchor="middle">{label}</text>'
    for way, colour in zip(WAYS, COLOURS, strict=True):
        if way not in ways:
            continue
        path = "L".join(f"{x(files):.0f} {y(value):.0f}" for files, value in sorted(ways[way]))
        yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>'


def svg(queries: Mapping[str, Mapping[str, Points]]) -> str:
    """A panel for each query, both axes logarithmic."""
    width, height = 3 * (WIDTH + LEFT) + LEFT, (len(queries) + 2) // 3 * (HEIGHT + TOP) + TOP + 20
    parts: list[str] = []
    for index, (query, ways) in enumerate(queries.items()):
        parts += _panel(query, ways, index)
    parts += _legend(list(WAYS), height - 8)
    title = "CPU seconds of a planning, and MB of the heap, by the number of files"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="11" '
        f'font-family="sans-serif" fill="#888888"><title>{title}</title>'
        f"{''.join(parts)}</svg>\n"
    )


def _legend(ways: Sequence[str], top: int) -> Iterator[str]:
    for number, (way, colour) in enumerate(zip(ways, COLOURS, strict=True)):
        left = LEFT + number * 220
        yield f'<path d="M{left} {top - 4}h20" stroke="{colour}" stroke-width="2"/>'
        yield f'<text x="{left + 26}" y="{top}">{way}</text>'


if __name__ == "__main__":
    print(svg(series(Path(sys.argv[1]).read_text("utf-8"))), end="")
