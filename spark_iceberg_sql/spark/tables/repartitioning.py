"""The rewrite of the data files in other specs into the current one, in steps that are commits of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.rewrite_steps import STEP_BYTES
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS, message
from spark_iceberg_sql.spark.bridge.jvm.java_rows import PendingFiles
from spark_iceberg_sql.spark.bridge.tables import other_specs
from spark_iceberg_sql.spark.tables.locations import ownership

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ATTEMPTS = 3  # of a step with which other commits conflict
_CONFLICT = "conflicted with another concurrent"


@dataclass(frozen=True, slots=True)
class RewriteStep:
    """A committed step. number: from 1. rewritten, added: numbers of data files. left: what is not yet rewritten."""

    number: int
    rewritten: int
    added: int
    left: PendingFiles


def repartition(
    spark: SparkSession, table: str, *, step_bytes: int = STEP_BYTES, dry_run: bool = False
) -> dict[str, int]:
    """Rewrite the data files in other partition specs into the current one, in steps, each a commit of its own.

    Files in the current spec are not touched. A run that is stopped has committed its finished steps; the next one
    goes on with the files that are left. Commits of others in the meantime are kept.

    spark: the session. table: its name in a catalog (`attach` gives one to a path). step_bytes: of the data files of
    one step, at most, unless a single file is larger. dry_run: whether nothing is written.
    Returns the number of steps, of data files rewritten and added, and of data files and bytes that are left.
    Raises pyspark's AnalysisException if there is no such table, IcebergSqlError if it is not an Iceberg table, its
    metadata is not at the location that it names, or other commits conflict with a step.
    """
    run = Repartitioning(spark, table, step_bytes)
    finished = [] if dry_run else list(run.steps())
    return {
        "steps": len(finished),
        "rewritten_data_files": sum(step.rewritten for step in finished),
        "added_data_files": sum(step.added for step in finished),
        "left_data_files": run.left.files,
        "left_bytes": run.left.bytes,
    }


class Repartitioning:
    """One run of `repartition`; takes its arguments, and raises as it does.

    left: the data files that are in other specs, and how many steps rewrite them.
    """

    def __init__(self, spark: SparkSession, table: str, step_bytes: int) -> None:
        if step_bytes <= 0:
            raise IcebergSqlError(f"a step of {step_bytes} bytes has no files", help="pass a larger step_bytes")
        self._spark = spark
        self._table = table
        self._step_bytes = step_bytes
        with sessions.working_in(spark):
            self._java_table = ownership.owned_table(spark, table, "rewrite")
            self._java_table.refresh()
            self.left = other_specs.pending(self._java_table, step_bytes)

    def steps(self) -> Iterator[RewriteStep]:
        """Rewrite the files step by step, until none is left."""
        number = 0
        while self.left.files:
            number += 1
            before = self.left
            with sessions.working_in(self._spark):
                rewritten, added = self._rewritten(number)
                self._java_table.refresh()
                self.left = other_specs.pending(self._java_table, self._step_bytes)
            yield RewriteStep(number, rewritten, added, self.left)
            if not rewritten and self.left.files >= before.files:
                return

    def _rewritten(self, number: int) -> tuple[int, int]:
        """Rewrite the files of a step, again if other commits conflict with it; the files rewritten, and added."""
        for attempt in range(1, _ATTEMPTS + 1):
            self._java_table.refresh()
            try:
                return other_specs.rewrite_step(self._spark, self._java_table, self._step_bytes)
            except BRIDGE_ERRORS as error:
                reason = message(error)
                if _CONFLICT not in reason:
                    raise IcebergSqlError(f"step {number} of the rewrite of `{self._table}` failed: {reason}") from None
                if attempt == _ATTEMPTS:
                    break
        raise IcebergSqlError(
            f"other commits changed the files of step {number} of `{self._table}` in each of {_ATTEMPTS} attempts; "
            f"the {number - 1} steps before it are committed",
            help="run it again when fewer writers are active: it goes on with the files that are left",
        )
