"""The jobs of one run of statements: their group, how far they are, and their end before their time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.errors import BRIDGE_ERRORS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the jobs of a group are: tasks done, all tasks of the stages known so far, tasks running."""

    done: int
    total: int
    running: int


def begin(spark: SparkSession, group: str, words: str) -> None:
    """Put the jobs that this thread starts into a group. words: what Spark's own pages call it."""
    spark.sparkContext.setJobGroup(group, words, interruptOnCancel=True)


def progress(spark: SparkSession, group: str) -> Progress | None:
    """How far the jobs of a group are; None while it has none."""
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
    """End the jobs of a group, and each that it may start later."""
    context = spark.sparkContext
    try:
        context._jsc.sc().cancelJobGroupAndFutureJobs(group)
    except BRIDGE_ERRORS:  # Spark 3.5 does not know later jobs
        context.cancelJobGroup(group)
