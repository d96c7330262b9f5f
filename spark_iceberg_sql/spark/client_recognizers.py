"""Errors of a server's statements that a client of Spark Connect explains: one ordered list, for `spark.sql` and cells.

It is the part of a session's list, `gate/recognizers.py`, that needs no JVM, with the same names in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.errors import PySparkException

from spark_iceberg_sql.errors import ConflictError, IcebergSqlError
from spark_iceberg_sql.syntax import failed_commits, spark_mistakes
from spark_iceberg_sql.syntax.identifiers import qualified_name
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import RefusedStatement

REFUSED = "PARTITION_DDL_REFUSED"


@dataclass(frozen=True, slots=True)
class ClientRecognizer:
    """A kind of error. recognizes: which errors, as a phrase. explained: the error to show; None for another kind.

    in_cells: whether cells ask it, too; they point at the words of a mistake themselves.
    """

    name: str
    recognizes: str
    explained: Callable[[PySparkException, object], Exception | None]
    in_cells: bool = True


def explained(error: PySparkException, text: object, *, in_cell: bool = False) -> Exception | None:
    """The error to show in place of a server's; None to show that one. text: the statement."""
    for recognizer in RECOGNIZERS:
        if in_cell and not recognizer.in_cells:
            continue
        if (to_show := recognizer.explained(error, text)) is not None:
            return to_show
    return None


def condition_of(error: PySparkException) -> str:
    """Spark's name for an error; empty without one."""
    return (getattr(error, "getCondition", None) or error.getErrorClass)() or ""  # the latter before pyspark 4.0


def _refusal(error: PySparkException, text: object) -> Exception | None:
    if condition_of(error) != REFUSED:
        return None
    return IcebergSqlError(str(error.getMessage()).removeprefix(f"[{REFUSED}] "))


def _conflict(error: PySparkException, text: object) -> Exception | None:
    message = str(error)
    is_conflict = failed_commits.INVALID in message and failed_commits.CONFLICT.search(message) is not None
    if not is_conflict and failed_commits.FAILED not in message:
        return None
    script = statements(text) if isinstance(text, str) else []
    parts = failed_commits.target(script[0]) if len(script) == 1 and script[0].first != "CALL" else ()
    subject = f"`{qualified_name(parts)}`" if parts else "the table"
    written, remedy = failed_commits.outcome(text)
    reason = failed_commits.CONFLICT.search(message)
    detail = "" if reason is None else f" (Iceberg: {reason[0].rstrip('.')})"
    fact = f"{subject} was changed by another writer while the statement ran; {written}{detail}"
    return ConflictError(fact, help=remedy)


def _mistake(error: PySparkException, text: object) -> Exception | None:
    """The server's error, with the statement to write before its message."""
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
