"""Errors of a server's statements that a client of Spark Connect explains: one ordered list, for `spark.sql` and cells.

It is the part of a session's list, `gate/recognizers.py`, that needs no JVM, with the same names in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from spark_iceberg_sql.errors import ConflictError, IcebergSqlError
from spark_iceberg_sql.spark import remote_commits
from spark_iceberg_sql.syntax import failed_commits, spark_mistakes
from spark_iceberg_sql.syntax.identifiers import qualified_name
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import RefusedStatement

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REFUSED = "PARTITION_DDL_REFUSED"


@dataclass(frozen=True, slots=True)
class ClientFailure:
    """A server's error. text: the statement. spark: the client's session. started_ms: when it began, since 1970."""

    error: PySparkException
    text: object
    spark: SparkSession
    started_ms: int


@dataclass(frozen=True, slots=True)
class ClientRecognizer:
    """A kind of error. recognizes: which errors, as a phrase. explained: the error to show; None for another kind.

    in_cells: whether cells ask it, too; they point at the words of a mistake themselves.
    """

    name: str
    recognizes: str
    explained: Callable[[ClientFailure], Exception | None]
    in_cells: bool = True


def explained(failure: ClientFailure, *, in_cell: bool = False) -> Exception | None:
    """The error to show in place of a server's; None to show that one."""
    for recognizer in RECOGNIZERS:
        if in_cell and not recognizer.in_cells:
            continue
        if (to_show := recognizer.explained(failure)) is not None:
            return to_show
    return None


def condition_of(error: PySparkException) -> str:
    """Spark's name for an error; empty without one."""
    return (getattr(error, "getCondition", None) or error.getErrorClass)() or ""  # the latter before pyspark 4.0


def _refusal(failure: ClientFailure) -> Exception | None:
    error = failure.error
    if condition_of(error) != REFUSED:
        return None
    return IcebergSqlError(str(error.getMessage()).removeprefix(f"[{REFUSED}] "))


def _conflict(failure: ClientFailure) -> Exception | None:
    message, text = str(failure.error), failure.text
    is_unknown = failed_commits.UNKNOWN in message
    reason = failed_commits.CONFLICT.search(message)
    is_conflict = failed_commits.FAILED in message or (failed_commits.INVALID in message and reason is not None)
    if not is_unknown and not is_conflict:
        return None
    script = statements(text) if isinstance(text, str) else []
    parts = failed_commits.target(script[0]) if len(script) == 1 else ()
    if is_unknown:
        unknown = message.partition(failed_commits.UNKNOWN)[2].strip(": ").partition("\n")[0]
        fact, help_ = failed_commits.unknown_sentence(parts, unknown)
        return ConflictError(fact, help=help_)
    name, other = remote_commits.name_and_newest(failure.spark, parts, failure.started_ms) if parts else ("", "")
    subject = f"`{name or qualified_name(parts)}`" if parts else "the table"
    why = _reason(message) if reason is None else reason[0]
    fact, help_ = failed_commits.conflict_sentence(subject, other, text, why)
    return ConflictError(fact, help=help_)


def _reason(message: str) -> str:
    """Iceberg's message in a server's."""
    return message.partition(failed_commits.FAILED)[2].strip(": ").partition("\n")[0]


def _mistake(failure: ClientFailure) -> Exception | None:
    """The server's error, with the statement to write before its message."""
    error, text = failure.error, failure.text
    script = statements(text) if isinstance(text, str) else []
    message = getattr(error, "_message", None)
    if len(script) != 1 or not isinstance(message, str) or not script[0].tokens:
        return None
    statement = script[0]
    refused = RefusedStatement(
        condition_of(error),
        error.getMessageParameters() or {},
        statement.tokens,
        statement.script,
        _span(error, statement),
    )
    mistake = spark_mistakes.help_of(refused)
    if mistake is None:
        return None
    vars(error)["_message"] = f"{spark_mistakes.explanation(mistake, statement)}\n\nSpark's message: {message.lstrip()}"
    return error


def _span(error: PySparkException, statement: Statement) -> tuple[int, int]:
    """What the server's error points at, as offsets in the script; the first token if nothing."""
    for context in getattr(error, "_contexts", None) or ():
        fragment = str(context.fragment() or "")
        if context.contextType().name == "SQL" and fragment:
            start = statement.start + int(context.startIndex())
            return start, start + len(fragment)
    return statement.tokens[0].span


RECOGNIZERS: tuple[ClientRecognizer, ...] = (
    ClientRecognizer("explained", "a refusal of this package on the server", _refusal),
    ClientRecognizer("conflict", "a commit that failed because of another writer's", _conflict),
    ClientRecognizer(
        "mistake", "words of other engines, and other mistakes: the statement to write", _mistake, in_cells=False
    ),
)
