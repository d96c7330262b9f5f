"""Bars with an axis and a legend, as SVG that is readable in light and dark themes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from spark_iceberg_sql import markup

_WIDTH, _LABEL_WIDTH, _VALUE_WIDTH, _ROW = 640, 215, 70, 16  # pixels
_MAX_LABEL = 28  # characters
_TICKS = 4


class Bar(NamedTuple):
    """A bar. label: its name. value: its length. note: shown beside it. group: its number in the legend."""

    label: str
    value: int
    note: str
    group: int = 0


def bar_chart(title: str, bars: Sequence[Bar], quantity: Callable[[int], str], legend: Sequence[str] = ()) -> str:
    """The bars, one below the other.

    title: what they show. quantity: a value as text, with its unit. legend: the groups, by number.
    """
    if not bars:
        return ""
    step = _step(max(bar.value for bar in bars))
    limit = step * max(1, math.ceil(max(bar.value for bar in bars) / step))
    height = _ROW * (len(bars) + 3)
    parts = [
        *_axis(step, limit, height, quantity),
        *(part for number, bar in enumerate(bars) for part in _bar(bar, number, limit, quantity)),
        *_legend(legend, height),
    ]
    label = markup.html_text(title)
    return (
        f'<svg width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{label}" '
        f'font-size="11" fill="currentColor"><title>{label}</title>{"".join(parts)}</svg>'
    )


def _step(maximum: int) -> int:
    """A step of the axis, 1, 2 or 5 times a power of ten, with which it has few ticks."""
    power = int(10 ** max(0, math.floor(math.log10(max(1, maximum))) - 1))
    return next(step for step in (power * factor for factor in (1, 2, 5, 10, 20, 50)) if maximum <= _TICKS * step)


def _x(value: float, limit: int) -> float:
    return _LABEL_WIDTH + (_WIDTH - _LABEL_WIDTH - _VALUE_WIDTH) * value / limit


def _axis(step: int, limit: int, height: int, quantity: Callable[[int], str]) -> Iterator[str]:
    for tick in range(0, limit + 1, step):
        x = _x(tick, limit)
        yield (
            f'<text x="{x:.1f}" y="11" text-anchor="middle">{quantity(tick)}</text>'
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_ROW}" y2="{height - 2 * _ROW}" '
            'stroke="currentColor" stroke-opacity="0.2"/>'
        )


def _bar(bar: Bar, number: int, limit: int, quantity: Callable[[int], str]) -> Iterator[str]:
    y, start, end = _ROW * (number + 1), _x(0, limit), _x(bar.value, limit)
    title = markup.html_text(f"{bar.label}: {quantity(bar.value)}, {bar.note}")
    yield f'<text x="{start - 6}" y="{y + 12}" text-anchor="end">{markup.html_text(bar.label, _MAX_LABEL)}</text>'
    yield (
        f'<rect x="{start}" y="{y + 3}" width="{max(1.0, end - start):.1f}" height="{_ROW - 5}" '
        f'fill="{_COLOURS[bar.group]}"><title>{title}</title></rect>'
    )
    yield f'<text x="{end + 4:.1f}" y="{y + 12}">{markup.html_text(bar.note)}</text>'


def _legend(legend: Sequence[str], height: int) -> Iterator[str]:
    x = _LABEL_WIDTH
    for group, text in enumerate(legend):
        yield f'<rect x="{x}" y="{height - 15}" width="10" height="10" fill="{_COLOURS[group]}"/>'
        yield f'<text x="{x + 14}" y="{height - 6}">{markup.html_text(text)}</text>'
        x += 30 + 7 * len(text)


_COLOURS = (markup.READ, markup.WARNING)
