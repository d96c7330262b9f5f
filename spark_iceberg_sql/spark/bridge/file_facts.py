"""Facts about the data files of a snapshot, without reading them: sizes from the manifests, times and etags from
a listing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from spark_iceberg_sql.spark.bridge import compiler, jvm, local_relation, relations
from spark_iceberg_sql.spark.bridge.jvm import Java

_COLUMNS = "__path string, __size bigint, __ms bigint, __etag string"


def file_facts(
    operations: Java,
    snapshot: int,
    listed: Iterable[tuple[str, int, str | None]],
    moved: tuple[str, str] | None,
) -> Java:
    """A DataFrame of the data files: `__path` in the metadata, `__size` in bytes, `__ms` since 1970 UTC, `__etag`.

    operations, snapshot: of the table. listed: address without its scheme, time and etag of the files in the store.
    moved: for a moved table, a pattern of the address prefixes to map, and their replacement.
    """
    listing = "".join(f"{key}\0{ms}\0{etag or ''}\0" for key, ms, etag in listed)
    old, folder = moved or (None, None)
    table = relations.base_table(operations, "")
    rows = _facts(jvm.gateway()).rows(table, snapshot, listing, old, folder)
    frame = relations.data_frame(local_relation.of(_COLUMNS, rows))
    # Spark removes an unused join on distinct keys. In a single partition it needs no shuffle.
    return frame.coalesce(1).dropDuplicates(jvm.to_seq(["__path"]))


def count(operations: Java, snapshot: int) -> int:
    """The number of data files in a snapshot, from its summary; 0 if that does not state it."""
    summary = operations.current().snapshot(snapshot).summary()
    return int(summary.get("total-data-files") or 0)


@lru_cache(maxsize=1)
def _facts(gateway: Java) -> Java:
    """FileFacts.java."""
    loader = compiler.compiled(__package__, "FileFacts", compiler.context_loader())
    return compiler.instance(loader, "sparkicebergsql.FileFacts")
