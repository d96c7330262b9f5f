"""The texts of queries in Spark's event logs: files of JSON lines, one event per line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from spark_iceberg_sql.errors import FileError, IcebergSqlError

_EXECUTION = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
_STATEMENT = "SparkListenerThriftServerOperationStart"
_COMPRESSED = (".zstd", ".lz4", ".lzf", ".snappy")
_FIRST_BYTES = b'{"Event":'
_NON_EVENT_PREFIXES = ("appstatus", ".", "_")  # files of a log's folder that have no events


def is_event_log(path: Path) -> bool:
    """True for an event log, compressed or not, and for a folder, which is taken as a folder of logs."""
    if path.is_dir() or _is_compressed(path):
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(_FIRST_BYTES)) == _FIRST_BYTES
    except OSError:
        return False


def _is_compressed(path: Path) -> bool:
    return path.name.removesuffix(".inprogress").endswith(_COMPRESSED)


def query_counts(path: Path, decompress: Callable[[Path], Path] | None = None) -> dict[str, int]:
    """The description of each SQL execution, or statement of the Thrift server, with the number of its runs.

    path: an event log, or a folder of event logs or of the parts of one. A description is the text of the query if the
    client set it, as spark-sql and the Thrift server do; otherwise it names the calling line.
    decompress: returns a decompressed copy of a file.
    Raises FileError for a file that is no event log or is compressed, IcebergSqlError if no SQL execution is in it.
    """
    execution_counts: Counter[str] = Counter()
    statement_counts: Counter[str] = Counter()
    for file in _files(path):
        for event in _events(file, decompress):
            event_type = str(event.get("Event", ""))
            if event_type == _EXECUTION:
                execution_counts[_text(event.get("description"))] += 1
            elif event_type.endswith(_STATEMENT):
                statement_counts[_text(event.get("statement"))] += 1
    if not execution_counts and not statement_counts:
        raise IcebergSqlError(f"the event log {path} has no SQL execution")
    return {
        text: max(execution_counts[text], statement_counts[text]) for text in {**statement_counts, **execution_counts}
    }


def _text(value: object) -> str:
    return value.strip().rstrip(";").strip() if isinstance(value, str) else ""


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for child in sorted(path.iterdir()):
        if not child.name.startswith(_NON_EVENT_PREFIXES):
            yield from _files(child)


def _events(file: Path, decompress: Callable[[Path], Path] | None) -> Iterator[dict[str, object]]:
    if _is_compressed(file) and decompress is not None:
        file = decompress(file)
    elif _is_compressed(file):
        raise FileError(
            f"the event log {file} is compressed", help="decompress it first, or set spark.eventLog.compress to false"
        )
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                # Most events are about tasks, and the plans in others are long: only these are parsed.
                if not number or _EXECUTION in line or _STATEMENT in line:
                    yield from _parse_event(line, file, is_first=not number)
    except (OSError, UnicodeDecodeError):
        raise FileError(f"{file} cannot be read as an event log") from None


def _parse_event(line: str, file: Path, *, is_first: bool) -> Iterator[dict[str, object]]:
    event = None
    with suppress(ValueError):
        event = json.loads(line)
    if isinstance(event, dict) and "Event" in event:
        yield event
    elif is_first:  # the last line of a log that is still written may be cut off
        raise FileError(f"{file} is not an event log: its first line is not an event")
