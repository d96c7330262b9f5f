"""The jobs of one run of statements: their group, their progress, and their cancellation."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_GROUP = "spark.jobGroup.id"


@dataclass(frozen=True, slots=True)
class JobProgress:
    """The progress of a job group.

    done, total, running: tasks, of all stages known so far. written, rows: bytes and rows that finished tasks wrote
    to tables.
    """

    done: int
    total: int
    running: int
    written: int = 0
    rows: int = 0


def is_watched() -> bool:
    """True if somebody sees a line of progress on standard error, on a terminal or in a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr.isatty() or hasattr(shell, "kernel")  # PySpark itself imports ipykernel


def begin(spark: SparkSession, group: str, description: str) -> None:
    """Put the jobs that this thread starts into a group. description: of the group in Spark's UI."""
    spark.sparkContext.setJobGroup(group, description, interruptOnCancel=True)


def current(spark: SparkSession) -> str | None:
    """The group of the jobs that this thread starts."""
    group: str | None = spark.sparkContext.getLocalProperty(_GROUP)
    return group


def end(spark: SparkSession) -> None:
    """Put the jobs that this thread starts into no group again."""
    for key in (_GROUP, "spark.job.description", "spark.job.interruptOnCancel"):
        spark.sparkContext._jsc.setLocalProperty(key, None)


def progress(spark: SparkSession, group: str) -> JobProgress | None:
    """The progress of a job group; None while it has no jobs."""
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = {stage for job in jobs if job is not None for stage in job.stageIds}
    infos = [info for stage in stages if (info := tracker.getStageInfo(stage)) is not None]
    if not infos:
        return None
    written_totals = [_written_by_stage(spark, info.stageId) for info in infos if info.numCompletedTasks]
    return JobProgress(
        sum(info.numCompletedTasks for info in infos),
        sum(info.numTasks for info in infos),
        sum(info.numActiveTasks for info in infos),
        sum(size for size, _ in written_totals),
        sum(rows for _, rows in written_totals),
    )


def _written_by_stage(spark: SparkSession, stage: int) -> tuple[int, int]:
    """The bytes and rows that the finished tasks of a stage wrote."""
    try:
        data = spark.sparkContext._jsc.sc().statusStore().lastStageAttempt(stage)
        return int(data.outputBytes()), int(data.outputRecords())
    except BRIDGE_ERRORS:  # Spark no longer keeps this stage's metrics
        return 0, 0


def cancel(spark: SparkSession, group: str) -> None:
    """Cancel the jobs of a group, and any that it starts later."""
    context = spark.sparkContext
    try:
        context._jsc.sc().cancelJobGroupAndFutureJobs(group)
    except BRIDGE_ERRORS:  # Spark 3.5 cannot cancel later jobs
        context.cancelJobGroup(group)
