"""Tables known from metadata files, without a session."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from spark_iceberg_sql.errors import SourceError
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.metadata.catalogs import TIMEOUT, Catalogs
from spark_iceberg_sql.model.metadata.metadata_json import table_from_metadata
from spark_iceberg_sql.model.table import Name, Table, split_name
from spark_iceberg_sql.model.tables import Tables

_MAX_INFLATED = 256 << 20  # bytes of a gzipped file's text: a few megabytes can become many gigabytes
_PART = r"(?:\s*`(?:[^`]|``)+`\s*|[^.`]*[^.`\s][^.`]*)"
_NAME = regex(rf"{_PART}(?:\.{_PART})*")


def table_from_file(name: Name, path: Path) -> Table:
    """The table that a metadata file describes.

    name: what statements call it. path: a `*.metadata.json`, gzipped or not. Raises SourceError.
    """
    try:
        return table_from_metadata(name, json.loads(_content(path)))
    except OSError as error:
        raise SourceError(f"cannot read the metadata file `{path}`: {error.strerror or error}") from None
    except (ValueError, EOFError, zlib.error) as error:
        raise SourceError(f"`{path}` is not a metadata file: {error}") from None
    except RecursionError:
        raise SourceError(f"`{path}` is not a metadata file: it is nested too deeply") from None


def _content(path: Path) -> bytes:
    """The text of a file, inflated if it is gzipped, but not without end. Raises ValueError."""
    raw = path.read_bytes()
    if raw[:2] != b"\x1f\x8b":
        return raw
    with gzip.GzipFile(fileobj=BytesIO(raw)) as file:
        inflated = file.read(_MAX_INFLATED + 1)
    if len(inflated) > _MAX_INFLATED:
        raise ValueError(f"it inflates to more than {_MAX_INFLATED >> 20} MB")
    return inflated


def known_from(
    metadata: Mapping[str, Path],
    *,
    pyiceberg_catalog: str | None = None,
    catalog: str | None = None,
    namespace: Name = (),
    case_sensitive: bool = False,
    timeout: float = TIMEOUT,
) -> Tables:
    """The tables known before the first statement.

    metadata: table name (dotted, as statements write it) to its metadata file. pyiceberg_catalog: a catalog of
    pyiceberg's configuration. catalog, namespace: what an unqualified name means.
    timeout: seconds to wait for each answer of the catalog. Raises SourceError.
    """
    settings: dict[str, Any] = {"namespace": namespace, "case_sensitive": case_sensitive}
    if catalog is not None:
        settings["catalog"] = catalog
    if pyiceberg_catalog is None:
        return with_metadata(Tables(**settings), metadata)
    return with_metadata(Catalogs().tables(pyiceberg_catalog, timeout, **settings), metadata)


def with_metadata(tables: Tables, metadata: Mapping[str, Path]) -> Tables:
    """Tables, and those of metadata files, by table name. Raises SourceError."""
    for name, path in metadata.items():
        if _NAME.fullmatch(name) is None:
            raise SourceError(f"`{name}`, for the metadata file `{path}`, is not a table's name")
        tables.put(table_from_file(tables.full_name(split_name(name)), path))
    return tables
