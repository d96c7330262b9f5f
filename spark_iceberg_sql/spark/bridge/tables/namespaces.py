"""The Iceberg tables of a catalog or a namespace of the active session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS, message
from spark_iceberg_sql.spark.bridge.tables import catalog_entries, table_metadata

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_VIEW_CATALOG = "org.apache.spark.sql.connector.catalog.ViewCatalog"
_NAMESPACES = "org.apache.spark.sql.connector.catalog.SupportsNamespaces"
Name = tuple[str, ...]
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


def catalog_named(spark: SparkSession, name: str) -> Java:
    """A session's catalog. Raises Spark's and py4j's exceptions if it cannot start."""
    return gateway.java_session(spark).sessionState().catalogManager().catalog(name)


def selected_names(catalog: Java, levels: Sequence[str], accepts: Sequence[Callable[[str], bool]]) -> Iterator[Name]:
    """The namespaces (level by level, and empty last) and tables below a namespace that a pattern selects.

    levels: of the namespace. accepts: a predicate for each level below it; a table is selected if its name, or that of
    a namespace in which it lies, is at the last level. Yields the levels and the table's or view's name; an empty name
    for each selected namespace.
    """
    if len(accepts) <= 1:
        if not accepts:
            yield (*levels, "")
        for name in names_in(catalog, levels):
            if not accepts or accepts[0](name):
                yield (*levels, name)
    for child in child_namespaces(catalog, levels):
        if not accepts or accepts[0](child):
            yield from selected_names(catalog, (*levels, child), accepts[1:])


def names_in(catalog: Java, levels: Sequence[str]) -> list[str]:
    """The tables and views directly in a namespace, by name; none if there is no such namespace."""
    parts = gateway.array("java.lang.String", levels)
    names = [str(identifier.name()) for identifier in _listed(catalog.listTables, parts)] if levels else []
    if levels and gateway.java_class(_VIEW_CATALOG)._java_lang_class.isInstance(catalog):
        with suppress(*BRIDGE_ERRORS):  # a catalog of this kind without views
            names += [str(identifier.name()) for identifier in catalog.listViews(parts)]
    return sorted(set(names))


def child_namespaces(catalog: Java, levels: Sequence[str]) -> list[str]:
    """The names of the namespaces directly in a namespace, or in a catalog; none if there is no such namespace."""
    if not gateway.java_class(_NAMESPACES)._java_lang_class.isInstance(catalog):
        return []
    children = _listed(catalog.listNamespaces, gateway.array("java.lang.String", levels))
    return sorted(str(child[len(levels)]) for child in children if len(child) > len(levels))


def _listed(listing: Java, parts: Java) -> list[Java]:
    try:
        return list(listing(parts))
    except BRIDGE_ERRORS as error:
        if catalog_entries.is_missing_name(error):
            return []
        raise


def temporary_views(spark: SparkSession) -> list[str]:
    """The names of a session's temporary views, without the global ones."""
    views = gateway.java_session(spark).sessionState().catalog().listLocalTempViews("*")
    return sorted(str(view.table()) for view in gateway.from_seq(views))


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
