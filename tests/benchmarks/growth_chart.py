"""Draws what tests.benchmarks.scale has printed: files against the CPU seconds of a planning, against the MB that the
heap holds at most while a query is planned (live), and against those after many (memory), with and without rules.

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
# The same as `live` calls them.
LIVE_WAYS = {
    "without": "without the rules",
    "next session": "the next session's first",
    "new session": "the first of all",
}
MEGABYTES = ", MB"  # ends the title of a panel of the heap
HEAP = f"heap after many queries{MEGABYTES}"
_HEAP_LINE = re.compile(r"([\d,]+) files, .* rules (true|false): .* MB before, (\d+) after")
_LIVE_LINE = re.compile(r"([\d,]+) files, (.+), (without|next session|new session): \d+ MB, (\d+) at most")
COLOURS = ("#888888", "#1f77b4", "#e69f00", "#d62728")  # readable on light and dark pages
WIDTH, HEIGHT, LEFT, TOP = 360, 130, 50, 52  # of a panel, pixels

Points = list[tuple[int, float]]


def series(text: str) -> Mapping[str, Mapping[str, Points]]:
    """By query, by way: the seconds, and the MB, for each number of files; and the MB after many queries."""
    result: dict[str, dict[str, Points]] = defaultdict(lambda: defaultdict(list))
    live: dict[str, dict[str, Points]] = defaultdict(lambda: defaultdict(list))
    heaps: dict[str, Points] = defaultdict(list)
    files = 0
    for line in text.splitlines():
        if memory := _HEAP_LINE.match(line):
            way = "a new query" if memory[2] == "true" else "without the rules"
            heaps[way].append((int(memory[1].replace(",", "")), float(memory[3])))
        if (held := _LIVE_LINE.match(line)) and held[2] in SHOWN:
            live[f"{held[2]}{MEGABYTES}"][LIVE_WAYS[held[3]]].append((int(held[1].replace(",", "")), float(held[4])))
        if heading := re.fullmatch(r"([\d,]+) files", line):
            files = int(heading[1].replace(",", ""))
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if files and line.startswith("|") and cells[0] in SHOWN:
            plain = float(cells[1])
            for way, column in WAYS.items():
                ratio = 1.0 if column is None else float(cells[column].split()[0])
                result[cells[0]][way].append((files, plain * ratio))
    return {**result, **live, **({HEAP: heaps} if heaps else {})}


def _panel(query: str, ways: Mapping[str, Points], row: int, column: int) -> Iterator[str]:
    left, top = LEFT + column * (WIDTH + LEFT), TOP + row * (HEIGHT + TOP)

    def x(files: int) -> float:
        return left + (math.log10(files) - 4) / 2 * WIDTH

    is_heap = query.endswith(MEGABYTES)
    ticks, least, decades = ((100, 300, 1000), 50, 1.5) if is_heap else ((0.01, 0.1, 1, 10), 0.01, 3.5)
    unit = "" if is_heap else " s"

    def y(value: float) -> float:
        return top + HEIGHT - math.log10(max(1, value / least)) / decades * HEIGHT

    yield f'<text x="{left}" y="{top - 8}" font-weight="bold">{markup.html_text(query)}</text>'
    for tick in ticks:
        yield f'<path d="M{left} {y(tick):.0f}h{WIDTH}" stroke="#8884"/>'
        yield f'<text x="{left - 4}" y="{y(tick) + 4:.0f}" text-anchor="end">{tick:g}{unit}</text>'
    for files, label, anchor in (
        (10_000, "10,000", "start"),
        (100_000, "100,000", "middle"),
        (1_000_000, "1,000,000", "end"),
    ):
        yield f'<text x="{x(files):.0f}" y="{top + HEIGHT + 14}" text-anchor="{anchor}">{label}</text>'
    for way, colour in zip(WAYS, COLOURS, strict=True):
        if way not in ways:
            continue
        path = "L".join(f"{x(files):.0f} {y(value):.0f}" for files, value in sorted(ways[way]))
        yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>'


def svg(queries: Mapping[str, Mapping[str, Points]]) -> str:
    """A row for each query, with a panel of seconds and one of MB, all axes logarithmic."""
    rows = list(dict.fromkeys(name.removesuffix(MEGABYTES) for name in queries))
    width, height = 2 * (WIDTH + LEFT) + LEFT, len(rows) * (HEIGHT + TOP) + TOP + 20
    parts: list[str] = []
    for name, ways in queries.items():
        parts += _panel(name, ways, rows.index(name.removesuffix(MEGABYTES)), int(name.endswith(MEGABYTES)))
    parts += _legend(list(WAYS), height - 8)
    title = "CPU seconds of a planning, and MB of the heap, by the number of files"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="11" '
        f'font-family="sans-serif" fill="#888888"><title>{title}</title>'
        f"{''.join(parts)}</svg>\n"
    )


def _legend(ways: Sequence[str], top: int) -> Iterator[str]:
    for number, (way, colour) in enumerate(zip(ways, COLOURS, strict=True)):
        left = LEFT + number * 200
        yield f'<path d="M{left} {top - 4}h20" stroke="{colour}" stroke-width="2"/>'
        yield f'<text x="{left + 26}" y="{top}">{way}</text>'


if __name__ == "__main__":
    print(svg(series(Path(sys.argv[1]).read_text("utf-8"))), end="")
