"""The Iceberg tables of a catalog or a namespace of the active session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS, message
from spark_iceberg_sql.spark.bridge.tables import table_metadata

NamespaceEntry = tuple[str, Java | None, str | None]  # name, Iceberg's TableMetadata or None, why it is None


def tables(name: str) -> Iterator[NamespaceEntry]:
    """The tables below a name, including nested namespaces; tables of other formats are skipped.

    name: `catalog`, `catalog.namespace` or, in the current catalog, `namespace`.
    """
    manager = gateway.active_session().sessionState().catalogManager()
    first, *levels = name.split(".")
    if manager.isCatalogRegistered(first):
        catalog = manager.catalog(first)
    else:
        catalog, levels = manager.currentCatalog(), [first, *levels]
    yield from _tables_below(catalog, levels)


def _tables_below(catalog: Java, namespace: Sequence[str]) -> Iterator[NamespaceEntry]:
    parts = gateway.array("java.lang.String", namespace)
    for identifier in catalog.listTables(parts) if namespace else ():
        name = ".".join([str(catalog.name()), *namespace, str(identifier.name())])
        try:
            table = catalog.loadTable(identifier)
            if table.getClass().getSimpleName() == "SparkTable":
                yield name, table.table().operations().current(), None
        except BRIDGE_ERRORS as error:
            yield name, None, message(error)
    for child in catalog.listNamespaces(parts):
        if len(child) > len(namespace):
            yield from _tables_below(catalog, list(map(str, child)))


def content(metadata: Java) -> dict[str, Any]:
    """The metadata.json with only the current snapshot."""
    metadata_json = table_metadata.without_snapshots(metadata)
    if (current := metadata.currentSnapshot()) is not None:
        metadata_json["current-snapshot-id"] = current.snapshotId()
        metadata_json["snapshots"] = [
            {
                "snapshot-id": current.snapshotId(),
                "timestamp-ms": current.timestampMillis(),
                "summary": dict(current.summary()),
            }
        ]
    return metadata_json
