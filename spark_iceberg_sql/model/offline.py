"""Tables known without a session: metadata files, and catalogs through pyiceberg's own configuration."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spark_iceberg_sql.errors import SourceError
from spark_iceberg_sql.model.metadata_json import MetadataError, table_from_metadata
from spark_iceberg_sql.model.table import Absent, Name, Table
from spark_iceberg_sql.model.tables import Tables


def table_from_file(name: Name, path: Path) -> Table:
    """The table that a metadata file describes.

    name: what statements call it. path: a `*.metadata.json`, gzipped or not. Raises SourceError.
    """
    try:
        raw = path.read_bytes()
        if raw[:2] == b"\x1f\x8b":
            raw = gzip.decompress(raw)
        metadata = json.loads(raw)
    except OSError as error:
        reason = error.strerror or error
        raise SourceError(f"cannot read the metadata file `{path}`: {reason}") from None
    except (ValueError, EOFError) as error:
        raise SourceError(f"`{path}` is not a metadata file: {error}") from None
    try:
        return table_from_metadata(name, metadata)
    except MetadataError as error:
        raise SourceError(f"`{path}` is not a metadata file: {error}") from None


class PyicebergKnown(Tables):
    """Tables of a catalog that pyiceberg's configuration names (its file or environment variables).

    catalog: the name in that configuration, which is also the catalog's name in statements.
    Raises SourceError if pyiceberg is not installed or has no such catalog.
    """

    def __init__(self, catalog: str, **settings: Any) -> None:
        try:
            from pyiceberg.catalog import load_catalog
        except ImportError:
            raise SourceError(
                "--catalog needs pyiceberg: pip install 'spark-iceberg-sql[catalog]'"
            ) from None
        super().__init__(**{"catalog": catalog, **settings})
        self._name = catalog
        try:
            self._catalog = load_catalog(catalog)
        except Exception as error:  # pyiceberg raises what its backends raise
            raise SourceError(
                f"cannot open the catalog `{catalog}`: {_first_line(error)}"
            ) from None

    def is_catalog(self, name: str) -> bool:
        """Whether the first part of a name is this catalog's, or the default one's."""
        return name.lower() == self._name.lower() or super().is_catalog(name)

    def look_up(self, name: Name) -> Table | Absent | None:
        """The table through pyiceberg; if it cannot be loaded, a table with unknown columns."""
        from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

        if name[0].lower() != self._name.lower():
            return None
        try:
            metadata = self._catalog.load_table(name[1:]).metadata
            text = metadata.model_dump_json(by_alias=True)
            found: Table | Absent = table_from_metadata(name, json.loads(text))
        except (NoSuchTableError, NoSuchNamespaceError):
            found = Absent(name, f"the catalog `{self._name}` has no such table")
        except Exception as error:  # a server that is down, a type that pyiceberg cannot parse
            reason = f"the catalog `{self._name}` did not answer: {_first_line(error)}"
            found = Table(name, why_unknown=reason)
        self.remember(name, found)
        return found


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def known_from(
    metadata: Mapping[str, Path],
    *,
    pyiceberg_catalog: str | None = None,
    catalog: str | None = None,
    namespace: Name = (),
    case_sensitive: bool = False,
) -> Tables:
    """The tables known from the command line and the configuration, before the first statement.

    metadata: table name (dotted, as statements write it) to its metadata file. pyiceberg_catalog: a
    catalog of pyiceberg's configuration. catalog, namespace: what an unqualified name means.
    Raises SourceError.
    """
    settings: dict[str, Any] = {"namespace": namespace, "case_sensitive": case_sensitive}
    if catalog is not None:
        settings["catalog"] = catalog
    known = (
        PyicebergKnown(pyiceberg_catalog, **settings) if pyiceberg_catalog else Tables(**settings)
    )
    for name, path in metadata.items():
        parts = tuple(part.strip("`") for part in name.split("."))
        known.put(table_from_file(known.full_name(parts), path))
    return known
