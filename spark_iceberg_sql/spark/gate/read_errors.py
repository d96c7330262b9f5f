"""Faults of a store or a file while a query is planned or its tasks run, reported in one sentence with the file.

Spark reports them as a failed job with the stacks of a task and of the driver. In an installed session the
actions of a DataFrame raise them as a ReadError instead; any other error stays Spark's own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from spark_iceberg_sql.errors import IcebergSqlError, ReadError
from spark_iceberg_sql.spark.bridge import jvm_process, lines, plan_leaves
from spark_iceberg_sql.spark.bridge.errors import (
    BRIDGE_ERRORS,
    JVM_ERRORS,
    causes,
    is_analysis_error,
    is_converted,
    message,
    thrown_by,
)
from spark_iceberg_sql.spark.bridge.jvm import Java

_ACTIONS =(
    "collect", "count", "show", "tail", "toPandas", "toArrow", "isEmpty", "approxQuantile",
    "checkpoint", "localCheckpoint",
)  # fmt: skip
_READER = re.compile(r"\borg\.apache\.iceberg\.")
# Classes of stores and files; a fault that a query itself has, such as a division by zero, is thrown by Spark's.
_STORE = re.compile(
    r"(?:java\.(?:io|net|nio)|javax\.net|software\.amazon\.awssdk|com\.(?:azure|google)|"
    r"org\.apache\.(?:hadoop|http|hc|parquet|orc|avro|iceberg))\."
)
# Classes of the exceptions that a file or its store throws, and of those that Iceberg puts around them.
_FILE = re.compile(
    r"(?:java\.(?:io|net|nio)|javax\.net|software\.amazon\.awssdk|com\.(?:azure|google)|"
    r"org\.apache\.(?:hadoop|http|hc|parquet|orc|avro|iceberg\.shaded))\.|"
    r"org\.apache\.iceberg\.exceptions\.(?:NotFound|RuntimeIO)Exception$"
)
_NO_METADATA = "Metadata file for version"  # of a table in folders, whose files Iceberg counts
_PLAIN: dict[str, Callable[..., Any]] = {}  # the actions as pyspark defines them
_JOB = "Job aborted"


def install() -> None:
    """Explain such faults in the actions of all DataFrames of this process."""
    kind = lines.data_frame_class()
    for name in _ACTIONS:
        if hasattr(kind, name) and name not in _PLAIN:
            _PLAIN[name] = getattr(kind, name)
            setattr(kind, name, _explaining(_PLAIN[name]))


def uninstall() -> None:
    """Leave all errors to Spark."""
    while _PLAIN:
        setattr(lines.data_frame_class(), *_PLAIN.popitem())


def _explaining(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def action(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return plain(self, *args, **kwargs)
        except ReadError:
            raise
        except (*BRIDGE_ERRORS, ConnectionError) as error:
            if jvm_process.has_ended_by(error):
                raise jvm_process.ended_error() from None
            if not isinstance(error, JVM_ERRORS):
                raise
            found = explained(self, error)
            if found is None:
                raise
            raise found from None

    return action


def explained(frame: Any, error: Exception) -> ReadError | None:
    """The ReadError for a fault of a store or a file; None for any other error. frame: whose action
    failed.
    """
    try:
        cause = _cause(error)
        tables = [] if cause is None else _tables(frame)
    except BRIDGE_ERRORS:
        return None
    if cause is None or not tables:
        return None
    named = [table for table in tables if f"{table[1]}/" in cause] or tables
    snapshots: dict[str, list[str]] = {}
    for name, _, snapshot in named:
        snapshots.setdefault(name, []).append(str(snapshot))
    words = [f"`{name}` (snapshot {' or '.join(read)})" for name, read in snapshots.items()]
    subject = words[0] if len(words) == 1 else f"one of {', '.join(words)}"
    return _instead(error, f"{subject} cannot be read: {cause}; the query has returned no rows")


def _instead(error: Exception, words: str) -> ReadError:
    """A ReadError that is also an instance of the class of Spark's error, for code that catches that one."""
    kind = type(error)
    shown = {"__str__": lambda _: words, "__repr__": lambda _: f"ReadError({words!r})"}
    bases = (kind,) if issubclass(kind, ReadError) else (ReadError, kind)
    made: Any = type("ReadError", bases, {**shown, "__module__": ReadError.__module__})
    found: ReadError = made.__new__(made, words)
    found.__dict__.update(error.__dict__)
    ReadError.__init__(found, words)
    return found


def of_statement(error: Exception) -> ReadError | None:
    """The ReadError for such a fault in a job of a statement that has no rows, such as INSERT; else None."""
    try:
        cause = (
            _cause(error) if any(_JOB in _message(t) for t in causes(thrown_by(error))) else None
        )
    except BRIDGE_ERRORS:
        return None
    return None if cause is None else _instead(error, f"the statement's job has failed: {cause}")


def of_planning(error: Exception) -> IcebergSqlError | None:
    """The error for such a fault while a query is analysed, such as a missing metadata file; else None."""
    if not isinstance(error, JVM_ERRORS) or not _is_of_file(error):
        return None
    return failed(error, "the statement has failed")


def failed(error: Exception, words: str) -> IcebergSqlError:
    """The error for an exception of the JVM: a ReadError if a file or a store is the reason.

    failure: what has failed, for the message.
    """
    try:
        cause = _cause(error) if _is_of_file(error) else None
    except BRIDGE_ERRORS:
        cause = None
    if cause is None:
        return IcebergSqlError(f"{words}: {message(error)}")
    return _instead(error, f"{words}: {cause}")


@contextmanager
def reading(words: str) -> Iterator[None]:
    """Raise faults of stores and files as `read_failure` does, and so every error for which pyspark has no
    class.

    failure: what has failed then. Refusals of a statement by Spark stay pyspark's own.
    """
    try:
        yield
    except IcebergSqlError:
        raise
    except JVM_ERRORS as error:
        found = failed(error, words)
        if is_converted(error) and not isinstance(found, ReadError):
            raise
        raise found from None


def _is_of_file(error: Exception) -> bool:
    """True if a file or a store is at fault, and neither the statement nor the session."""
    if is_analysis_error(error):
        return False
    return any(
        _FILE.match(str(t.getClass().getName())) or _message(t).startswith(_NO_METADATA)
        for t in causes(thrown_by(error))
    )


def _cause(error: Exception) -> str | None:
    """The error of the store or the file's reader, in one line; None if neither has failed."""
    chain = list(causes(thrown_by(error)))
    # A failed job has the stack of its task in its message.
    if not any(any(map(_READER.match, _frames(t))) or _READER.search(str(t)) for t in chain):
        return None
    last = chain[-1]
    if not any(map(_STORE.match, (str(last.getClass().getName()), *_frames(last)[:1]))):
        return None
    said = [_message(last)]
    # Iceberg's own message names the file, which a store's often does not.
    above = next((t for t in chain[:-1] if _READER.match(str(t.getClass().getName()))), None)
    if above is not None and not said[0].startswith("File "):
        said.insert(0, _message(above))
    return ": ".join(dict.fromkeys(said))


def _frames(thrown: Java) -> list[str]:
    return [str(frame.getClassName()) for frame in thrown.getStackTrace()]


def _message(thrown: Java) -> str:
    """The first line of a Java exception's message; the class name of one without a message."""
    said = str(thrown.getMessage() or "").strip() or str(thrown.getClass().getSimpleName())
    return said.splitlines()[0].rstrip(". ")


def _tables(frame: Any) -> list[tuple[str, str, object]]:
    """The name, location and snapshot of each Iceberg table that a DataFrame reads."""
    found: dict[tuple[str, object], tuple[str, str, object]] = {}
    for table in plan_leaves.iceberg_tables(frame):
        inner: Java = table.table()
        number = lines.snapshot_id(table)
        found.setdefault(
            (str(inner.name()), number), (str(inner.name()), str(inner.location()), number)
        )
    return list(found.values())
