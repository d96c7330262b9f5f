"""The engine of a Spark Connect session, for cells: the server checks, runs and explains."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from spark_iceberg_sql import markup
from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.notebook import results, rows
from spark_iceberg_sql.spark import remote
from spark_iceberg_sql.spark.bridge.jobs import Progress
from spark_iceberg_sql.spark.bridge.scan_files import Partition, TableRead
from spark_iceberg_sql.syntax.script import Statement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_iceberg_sql.spark.bridge.writes import Written

_MOST = 1_000  # rows of what the server explains


def is_remote(spark: object) -> bool:
    """True for a session of Spark Connect."""
    return any(kind.__module__.startswith("pyspark.sql.connect.") for kind in type(spark).__mro__)


class Connect:
    """A session whose JVM is a server's. spark: the session."""

    fixes = False

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self._progress: Progress | None = None
        self._noting = False

    def judged(self, text: str, used: Mapping[str, Any], binding: bool) -> Report:
        """The server's check of all statements; a warning if it has none."""
        try:
            report = remote.findings(self.spark, text, "cell")
        except PySparkException as error:
            line = str(error).partition("\n")[0]
            raise IcebergSqlError(f"the server did not check this cell: {line}") from None
        if report is None:
            warnings.warn(remote.NO_CHECK, IcebergSqlWarning, stacklevel=2)
            return Report(text, (), "cell")
        return report

    def refused(
        self, todo: Sequence[Statement], used: Mapping[str, Any]
    ) -> Iterator[tuple[Statement, Exception]]:
        """Nothing: the server parses a statement only when it runs."""
        return iter(())

    def bound(self, used: Mapping[str, Any]) -> dict[str, Any] | None:
        """Parameters as `spark.sql` takes them."""
        return {name: _parameter(value) for name, value in used.items()} or None

    def sql(self, text: str, used: dict[str, Any] | None) -> DataFrame:
        """Run a statement on the server."""
        with remote.answering(self.spark):
            return remote.own_sql(self.spark)(text, used)

    def read(self, shown: DataFrame) -> list[TableRead]:
        """The reads of a query, by the metrics that the server sent with its rows; they have no partitions."""
        told = shown.executionInfo
        if (
            told is None or told.metrics is None
        ):  # no plan ran: the rows were in the query or in metadata
            return []
        _, nodes = told.metrics.extract_graph()
        joined = any("Join" in node.name for node in nodes.values())
        reads = [
            _read(node.name, {m.name: m.value for m in node.metrics}, joined)
            for _, node in sorted(nodes.items())
        ]
        return [read for read in reads if read is not None]

    def wrote(self, statement: Statement, result: DataFrame, since_ms: int) -> Written | None:
        """None: the plan of a statement stays on the server."""
        return None

    def explained(self, text: str, used: dict[str, Any] | None) -> results.Bundle:
        """The reads of a statement, by the server's `iceberg_explain`, and Spark's plan."""
        plan = self.sql(f"EXPLAIN FORMATTED {text}", used).first()
        details = str(plan[0]) if plan is not None else ""
        above = None if used else self._answer("iceberg_explain", text)
        return results.of_explained((), None, details, above)

    def planned(self, statement: Statement) -> results.Bundle:
        """The change plan of a statement, by the server's `iceberg_plan`."""
        return self._answer("iceberg_plan", statement.text)

    def _answer(self, function: str, text: str) -> results.Bundle:
        """The rows of a function about a statement; its refusal, if it refuses it."""
        try:
            answer = remote.own_sql(self.spark)(f"SELECT * FROM {function}(:text)", {"text": text})
            found, _ = rows.first_rows(answer, _MOST)
        except Exception as error:
            line = str(error).partition("\n")[0]
            return results.bundle([markup.dim_line(markup.html_text(line))], [line])
        return results.bundle([rows.html(found)], [rows.text(found)])

    def begin(self, group: str, words: str) -> None:
        """Tag what this thread starts, so that it can be interrupted. description: not used."""
        self._progress = None
        self.spark.addTag(group)
        if not self._noting:
            self._noting = True
            self.spark.registerProgressHandler(self._note)

    def end(self) -> None:
        """After the last statement."""
        if self._noting:
            self._noting = False
            self.spark.removeProgressHandler(self._note)

    def _note(
        self, stages: Iterable[Any] | None, inflight_tasks: int, operation_id: Any, done: bool
    ) -> None:
        known = list(stages or ())
        tasks = (sum(s.num_completed_tasks for s in known), sum(s.num_tasks for s in known))
        self._progress = Progress(*tasks, inflight_tasks) if known else None

    def progress(self, group: str) -> Progress | None:
        """The last progress that the server sent for the running statement."""
        return self._progress

    def cancel(self, group: str) -> None:
        """Interrupt what has the tag."""
        self.spark.interruptTag(group)


def _read(name: str, metrics: Mapping[str, Any], joined: bool) -> TableRead | None:
    """The read of a node of a plan; None if it scans no data files of an Iceberg table.

    has_join: whether the plan has a join, which may have left out some of the planned files.
    """
    kind, _, table = name.partition(" ")
    files = metrics.get("resultDataFiles")
    if kind != "BatchScan" or files is None or not metrics.get("totalDataManifest"):
        return None
    if not files and metrics.get("numOutputRows"):  # planned without these metrics
        return None
    # The files of manifests that were not opened are not counted.
    counted = not metrics.get("skippedDataManifests", 1)
    total = files + metrics.get("skippedDataFiles", 0)
    whole = Partition(0, total, 0, files, metrics.get("totalDataFileSize", 0), ())
    return TableRead(table, (whole,), counted, sized=False, at_most=joined)


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
