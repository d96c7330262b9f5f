"""Bars: an axis in round steps that covers the longest one, and no markup of the labels."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from spark_iceberg_sql.quantities import size
from spark_iceberg_sql.report.bar_chart import Bar, bar_chart


@pytest.mark.parametrize(
    ("longest", "ticks"),
    [
        (0, ["0 B", "1 B"]),
        (7, ["0 B", "2 B", "4 B", "6 B", "8 B"]),
        (99, ["0 B", "50 B", "100 B"]),
        (1_234_567, ["0 B", "500.0 kB", "1.0 MB", "1.5 MB"]),
    ],
)
def test_the_axis(longest: int, ticks: list[str]) -> None:
    chart = bar_chart(
        "bytes", [Bar("a", longest, "1 file"), Bar("b", longest // 2, "2 files", 1)], size, ["large", "small"]
    )
    texts = [element.text for element in ET.fromstring(chart).iter("text")]
    assert texts[: len(ticks)] == ticks
    assert texts[len(ticks) :] == ["a", "1 file", "b", "2 files", "large", "small"]
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="11"', chart)]
    assert widths[0] >= widths[1]


def test_labels_are_text() -> None:
    chart = bar_chart("<b>", [Bar("x" * 40 + "<script>", 10, "&")], size)
    assert "<script>" not in chart
    assert "x" * 27 + "…" in chart
    ET.fromstring(chart)
    assert bar_chart("bytes", [], size) == ""
