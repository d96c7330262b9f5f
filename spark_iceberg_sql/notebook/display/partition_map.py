"""Maps of a table's partitions, read and pruned: inline SVG, and text.

One band per spec; the axis is time for a time field, otherwise the sorted values.
"""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from spark_iceberg_sql import markup
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_SPELLING
from spark_iceberg_sql.notebook.display.partitions import sort_key
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.safe_output import join_visible
from spark_iceberg_sql.spark.bridge.jvm.java_rows import PartitionValue
from spark_iceberg_sql.spark.bridge.plans.scan_files import Partition, TableRead

_WIDTH = 620  # pixels
_MAX_ROWS = 32
_MAX_LABELLED_ROWS = 5
_MAX_CELLS = 4000
_TEXT_WIDTH = 60
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAY = 24.0  # hours
_NULL = (-math.inf, -math.inf)  # the position of null on a time axis, until the axis is known


@dataclass(frozen=True, slots=True)
class _GridCell:
    """A cell of the grid: from, to, and row; its files, and how many were read."""

    start: float
    end: float
    row: int
    files: int
    read: int


@dataclass(frozen=True, slots=True)
class _Band:
    """The partitions of one spec. labels: of the first and the last value on the axis."""

    title: str
    cells: tuple[_GridCell, ...]
    rows: int
    is_timed: bool
    labels: tuple[str, str]


def text_strip(read: TableRead) -> str:
    """The partitions as text, one line per spec: a full block where something was read."""
    lines = []
    for raw_band in _bands(read):
        (band,) = _place_nulls([raw_band])
        begin, end = _extent([band])
        width = min(_TEXT_WIDTH, max(1, round(end - begin)) if not band.is_timed else _TEXT_WIDTH)
        blocks = [" "] * width
        for cell in band.cells:
            first = int((cell.start - begin) / (end - begin) * width)
            last = max(first + 1, round((cell.end - begin) / (end - begin) * width))
            for i in range(first, min(last, width)):
                if cell.read or blocks[i] == " ":
                    blocks[i] = "█" if cell.read else "░"
        labels = " to ".join(dict.fromkeys(filter(None, band.labels)))
        lines.append(f"{''.join(blocks)}  {band.title}{': ' + labels if labels else ''}")
    return join_visible(lines)


def svg(read: TableRead) -> str:
    """The partitions as a picture, a band per spec; the axis is time for a time field."""
    bands = _bands(read)
    if not bands:
        return ""
    is_timed = all(band.is_timed for band in bands)
    if is_timed:
        bands = _place_nulls(bands)
    else:
        bands = [placed_band for band in bands for placed_band in _place_nulls([band])]
    extent = _extent(bands)
    parts: list[str] = []
    y = 0
    for number, band in enumerate(bands):
        begin, end = extent if is_timed else _extent([band])
        legend = _legend(y) if not number else ""
        parts.append(_text_element(0, y + 11, band.title) + legend)
        y += 16
        height = 14 if band.rows == 1 else max(4, min(9, 160 // band.rows))
        parts += _cells(band, begin, _WIDTH / ((end - begin) or 1.0), y, height)
        y += band.rows * height + 2
        if not is_timed or number == len(bands) - 1:
            left, right = _labels(bands if is_timed else [band])
            parts.append(_text_element(0, y + 11, left) + _text_element(_WIDTH, y + 11, right, "end"))
            y += 16
    chosen = sum(1 for p in read.partitions if p.files_read)
    label = f"{chosen} of {len(read.partitions)} partitions read"
    return (
        f'<svg width="{_WIDTH}" height="{y}" viewBox="0 0 {_WIDTH} {y}" role="img" aria-label="{label}" '
        f'font-size="11" fill="currentColor"><title>{label}</title>{"".join(parts)}</svg>'
    )


def _text_element(x: int, y: int, text: str, anchor: str = "start") -> str:
    if not text:
        return ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{markup.html_text(text, 90)}</text>'


def _legend(y: int) -> str:
    x = _WIDTH - 105
    return (
        f'<rect x="{x}" y="{y + 3}" width="9" height="9" fill="{markup.READ}"/>{_text_element(x + 13, y + 11, "read")}'
        f'<rect x="{x + 46}" y="{y + 3}" width="9" height="9" fill-opacity=".2"/>'
        f"{_text_element(x + 59, y + 11, 'pruned')}"
    )


def _cells(band: _Band, begin: float, scale: float, top: int, height: int) -> Iterator[str]:
    """The cells; those of one shade form one path."""
    shades: dict[float, list[str]] = {}
    cells = band.cells
    # More cells than pixels: an SVG of each would only be larger.
    if len(cells) > _WIDTH * band.rows:
        cells = _merge_by_pixel(band, begin, scale)
    for cell in cells:
        shade = 0.0 if not cell.read else (1.0 if cell.read >= cell.files else 0.6)
        x = (cell.start - begin) * scale
        full_width = (cell.end - cell.start) * scale
        width = max(0.5, full_width - min(0.8, 0.15 * full_width))
        y = top + cell.row * height
        shades.setdefault(shade, []).append(f"M{x:.4g} {y}h{width:.3g}v{height - 1}h-{width:.3g}z")
    for shade, paths in sorted(shades.items()):
        fill = f'fill="{markup.READ}" fill-opacity="{shade}"' if shade else 'fill-opacity=".2"'
        yield f'<path {fill} d="{"".join(paths)}"/>'


def _merge_by_pixel(band: _Band, begin: float, scale: float) -> tuple[_GridCell, ...]:
    """The cells, merged where they share a pixel."""
    files: Counter[tuple[int, int]] = Counter()
    read: Counter[tuple[int, int]] = Counter()
    for cell in band.cells:
        key = int((cell.start - begin) * scale), cell.row
        files[key] += cell.files
        read[key] += cell.read
    return tuple(
        _GridCell(begin + x / scale, begin + (x + 1) / scale, row, files[x, row], read[x, row])
        for x, row in sorted(files)
    )


def _labels(bands: Sequence[_Band]) -> tuple[str, str]:
    first = min(bands, key=lambda band: band.cells[0].start)
    last = max(bands, key=lambda band: max(cell.end for cell in band.cells))
    left, right = first.labels[0], last.labels[1]
    return left, "" if right == left else right


def _extent(bands: Sequence[_Band]) -> tuple[float, float]:
    cells = [cell for band in bands for cell in band.cells]
    return min(c.start for c in cells), max(c.end for c in cells)


def _place_nulls(bands: Sequence[_Band]) -> list[_Band]:
    """The bands of one axis, with null, if a band has it, left of the first time, after a gap of its own width."""
    dated_cells = [cell for band in bands for cell in band.cells if cell.start != -math.inf]
    if not dated_cells or len(dated_cells) == sum(len(band.cells) for band in bands):
        return list(bands)
    first = min(cell.start for cell in dated_cells)
    width = max((max(c.end for c in dated_cells) - first) / 30, min(c.end - c.start for c in dated_cells))
    placed_bands = []
    for band in bands:
        cells = [
            replace(c, start=first - 2 * width, end=first - width) if c.start == -math.inf else c for c in band.cells
        ]
        has_null = len(cells) > sum(c.start != -math.inf for c in band.cells)
        labels = (f"null | {band.labels[0]}", band.labels[1]) if has_null else band.labels
        placed_bands.append(replace(band, cells=tuple(cells), labels=labels))
    return placed_bands


def _bands(read: TableRead) -> list[_Band]:
    ordered = sorted(read.partitions, key=lambda p: p.spec_id)
    has_several = len({p.spec_id for p in ordered}) > 1
    bands = []
    for spec_id, group in groupby(ordered, key=lambda p: p.spec_id):
        prefix = f"spec {spec_id}: " if has_several else ""
        bands.append(_band(prefix, list(group)))
    return bands


def _band(prefix: str, partitions: list[Partition]) -> _Band:
    fields = partitions[0].values
    if not fields:
        files = sum(p.files for p in partitions)
        chosen = sum(p.files_read for p in partitions)
        return _Band(f"{prefix}unpartitioned", (_GridCell(0, 1, 0, files, chosen),), 1, False, ("", ""))
    axis = next((i for i, field in enumerate(fields) if _is_time(partitions, i)), 0)
    is_timed = _is_time(partitions, axis)
    axis_values = sorted({p.values[axis].text: p.values[axis] for p in partitions}.values(), key=sort_key)
    spans = {v.text: _span(v) if is_timed and v.number is not None else None for v in axis_values}
    if not is_timed:
        spans = {v.text: (float(i), i + 1.0) for i, v in enumerate(axis_values)}
    row_keys = sorted({_row_key(p, axis): None for p in partitions})
    rows = {row_key: i for i, row_key in enumerate(row_keys)}
    if len(rows) > _MAX_ROWS or len(partitions) > _MAX_CELLS:
        rows = dict.fromkeys(row_keys, 0)
    counts: Counter[tuple[float, float, int]] = Counter()
    read: Counter[tuple[float, float, int]] = Counter()
    for p in partitions:
        span = spans[p.values[axis].text]
        if span is None:  # null is not a time: it comes first, on its own
            span = _NULL
        key = (*span, rows[_row_key(p, axis)])
        counts[key] += p.files
        read[key] += p.files_read
    cells = tuple(_GridCell(*key, counts[key], read[key]) for key in sorted(counts))
    title = " × ".join([fields[axis].name, *(f.name for i, f in enumerate(fields) if i != axis)])
    if 1 < max(rows.values()) + 1 <= _MAX_LABELLED_ROWS:
        title += f" ({', '.join(' '.join(value[-1] for value in row_key) for row_key in rows)})"
    labelled_values = [v for v in axis_values if v.number is not None] or axis_values
    labels = (markup.truncated(labelled_values[0].text, 30), markup.truncated(labelled_values[-1].text, 30))
    return _Band(
        f"{prefix}{title}, {plural(len(partitions), 'partition')}", cells, max(rows.values()) + 1, is_timed, labels
    )


def _row_key(partition: Partition, axis: int) -> tuple[tuple[bool, float, str], ...]:
    return tuple(sort_key(v) for i, v in enumerate(partition.values) if i != axis)


def _is_time(partitions: Sequence[Partition], field: int) -> bool:
    values = [p.values[field] for p in partitions]
    non_null_values = [v for v in values if v.number is not None]
    if not non_null_values:
        return False
    return _time_transform(values[0]) is not None or all(_DATE.fullmatch(v.text) for v in non_null_values)


def _time_transform(value: PartitionValue) -> Transform | None:
    transform = BY_SPELLING.get(value.transform)
    return transform if transform is not None and transform.granularity is not None else None


def _span(value: PartitionValue) -> tuple[float, float]:
    """The start and end of a time value, in hours since 1970."""
    number, transform = int(value.number or 0), _time_transform(value)
    if transform is not None and transform.months is not None:
        return _month_start(transform.months * number), _month_start(transform.months * (number + 1))
    hours = (transform.granularity if transform is not None else None) or _DAY
    return number * hours, (number + 1) * hours


def _month_start(number: int) -> float:
    year, month = 1970 + number // 12, number % 12 + 1
    if not 1 <= year <= 9999:
        return number * 365.2425 / 12 * _DAY
    return (datetime.date(year, month, 1) - datetime.date(1970, 1, 1)).days * _DAY
