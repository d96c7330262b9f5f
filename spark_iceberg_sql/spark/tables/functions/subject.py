"""The table that a metadata function is called with, by name or by path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spark_iceberg_sql.model.functions.table_functions import Value
from spark_iceberg_sql.model.metadata.metadata_json import table_from_metadata
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import table_metadata
from spark_iceberg_sql.spark.tables.functions.by_path import time_travel_table


@dataclass(frozen=True, slots=True)
class Subject:
    """The table that a metadata function was called with.

    function: its name. name: the table's name or path. operations: Iceberg's TableOperations. values: of the call.
    folder: of a table found by its path.
    """

    function: str
    name: str
    operations: Java
    values: Mapping[str, Value]
    folder: str | None = None

    @property
    def metadata(self) -> Java:
        """Iceberg's TableMetadata."""
        return self.operations.current()

    def content(self) -> dict[str, Any]:
        """The metadata.json without snapshots."""
        return table_metadata.without_snapshots(self.metadata)

    def table(self, name: tuple[str, ...] = ()) -> Table:
        """The table as the checker's model represents it."""
        return table_from_metadata(name, self.content())

    def spark_table(self) -> Java:
        """Spark's table, as of the time given in the call."""
        return time_travel_table(self.function, relations.base_table(self.operations, self.name), self.values)

    def metadata_table_plan(self, table_type: str) -> Java:
        """One of Iceberg's metadata tables, as of the time given in the call."""
        table = relations.metadata_table(self.operations, self.name, table_type)
        return relations.relation(time_travel_table(self.function, table, self.values))

    def metadata_table_rows(self, table_type: str) -> Java:
        """One of Iceberg's metadata tables as a DataFrame."""
        return relations.data_frame(self.metadata_table_plan(table_type))
