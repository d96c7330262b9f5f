"""The tables and namespaces of a session's catalogs, by SHOW statements, and the one that a wrong name may mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from spark_iceberg_sql.similar_names import LIKELY, similar_name, similar_names
from spark_iceberg_sql.spark.bridge.jvm import logs
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.syntax.identifiers import dotted, qualified_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MIN_PREFIX = 3


class CatalogNames:
    """Names of catalogs. run_sql: runs a statement without checks, in process or on a server; only listings are run."""

    def __init__(self, run_sql: Callable[[str], DataFrame]) -> None:
        self._sql = run_sql

    def table_like(self, parts: tuple[str, ...], name_text: str) -> str | None:
        """The name, as SQL, of a table or namespace similar to one that does not exist.

        parts: its full name. name_text: as the user wrote it; the result has as many parts.
        """
        if len(parts) == 1:
            return next(map(qualified_name, ((name,) for name in _similar(parts[0], self.tables(())))), None)
        first_names = self.catalogs() if len(parts) > 2 else [*self.catalogs(), *self.namespaces(())]
        if parts[0] not in first_names:
            first_name = similar_name(parts[0], first_names)
            return None if first_name is None else qualified_name((first_name, *parts[1:]))
        for depth in range(1, len(parts)):
            namespace, name = parts[:depth], parts[depth]
            names = [*self.namespaces(namespace), *(self.tables(namespace) if depth + 1 == len(parts) else [])]
            if name not in names:
                similar = _similar(name, names)
                if not similar:
                    return None
                full_name = (*namespace, similar[0], *parts[depth + 1 :])
                count = name_text.count(".") + 1
                return qualified_name(full_name[-count:] if 0 < count <= len(full_name) else full_name)
        return None

    def catalogs(self) -> list[str]:
        """The configured catalogs."""
        prefix = "spark.sql.catalog."
        keys = [str(row[0]) for row in self.rows("SET") if str(row[0]).startswith(prefix)]
        return list(dict.fromkeys(["spark_catalog", *(k[len(prefix) :].partition(".")[0] for k in keys)]))

    def namespaces(self, namespace: tuple[str, ...]) -> list[str]:
        """The namespaces in a catalog or namespace; in the current catalog for an empty name."""
        in_clause = f" IN {dotted(namespace)}" if namespace else ""
        rows = self.rows(f"SHOW NAMESPACES{in_clause}")
        return [str(row[0]).rpartition(".")[2].strip("`") for row in rows]

    def tables(self, namespace: tuple[str, ...]) -> list[str]:
        """The tables and views in a namespace; in the current one for an empty name."""
        in_clause = f" IN {dotted(namespace)}" if namespace else ""
        rows = [*self.rows(f"SHOW TABLES{in_clause}"), *self.rows(f"SHOW VIEWS{in_clause}")]
        return list(dict.fromkeys(str(row[1]) for row in rows))

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """The rows of a listing; none if there is no such namespace, or if the catalog does not answer."""
        try:
            with logs.without_error_logs():
                return [tuple(row) for row in self._sql(query).collect()]
        except (PySparkException, *JVM_ERRORS):  # Iceberg's own exceptions are not pyspark's
            return []


def _similar(name: str, names: Sequence[str]) -> list[str]:
    """The names that a misspelt one may mean, the likeliest first."""
    if misspelt := similar_names(name, names, LIKELY, count=1):
        return list(misspelt)
    return abbreviations(name, names) or list(similar_names(name, names, count=1))


def abbreviations(name: str, names: Sequence[str]) -> list[str]:
    """The names that a name begins with, or that begin with it, such as `obs` for `observations`; the longest first."""
    lower = name.lower()
    shared = [
        n for n in names if len(n) >= _MIN_PREFIX and (lower.startswith(n.lower()) or n.lower().startswith(lower))
    ]
    return sorted(shared, key=len, reverse=True) if len(name) >= _MIN_PREFIX else []
