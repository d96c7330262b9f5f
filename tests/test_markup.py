"""Pieces of HTML: read by screen readers and keyboards, and by eyes in light and dark themes."""

from __future__ import annotations

import re

import pytest

from spark_iceberg_sql import markup

THEMES = {"light": ((255, 255, 255), (0, 0, 0)), "dark": ((17, 17, 17), (255, 255, 255))}  # background, text


def luminance(color: tuple[float, ...]) -> float:
    """As WCAG defines it."""
    parts = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(color: tuple[float, ...], other: tuple[float, ...]) -> float:
    darker, lighter = sorted((luminance(color), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_coloured_sql_has_the_contrast_of_text(theme: str) -> None:
    background, text = THEMES[theme]
    mixes = re.findall(
        r"\.sql-\w\{color:#\w{6};color:color-mix\(in srgb,#(\w{6}) (\d+)%,currentColor\)\}", markup.box()
    )
    assert len(mixes) == 4
    for color, share in mixes:
        channels = (int(color[i : i + 2], 16) for i in (0, 2, 4))
        mixed = tuple(c * int(share) / 100 + t * (1 - int(share) / 100) for c, t in zip(channels, text, strict=True))
        assert contrast(mixed, background) >= 4.5


def test_a_header_without_text_is_no_header() -> None:
    html = markup.table(["", "field"], [["+", "ts_day"]])
    assert "<thead><tr><td></td><th>field</th></tr></thead>" in html


def test_keys_reach_what_may_scroll() -> None:
    table = markup.table(["a"], [["1"]])
    assert '<div class="sis" role="group" tabindex="0" aria-label="table">' in markup.box(table)
    assert 'class="sis">' in markup.box("text")
    assert markup.box(f'<div class="scroll" tabindex="0">{table}</div>').count("tabindex") == 1
