"""The data files that Spark writes for the partitions of a spec: how many, and how large.

Three things decide it: which tasks receive the rows of a partition (the distribution mode, and how adaptive execution
splits large shuffle partitions); when a writer starts the next file (it checks its length every 1000 rows, and a page
that is not full yet counts with its uncompressed rows); and how well files of that size compress. The last is measured
by writing a few partitions in memory.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import accumulate
from statistics import stdev

from spark_iceberg_sql.insight.hypothetical.size_curve import DataFile, SizeCurve

ROWS_PER_SIZE_CHECK = 1000  # RollingFileWriter.ROWS_DIVISOR
_MIN_PARTITION_ERROR = 0.05  # partitions differ in what they hold, which a few of them do not show
_MAX_SCALE = 2.0  # beyond, the files were written with other settings
_MAP_STATUS_BASE = 1.1  # MapStatus.LOG_BASE
_MERGED_PARTITION_FACTOR = 1.2  # ShufflePartitionsUtil.MERGED_PARTITION_FACTOR
# Of rewrites, in target sizes: a file ends half of the way to its maximum of 1.8 (SizeBasedFileRewritePlanner).
REWRITTEN_FILE = 1.4
_MIN_FILE_SHARE = 0.75  # SizeBasedFileRewritePlanner.MIN_FILE_SIZE_DEFAULT_RATIO
_MAX_AVERAGE_FILE = 1.1  # in target sizes, as in SizeBasedFileRewritePlanner


@dataclass(frozen=True, slots=True)
class WriteSettings:
    """The settings of a write.

    distribution_mode: `none`, `hash` or `range`. target_size: file bytes at which a writer starts the next file.
    advisory_size: bytes above which a shuffle partition is split; 0 for never. small_factor: the fraction of
    `advisory_size` below which a part is merged with its neighbour. page_rows, page_bytes: where a column's page ends.
    shuffle_partitions: their number. fanout: whether a task keeps a writer open for each of its partitions instead of
    sorting. keeps_order: whether the rows of a partition stay in the order they are read in.
    """

    distribution_mode: str
    target_size: int
    advisory_size: int = 0
    small_factor: float = 0.2
    page_rows: int = 20_000
    page_bytes: int = 1 << 20
    shuffle_partitions: int = 200
    fanout: bool = False
    keeps_order: bool = True


@dataclass(frozen=True, slots=True)
class TaskOutput:
    """The rows of one partition that one task writes. raw_bytes: their uncompressed bytes in Parquet's plain
    encoding.
    """

    rows: int
    raw_bytes: int

    def __add__(self, other: TaskOutput) -> TaskOutput:
        return TaskOutput(self.rows + other.rows, self.raw_bytes + other.raw_bytes)


@dataclass(frozen=True, slots=True)
class TrialWrite:
    """The output of a task, or its first rows, written in memory.

    output: its rows and bytes. files: the files written. is_complete: whether all of its rows were written.
    rollover_bytes: for each file that reached the target size, the uncompressed bytes at which it did.
    """

    output: TaskOutput
    files: tuple[DataFile, ...]
    is_complete: bool
    rollover_bytes: tuple[float, ...] = ()


class FileSizeModel:
    """The size of a file as a function of its rows' uncompressed bytes, fitted to files that were written.

    trials: the outputs written in memory. settings: the write settings.

    scale: a factor for all predictions, so that the files that a table has come out as they are.
    """

    def __init__(self, trials: Sequence[TrialWrite], settings: WriteSettings) -> None:
        self.settings = settings
        self.scale = 1.0
        self._files = [file for trial in trials for file in trial.files if file.raw_bytes and file.size]
        self._curve = SizeCurve(self._files)
        rollover_bytes = [raw_bytes for trial in trials for raw_bytes in trial.rollover_bytes]
        self.rollover_bytes = sum(rollover_bytes) / len(rollover_bytes) if rollover_bytes else None

    @property
    def largest_trial(self) -> int:
        """The uncompressed bytes of the largest file that was written in memory."""
        return max((file.raw_bytes for file in self._files), default=0)

    def fit(self, raw_bytes: Iterable[float], total_size: int) -> None:
        """Set the scale by existing files: their uncompressed bytes, and the bytes that they have together."""
        predicted = sum(map(self.predict, raw_bytes))
        if predicted and total_size:
            self.scale = min(_MAX_SCALE, max(1 / _MAX_SCALE, total_size / predicted))

    def with_larger_files(self, factor: float) -> FileSizeModel:
        """The same model for a writer that starts the next file later. factor: of the target size."""
        model = copy(self)
        model.settings = replace(self.settings, target_size=round(factor * self.settings.target_size))
        if self.rollover_bytes is not None:
            model.rollover_bytes = factor * self.rollover_bytes
        return model

    def predict(self, raw_bytes: float) -> float:
        """The predicted bytes of a file with that many uncompressed bytes."""
        return self.scale * self._curve.predict(raw_bytes)

    def files(self, output: TaskOutput, widest_column_bytes: float = 0.0) -> list[DataFile]:
        """The files of a task's output.

        widest_column_bytes: bytes per row of its widest column, which fills its pages first.
        """
        if not output.rows:
            return []
        row_bytes = output.raw_bytes / output.rows
        rows = self.rows_per_file(row_bytes, widest_column_bytes)
        full_files, last_rows = divmod(output.rows, rows)
        row_counts = [rows] * full_files + ([last_rows] if last_rows else [])
        return [DataFile(n, round(n * row_bytes), round(self.predict(n * row_bytes))) for n in row_counts]

    def rows_per_file(self, row_bytes: float, widest_column_bytes: float = 0.0) -> int:
        """The rows after which a writer starts the next file. row_bytes: uncompressed bytes per row."""
        check_interval = ROWS_PER_SIZE_CHECK
        # Measured on trial files that reached the target size; the page model below is for trials without one. 1e-6: a
        # rounding error of the division must not add an interval.
        if self.rollover_bytes is not None:
            return max(
                check_interval,
                math.ceil(self.rollover_bytes / max(row_bytes, 1e-9) / check_interval - 1e-6) * check_interval,
            )
        settings = self.settings
        page_rows = settings.page_rows
        if widest_column_bytes > 0:
            page_rows = min(page_rows, max(check_interval, int(settings.page_bytes / widest_column_bytes)))
        packed_row_bytes = self._curve.compressed_share * row_bytes  # bytes per row in full pages
        pages = 0
        if packed_row_bytes > 0:
            # The full pages before the page in which the file ends: that one counts with its uncompressed bytes.
            pages = max(0, math.floor((settings.target_size - page_rows * row_bytes) / (page_rows * packed_row_bytes)))
        remaining_bytes = settings.target_size - pages * page_rows * packed_row_bytes
        remaining_rows = math.ceil(max(remaining_bytes, 0) / max(row_bytes, 1e-9))
        rows = pages * page_rows + min(remaining_rows, page_rows)
        if remaining_rows > page_rows:  # not within this page: the next starts smaller
            rows += math.ceil((remaining_bytes - page_rows * packed_row_bytes) / max(row_bytes, 1e-9))
        return max(check_interval, math.ceil(rows / check_interval) * check_interval)

    def relative_error(self) -> float:
        """The relative error of the bytes of many files: twice the standard error over the files written."""
        deviations = [file.size / self.predict(file.raw_bytes) - 1 for file in self._files]
        if len(deviations) < 2:
            return 1.0
        return 2 * stdev(deviations) / math.sqrt(len(deviations))

    def partition_error(self, largest_raw: float) -> float:
        """The relative error of the bytes of one partition, in 19 of 20: of files predicted from all others.

        largest_raw: the uncompressed bytes of the largest partition.
        """
        files = sorted(self._files, key=lambda file: file.raw_bytes)
        deviations = []
        # Nothing is smaller than the smallest file, and only what is larger than the largest is predicted from below.
        for number in range(1, len(files) - (files[-1].raw_bytes >= largest_raw if files else 0)):
            others = SizeCurve([*files[:number], *files[number + 1 :]])
            deviations.append(files[number].size / others.predict(files[number].raw_bytes) - 1)
        if not deviations:
            return 1.0
        return max(_MIN_PARTITION_ERROR, 2 * math.sqrt(sum(deviation**2 for deviation in deviations) / len(deviations)))


def sorting_tasks(input_bytes: float, target_size: int) -> int:
    """The tasks that sort the rows of files: by their bytes today, not by those that the sorted rows will have.

    Source: SizeBasedFileRewritePlanner.expectedOutputFiles.
    """
    full_files, remainder = divmod(input_bytes, target_size)
    if not full_files:
        return 1
    is_spread = (
        remainder <= _MIN_FILE_SHARE * target_size and input_bytes / full_files < _MAX_AVERAGE_FILE * target_size
    )
    return int(full_files) if is_spread else math.ceil(input_bytes / target_size)


def trial_indexes(outputs: Sequence[TaskOutput], count: int) -> list[int]:
    """The outputs to write in memory: the smallest, the largest, and others spread over the sizes.

    outputs: all of them. count: the maximum. Returns their indexes, in order.
    """
    if len(outputs) <= count:
        return list(range(len(outputs)))
    order = sorted(range(len(outputs)), key=lambda i: outputs[i].raw_bytes)
    sizes = [max(1, outputs[i].raw_bytes) for i in order]
    sums = list(accumulate(sizes))
    middle_count = count - 2
    # Half of them at equal shares of the bytes, since most bytes are in the large ones; half at equal ratios of size,
    # since small ones compress worst and cost least.
    by_share = {bisect_left(sums, sums[-1] * (k + 0.5) / middle_count) for k in range(0, middle_count, 2)}
    steps = middle_count // 2 + 1
    by_ratio = {bisect_left(sizes, sizes[0] * (sizes[-1] / sizes[0]) ** (k / steps)) for k in range(1, steps)}
    indexes = {0, len(order) - 1, *by_share, *by_ratio}
    return sorted(order[min(i, len(order) - 1)] for i in indexes)


def map_status_size(size: int) -> int:
    """The bytes of a map output as Spark's driver records them: up to 10 % more.

    Source: MapStatus.compressSize.
    """
    if size <= 1:
        return max(0, size)
    return int(_MAP_STATUS_BASE ** min(255, math.ceil(math.log(size) / math.log(_MAP_STATUS_BASE))))


def task_of_outputs(sizes: Sequence[int], settings: WriteSettings) -> list[int]:
    """The task of each map output of one shuffle partition, as adaptive execution splits it.

    sizes: bytes of the partition in each map output, in order. Returns the number of the task for each.
    Source: ShufflePartitionsUtil.splitSizeListByTargetSize; OptimizeSkewInRebalancePartitions.
    """
    target = settings.advisory_size
    if not target or sum(sizes) <= target:
        return [0] * len(sizes)
    task_starts, current, merged_size = [0], 0, -1

    def merge() -> None:
        nonlocal merged_size
        # As in Spark's ShufflePartitionsUtil: a part joins the one before it if both together are hardly too large, or
        # if one of them is small.
        small_size = target * settings.small_factor
        if merged_size > -1 and (
            current + merged_size < target * _MERGED_PARTITION_FACTOR
            or current < small_size
            or merged_size < small_size
        ):
            task_starts.pop()
            merged_size += current
        else:
            merged_size = current

    for i, size in enumerate(sizes):
        if i > 0 and current + size > target:
            merge()
            task_starts.append(i)
            current = size
        else:
            current += size
    merge()
    return [bisect_right(task_starts, i) - 1 for i in range(len(sizes))]
