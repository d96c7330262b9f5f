"""Faults of a store or a file while a query is planned or its tasks run, reported in one sentence with the file.

Spark reports them as a failed job with the stacks of a task and of the driver. In an installed session the actions of a
DataFrame raise them as a ReadError instead; any other error stays Spark's own.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.errors.exceptions.captured import CapturedException

from spark_iceberg_sql.errors import IcebergSqlError, ReadError
from spark_iceberg_sql.spark.bridge.jvm import shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import (
    BRIDGE_ERRORS,
    JVM_ERRORS,
    causes,
    first_line,
    is_analysis_error,
    message,
    refused_scan,
    refused_value,
    thrown_by,
)
from spark_iceberg_sql.spark.bridge.plans import plan_leaves, read_branches
from spark_iceberg_sql.spark.bridge.tables import metadata_faults

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
_ORIGINAL_ACTIONS: dict[str, Callable[..., Any]] = {}  # the actions as pyspark defines them
_JOB = "Job aborted"
_NO_KEY = "use EncryptingFileIO"  # Iceberg's message about an encrypted manifest list
_CAST_ERROR = "java.lang.ClassCastException"


# Makes the error to show for one of an action or a writer: of the DataFrame or the writer's session, the error, when it
# began, and the name of the table that a writer was given.
Explain = Callable[[Any, Exception, int, object], Exception | None]


def install(explained: Explain) -> None:
    """Explain such faults in the actions of all DataFrames of this process. explained: makes the error to show."""
    frame_class = shims.data_frame_class()
    for name in _ACTIONS:
        if hasattr(frame_class, name) and name not in _ORIGINAL_ACTIONS:
            _ORIGINAL_ACTIONS[name] = getattr(frame_class, name)
            setattr(frame_class, name, _explaining(_ORIGINAL_ACTIONS[name], explained))


def uninstall() -> None:
    """Leave all errors to Spark."""
    while _ORIGINAL_ACTIONS:
        setattr(shims.data_frame_class(), *_ORIGINAL_ACTIONS.popitem())


def _explaining(original: Callable[..., Any], explained: Explain) -> Callable[..., Any]:
    @functools.wraps(original)
    def action(self: Any, *args: Any, **kwargs: Any) -> Any:
        started_ms = int(time.time() * 1000)
        try:
            return original(self, *args, **kwargs)
        except IcebergSqlError:
            raise
        except (*BRIDGE_ERRORS, ConnectionError) as error:
            shown = explained(self, error, started_ms, None)
            if shown is None:
                raise
            raise shown from None

    return action


def explain(frame: Any, error: Exception) -> ReadError | None:
    """The ReadError for a fault of a store or a file; None for any other error. frame: whose action failed."""
    try:
        cause = _cause(error)
        if cause is None and may_be_type_fault(error):
            cause = _type_cause(frame)
        tables = [] if cause is None else _tables(frame)
        cause = _metadata_cause(frame, cause) if cause is not None and tables else cause
    except BRIDGE_ERRORS:
        return None
    if cause is None or not tables:
        return None
    matching_tables = [table for table in tables if f"{table[1]}/" in cause] or tables
    snapshots: dict[str, list[str]] = {}
    for name, _, snapshot in matching_tables:
        snapshots.setdefault(name, []).append(str(snapshot))
    descriptions = [f"`{name}` (snapshot {' or '.join(read)})" for name, read in snapshots.items()]
    subject = descriptions[0] if len(descriptions) == 1 else f"one of {', '.join(descriptions)}"
    return as_read_error(error, f"{subject} cannot be read: {cause}; the query has returned no rows")


def _metadata_cause(frame: Any, cause: str) -> str:
    """The fault of a table's metadata if that is why a DataFrame's action failed, with the file that the cause may not
    name; else the cause.
    """
    tables = list(plan_leaves.iceberg_tables(frame))
    reasons = [metadata_faults.unusable_table(table) for table in tables]
    if not any(reasons) and ("/" not in cause or _NO_KEY in cause):
        reasons = [metadata_faults.manifest_fault(table) or metadata_faults.type_fault(table) for table in tables]
    return next(filter(None, reasons), cause)


def _type_cause(frame: Any) -> str | None:
    """The type fault of the first table of a DataFrame that has one."""
    faults = map(metadata_faults.type_fault, plan_leaves.iceberg_tables(frame))
    return next(filter(None, faults), None)


def may_be_type_fault(error: Exception) -> bool:
    """True if a value in a job may be of another class than Spark or Iceberg expects of its column's type."""
    chain = list(causes(thrown_by(error)))
    if any(_CAST_ERROR in str(t) for t in chain):
        return True
    return any(_JOB in _message(t) for t in chain) and names_no_file(error)


def names_no_file(error: Exception) -> bool:
    """True if Iceberg has failed without naming the file, or because it has no key for the file."""
    text = _cause(error) or message(error)
    return "/" not in text or _NO_KEY in text


def refusal(error: Exception) -> IcebergSqlError | None:
    """The refusal of a scan by an optimizer rule, also where it is a cause of Spark's error; None for any other
    error.
    """
    try:
        text = refused_scan(error) if isinstance(error, JVM_ERRORS) else None
    except BRIDGE_ERRORS:
        return None
    if text is None:
        return None
    fact, _, remedy = text.partition("\nhelp: ")
    return IcebergSqlError(fact, help=remedy or None)


def as_read_error(error: Exception, text: str) -> ReadError:
    """A ReadError that is also an instance of the class of Spark's error, for code that catches that one."""
    original_class = type(error)
    methods = {"__str__": lambda _: text, "__repr__": lambda _: f"ReadError({text!r})"}
    bases = (original_class,) if issubclass(original_class, ReadError) else (ReadError, original_class)
    error_class: Any = type("ReadError", bases, {**methods, "__module__": ReadError.__module__})
    read_error: ReadError = error_class.__new__(error_class, text)
    read_error.__dict__.update(error.__dict__)
    ReadError.__init__(read_error, text)
    return read_error


def statement_error(error: Exception) -> ReadError | None:
    """The ReadError for such a fault in a job of a statement that has no rows, such as INSERT; else None."""
    try:
        cause = _cause(error) if any(_JOB in _message(t) for t in causes(thrown_by(error))) else None
    except BRIDGE_ERRORS:
        return None
    return None if cause is None else as_read_error(error, f"the statement's job has failed: {cause}")


def planning_error(error: Exception) -> IcebergSqlError | None:
    """The error for such a fault while a query is analysed, such as a missing metadata file; else None."""
    if not isinstance(error, JVM_ERRORS) or not _is_file_error(error):
        return None
    return read_failure(error, "the statement has failed")


def read_failure(error: Exception, failure: str, frame: Any = None) -> IcebergSqlError:
    """The error for an exception of the JVM: a ReadError if a file or a store is the reason.

    failure: what has failed, for the message. frame: the DataFrame whose rows were read, to learn which file has no
    rows that can be read.
    """
    if (refused := refusal(error)) is not None:
        return refused
    try:
        cause = _cause(error) if _is_file_error(error) else None
        if cause is None and frame is not None and not is_analysis_error(error):
            cause = (_type_cause(frame) if may_be_type_fault(error) else None) or _metadata_cause(frame, "") or None
    except BRIDGE_ERRORS:
        cause = None
    if cause is None:
        return IcebergSqlError(f"{failure}: {refused_value(error) or message(error)}")
    return as_read_error(error, f"{failure}: {cause}")


@contextmanager
def reading(failure: str) -> Iterator[None]:
    """Raise faults of stores and files as `read_failure` does, and so every error for which pyspark has no class.

    failure: what has failed then. Refusals of a statement by Spark stay pyspark's own.
    """
    try:
        yield
    except IcebergSqlError:
        raise
    except JVM_ERRORS as error:
        explanation = read_failure(error, failure)
        if isinstance(error, CapturedException) and not isinstance(explanation, ReadError) and not refused_scan(error):
            raise
        raise explanation from None


def _is_file_error(error: Exception) -> bool:
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
    root_cause = chain[-1]
    if not any(map(_STORE.match, (str(root_cause.getClass().getName()), *_frames(root_cause)[:1]))):
        return None
    messages = [_message(root_cause)]
    # Iceberg's own message names the file, which a store's often does not.
    wrapper = next((t for t in chain[:-1] if _READER.match(str(t.getClass().getName()))), None)
    if wrapper is not None and not messages[0].startswith("File "):
        messages.insert(0, _message(wrapper))
    return ": ".join(dict.fromkeys(messages))


def _frames(thrown: Java) -> list[str]:
    return [str(frame.getClassName()) for frame in thrown.getStackTrace()]


def _message(thrown: Java) -> str:
    """The first line of a Java exception's message, without its full stop."""
    return first_line(thrown).rstrip(". ")


def _tables(frame: Any) -> list[tuple[str, str, object]]:
    """The name, location and snapshot of each Iceberg table that a DataFrame reads."""
    tables: dict[tuple[str, object], tuple[str, str, object]] = {}
    for table in plan_leaves.iceberg_tables(frame):
        iceberg_table: Java = table.table()
        number = read_branches.snapshot_id(table)
        tables.setdefault(
            (str(iceberg_table.name()), number), (str(iceberg_table.name()), str(iceberg_table.location()), number)
        )
    return list(tables.values())
