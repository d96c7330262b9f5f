"""The engine of a cell's statements: a session in this process, or one in a server of Spark Connect.

Both classes have the same methods; `engine_of` chooses.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql import markup
from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.insight.explain.spark import explain
from spark_iceberg_sql.notebook.cells.cell import mask_strings
from spark_iceberg_sql.notebook.cells.connect import Connect, is_remote
from spark_iceberg_sql.notebook.cells.reading_limit import PlannedRead
from spark_iceberg_sql.notebook.cells.statements import READING, statement_title, table_of_call
from spark_iceberg_sql.notebook.display import result_bundles, result_rows
from spark_iceberg_sql.spark.bridge.gate import parsing
from spark_iceberg_sql.spark.bridge.gate.parameters import parameter
from spark_iceberg_sql.spark.bridge.jvm import jobs, sessions
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.jvm.logs import without_error_logs
from spark_iceberg_sql.spark.bridge.plans import scan_files
from spark_iceberg_sql.spark.bridge.tables import commit_summaries
from spark_iceberg_sql.spark.gate import clickhouse, intercept, live_plan
from spark_iceberg_sql.spark.gate.recognizers import Failure, Place, explained
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax import routing
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.variables import parameters_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# Only settings whose names contain one of these change what the parser accepts.
_PARSER_SETTINGS = ("ansi", "parser", "legacy", "variable", "scripting", "extensions")


class Classic:
    """A session whose JVM is reachable. spark: the session."""

    can_fix = True

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark

    def check(self, text: str, parameters: Mapping[str, Any], binding: bool) -> Report:
        """The check of all statements. parameters: the bound values. binding: as `engine.check` takes it."""
        catalog = SessionTables(self.spark, intercept.unchecked_sql(self.spark, self.bind(parameters)))
        return check(text, catalog, filename="cell", before_execution=binding)

    def refused_statements(
        self, script: Sequence[Statement], parameters: Mapping[str, Any]
    ) -> Iterator[tuple[Statement, Exception]]:
        """The statements that the session's parser refuses, each with the exception.

        Not parsed are statements that an earlier one may affect: those with `${...}` after a SET, and all after one
        that sets the parser.
        """
        has_set = False
        for statement in script:
            if not (has_set and "${" in statement.text):
                values = {n: parameters[n] for n in parameters_of(statement.text) if n in parameters}
                try:
                    with without_error_logs():
                        parsing.parse(self.spark, _text_for_parser(self.spark, statement.text), values)
                except IcebergSqlError as error:
                    yield statement, error
                except JVM_ERRORS as error:
                    are_exact = all(isinstance(value, parsing.EXACT) for value in values.values())
                    if are_exact or "UNBOUND_SQL_PARAMETER" in str(error):
                        failure = Failure(self.spark, error, statement.text)
                        yield statement, explained(failure, Place.STATEMENT) or error
            if statement.first in ("SET", "RESET"):
                has_set = True
                sets_parser = any(token.word.lower() in _PARSER_SETTINGS for token in statement.tokens)
                if statement.first == "RESET" or sets_parser:
                    return

    def bind(self, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
        """Parameters as `spark.sql` takes them."""
        return {name: parameter(value) for name, value in parameters.items()} or None

    def sql(self, text: str, parameters: dict[str, Any] | None) -> DataFrame:
        """Run a statement through the gate."""
        return intercept.sql(self.spark, text, parameters)

    def table_reads(self, frame: DataFrame) -> list[scan_files.TableRead]:
        """The reads of a query, after it ran."""
        return scan_files.tables_read(frame)

    def commit_summary(
        self, statement: Statement, result: DataFrame, since_ms: int
    ) -> commit_summaries.CommitSummary | None:
        """The summary of a statement's commits. since_ms: when it began, in milliseconds since 1970."""
        if result.columns:
            call_table = table_of_call(statement)
            return commit_summaries.call_commit(self.spark, *call_table, since_ms) if call_table else None
        return commit_summaries.statement_commit(result, since_ms)

    def explain(self, text: str, parameters: dict[str, Any] | None) -> result_bundles.Bundle:
        """The reads of a statement. Only a query is passed to Spark unchanged: anything else would run."""
        explanation = None
        if not parameters:
            with suppress(IcebergSqlError):  # it reads no table
                explanation = explain(self.spark, text)
        if not scan_files.is_query(self.spark, text):
            plan = intercept.sql(self.spark, f"EXPLAIN FORMATTED {text}", parameters).first()
            return result_bundles.of_explained([], explanation, str(plan[0]) if plan is not None else "")
        result = intercept.sql(self.spark, text, parameters)
        read = scan_files.tables_read(result, executed=False)
        return result_bundles.of_explained(read, explanation, scan_files.physical_plan(result))

    def planned_reads(
        self, statement: Statement, parameters: dict[str, Any] | None, row_limit: int | None
    ) -> list[PlannedRead]:
        """What a statement would read of Iceberg tables, after pruning; it does not run.

        row_limit: how many rows of a query are fetched; None for all. Raises IcebergSqlError if that is not known.
        """
        text = statement.text
        if scan_files.is_query(self.spark, text):
            with warnings.catch_warnings():  # they are given when the statement runs
                warnings.simplefilter("ignore", IcebergSqlWarning)
                frame = intercept.sql(self.spark, text, parameters)
            if row_limit is not None:
                frame = result_rows.frame_of_first_rows(frame, row_limit)
            reads = scan_files.tables_read(frame, executed=False)
            counted = [read for read in reads if row_limit is None or not read.needs_few]
            return [PlannedRead(read.table, read.files, read.size, read.at_most) for read in counted]
        if statement.first not in READING:
            return []
        if parameters:
            raise IcebergSqlError("a statement that is not a query cannot be planned with Python variables")
        try:
            scans = explain(self.spark, text).scans
        except IcebergSqlError:  # it reads no table
            return []
        return [PlannedRead(s.table, s.files or 0, s.bytes or 0, bool(s.runtime_filters)) for s in scans]

    def plan(self, statement: Statement) -> result_bundles.Bundle:
        """The change plan of a statement."""
        try:
            plan = live_plan.plan(self.spark, statement.text)
        except IcebergSqlError:
            line = f"{statement_title(statement)}: does not change a table's partitioning"
            return result_bundles.bundle([markup.dim_line(markup.html_text(line))], [line])
        plan = replace(plan, statement=mask_strings(plan.statement), report=Report(""))
        return {"text/html": plan._repr_html_(), "text/plain": str(plan)}

    def begin(self, group: str, description: str) -> None:
        """Put the jobs that this thread starts into a group. description: its description in Spark's UI."""
        jobs.begin(self.spark, group, description)

    def end(self) -> None:
        """After the last statement."""

    def progress(self, group: str) -> jobs.JobProgress | None:
        """The progress of a group; None while it has no jobs."""
        return jobs.progress(self.spark, group)

    def cancel(self, group: str) -> None:
        """Cancel the jobs of a group."""
        jobs.cancel(self.spark, group)


Engine = Classic | Connect


def engine_of(spark: SparkSession) -> Engine:
    """The engine of a session."""
    return Connect(spark) if is_remote(spark) else Classic(spark)


def _text_for_parser(spark: SparkSession, text: str) -> str:
    """The text that the gate would pass on, except that no path is attached for a write."""
    with sessions.working_in(spark):
        text = sessions.substitute_settings(spark, clickhouse.translate_offline(text))
    script = statements(text)
    return routing.routed_text(script[0]) if len(script) == 1 else text
