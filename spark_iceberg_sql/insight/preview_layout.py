"""The data files that Spark writes for the partitions of a spec: how many, and how large.

Three things decide it: which tasks receive the rows of a partition (the distribution mode, and how adaptive
execution splits large shuffle partitions); when a writer starts the next file (it checks its length every
1000 rows, and a page that is not full yet counts with its uncompressed rows); and how well files of that size
compress. The last is measured by writing a few partitions in memory.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

ROWS_BETWEEN_LOOKS = 1000  # RollingFileWriter.ROWS_DIVISOR
_ALIKE = 1.3  # files whose sizes differ by less than this factor make one point of the curve
_FOOTER = 4_000  # bytes, if the files written in memory do not show it
_MAP_STATUS = 1.1  # MapStatus.LOG_BASE
_MERGED = 1.2  # ShufflePartitionsUtil.MERGED_PARTITION_FACTOR


@dataclass(frozen=True, slots=True)
class WriteSettings:
    """The settings of a write.

    distribution_mode: `none`, `hash` or `range`. target_size: file bytes at which a writer starts the next
    file. advisory_size: bytes above which a shuffle partition is split; 0 for never. small_factor: the
    fraction of `advisory_size` below which a part is merged with its neighbour. page_rows, page_bytes: where
    a column's page ends. shuffle_partitions: their number. fanout: whether a task keeps a writer open for
    each of its partitions instead of sorting. keeps_order: whether the rows of a partition stay in the order
    they are read in.
    """

    mode: str
    target: int
    advisory: int = 0
    small_factor: float = 0.2
    page_rows: int = 20_000
    page_bytes: int = 1 << 20
    reducers: int = 200
    fanout: bool = False
    keeps_order: bool = True


@dataclass(frozen=True, slots=True)
class Piece:
    """The rows of one partition that one task writes. raw_bytes: their uncompressed bytes in Parquet's plain
    encoding.
    """

    rows: int
    raw: int

    def __add__(self, other: Piece) -> Piece:
        return Piece(self.rows + other.rows, self.raw + other.raw)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file. raw_bytes: the uncompressed bytes of its rows. size: its bytes."""

    rows: int
    raw: int
    size: int


@dataclass(frozen=True, slots=True)
class Trial:
    """The output of a task, or its first rows, written in memory.

    output: its rows and bytes. files: the files written. is_complete: whether all of its rows were written.
    rollover_bytes: for each file that reached the target size, the uncompressed bytes at which it did.
    """

    piece: Piece
    files: tuple[DataFile, ...]
    whole: bool
    reached: tuple[float, ...] = ()


class Sizes:
    """The size of a file as a function of its rows' uncompressed bytes, fitted to files that were written.

    trials: the outputs written in memory. settings: the write settings.
    """

    def __init__(self, trials: Sequence[Trial], settings: WriteSettings) -> None:
        self.settings = settings
        self._files = [f for trial in trials for f in trial.files if f.raw and f.size]
        self._points = _curve(self._files)
        reached = [raw for trial in trials for raw in trial.reached]
        self._reached = sum(reached) / len(reached) if reached else None

    def of(self, raw: float) -> float:
        """The predicted bytes of a file with that many uncompressed bytes."""
        if not self._points or raw <= 0:
            return raw
        at = bisect_left(self._points, (raw, 0.0))
        if at == len(self._points):
            return raw * self._points[-1][1]
        if at == 0:
            first, ratio = self._points[0]
            return self._below(raw, first, ratio)
        (x0, r0), (x1, r1) = self._points[at - 1], self._points[at]
        # The bytes, not their share: the footer of a small file is a multiple of its rows.
        return x0 * r0 + (raw - x0) / (x1 - x0) * (x1 * r1 - x0 * r0)

    def _below(self, raw: float, first: float, ratio: float) -> float:
        """The predicted size below the smallest file written: the same footer, and rows as between the two
        smallest files.
        """
        size = first * ratio
        if len(self._points) == 1:
            footer = min(_FOOTER, size / 2)
            return footer + (size - footer) * raw / first
        second, other = self._points[1]
        slope = max(0.0, (second * other - size) / (second - first))
        return max(size * 0.25, size - slope * (first - raw))

    def files(self, piece: Piece, widest: float = 0.0) -> list[DataFile]:
        """The files of a task's output.

        widest_column_bytes: bytes per row of its widest column, which fills its pages first.
        """
        if not piece.rows:
            return []
        raw = piece.raw / piece.rows
        rows = self.rows_in_file(raw, widest)
        full, rest = divmod(piece.rows, rows)
        cut = [rows] * full + ([rest] if rest else [])
        return [DataFile(n, round(n * raw), round(self.of(n * raw))) for n in cut]

    def rows_in_file(self, raw: float, widest: float = 0.0) -> int:
        """The rows after which a writer starts the next file. row_bytes: uncompressed bytes per row."""
        step = ROWS_BETWEEN_LOOKS
        # Measured on trial files that reached the target size; the page model below is for trials without
        # one.
        # 1e-6: a rounding error of the division must not add an interval.
        if self._reached is not None:
            return max(step, math.ceil(self._reached / max(raw, 1e-9) / step - 1e-6) * step)
        settings = self.settings
        page = settings.page_rows
        if widest > 0:
            page = min(page, max(step, int(settings.page_bytes / widest)))
        packed = self._points[-1][1] * raw if self._points else raw  # bytes per row in full pages
        pages = 0
        if packed > 0:
            # The full pages before the page in which the file ends: that one counts with its uncompressed
            # bytes.
            pages = max(0, math.floor((settings.target - page * raw) / (page * packed)))
        left = settings.target - pages * page * packed
        within = math.ceil(max(left, 0) / max(raw, 1e-9))
        rows = pages * page + min(within, page)
        if within > page:  # not within this page: the next starts smaller
            rows += math.ceil((left - page * packed) / max(raw, 1e-9))
        return max(step, math.ceil(rows / step) * step)

    def error(self) -> float:
        """The relative error of the bytes of many files: twice the standard error over the files written."""
        off = [file.size / self.of(file.raw) - 1 for file in self._files]
        if len(off) < 2:
            return 1.0
        mean = sum(off) / len(off)
        spread = math.sqrt(sum((o - mean) ** 2 for o in off) / (len(off) - 1))
        return 2 * spread / math.sqrt(len(off))


def _curve(files: Iterable[DataFile]) -> list[tuple[float, float]]:
    """Points (uncompressed bytes, compressed share), with files of similar size as one point."""
    groups: list[list[DataFile]] = []
    for file in sorted(files, key=lambda f: f.raw):
        if groups and file.raw <= groups[-1][0].raw * _ALIKE:
            groups[-1].append(file)
        else:
            groups.append([file])
    points = []
    for group in groups:
        raw, size = sum(f.raw for f in group), sum(f.size for f in group)
        points.append((raw / len(group), size / raw))
    return points


def picked(pieces: Sequence[Piece], count: int) -> list[int]:
    """The outputs to write in memory: the smallest, the largest, and others spread over the sizes.

    outputs: all of them. count: the maximum. Returns their indexes, in order.
    """
    if len(pieces) <= count:
        return list(range(len(pieces)))
    order = sorted(range(len(pieces)), key=lambda i: pieces[i].raw)
    sums = list(accumulate(pieces[i].raw for i in order))
    inner = count - 2
    # At equal shares of the bytes, not of the partitions: most bytes are in the large ones.
    at = {bisect_left(sums, sums[-1] * (k + 0.5) / inner) for k in range(inner)}
    at |= {0, len(order) - 1}
    return sorted(order[min(i, len(order) - 1)] for i in at)


def reported(size: int) -> int:
    """The bytes of a map output as Spark's driver records them: up to 10 % more.

    Source: MapStatus.compressSize.
    """
    if size <= 1:
        return max(0, size)
    return int(_MAP_STATUS ** min(255, math.ceil(math.log(size) / math.log(_MAP_STATUS))))


def splits(sizes: Sequence[int], settings: WriteSettings) -> list[int]:
    """The task of each map output of one shuffle partition, as adaptive execution splits it.

    sizes: bytes of the partition in each map output, in order. Returns the number of the task for each.
    Source: ShufflePartitionsUtil.splitSizeListByTargetSize; OptimizeSkewInRebalancePartitions.
    """
    target = settings.advisory
    if not target or sum(sizes) <= target:
        return [0] * len(sizes)
    starts, current, last = [0], 0, -1

    def merge() -> None:
        nonlocal last
        # As in Spark's ShufflePartitionsUtil: a part joins the one before it if both together are hardly too
        # large,
        # or if one of them is small.
        small = target * settings.small_factor
        if last > -1 and (current + last < target * _MERGED or current < small or last < small):
            starts.pop()
            last += current
        else:
            last = current

    for i, size in enumerate(sizes):
        if i > 0 and current + size > target:
            merge()
            starts.append(i)
            current = size
        else:
            current += size
    merge()
    tasks, task = [], -1
    for i in range(len(sizes)):
        if i in starts:
            task += 1
        tasks.append(task)
    return tasks
