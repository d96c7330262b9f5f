"""The files that the table functions may open: the setting `spark.iceberg_sql.allowed_locations` of the Spark
application.

It is static: sessions, and so the clients of a server, cannot change it. Paths are compared as text; a symbolic link is
followed, as in all of Spark.
"""

from __future__ import annotations

import re
from functools import lru_cache

from spark_iceberg_sql.spark.bridge.io import file_io
from spark_iceberg_sql.spark.bridge.io.file_io import Files
from spark_iceberg_sql.spark.bridge.io.location import Location
from spark_iceberg_sql.spark.bridge.jvm import configuration
from spark_iceberg_sql.spark.session_settings import ALLOWED_LOCATIONS
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.locations.location_mapping import location_pattern

SETTING = ALLOWED_LOCATIONS.key
# Hadoop opens these for whoever names them, also a table's metadata.
_DOWNLOADS = frozenset({"http", "https", "ftp", "sftp"})
_OUTSIDE = "outside the locations that this Spark application allows; they are in its setting"  # as in MovedFileIO.java
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# Also within the alternatives of a pattern, `{a,..}`.
_NO_WAY_UP = r"(?!(?s:.*?)(?<![^/{,])\.\.(?:[/},]|$))"


def open_files(function: str, argument: str, location: Location, *, cached: bool) -> Files:
    """The FileIO for a location, as of file_io; it opens http and ftp only where they are listed, or named in the call.

    function, argument: for the refusal. Raises Refusal if the location is not allowed.
    """
    refuse_outside(function, argument, location.path)
    allowed_schemes = {_scheme(entry) for entry in _entries()} | {_scheme(location.path)}
    return file_io.open_files(location, cached=cached, blocked_schemes=_DOWNLOADS - allowed_schemes)


def refuse_outside(function: str, argument: str, path: str) -> None:
    """Raise Refusal for a path outside the allowed locations, or if the setting is invalid."""
    try:
        allowed_pattern = pattern()
    except ValueError as error:
        raise invalid(function, argument, str(error)) from None
    if allowed_pattern is not None and re.match(allowed_pattern, path.rstrip("/") + "/") is None:
        raise invalid(function, argument, f"`{path}` is {_OUTSIDE} {SETTING}")


def pattern() -> str | None:
    """A pattern, valid in Java and Python, of the allowed addresses with a `/` at their end; None: all.

    Raises ValueError for an entry that is neither an absolute path nor a URI.
    """
    entries = _entries()
    return _pattern(entries) if entries else None


@lru_cache(maxsize=64)
def _pattern(entries: tuple[str, ...]) -> str:
    return f"{_NO_WAY_UP}(?:{'|'.join(map(_entry_pattern, entries))})"


def _entry_pattern(entry: str) -> str:
    if entry.startswith("/"):
        entry = f"file:{entry}"
    match = re.fullmatch(rf"{_SCHEME.pattern}(?://)?(.*)", entry)
    if match is None:
        raise ValueError(
            f"the setting {SETTING} has `{entry}`, which is neither an absolute path nor a URI such as s3://bucket/path"
        )
    return location_pattern(entry) if match[2] else f"(?i:{re.escape(match[1])}):"  # a scheme, and all of it


def _scheme(text: str) -> str:
    match = _SCHEME.match(text)
    return match[1].lower() if match else ""


def _entries() -> tuple[str, ...]:
    setting = configuration.process_setting(SETTING) or ""
    return tuple(entry for entry in re.split(r"[,\s]+", setting) if entry)
