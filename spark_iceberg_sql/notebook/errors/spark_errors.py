"""A Spark error without stacks: its condition, its first sentence, and the position in the statement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pyspark.errors import PySparkException

from spark_iceberg_sql.errors import IcebergSqlError, ReadError
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.tables import catalog_entries

_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]\s*")
_END = re.compile(r"\s*SQLSTATE: \w+.*", re.DOTALL)
_POSITION = re.compile(r"\(?line (\d+),? (pos|position) (\d+)\)?")
_POSITION_AT_END = re.compile(r"[.;\s]*\(?line \d+,? pos \d+\)?$", re.MULTILINE)
# The part of the statement, before Spark 4.0, which gives no other.
_FRAGMENT = re.compile(r"^== SQL\(line \d+, position \d+\) ==\n(.*)\n( *)(\^+)$", re.MULTILINE)
_JAVA = re.compile(r"^(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error)?: ")
_SENTENCE = re.compile(r"(?<=[^.\s])\.(?=\s+[A-Z\[])")
_SEARCHED = re.compile(r" on search path \[[^\]]*\]")
_SUBJECT = re.compile(r"`([^`]+)`: ")  # what one of this package's errors is about
_ABORTED = "Job aborted due to stage failure"


@dataclass(frozen=True, slots=True)
class ParsedError:
    """The parts of an error.

    condition: Spark's name for it, or the exception's class. sentence, other_sentences: its first sentence, and the
    others. start, fragment: offset and text of the part of the statement it is about. row, column: the position, from 1
    and from 0, if Spark gives nothing else. parameters: of the condition's message. help: of this package's errors.
    """

    condition: str
    sentence: str
    other_sentences: tuple[str, ...] = ()
    start: int | None = None
    fragment: str = ""
    row: int | None = None
    column: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    help: str = ""


def parse_error(error: BaseException) -> ParsedError:
    """The parts of an error; any Python exception has at least a class and a message."""
    text, _, help = _message(error).partition("\nhelp: " if isinstance(error, IcebergSqlError) else "\0")
    condition_match = _CONDITION.match(text)
    condition = condition_match[1] if condition_match else _class_name(error)
    if isinstance(error, IcebergSqlError):
        condition = "READ_FAILED" if isinstance(error, ReadError) else "STATEMENT_REFUSED"
    position_match = _POSITION.search(text)
    message = _END.sub("", text[condition_match.end() if condition_match else 0 :]).strip()
    message = _POSITION_AT_END.sub("", _SEARCHED.sub("", message))
    first, *sentences = _SENTENCE.split(" ".join(_lines(message))) or [""]
    row, column = (int(position_match[1]), int(position_match[3])) if position_match else (None, None)
    if position_match and column and position_match[2] == "position":  # counted from 1
        column -= 1
    start, parameters = None, {}
    subject_match = _SUBJECT.match(message) if isinstance(error, IcebergSqlError) else None
    fragment = subject_match[1] if subject_match else ""
    if isinstance(error, PySparkException):
        start, fragment = _context(error)
        parameters = error.getMessageParameters() or {}
    thrown = catalog_entries.exception_text(error) if not fragment and isinstance(error, JVM_ERRORS) else ""
    if fragment_match := _FRAGMENT.search(thrown):
        fragment = fragment_match[1][
            fragment_match.start(3) - fragment_match.start(2) : fragment_match.end(3) - fragment_match.start(2)
        ]
    return ParsedError(
        condition,
        first.strip().rstrip(".") or condition,
        tuple(sentence.strip() for sentence in sentences),
        start,
        fragment,
        row,
        column,
        parameters,
        help,
    )


def _class_name(error: BaseException) -> str:
    """The class of an error without a condition: the Java class, if it is a Java error."""
    thrown = catalog_entries.exception_text(error) if isinstance(error, JVM_ERRORS) else ""
    return thrown.partition("\n")[0].partition(":")[0].rpartition(".")[2] or type(error).__name__


def _lines(message: str) -> list[str]:
    """The readable lines of a message: those before the plan, the statement and the stack."""
    lines: list[str] = []
    for line in message.splitlines():
        is_plan = bool(lines) and line.startswith("'")  # the message itself may begin with a quote
        if is_plan or line.startswith(("== SQL", "+-", "\tat ", "JVM stacktrace", "Driver stacktrace")):
            break
        lines.append(line.strip())
    return lines


def _message(error: BaseException) -> str:
    """The message; for a failed job, the message of its cause."""
    if isinstance(error, IcebergSqlError) or not isinstance(error, JVM_ERRORS):
        return str(error).strip() or type(error).__name__
    text = str(getattr(error, "_desc", None) or catalog_entries.first_line(error)).strip()
    if _CONDITION.match(text) and _ABORTED not in text and "INTERNAL_ERROR" not in text[:20]:
        return text
    for line in catalog_entries.exception_text(error).splitlines():
        message = _JAVA.sub("", line)
        if _CONDITION.match(message) and "INTERNAL_ERROR" not in message[:20]:
            return message
    return _JAVA.sub("", text)


def _context(error: PySparkException) -> tuple[int | None, str]:
    """The error's offset in the statement, as reported by Spark."""
    with suppress(Exception):  # the context of a stopped session cannot be read
        for context in error.getQueryContext():
            if context.contextType().name == "SQL" and context.fragment():
                return int(context.startIndex()), str(context.fragment())
    return None, ""
