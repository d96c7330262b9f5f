"""A Spark error without stacks: its condition, its first sentence, and the position in the statement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.errors import PySparkException

from spark_iceberg_sql.errors import IcebergSqlError, ReadError
from spark_iceberg_sql.spark.bridge import catalogs
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS

_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]\s*")
_END = re.compile(r"\s*SQLSTATE: \w+.*", re.DOTALL)
_PLACE = re.compile(r"\(?line (\d+),? (pos|position) (\d+)\)?")
_PLACE_AT_END = re.compile(r"[.;\s]*\(?line \d+,? pos \d+\)?$", re.MULTILINE)
# The part of the statement, before Spark 4.0, which gives no other.
_SHOWN = re.compile(r"^== SQL\(line \d+, position \d+\) ==\n(.*)\n( *)(\^+)$", re.MULTILINE)
_JAVA = re.compile(r"^(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error)?: ")
_SENTENCE = re.compile(r"(?<=[^.\s])\.(?=\s+[A-Z\[])")
_SEARCHED = re.compile(r" on search path \[[^\]]*\]")
_ABORTED = "Job aborted due to stage failure"


@dataclass(frozen=True, slots=True)
class Said:
    """The parts of an error.

    condition: Spark's name for it, or the exception's class. sentence, other_sentences: its first sentence,
    and the others. start, fragment: offset and text of the part of the statement it is about. row, column:
    the position, from 1 and from 0, if Spark gives nothing else. parameters: of the condition's message.
    """

    condition: str
    sentence: str
    more: tuple[str, ...] = ()
    start: int | None = None
    fragment: str = ""
    row: int | None = None
    column: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


def said(error: BaseException) -> Said:
    """The parts of an error; any Python exception has at least a class and a message."""
    text = _text(error)
    named = _CONDITION.match(text)
    condition = named[1] if named else _kind(error)
    if isinstance(error, IcebergSqlError):
        condition = "READ_FAILED" if isinstance(error, ReadError) else "STATEMENT_REFUSED"
    place = _PLACE.search(text)
    words = _END.sub("", text[named.end() if named else 0 :]).strip()
    words = _PLACE_AT_END.sub("", _SEARCHED.sub("", words))
    first, *more = _SENTENCE.split(" ".join(_lines(words))) or [""]
    row, column = (int(place[1]), int(place[3])) if place else (None, None)
    if place and column and place[2] == "position":  # counted from 1
        column -= 1
    start, fragment, given = None, "", {}
    if isinstance(error, PySparkException):
        start, fragment = _context(error)
        given = error.getMessageParameters() or {}
    thrown = catalogs.thrown(error) if not fragment and isinstance(error, JVM_ERRORS) else ""
    if shown := _SHOWN.search(thrown):
        fragment = shown[1][shown.start(3) - shown.start(2) : shown.end(3) - shown.start(2)]
    return Said(
        condition,
        first.strip().rstrip(".") or condition,
        tuple(sentence.strip() for sentence in more),
        start,
        fragment,
        row,
        column,
        given,
    )


def _kind(error: BaseException) -> str:
    """The class of an error without a condition: the Java class, if it is a Java error."""
    thrown = catalogs.thrown(error) if isinstance(error, JVM_ERRORS) else ""
    return thrown.partition("\n")[0].partition(":")[0].rpartition(".")[2] or type(error).__name__


def _lines(words: str) -> list[str]:
    """The readable lines of a message: those before the plan, the statement and the stack."""
    kept: list[str] = []
    for line in words.splitlines():
        if line.startswith(("== SQL", "+-", "\tat ", "JVM stacktrace", "Driver stacktrace")):
            break
        if kept and line.startswith("'"):  # a plan; the message itself may begin with a quote
            break
        kept.append(line.strip())
    return kept


def _text(error: BaseException) -> str:
    """The message; for a failed job, the message of its cause."""
    if isinstance(error, IcebergSqlError) or not isinstance(error, JVM_ERRORS):
        return str(error).strip() or type(error).__name__
    text = str(getattr(error, "_desc", None) or catalogs.first_line(error)).strip()
    if _CONDITION.match(text) and _ABORTED not in text and "INTERNAL_ERROR" not in text[:20]:
        return text
    for line in catalogs.thrown(error).splitlines():
        words = _JAVA.sub("", line)
        if _CONDITION.match(words) and "INTERNAL_ERROR" not in words[:20]:
            return words
    return _JAVA.sub("", text)


def _context(error: PySparkException) -> tuple[int | None, str]:
    """The error's offset in the statement, as reported by Spark."""
    try:
        for context in error.getQueryContext():
            if context.contextType().name == "SQL" and context.fragment():
                return int(context.startIndex()), str(context.fragment())
    except Exception:  # the context of a stopped session cannot be read
        return None, ""
    return None, ""
