"""Some partitions of a preview written in memory: their files show how well the rows compress, and when a file ends.

They have at most a small part of all bytes, so that a preview costs less than the write.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as fn

from spark_iceberg_sql.insight.hypothetical import spark_rows as rows
from spark_iceberg_sql.insight.hypothetical.spark_source import Source
from spark_iceberg_sql.insight.hypothetical.written_files import (
    ROWS_PER_SIZE_CHECK,
    TaskOutput,
    TrialWrite,
    WriteSettings,
    trial_indexes,
)
from spark_iceberg_sql.insight.preview.spark_estimates import write_trial
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.tables import memory_writers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

_CONCURRENCY = 2  # groups written at a time, each by one core
_TRIAL_COUNTS = range(12, 3, -1)  # from the most to the fewest
_TRIAL_BYTES = 8_000_000  # uncompressed, of one partition: held by the driver
_TOTAL_SHARE = 1 / 12  # of all bytes
_LARGE_SHARE = 4  # a partition is large if it has more than one part of so many of what may be written
_BLOCK_ROWS = 5_000  # adjacent rows of a large partition: how rows compress depends on their neighbours
_LEAST_BLOCKS = 4
_BLOCK_NUMBERS = 1 << 24
_GOLDEN_SECTION = 10_368_889  # of the block numbers: its multiples are spread evenly among them
_BEGINNING = 4  # of a large one, one part of so many is written as well: two sizes show how a file grows
_FILE_FACTOR = 6  # uncompressed bytes of a full file, in target sizes
_FREE_BYTES = 7_000_000  # of all trials, whatever share of the bytes it is
_MAX_BYTES = 24_000_000  # of all trials: how rows compress does not depend on the size of the table


class SourceChangedError(Exception):
    """The source returned different rows when it was read again."""


@dataclass(frozen=True)
class TrialRows:
    """The rows that trials are taken from.

    source: where they come from. frame: the rows, with the number of their commit if there are several. spec: that of
    the partitions. by_task: whether the rows of each reading task are partitions of their own. commit_column: the name
    of the column with the number of the commit; empty for a single one.
    """

    source: Source
    frame: DataFrame
    spec: Spec
    by_task: bool
    commit_column: str


def write_trials(
    spark: SparkSession, trial_rows: TrialRows, groups: Sequence[rows.Group], table: Java, settings: WriteSettings
) -> tuple[dict[int, TrialWrite], list[TrialWrite]]:
    """Some of the groups written in memory: small ones whole, and a part of large ones, all read in one scan.

    groups: all of them. table: an empty Iceberg table with the spec. Returns these by index, and others of fewer rows,
    which only show how a file grows. Raises SourceChangedError.
    """
    outputs = [group.output for group in groups]
    part_rows, whole_indexes = _affordable(outputs, settings.target_size)
    numbered = [*whole_indexes, *part_rows]
    total_rows = sum(output.rows for output in outputs)
    rows_of_groups = _collect(trial_rows, [groups[i] for i in numbered], [*part_rows.values()], total_rows)
    if any(int(rows_of_groups[n].size()) != outputs[i].rows for n, i in enumerate(whole_indexes)):
        raise SourceChangedError

    def write(index: int, data: Java, output: TaskOutput) -> TrialWrite:
        row_bytes = outputs[index].raw_bytes / outputs[index].rows
        with sessions.working_in(spark):
            return write_trial(spark, trial_rows.source, table, data, output, row_bytes, settings)

    trials: dict[int, Future[TrialWrite]] = {}
    beginnings: list[Future[TrialWrite]] = []
    by_size = sorted(zip(numbered, rows_of_groups, strict=True), key=lambda item: -outputs[item[0]].raw_bytes)
    with ThreadPoolExecutor(_CONCURRENCY) as pool:
        for i, data in by_size:
            count = int(data.size())
            if count:
                trials[i] = pool.submit(write, i, data, outputs[i])
            size = count // _BEGINNING
            if i in part_rows and size:
                beginning = TaskOutput(size, round(size * outputs[i].raw_bytes / outputs[i].rows))
                beginnings.append(pool.submit(write, i, data.subList(0, size), beginning))
    return {i: trial.result() for i, trial in trials.items()}, [trial.result() for trial in beginnings]


def _affordable(outputs: Sequence[TaskOutput], target_size: int) -> tuple[dict[int, int], list[int]]:
    """The large outputs of which a part is written, with its rows, and the small ones that are written whole, by index.

    Together they are not too large a part of all bytes. target_size: of files, in bytes.
    """
    budget = min(_MAX_BYTES, max(_FREE_BYTES, int(_TOTAL_SHARE * sum(output.raw_bytes for output in outputs))))
    sizes = [output.raw_bytes for output in outputs]
    by_size = sorted(range(len(outputs)), key=sizes.__getitem__)
    large = [i for i in by_size if sizes[i] > min(_TRIAL_BYTES, budget // _LARGE_SHARE)]
    # Of two: more of them would show the same point of the curve.
    parts = sorted({large[-1], large[len(large) // 2]}) if large else []
    small = by_size[: len(by_size) - len(large)]
    small_budget = budget // 2 if large else budget
    indexes: list[int] = []
    for count in _TRIAL_COUNTS:
        indexes = [small[i] for i in trial_indexes([outputs[i] for i in small], count - len(parts))] if small else []
        if sum(sizes[i] for i in indexes) <= small_budget:
            break
    remaining_bytes = budget - sum(sizes[i] for i in indexes)
    full_file = _FILE_FACTOR * target_size  # enough that a file is full, if files are small
    part_bytes = min(
        _TRIAL_BYTES, max(remaining_bytes // max(1, len(parts)), full_file if full_file <= _TRIAL_BYTES else 0)
    )
    return {i: max(ROWS_PER_SIZE_CHECK, int(part_bytes * outputs[i].rows / max(1, sizes[i]))) for i in parts}, indexes


def _collect(
    trial_rows: TrialRows, groups: Sequence[rows.Group], part_rows: Sequence[int], total_rows: int
) -> list[Java]:
    """The rows of some groups, those of each in the order in which a task would receive them.

    part_rows: of each of the last groups, about how many of its rows to take: blocks of adjacent ones from everywhere.
    total_rows: of all groups.
    """
    if not groups:
        return []
    frame, schema = trial_rows.frame, trial_rows.source.schema
    number, position = (rows.unused_name(name, frame.columns) for name in ("trial", "position"))
    trial_number = rows.group_number(
        trial_rows.spec, schema, groups, by_task=trial_rows.by_task, commit_column=trial_rows.commit_column
    )
    whole = len(groups) - len(part_rows)
    conditions = [f"{number} BETWEEN 1 AND {whole}"]
    for n, (group, count) in enumerate(zip(groups[whole:], part_rows, strict=True), whole + 1):
        adjacent_rows = min(_BLOCK_ROWS, count / _LEAST_BLOCKS) * total_rows / group.output.rows
        block = f"{position} div {max(1, int(adjacent_rows))} % {_BLOCK_NUMBERS}"
        limit = int(min(1.0, count / group.output.rows) * _BLOCK_NUMBERS)
        conditions.append(f"{number} = {n} AND {block} * {_GOLDEN_SECTION} % {_BLOCK_NUMBERS} < {limit}")
    chosen_rows = (
        frame.withColumns({number: trial_number, position: fn.monotonically_increasing_id()})
        .where(" OR ".join(conditions))
        .drop(position, trial_rows.commit_column)
    )
    return memory_writers.rows_by_number(chosen_rows, len(trial_rows.source.frame.columns), len(groups))
