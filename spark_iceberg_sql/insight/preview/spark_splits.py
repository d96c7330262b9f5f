"""The partitions of a previewed write that adaptive execution splits between tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.insight.hypothetical.size_curve import DataFile
from spark_iceberg_sql.insight.hypothetical.spark_rows import Group
from spark_iceberg_sql.insight.hypothetical.written_files import (
    FileSizeModel,
    TaskOutput,
    map_status_size,
    task_of_outputs,
)
from spark_iceberg_sql.spark.bridge.tables import memory_writers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_iceberg_sql.insight.hypothetical.written_files import WriteSettings

OutputFiles = tuple[TaskOutput, tuple[DataFile, ...]]
PartitionOutputs = dict[tuple[int, tuple[Any, ...]], list[OutputFiles]]  # by commit and partition
_SHUFFLE_SAMPLE_ROWS = 2_000  # rows that show how well a shuffle compresses
_OVERHEAD = 40  # bytes that a shuffled row may have beyond its values


def split_partitions(
    outputs: PartitionOutputs,
    task_groups: Sequence[Group],
    size_model: FileSizeModel,
    settings: WriteSettings,
    measure_row_bytes: Callable[[], float],
) -> None:
    """Split the outputs whose shuffle partition adaptive execution would split.

    task_groups: the groups of each map task and shuffle partition. measure_row_bytes: returns the bytes of a
    row in a shuffle file; called only if the write may be split.
    """
    rows = sum(group.output.rows for group in task_groups)
    if sum(group.output.raw_bytes for group in task_groups) + _OVERHEAD * rows <= settings.advisory_size:
        return
    row_bytes = measure_row_bytes()
    by_shuffle_partition: dict[tuple[int, int], dict[int, list[Group]]] = defaultdict(lambda: defaultdict(list))
    for group in task_groups:
        by_shuffle_partition[group.commit, group.shuffle_partition][group.task].append(group)
    for (commit, _), groups_by_task in by_shuffle_partition.items():
        order = sorted(groups_by_task)
        # Adaptive execution splits by the sizes that the driver has, which are rounded.
        loads = [map_status_size(int(row_bytes * sum(g.output.rows for g in groups_by_task[p]))) for p in order]
        tasks = task_of_outputs(loads, settings)
        if tasks[-1] == 0:
            continue
        parts: dict[tuple[Any, ...], dict[int, TaskOutput]] = defaultdict(dict)
        for map_task, task in zip(order, tasks, strict=True):
            for group in groups_by_task[map_task]:
                by_task = parts[group.values]
                by_task[task] = by_task.get(task, TaskOutput(0, 0)) + group.output
        for values, by_task in parts.items():
            outputs[commit, values] = [(p, tuple(size_model.files(p))) for p in by_task.values()]


def shuffled_bytes(spark: SparkSession, frame: DataFrame) -> float:
    """The bytes of a row in a shuffle file."""
    data = memory_writers.internal_rows(frame.limit(_SHUFFLE_SAMPLE_ROWS))
    return memory_writers.shuffled_bytes(spark, data) / max(1, int(data.size()))
