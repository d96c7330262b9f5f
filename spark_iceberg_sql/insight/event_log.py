"""The texts of queries in Spark's event logs: files of JSON lines, one event per line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from spark_iceberg_sql.errors import FileError, IcebergSqlError

_EXECUTION = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
_STATEMENT = "SparkListenerThriftServerOperationStart"
_COMPRESSED = (".zstd", ".lz4", ".lzf", ".snappy")
_FIRST = b'{"Event":'
_OWN = ("appstatus", ".", "_")  # files of a log's folder that have no events


def is_log(path: Path) -> bool:
    """True for an event log, compressed or not, and for a folder, which is taken as a folder of logs."""
    if path.is_dir() or _is_compressed(path):
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(_FIRST)) == _FIRST
    except OSError:
        return False


def _is_compressed(path: Path) -> bool:
    return path.name.removesuffix(".inprogress").endswith(_COMPRESSED)


def texts(path: Path, plain: Callable[[Path], Path] | None = None) -> dict[str, int]:
    """The description of each SQL execution, or statement of the Thrift server, with the number of its runs.

    path: an event log, or a folder of event logs or of the parts of one. A description is the text of the
    query if the client set it, as spark-sql and the Thrift server do; otherwise it names the calling line.
    decompress: returns a decompressed copy of a file.
    Raises FileError for a file that is no event log or is compressed, IcebergSqlError if no SQL execution is
    in it.
    """
    executed: Counter[str] = Counter()
    stated: Counter[str] = Counter()
    for file in _files(path):
        for event in _events(file, plain):
            kind = str(event.get("Event", ""))
            if kind == _EXECUTION:
                executed[_text(event.get("description"))] += 1
            elif kind.endswith(_STATEMENT):
                stated[_text(event.get("statement"))] += 1
    if not executed and not stated:
        raise IcebergSqlError(f"the event log {path} has no SQL execution")
    return {text: max(executed[text], stated[text]) for text in {**stated, **executed}}


def _text(value: object) -> str:
    return value.strip().rstrip(";").strip() if isinstance(value, str) else ""


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for inner in sorted(path.iterdir()):
        if not inner.name.startswith(_OWN):
            yield from _files(inner)


def _events(file: Path, plain: Callable[[Path], Path] | None) -> Iterator[dict[str, object]]:
    if _is_compressed(file) and plain is not None:
        file = plain(file)
    elif _is_compressed(file):
        raise FileError(
            f"the event log {file} is compressed",
            help="decompress it first, or set spark.eventLog.compress to false",
        )
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                # Most events are about tasks, and the plans in others are long: only these are parsed.
                if number and _EXECUTION not in line and _STATEMENT not in line:
                    continue
                found = _parsed(line, file, first=not number)
                if found is not None:
                    yield found
    except (OSError, UnicodeDecodeError):
        raise FileError(f"{file} cannot be read as an event log") from None


def _parsed(line: str, file: Path, *, first: bool) -> dict[str, object] | None:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if isinstance(found, dict) and "Event" in found:
        return found
    if first:
        raise FileError(f"{file} is not an event log: its first line is not an event")
    return None  # the last line of a log that is still written may be cut off
