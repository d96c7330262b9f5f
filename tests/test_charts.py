"""Charts of results: which columns, what is refused, and that what is drawn is there to see."""

from __future__ import annotations

import datetime
import io
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from pyspark.sql.types import DateType, DoubleType, LongType, MapType, StringType, StructField

from spark_iceberg_sql.errors import IcebergSqlError, MissingExtraError
from spark_iceberg_sql.notebook.cells.magic_options import ChartRequest, Options, cell_options, line_options
from spark_iceberg_sql.notebook.results import charts
from spark_iceberg_sql.notebook.results.charts import Chart, draw, with_columns

pytestmark = pytest.mark.tier("rest")

FIELDS = [
    StructField("carrier", StringType()),
    StructField("day", DateType()),
    StructField("flights", LongType()),
    StructField("delay", DoubleType()),
    StructField("tags", MapType(StringType(), StringType())),
]
BLUE = (0x31 / 255, 0x82 / 255, 0xBD / 255)


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("--chart line", ChartRequest("line")),
        ("--chart=bar x=day", ChartRequest("bar", x="day")),
        ("--chart scatter y=n x='two words' --quiet", ChartRequest("scatter", "two words", "n")),
        ("--chart line x=`a b` y=c", ChartRequest("line", "a b", "c")),
    ],
)
def test_the_option(line: str, request_: ChartRequest) -> None:
    assert cell_options(f"rows {line}", Options()).chart == request_
    assert line_options(f"{line} SELECT x=1", Options())[0].chart == request_
    assert line_options(f"{line} SELECT x=1", Options())[1] == "SELECT x=1"


def test_the_letter_case_of_columns_does_not_matter() -> None:
    assert with_columns(ChartRequest("bar", "CARRIER", "Flights"), FIELDS) == ChartRequest("bar", "carrier", "flights")
    assert with_columns(ChartRequest("scatter", y="FLIGHTS"), FIELDS) == ChartRequest("scatter", "delay", "flights")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--chart", "--chart takes line, bar or scatter\n"),
        ("--chart pie", "not `pie`\nhelp: write --chart line x=day y=flights"),
        ("--chart lines", "help: write --chart line$"),
    ],
)
def test_a_kind_that_there_is_not(line: str, message: str) -> None:
    with pytest.raises(IcebergSqlError, match=message):
        cell_options(line, Options())


@pytest.mark.parametrize(
    ("request_", "x", "y"),
    [
        (ChartRequest("line"), "day", "flights"),
        (ChartRequest("bar"), "carrier", "flights"),
        (ChartRequest("scatter"), "flights", "delay"),
        (ChartRequest("scatter", y="flights"), "delay", "flights"),
        (ChartRequest("line", x="flights"), "flights", "delay"),
        (ChartRequest("bar", x="day", y="delay"), "day", "delay"),
    ],
)
def test_columns_that_are_left_out_are_guessed(request_: ChartRequest, x: str, y: str) -> None:
    assert with_columns(request_, FIELDS) == ChartRequest(request_.kind, x, y)


@pytest.mark.parametrize(
    ("request_", "fields", "message"),
    [
        (ChartRequest("line", x="dy"), FIELDS, "no column `dy` for x\nhelp: write x=day"),
        (ChartRequest("line", y="carrier"), FIELDS, "`carrier` is of the type string, but y is a number"),
        (ChartRequest("line", x="tags"), FIELDS, "but x is a number, a time or a text"),
        (ChartRequest("bar"), FIELDS[:2], "another one of numbers for y"),
        (ChartRequest("line"), [FIELDS[1], FIELDS[2], FIELDS[2]], "2 columns `flights`"),
    ],
)
def test_columns_that_cannot_be_drawn(request_: ChartRequest, fields: list[StructField], message: str) -> None:
    with pytest.raises(IcebergSqlError, match=message):
        with_columns(request_, fields)


def shares_of_blue(chart: Chart) -> Any:
    """The share of the data's colour in each column of pixels."""
    from matplotlib import image  # not in the extra `test`

    picture = image.imread(io.BytesIO(chart.png))
    assert picture[0, 0, 3] == 0  # transparent: for light and dark themes
    is_blue = np.all(np.abs(picture[..., :3] - BLUE) < 0.05, axis=-1) & (picture[..., 3] > 0.9)
    return is_blue.mean(axis=0)


POINTS: dict[str, Sequence[tuple[Any, float]]] = {
    "texts": [("a", 1.0), ("b$x$", 100.0)],
    "numbers": [(0.1, 1.0), (0.2, 100.0)],
    "days": [(datetime.date(2024, 1, 1), 1.0), (datetime.date(2024, 1, 2), 100.0)],
    "times": [(datetime.datetime.fromisoformat(f"2024-01-01T0{hour}:00"), 99.0 * hour + 1.0) for hour in (0, 1)],
}


@pytest.mark.parametrize("points", POINTS.values(), ids=POINTS)
@pytest.mark.parametrize("kind", ["line", "bar", "scatter"])
def test_a_chart_shows_its_points(kind: str, points: Sequence[tuple[Any, float]]) -> None:
    chart = draw(ChartRequest(kind, "x", "y"), points, is_ordered=True)
    blue = shares_of_blue(chart)
    left, right = np.array_split(blue, 2)
    assert blue.max() > 0
    if kind == "bar":  # the second one is a hundred times as high, and they do not touch
        assert right.max() > 20 * left.max() > 0
        assert (blue[blue.nonzero()[0].min() : blue.nonzero()[0].max()] == 0).any()
    assert chart.text == f"{kind} chart: y by x, 2 points"


def test_a_line_is_drawn_in_the_order_of_x() -> None:
    ordered = [(float(x), float(x)) for x in range(20)]
    request = ChartRequest("line", "x", "y")
    assert draw(request, ordered[::-1], is_ordered=True).png == draw(request, ordered, is_ordered=True).png
    mixed = [("b", 1.0), ("a", 2.0)]  # of texts, in the order of the rows
    assert draw(request, mixed, is_ordered=False).png != draw(request, mixed[::-1], is_ordered=False).png


def test_rows_without_a_value_are_named() -> None:
    rows = [(1.0, 1.0), (None, 2.0), (2.0, None), (3.0, float("nan")), (float("nan"), 1.0)]
    chart = draw(ChartRequest("line", "x", "y"), rows, is_ordered=True)
    assert chart.text == "line chart: y by x, 1 point; 4 rows without a value are left out"
    with pytest.raises(IcebergSqlError, match="nothing to draw"):
        draw(ChartRequest("line", "x", "y"), rows[1:], is_ordered=True)


@pytest.mark.parametrize(
    ("kind", "rows", "message"),
    [
        ("line", [(float(x), 1.0) for x in range(charts.MAX_POINTS + 1)], "more than 10,000 rows"),
        ("bar", [(float(x), 1.0) for x in range(charts.MAX_BARS + 1)], "more than 100 bars"),
        ("bar", [(1.0, 1.0), (2.0, 1.0), (1.0, 1.0)], "has the value 1 in 2 rows"),
        ("bar", [("a", 1.0), ("a", 1.0)], "GROUP BY x"),
    ],
)
def test_rows_that_no_chart_shows(kind: str, rows: Sequence[tuple[Any, float]], message: str) -> None:
    with pytest.raises(IcebergSqlError, match=message):
        draw(ChartRequest(kind, "x", "y"), rows, is_ordered=True)


def test_many_long_texts_are_drawn_as_well() -> None:
    rows = [(f"{number} {'long' * 50}", float(number)) for number in range(1_000)]
    assert shares_of_blue(draw(ChartRequest("line", "x", "y"), rows, is_ordered=False)).max() > 0


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"matplotlib is not installed: pip install matplotlib$"):
        charts.library("matplotlib.figure")
