"""The data files that rewrite_data_files would rewrite, by Iceberg's own planning, which reads metadata
only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from spark_iceberg_sql.spark.bridge.jvm import compiler, iceberg_version
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS
from spark_iceberg_sql.spark.bridge.jvm.java_records import from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import Rewrite
from spark_iceberg_sql.spark.bridge.tables import hypothetical_tables


def removes_deletes_alone() -> bool:
    """True if a call that rewrites no data file still removes the delete files that apply to none; so since
    Iceberg 1.12.
    """
    return iceberg_version.number() >= (1, 12)


def planned_rewrite(table: Java, options: Mapping[str, str]) -> Rewrite | None:
    """The data files that a call would rewrite; None if Iceberg cannot plan it.

    table: an Iceberg table. options: of the call.
    """
    try:
        return from_json(Rewrite, _rewritten_files().extent(table, dict(options)))
    except BRIDGE_ERRORS:
        return None


@contextmanager
def table_after(table: Java, metadata: Mapping[str, Any], options: Mapping[str, str]) -> Iterator[Java | None]:
    """A table in the driver's memory with the files that another has after a call, their bounds put together.

    Yields None if Iceberg cannot plan it, or if rows move to another spec's partitions, which bounds do not show.
    table, options: as for `planned_rewrite`. metadata: the table's, as in metadata.json.
    """
    try:
        files_by_spec = _rewritten_files().allFiles(table, dict(options))
    except BRIDGE_ERRORS:
        files_by_spec = None
    if files_by_spec is None:
        yield None
        return
    with hypothetical_tables.table(hypothetical_tables.without_snapshots(metadata)) as rewritten:
        for spec_id in files_by_spec:
            hypothetical_tables.append(rewritten, rewritten.specs().get(spec_id), files_by_spec[spec_id])
        yield rewritten


def _rewritten_files() -> Java:
    return compiler.shared_instance(__package__, "RewrittenFiles", Rewrite)


def property_at(table: Java, millis: int, key: str, default: str) -> str | None:
    """A property's value right after a commit, by the older metadata files that still exist; None if unknown.

    millis: the commit's time.
    """
    try:
        metadata = table.operations().current()
        for entry in metadata.previousFiles():
            if int(entry.timestampMillis()) >= millis:
                metadata = java_class("org.apache.iceberg.TableMetadataParser").read(table.io(), entry.file())
                break
        return str(metadata.properties().getOrDefault(key, default))
    except BRIDGE_ERRORS:
        return None
