"""Faults of a store or a file while a query's tasks run: one sentence with the table and the snapshot.

Spark reports them as a failed job with the stacks of a task and of the driver. In an installed session the actions of a
DataFrame raise them as an IcebergSqlError instead; any other error stays Spark's own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge import lines, plan_leaves
from spark_iceberg_sql.spark.bridge.errors import BRIDGE_ERRORS, JVM_ERRORS, thrown_by
from spark_iceberg_sql.spark.bridge.jvm import Java

_ACTIONS = ("collect", "count", "show", "tail", "toPandas", "toArrow")
_READER = re.compile(r"\borg\.apache\.iceberg\.")
# Classes of stores and files; a fault that a query itself has, such as a division by zero, is thrown by Spark's.
_STORE = re.compile(
    r"(?:java\.(?:io|net|nio)|javax\.net|software\.amazon\.awssdk|com\.(?:azure|google)|"
    r"org\.apache\.(?:hadoop|parquet|orc|avro|iceberg))\."
)
_DEPTH = 20


def install() -> None:
    """Explain such faults in the actions of all DataFrames of this process."""
    kind = lines.data_frame_class()
    for name in _ACTIONS:
        method = getattr(kind, name, None)
        if method is not None and not hasattr(method, "_spark_iceberg_sql_plain"):
            setattr(kind, name, _explaining(method))


def uninstall() -> None:
    """Leave all errors to Spark."""
    kind = lines.data_frame_class()
    for name in _ACTIONS:
        plain = getattr(getattr(kind, name, None), "_spark_iceberg_sql_plain", None)
        if plain is not None:
            setattr(kind, name, plain)


def _explaining(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def action(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return plain(self, *args, **kwargs)
        except JVM_ERRORS as error:
            found = explained(self, error)
            if found is None:
                raise
            raise found from None

    action._spark_iceberg_sql_plain = plain  # type: ignore[attr-defined]
    return action


def explained(frame: Any, error: Exception) -> IcebergSqlError | None:
    """The sentence about a fault of a store or a file; None for any other error. frame: whose action failed."""
    try:
        cause = _cause(error)
        tables = [] if cause is None else _tables(frame)
    except BRIDGE_ERRORS:
        return None
    if cause is None or not tables:
        return None
    named = [table for table in tables if f"{table[1]}/" in cause] or tables
    words = [f"`{name}` (snapshot {snapshot})" for name, _, snapshot in named]
    subject = words[0] if len(words) == 1 else f"one of {', '.join(words)}"
    return IcebergSqlError(f"{subject} cannot be read: {cause}; the query has returned no rows")


def _cause(error: Exception) -> str | None:
    """What the store or the file's reader said, in one line; None if neither has failed."""
    thrown, last, reading = thrown_by(error), None, False
    for _ in range(_DEPTH):
        if thrown is None:
            break
        last = thrown
        frames = [str(frame.getClassName()) for frame in thrown.getStackTrace()]
        # A failed job has the stack of its task in its message.
        reading = reading or any(map(_READER.match, frames)) or bool(_READER.search(str(thrown)))
        thrown = thrown.getCause()
    if last is None or not reading:
        return None
    frames = [str(frame.getClassName()) for frame in last.getStackTrace()][:1]
    if not any(_STORE.match(name) for name in (str(last.getClass().getName()), *frames)):
        return None
    said = str(last.getMessage() or "").strip() or str(last.getClass().getSimpleName())
    return said.splitlines()[0].rstrip(". ")


def _tables(frame: Any) -> list[tuple[str, str, object]]:
    """The name, location and snapshot of each Iceberg table that a DataFrame reads."""
    found: dict[str, tuple[str, str, object]] = {}
    for table in plan_leaves.iceberg_tables(frame._jdf.queryExecution().analyzed()):
        inner: Java = table.table()
        number = lines.snapshot_id(table)
        found.setdefault(str(inner.name()), (str(inner.name()), str(inner.location()), number))
    return list(found.values())
