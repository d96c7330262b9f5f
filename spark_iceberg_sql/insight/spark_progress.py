"""The progress of the Spark jobs of a preview or advice, in a line on a terminal or in a notebook."""

from __future__ import annotations

import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spark_iceberg_sql.safe_output import raw_stream, visible, without_commands
from spark_iceberg_sql.spark.bridge.jvm import jobs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PATIENCE = 1.0  # seconds before the line is shown
_EVERY = 0.4


@contextmanager
def show_progress(spark: SparkSession, description: str) -> Iterator[None]:
    """Show the progress of the jobs that this thread starts meanwhile, from the first second on.

    spark: the session. description: of the work. Jobs that already have a group, as in a notebook's SQL cell,
    are shown by the code that made the group.
    """
    if not jobs.is_watched() or jobs.current(spark) is not None:
        yield
        return
    group, done = f"iceberg-{uuid.uuid4().hex}", threading.Event()
    jobs.begin(spark, group, description)
    reporter = threading.Thread(target=_report, args=(spark, group, description, done), daemon=True)
    reporter.start()
    try:
        yield
    finally:
        done.set()
        reporter.join()
        jobs.end(spark)


def _report(spark: SparkSession, group: str, description: str, done: threading.Event) -> None:
    started, line = time.monotonic(), ""
    wait = _PATIENCE
    while not done.wait(wait):
        wait = _EVERY
        try:
            progress = jobs.progress(spark, group)
        except Exception:  # the session has ended, and the caller reports that itself
            break
        count_text = f", {progress.done:,} of {progress.total:,} tasks" if progress is not None else ""
        text = without_commands(visible(f"{description}: {time.monotonic() - started:.0f} s{count_text}"))
        # The cursor goes back, so that any other line takes this one's place.
        raw_stream(sys.stderr).write(f"{text.ljust(len(line))}\r")
        sys.stderr.flush()
        line = text
    if line:
        raw_stream(sys.stderr).write(f"{' ' * len(line)}\r")
        sys.stderr.flush()
