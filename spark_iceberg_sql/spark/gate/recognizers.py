"""Errors that this package explains: one ordered list, the first recognizer that knows an error makes the one to show.

Statements (`spark.sql`, scripts, the command line, cells), actions of DataFrames and their writers ask it, each for the
recognizers that concern it. tests/spark/test_recognizers.py has a statement for each.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Flag, auto
from typing import TYPE_CHECKING, Any

from pyspark.errors.exceptions.captured import CapturedException

from spark_iceberg_sql.errors import IcebergSqlError, JavaError
from spark_iceberg_sql.spark.bridge.jvm import process
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.gate import (
    conflicts,
    explain_errors,
    read_errors,
    statement_help,
    unreadable_tables,
    write_errors,
)
from spark_iceberg_sql.syntax import failed_commits

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Place(Flag):
    """Where an error was raised: by a statement, by an action of a DataFrame, or by the writer of one."""

    STATEMENT = auto()
    ACTION = auto()
    WRITER = auto()


@dataclass(frozen=True, slots=True)
class Failure:
    """What has failed. text: the statement. frame: the DataFrame of an action. table: the name that a writer was given.

    started_ms: when it began, in milliseconds since 1970.
    """

    spark: SparkSession
    error: Exception
    text: object = None
    frame: Any = None
    table: object = None
    started_ms: int = 0


@dataclass(frozen=True, slots=True)
class ErrorRecognizer:
    """A kind of error. recognizes: which errors, as a phrase. explained: the error to show; None for another kind.

    places: where the error is raised.
    """

    name: str
    recognizes: str
    explained: Callable[[Failure], Exception | None]
    places: Place = Place.STATEMENT


def explained(failure: Failure, place: Place) -> Exception | None:
    """The error to show in place of one that Spark has raised; None to show that one."""
    shown = None
    with suppress(JavaError):  # the JVM has ended since, longer after its last error than anybody waits
        errors = (recognizer.explained(failure) for recognizer in RECOGNIZERS if place in recognizer.places)
        shown = next((error for error in errors if error is not None), None)
    if shown is None and process.has_ended():
        return explain_errors.jvm_end_error(failure.error, failure.text)
    return shown


def _known(failure: Failure) -> Exception | None:
    return failure.error if isinstance(failure.error, IcebergSqlError) else None


def _with_location(failure: Failure, error: Exception | None) -> Exception | None:
    return None if error is None else explain_errors.with_table_location(failure.spark, error)


def _unreadable_file(failure: Failure) -> Exception | None:
    if failure.frame is not None:
        return read_errors.explain(failure.frame, failure.error)
    return read_errors.statement_error(failure.error) or read_errors.planning_error(failure.error)


def _cause(failure: Failure) -> Exception | None:
    """What the text and the session's settings say about an error of Spark."""
    error = explain_errors.with_cause(failure.spark, failure.error, failure.text)
    return _with_location(failure, error)


def _bare_java_error(failure: Failure) -> Exception | None:
    """Iceberg's own refusals have no class in pyspark, which shows their Java stack."""
    if isinstance(failure.error, CapturedException) or not isinstance(failure.error, JVM_ERRORS):
        return None
    is_plain = failed_commits.is_retryable(failure.text) or explain_errors.is_refused_call(failure.error, failure.text)
    if not is_plain and not explain_errors.is_checked(failure.spark, failure.text):
        return None
    return _with_location(failure, explain_errors.bare(failure.error))


def _attached_name(failure: Failure) -> Exception | None:
    error = explain_errors.with_table_location(failure.spark, failure.error)
    return error if error is not failure.error else None


RECOGNIZERS: tuple[ErrorRecognizer, ...] = (
    ErrorRecognizer(
        "ended",
        "the JVM has ended",
        lambda failure: explain_errors.jvm_end_error(failure.error, failure.text),
        Place.STATEMENT | Place.ACTION,
    ),
    ErrorRecognizer("explained", "an error of this package", _known),
    ErrorRecognizer(
        "refused_scan",
        "a scan that a rule of the optimizer refuses: without a filter on a partition, or over a cut file",
        lambda failure: read_errors.refusal(failure.error),
        Place.STATEMENT | Place.ACTION,
    ),
    ErrorRecognizer(
        "refused_row",
        "a partition value of truncate with more digits than its column has, or rows that are not sorted by partition",
        lambda failure: write_errors.refusal(failure.spark, failure.error, failure.text, failure.table),
        Place.STATEMENT | Place.WRITER,
    ),
    ErrorRecognizer(
        "attached_conflict",
        "a refusal of a table that was attached by its path, without the Java stack",
        lambda failure: explain_errors.attached_table_error(failure.error, failure.text),
    ),
    ErrorRecognizer(
        "conflict",
        "a commit that failed because of another writer's, or whose outcome is unknown",
        lambda failure: conflicts.conflict_error(
            failure.spark, failure.error, failure.text, failure.started_ms, failure.table
        ),
        Place.STATEMENT | Place.WRITER,
    ),
    ErrorRecognizer(
        "unusable_metadata",
        "metadata of a table in the statement that Spark or Iceberg cannot use",
        lambda failure: unreadable_tables.statement_fault(failure.spark, failure.error, failure.text),
    ),
    ErrorRecognizer("cause", "a function, a catalog or a parser that the session does not have", _cause),
    ErrorRecognizer(
        "unreadable_file",
        "a fault of a store or a file while a query is planned or its tasks run",
        _unreadable_file,
        Place.STATEMENT | Place.ACTION,
    ),
    ErrorRecognizer(
        "mistake",
        "a partition field that is named like a column, and words of other engines: the statement to write",
        lambda failure: _with_location(failure, statement_help.with_help(failure.spark, failure.error, failure.text)),
    ),
    ErrorRecognizer("bare_java_error", "a refusal of Iceberg for which pyspark has no class", _bare_java_error),
    ErrorRecognizer(
        "attached_name", "the name in the session of a table that was attached by its path", _attached_name
    ),
)
