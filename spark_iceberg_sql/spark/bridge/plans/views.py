"""A query analysed as a view's query, with the view's own catalog and namespace."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.spark.bridge.jvm import gateway, sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class


def analysed(text: str, catalog: str | None, namespace: Sequence[str], columns: Sequence[str]) -> Java:
    """The plan of a query.

    catalog, namespace: for unqualified names; if missing, the active session's. columns: the
    names of its columns. A copy of the session is used, since these are session settings.
    """
    session = gateway.active_session()
    copy = sessions.clone(session)
    manager = copy.sessionState().catalogManager()
    current = manager.currentNamespace()
    if catalog:
        manager.setCurrentCatalog(catalog)
    parts = gateway.gateway().new_array(java_class("java.lang.String"), len(namespace))
    for index, part in enumerate(namespace):
        parts[index] = part
    manager.setCurrentNamespace(parts if namespace else current)
    with gateway.active(copy):
        # In parentheses it is a query, never a command.
        frame = copy.sql(f"SELECT * FROM (\n{text}\n)")
        return frame.toDF(gateway.to_seq(columns)).queryExecution().analyzed()
