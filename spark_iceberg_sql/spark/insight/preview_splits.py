"""The partitions of a previewed write that adaptive execution splits between tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.insight.preview_layout import DataFile, Piece, Sizes, reported, splits
from spark_iceberg_sql.spark.bridge import memory_writers
from spark_iceberg_sql.spark.insight.hypothetical_rows import Group

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_iceberg_sql.insight.preview_layout import WriteSettings

Written = tuple[Piece, tuple[DataFile, ...]]
Pieces = dict[tuple[int, tuple[Any, ...]], list[Written]]  # by commit and partition
_SHUFFLED = 2_000  # rows that show how well a shuffle compresses
_OVERHEAD = 40  # bytes that a shuffled row may have beyond its values


def split(
    pieces: Pieces,
    counted: Sequence[Group],
    sizes: Sizes,
    settings: WriteSettings,
    shuffled: Callable[[], float],
) -> None:
    """Split the outputs whose shuffle partition adaptive execution would split.

    task_groups: the groups of each map task and shuffle partition. measure_row_bytes: returns the bytes of a
    row in a shuffle file; called only if the write may be split.
    """
    rows = sum(group.piece.rows for group in counted)
    if sum(group.piece.raw for group in counted) + _OVERHEAD * rows <= settings.advisory:
        return
    each = shuffled()
    by_reducer: dict[tuple[int, int], dict[int, list[Group]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for group in counted:
        by_reducer[group.commit, group.reducer][group.place].append(group)
    for (commit, _), places in by_reducer.items():
        order = sorted(places)
        # Adaptive execution splits by the sizes that the driver has, which are rounded.
        loads = [reported(int(each * sum(g.piece.rows for g in places[p]))) for p in order]
        tasks = splits(loads, settings)
        if tasks[-1] == 0:
            continue
        parts: dict[tuple[Any, ...], dict[int, Piece]] = defaultdict(dict)
        for place, task in zip(order, tasks, strict=True):
            for group in places[place]:
                by_task = parts[group.values]
                by_task[task] = by_task.get(task, Piece(0, 0)) + group.piece
        for values, by_task in parts.items():
            pieces[commit, values] = [(p, tuple(sizes.files(p))) for p in by_task.values()]


def shuffled_bytes(spark: SparkSession, frame: DataFrame) -> float:
    """The bytes of a row in a shuffle file."""
    data = memory_writers.internal_rows(frame.limit(_SHUFFLED))
    raw = memory_writers.bytes_of_rows(data, _SHUFFLED)
    if not raw:
        return 0.0
    text = b"".join(len(row).to_bytes(4, "big") + row for row in raw)
    return memory_writers.compressed(spark, text) / len(raw)
