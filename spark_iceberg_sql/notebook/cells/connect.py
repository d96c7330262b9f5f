"""The engine of a Spark Connect session, for cells: the server checks, runs and explains."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from spark_iceberg_sql import markup
from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.notebook.cells.reading_limit import PlannedRead
from spark_iceberg_sql.notebook.cells.statements import READING
from spark_iceberg_sql.notebook.display import result_bundles, result_rows
from spark_iceberg_sql.spark import client_recognizers, remote
from spark_iceberg_sql.spark.bridge.jvm.jobs import JobProgress
from spark_iceberg_sql.spark.bridge.plans.scan_files import Partition, TableRead
from spark_iceberg_sql.syntax.script import Statement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_iceberg_sql.spark.bridge.tables.commit_summaries import CommitSummary

_MAX_ROWS = 1_000  # rows of what the server explains


def is_remote(spark: object) -> bool:
    """True for a session of Spark Connect."""
    return any(base_class.__module__.startswith("pyspark.sql.connect.") for base_class in type(spark).__mro__)


class Connect:
    """A session whose JVM is a server's. spark: the session."""

    can_fix = False

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self._progress: JobProgress | None = None
        self._has_handler = False

    def check(self, text: str, parameters: Mapping[str, Any], binding: bool) -> Report:
        """The server's check of all statements; a warning if it has none."""
        try:
            report = remote.findings(self.spark, text, "cell")
        except PySparkException as error:
            raise IcebergSqlError("the server did not check this cell: " + str(error).partition("\n")[0]) from None
        if report is None:
            warnings.warn(remote.NO_CHECK, IcebergSqlWarning, stacklevel=2)
            return Report(text, (), "cell")
        return report

    def refused_statements(
        self, script: Sequence[Statement], parameters: Mapping[str, Any]
    ) -> Iterator[tuple[Statement, Exception]]:
        """Nothing: the server parses a statement only when it runs."""
        return iter(())

    def bind(self, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
        """Parameters as `spark.sql` takes them."""
        return {name: _parameter(value) for name, value in parameters.items()} or None

    def sql(self, text: str, parameters: dict[str, Any] | None) -> DataFrame:
        """Run a statement on the server."""
        started_ms = int(time.time() * 1000)
        try:
            with remote.explaining_lost_server(self.spark):
                return remote.unchecked_sql(self.spark)(text, parameters)
        except PySparkException as error:
            failure = client_recognizers.ClientFailure(error, text, self.spark, started_ms)
            if (to_show := client_recognizers.explained(failure, in_cell=True)) is None:
                raise
            raise to_show from None

    def table_reads(self, frame: DataFrame) -> list[TableRead]:
        """The reads of a query, by the metrics that the server sent with its rows; they have no partitions."""
        execution_info = frame.executionInfo
        if (
            execution_info is None or execution_info.metrics is None
        ):  # no plan ran: the rows were in the query or in metadata
            return []
        _, nodes = execution_info.metrics.extract_graph()
        has_join = any("Join" in node.name for node in nodes.values())
        reads = [
            _table_read(node.name, {m.name: m.value for m in node.metrics}, has_join)
            for _, node in sorted(nodes.items())
        ]
        return [read for read in reads if read is not None]

    def commit_summary(self, statement: Statement, result: DataFrame, since_ms: int) -> CommitSummary | None:
        """None: the plan of a statement stays on the server."""
        return None

    def explain(self, text: str, parameters: dict[str, Any] | None) -> result_bundles.Bundle:
        """The reads of a statement, by the server's `iceberg_explain`, and Spark's plan."""
        plan = self.sql(f"EXPLAIN FORMATTED {text}", parameters).first()
        details = str(plan[0]) if plan is not None else ""
        explanation = None if parameters else self._answer("iceberg_explain", text)
        return result_bundles.of_explained((), None, details, explanation)

    def planned_reads(
        self, statement: Statement, parameters: dict[str, Any] | None, row_limit: int | None
    ) -> list[PlannedRead]:
        """Raises IcebergSqlError if the statement may read: its plan stays on the server."""
        if statement.first in (*READING, "SELECT", "TABLE"):
            raise IcebergSqlError("the plan of a statement stays on the server of Spark Connect")
        return []

    def plan(self, statement: Statement) -> result_bundles.Bundle:
        """The change plan of a statement, by the server's `iceberg_plan`."""
        return self._answer("iceberg_plan", statement.text)

    def _answer(self, function: str, text: str) -> result_bundles.Bundle:
        """The rows of a function about a statement; its refusal, if it refuses it."""
        try:
            answer = remote.unchecked_sql(self.spark)(f"SELECT * FROM {function}(:text)", {"text": text})
            answer_rows, _ = result_rows.first_rows(answer, _MAX_ROWS)
        except Exception as error:
            line = str(error).partition("\n")[0]
            return result_bundles.bundle([markup.dim_line(markup.html_text(line))], [line])
        return result_bundles.bundle([result_rows.html(answer_rows)], [result_rows.text(answer_rows)])

    def begin(self, group: str, description: str) -> None:
        """Tag what this thread starts, so that it can be interrupted. description: not used."""
        self._progress = None
        self.spark.addTag(group)
        if not self._has_handler:
            self._has_handler = True
            self.spark.registerProgressHandler(self._record_progress)

    def end(self) -> None:
        """After the last statement."""
        if self._has_handler:
            self._has_handler = False
            self.spark.removeProgressHandler(self._record_progress)

    def _record_progress(
        self, stages: Iterable[Any] | None, inflight_tasks: int, operation_id: Any, done: bool
    ) -> None:
        stage_list = list(stages or ())
        tasks = (sum(s.num_completed_tasks for s in stage_list), sum(s.num_tasks for s in stage_list))
        self._progress = JobProgress(*tasks, inflight_tasks) if stage_list else None

    def progress(self, group: str) -> JobProgress | None:
        """The last progress that the server sent for the running statement."""
        return self._progress

    def cancel(self, group: str) -> None:
        """Interrupt what has the tag."""
        self.spark.interruptTag(group)


def _table_read(name: str, metrics: Mapping[str, Any], has_join: bool) -> TableRead | None:
    """The read of a node of a plan; None if it scans no data files of an Iceberg table.

    has_join: whether the plan has a join, which may have left out some of the planned files.
    """
    node_kind, _, table = name.partition(" ")
    files = metrics.get("resultDataFiles")
    if node_kind != "BatchScan" or files is None or not metrics.get("totalDataManifest"):
        return None
    if not files and metrics.get("numOutputRows"):  # planned without these metrics
        return None
    # The files of manifests that were not opened are not counted.
    is_counted = not metrics.get("skippedDataManifests", 1)
    total = files + metrics.get("skippedDataFiles", 0)
    partition = Partition(0, total, 0, files, metrics.get("totalDataFileSize", 0), ())
    return TableRead(table, (partition,), is_counted, sized=False, at_most=has_join)


def _parameter(value: Any) -> Any:
    """A plain Python value as `spark.sql` takes it in `args`; a dict as a map, in lists too."""
    from pyspark.sql.connect import functions as F  # noqa: N812 - needs gRPC

    if isinstance(value, dict):
        return F.create_map(*(F.lit(_parameter(v)) for item in value.items() for v in item))
    if isinstance(value, list):
        if value and all(type(v) is int for v in value):  # else int and bigint would be mixed
            return F.expr(f"array({', '.join(f'{v}L' for v in value)})")
        return F.array(*(F.lit(_parameter(v)) for v in value))
    return value
