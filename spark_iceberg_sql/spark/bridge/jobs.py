"""The jobs of one run of statements: their group, their progress, and their cancellation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.errors import BRIDGE_ERRORS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a job group: tasks done, tasks of all stages known so far, tasks running."""

    done: int
    total: int
    running: int


def begin(spark: SparkSession, group: str, words: str) -> None:
    """Put the jobs that this thread starts into a group. words: its description in Spark's UI."""
    spark.sparkContext.setJobGroup(group, words, interruptOnCancel=True)


def progress(spark: SparkSession, group: str) -> Progress | None:
    """The progress of a job group; None while it has no jobs."""
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = {stage for job in jobs if job is not None for stage in job.stageIds}
    infos = [info for stage in stages if (info := tracker.getStageInfo(stage)) is not None]
    if not infos:
        return None
    return Progress(
        sum(info.numCompletedTasks for info in infos),
        sum(info.numTasks for info in infos),
        sum(info.numActiveTasks for info in infos),
    )


def cancel(spark: SparkSession, group: str) -> None:
    """Cancel the jobs of a group, and any that it starts later."""
    context = spark.sparkContext
    try:
        context._jsc.sc().cancelJobGroupAndFutureJobs(group)
    except BRIDGE_ERRORS:  # Spark 3.5 cannot cancel later jobs
        context.cancelJobGroup(group)
