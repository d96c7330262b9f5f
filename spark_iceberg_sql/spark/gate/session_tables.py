"""A session's catalogs as Tables, the checker's source of existing tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spark_iceberg_sql.model.metadata.metadata_json import MetadataError, table_from_metadata
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.table import MissingTable, Name, RelationKind, Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.types import UnknownTypeError, struct_from_spark
from spark_iceberg_sql.spark.bridge.jvm import iceberg_version, shims
from spark_iceberg_sql.spark.bridge.plans import bound_conditions
from spark_iceberg_sql.spark.bridge.tables import catalog_entries
from spark_iceberg_sql.syntax.identifiers import qualified_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

_KINDS = {
    "metadata table": RelationKind.METADATA,
    "branch": RelationKind.BRANCH,
    "other": RelationKind.OTHER,
    "view": RelationKind.VIEW,
}


class SessionTables(Tables):
    """Tables of a live session, read on demand; a catalog that does not answer is not an error.

    Each name is looked up once, so an instance is for one text and before any of it runs.

    spark: the session. sql: its unchecked `spark.sql` with the parameters bound, for the columns of a query (which is
    not run).
    """

    live = True

    def __init__(self, spark: SparkSession, sql: Callable[..., DataFrame]) -> None:
        catalog: str | None = None
        namespace: Name = ()
        self._why_unavailable = super().why_unknown(())
        self._errors_by_name: dict[Name, str] = {}
        self._tables_by_name: dict[Name, Table | MissingTable | None] = {}
        self._entries_by_name: dict[Name, catalog_entries.CatalogEntry] = {}
        try:
            catalog, namespace = catalog_entries.current_namespace(spark)
        except catalog_entries.CatalogUnavailableError as error:
            self._why_unavailable = f"the current catalog did not answer: {error}"
        is_case_sensitive = spark.conf.get("spark.sql.caseSensitive") == "true"
        super().__init__(catalog=catalog, namespace=namespace, case_sensitive=is_case_sensitive)
        self.iceberg = iceberg_version.number() or None
        self.spark = shims.SPARK_VERSION
        self._spark = spark
        self._sql = sql

    def is_catalog(self, name: str) -> bool:
        """True if the session has a catalog of this name."""
        return super().is_catalog(name) or catalog_entries.is_catalog(self._spark, name)

    def is_icebergs(self, catalog: str) -> bool:
        """True if the session's configuration sets an Iceberg class for the catalog."""
        return "iceberg" in (self._spark.conf.get(f"spark.sql.catalog.{catalog}", None) or "").lower()

    def is_temporary_view(self, parts: Name) -> bool:
        """As in Tables: the table as the script has left it so far, otherwise as it is in the session."""
        return super().is_temporary_view(parts) or (
            len(parts) <= 2
            and self._views.get(tuple(part.lower() for part in parts)) is None
            and catalog_entries.is_temporary_view(self._spark, parts)
        )

    def look_up(self, name: Name) -> Table | MissingTable | None:
        """The table that a full name currently refers to in the session's catalogs; None if unknown."""
        if self.catalog is None and (len(name) == 1 or not self.is_catalog(name[0])):
            return None
        if name not in self._tables_by_name:
            self._tables_by_name[name] = self._look_up(name)
        return self._tables_by_name[name]

    def catalog_entry(self, name: Name) -> catalog_entries.CatalogEntry | None:
        """The catalog's entry for a full name that was looked up."""
        return self._entries_by_name.get(name)

    def _look_up(self, name: Name) -> Table | MissingTable | None:
        try:
            entry = catalog_entries.load(self._spark, name)
        except catalog_entries.NoCatalogError as error:
            return MissingTable(name, str(error), "start the name with a configured catalog")
        except catalog_entries.CatalogUnavailableError as error:
            self._errors_by_name[name] = f"the catalog `{name[0]}` did not answer: {error}"
            return None
        self._entries_by_name[name] = entry
        if entry.relation_kind == "absent":
            return MissingTable(name, f"the catalog `{name[0]}` has no such table")
        if entry.metadata is None:
            return Table(name, kind=_KINDS[entry.relation_kind], provider=entry.provider)
        try:
            table = table_from_metadata(name, entry.metadata)
        except MetadataError as error:
            return Table(name, why_unknown=str(error))
        return replace(table, has_rows=entry.has_rows)

    def why_unknown(self, parts: Name) -> str:
        """The catalog's error message."""
        return self._errors_by_name.get(self.full_name(parts), self._why_unavailable)

    def columns_of(self, query: str) -> Schema | None:
        """The columns of a query, from Spark's own analysis; None if Spark refuses it."""
        from pyspark.errors import PySparkException

        try:
            return Schema(struct_from_spark(self._sql(query).schema.jsonValue()).fields)
        except (PySparkException, UnknownTypeError):
            return None

    def condition_fault(self, name: Name, condition: str) -> str | None:
        """What Spark and Iceberg themselves say of the condition of a CALL; nothing is run."""
        return bound_conditions.fault(self._spark, qualified_name(name), condition)
