"""`%%iceberg_sql --chart line x=day y=flights`: a quick chart of a cell's whole result, drawn by matplotlib."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import BooleanType, DataType, DateType, NumericType, StringType, TimestampNTZType, TimestampType

from spark_iceberg_sql import markup
from spark_iceberg_sql.errors import IcebergSqlError, MissingExtraError
from spark_iceberg_sql.notebook.cells.magic_options import ChartRequest
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.safe_output import visible
from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.syntax.identifiers import backticked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

MAX_POINTS = 10_000
MAX_BARS = 100
_MAX_LABELS, _MAX_LABEL_LENGTH = 30, 24  # texts on the x axis, and characters of each
_TIMES = (DateType, TimestampType, TimestampNTZType)
_LABELS = (StringType, BooleanType)
_WIDTH, _HEIGHT, _RESOLUTION = 6.4, 3.0, 200  # inches, and dots per inch


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart. png: its picture. width, height: in pixels, as shown. text: what it shows, for a terminal."""

    png: bytes
    width: int
    height: int
    text: str


def with_columns(request: ChartRequest, fields: Sequence[StructField]) -> ChartRequest:
    """A request whose columns are chosen. fields: of the result.

    Without x, it is the first time for a line, the first text for bars, a number for points, else the first column;
    without y, the first other number. Raises IcebergSqlError for a column that there is not, or that cannot be drawn.
    """
    numbers = [field.name for field in fields if isinstance(field.dataType, NumericType)]
    preferred: dict[str, tuple[type[DataType], ...]] = {"line": _TIMES, "bar": _LABELS, "scatter": (NumericType,)}
    drawable_types = (NumericType, *_TIMES, *_LABELS)
    drawable = [f for f in fields if isinstance(f.dataType, drawable_types) and f.name.lower() != request.y.lower()]
    first = next((f for f in drawable if isinstance(f.dataType, preferred[request.kind])), next(iter(drawable), None))
    x = _spelled(request.x, fields) or (first.name if first is not None else "")
    y = _spelled(request.y, fields) or next((name for name in numbers if name != x), "")
    if not x or not y:
        raise IcebergSqlError(
            "a chart needs a column for x and another one of numbers for y",
            help="select both, such as SELECT day, count(*) AS flights ... GROUP BY day",
        )
    for axis, name in (("x", x), ("y", y)):
        _refuse_column(axis, name, fields)
    return replace(request, x=x, y=y)


def _spelled(name: str, fields: Sequence[StructField]) -> str:
    """A column's name as the result spells it, where only its letter case is another."""
    spellings = [field.name for field in fields if field.name.lower() == name.lower()]
    return spellings[0] if len(spellings) == 1 else name


def _refuse_column(axis: str, name: str, fields: Sequence[StructField]) -> None:
    same_names = [field for field in fields if field.name == name]
    if not same_names:
        similar = similar_names(name, [field.name for field in fields])
        names = similar or tuple(field.name for field in fields)
        raise IcebergSqlError(
            f"the result has no column `{name}` for {axis}", help=f"write {axis}={f' or {axis}='.join(names[:6])}"
        )
    if len(same_names) > 1:
        raise IcebergSqlError(
            f"the result has {len(same_names)} columns `{name}`", help="give each a name of its own with AS"
        )
    kinds = (NumericType,) if axis == "y" else (NumericType, *_TIMES, *_LABELS)
    if not isinstance(same_names[0].dataType, kinds):
        type_name = same_names[0].dataType.simpleString()
        expected = "a number" if axis == "y" else "a number, a time or a text"
        raise IcebergSqlError(
            f"`{name}` is of the type {type_name}, but {axis} is {expected}",
            help=f"cast it in the query, or name another column: {axis}=...",
        )


def chart(frame: DataFrame, request: ChartRequest) -> Chart:
    """A chart of the whole result, whose query runs.

    Raises MissingExtraError without matplotlib, and IcebergSqlError for columns or rows that cannot be drawn.
    """
    library("matplotlib.figure")  # before the query runs
    request = with_columns(request, frame.schema.fields)
    types = {field.name: field.dataType for field in frame.schema.fields}
    x_type = types[request.x]
    columns = [f"{_plotted_sql(request.x, x_type)} AS x", f"CAST({backticked(request.y)} AS DOUBLE) AS y"]
    rows = [(row[0], row[1]) for row in frame.selectExpr(*columns).limit(MAX_POINTS + 1).collect()]
    return draw(request, rows, is_ordered=not isinstance(x_type, _LABELS))


def _plotted_sql(name: str, data_type: DataType) -> str:
    """A column as Python draws it: times as the session shows them."""
    column = backticked(name)
    if isinstance(data_type, TimestampType):
        return f"CAST({column} AS TIMESTAMP_NTZ)"
    if isinstance(data_type, NumericType):
        return f"CAST({column} AS DOUBLE)"
    return f"CAST({column} AS STRING)" if isinstance(data_type, BooleanType) else column


def draw(request: ChartRequest, rows: Sequence[tuple[Any, float | None]], *, is_ordered: bool) -> Chart:
    """A chart of points. request: with its columns. is_ordered: whether x is a number or a time, not a text.

    Raises IcebergSqlError for too many points or bars, for bars of the same x, and without points.
    """
    if len(rows) > MAX_POINTS:
        raise IcebergSqlError(
            f"the result has more than {MAX_POINTS:,} rows, too many for a chart",
            help="aggregate them, or end the query with LIMIT",
        )
    points = [(x, y) for x, y in rows if x is not None and y is not None and math.isfinite(y) and x == x]
    if not points:
        raise IcebergSqlError(f"no row has a value in `{request.x}` and in `{request.y}`, so there is nothing to draw")
    if request.kind == "bar":
        _refuse_bars(request, points)
    elif is_ordered:
        points.sort(key=lambda point: point[0])
    text = f"{request.kind} chart: {request.y} by {request.x}, {plural(len(points), 'point')}"
    if left_out := len(rows) - len(points):
        text += f"; {plural(left_out, 'row')} without a value {'is' if left_out == 1 else 'are'} left out"
    return Chart(_png(request, points), int(_WIDTH * 100), int(_HEIGHT * 100), text)


def _refuse_bars(request: ChartRequest, points: Sequence[tuple[Any, float]]) -> None:
    (value, count), *_ = Counter(x for x, _ in points).most_common(1)
    if count > 1:
        fact = f"`{request.x}` has the value {_value_text(value)} in {count:,} rows, whose bars would cover each other"
        raise IcebergSqlError(fact, help=f"aggregate: SELECT {request.x}, sum({request.y}) ... GROUP BY {request.x}")
    if len(points) > MAX_BARS:
        raise IcebergSqlError(
            f"the result has {len(points):,} rows, more than {MAX_BARS} bars", help="write --chart line, or use LIMIT"
        )


def _value_text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _png(request: ChartRequest, points: Sequence[tuple[Any, float]]) -> bytes:
    figure = library("matplotlib.figure").Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    axes = figure.add_subplot()
    xs, ys = [x for x, _ in points], [y for _, y in points]
    labels = list(map(str, xs)) if isinstance(xs[0], str) or (request.kind == "bar" and hasattr(xs[0], "year")) else []
    positions = list(range(len(xs))) if labels else xs
    draw_points: dict[str, Callable[..., Any]] = {"line": axes.plot, "scatter": axes.scatter, "bar": axes.bar}
    styles: dict[str, dict[str, Any]] = {"line": {"linewidth": 1.5}, "scatter": {"s": 12}}
    style = styles.get(request.kind) or {"width": _bar_width(positions)}
    draw_points[request.kind](positions, ys, color=markup.READ, **style)
    # Names are text, not matplotlib's mathematics; grey is readable on white and on black.
    axes.set_xlabel(request.x, color=markup.NOTE, parse_math=False)
    axes.set_ylabel(request.y, color=markup.NOTE, parse_math=False)
    axes.tick_params(colors=markup.NOTE)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(markup.NOTE)
    axes.set_axisbelow(True)
    axes.grid(visible=True, axis="y", color=markup.NOTE, alpha=0.25)
    if labels:
        _label(axes, labels)
    elif hasattr(xs[0], "year"):
        dates = library("matplotlib.dates")
        locator = dates.AutoDateLocator()
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_RESOLUTION, transparent=True)
    return buffer.getvalue()


def _bar_width(positions: Sequence[float]) -> float:
    """The width at which bars do not touch."""
    ordered = sorted(positions)
    return 0.8 * min((high - low for low, high in pairwise(ordered)), default=1.0)


def _label(axes: Any, labels: Sequence[str]) -> None:
    """Put texts below the points: of many points, below some."""
    step = 1 + (len(labels) - 1) // _MAX_LABELS
    ticks = range(0, len(labels), step)
    is_turned = len(ticks) > 8 or max(map(len, labels)) > 12
    axes.set_xticks(
        ticks,
        [markup.truncated(visible(labels[tick]), _MAX_LABEL_LENGTH) for tick in ticks],
        rotation=45 if is_turned else 0,
        horizontalalignment="right" if is_turned else "center",
        parse_math=False,
    )


def library(name: str) -> Any:
    """A module of matplotlib. Raises MissingExtraError if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError("matplotlib", "notebook") from None
