"""iceberg_tables('s3://lake/'): the tables below a folder, or below all folders that a pattern matches.

Folders are listed one level at a time; nothing is listed below a table's own folder or below a partition folder
(`day=1`). Each table's current metadata file is read, but not its data or manifests.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.model.functions.metadata_functions import TABLES
from spark_iceberg_sql.model.functions.table_functions import Function, Value
from spark_iceberg_sql.model.globs import has_wildcards, matcher, patterns
from spark_iceberg_sql.model.metadata.metadata_files import METADATA_NAMES, current_metadata_file
from spark_iceberg_sql.model.metadata.metadata_json import table_from_metadata
from spark_iceberg_sql.model.metadata.snapshot_totals import snapshot_totals
from spark_iceberg_sql.report.table_ddl import columns_ddl, partitioning_ddl
from spark_iceberg_sql.safe_output import raw_stream, visible, without_commands
from spark_iceberg_sql.spark.bridge.functions import registries
from spark_iceberg_sql.spark.bridge.io.folders import Children, Tree, tree
from spark_iceberg_sql.spark.bridge.io.listings import prefix_listing
from spark_iceberg_sql.spark.bridge.io.location import HADOOP
from spark_iceberg_sql.spark.bridge.jvm import jobs
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, Refusal
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.tables import namespaces, table_metadata
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.functions.calls import plan_call
from spark_iceberg_sql.spark.tables.functions.metadata_functions import without_store
from spark_iceberg_sql.spark.tables.locations.allowed_locations import open_files
from spark_iceberg_sql.spark.tables.locations.locate import location_argument
from spark_iceberg_sql.spark.tables.locations.stores import STORES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COLUMNS = (
    "location string, name string, table_uuid string, format_version int, columns string, partitioning string, "
    "last_updated_ms bigint, snapshot_id bigint, snapshot_ms bigint, records bigint, data_files bigint, "
    "delete_files bigint, bytes bigint, metadata_file string, error string"
)
_OUTPUT =(
    "location", "name", "table_uuid", "format_version", "columns", "partitioning",
    "timestamp_millis(last_updated_ms) AS last_updated_at", "snapshot_id",
    "timestamp_millis(snapshot_ms) AS snapshot_at", "records", "data_files", "delete_files",
    "bytes", "metadata_file", "error",
)  # fmt: skip
_BUCKET = re.compile(r"s3[an]?://[^/]+/*", re.IGNORECASE)
_DEPTH = next(argument.default for argument in TABLES.settings if argument.name == "depth")
_NAME = re.compile(r"\w+(?:\.\w+)*")
_CONCURRENCY = 16  # concurrent requests to an object store
_PATIENCE = 2.0  # seconds before progress is shown, and between updates


def register(spark: SparkSession) -> None:
    """Register iceberg_tables in a session, and in every later one of this process."""
    registries.register_table_function(
        spark,
        TABLES.name,
        _callback,
        usage=f"_FUNC_(path [, setting => value ...]) - {TABLES.description}",
        arguments=(f"{a.name} - {a.description}" for a in TABLES.arguments),
        example=f"SELECT * FROM {TABLES.example}",
    )


def unregister(spark: SparkSession) -> None:
    """Unregister iceberg_tables."""
    registries.unregister_function(spark, registries.TABLE, TABLES.name)


def _callback(arguments: Java) -> Java:
    """The callback. With `store`, the other arguments are those of that function over a location."""
    store_function, other_arguments = without_store(TABLES.name, arguments)
    reader = TABLES
    if store_function.store != TABLES.store:
        reader = replace(store_function, name=TABLES.name, settings=TABLES.settings)
    return plan_call(reader, _plan, other_arguments)


def _plan(function: Function, values: Mapping[str, Value]) -> Java:
    depth = int(str(values.get("depth", _DEPTH)))
    limit = values.get("limit")
    if depth < 1 or (limit is not None and int(limit) < 1):
        name = "depth" if depth < 1 else "limit"
        raise invalid(function.name, name, f"`{values[name]}` is not a positive number")
    path = str(values.get("path") or values.get("url"))
    if function.store == TABLES.store:
        if _NAME.fullmatch(path):
            rows = list(islice(_catalog_rows(path), None if limit is None else int(limit)))
            return table_metadata.rows(_COLUMNS, rows, *_OUTPUT)
        # A whole bucket: the store's URL needs a path below it (stores.s3).
        if _BUCKET.fullmatch(path) and "filename" not in values:
            path = f"{path.rstrip('/')}/*"
        values = {**values, "url": path}
    location = STORES[function.store](function.name, values)
    files = open_files(function.name, location_argument(values), location, cached=False)
    store, path = tree(files, location.path)
    rows = _rows(store, _with_progress(_table_folders(store, path, depth), path), None if limit is None else int(limit))
    return table_metadata.rows(_COLUMNS, rows, *_OUTPUT)


# ---------------------------------------------------------------------------------- which folders


def _table_folders(store: Tree, path: str, depth: int) -> Iterator[str]:
    """The folders of tables, without duplicates, in traversal order."""
    yielded_folders = set()
    if has_wildcards(path) and store.can_walk:  # a folder may have such a name itself
        for folder in _tables_below(store, path, store.children(path) or Children(), depth):
            yielded_folders.add(folder)
            yield folder
    for pattern in patterns(path):
        if store.can_walk:
            root_children = store.children(pattern.root)
            if root_children is None and not has_wildcards(path):
                raise Refusal("PATH_NOT_FOUND", path=pattern.root)
            walk = _tables_matching(store, pattern.root, root_children or Children(), pattern.parts, depth)
        else:
            walk = _folders_by_prefix(store, pattern.root, pattern.parts)
        for folder in walk:
            if folder not in yielded_folders:
                yielded_folders.add(folder)
                yield folder


def _tables_matching(store: Tree, folder: str, children: Children, parts: tuple[str, ...], depth: int) -> Iterator[str]:
    """The tables below the folders that match the remaining parts of a pattern. children: of the folder."""
    if not parts:
        yield from _tables_below(store, folder, children, depth)
        return
    matches = matcher(parts[0])
    names = [name for name in sorted(children.folders) if matches(name)]
    for inner, inner_children in _all_children(store, folder, names):
        yield from _tables_matching(store, inner, inner_children, parts[1:], depth)


def _tables_below(store: Tree, folder: str, children: Children, depth: int) -> Iterator[str]:
    """The tables in a folder and its subfolders, down to a depth. children: of the folder."""
    # A table's own folder is not searched: its data may be in a hundred thousand files.
    if "metadata" in children.folders and store.metadata_files(folder):
        yield folder
        return
    if depth == 0:
        return
    names = [name for name in sorted(children.folders) if not name.startswith(".") and "=" not in name]
    for inner, inner_children in _all_children(store, folder, names):
        yield from _tables_below(store, inner, inner_children, depth - 1)


def _all_children(store: Tree, folder: str, names: list[str]) -> Iterator[tuple[str, Children]]:
    """Each subfolder of a folder with its content; object stores are queried in parallel."""
    addresses = [f"{folder.rstrip('/')}/{name}" for name in names]
    if store.files.location.io == HADOOP or len(addresses) < 2:
        for address in addresses:
            yield address, store.children(address) or Children()
        return
    with ThreadPoolExecutor(_CONCURRENCY) as pool:
        yield from zip(
            addresses, (children or Children() for children in pool.map(store.children, addresses)), strict=True
        )


def _folders_by_prefix(store: Tree, root: str, parts: tuple[str, ...]) -> Iterator[str]:
    """For a store that can only list everything below a prefix: the folders above its metadata files."""
    folders = {
        file.location.rpartition("/")[0].removesuffix("/metadata")
        for file in prefix_listing(store.files.io, root, METADATA_NAMES)
        if file.location.rpartition("/")[0].endswith("/metadata")
    }
    for folder in sorted(folders):
        names = folder[len(root.rstrip("/")) + 1 :].split("/")
        if len(names) >= len(parts) and all(matcher(part)(name) for part, name in zip(parts, names, strict=False)):
            yield folder


def _with_progress(folders: Iterable[str], path: str) -> Iterator[str]:
    """The same folders, with a progress line in a terminal or notebook."""
    is_watched = jobs.is_watched()
    started = last_update = time.monotonic()
    count = 0
    for count, folder in enumerate(folders, 1):
        yield folder
        current_time = time.monotonic()
        if is_watched and current_time - last_update > _PATIENCE:
            last_update = current_time
            _show_progress(f"{count:,} tables, now in {folder}")
    if last_update != started:
        _show_progress(f"{count:,} tables below {path}", "\n")


def _show_progress(text: str, end: str = "") -> None:
    """Write over the last line of progress."""
    raw_stream(sys.stderr).write("\r" + without_commands(visible(f"iceberg_tables: {text}")) + end)


# ---------------------------------------------------------------------------------- one table


def _catalog_rows(name: str) -> Iterator[dict[str, Any]]:
    """The tables of a catalog or a namespace."""
    for table, metadata, error in namespaces.tables(name):
        row: dict[str, Any] = {"name": table, "error": error}
        if metadata is not None:
            row["location"] = str(metadata.location())
            row["metadata_file"] = str(metadata.metadataFileLocation())
            row |= summary(namespaces.content(metadata))
        yield row


def _rows(store: Tree, folders: Iterator[str], limit: int | None) -> list[dict[str, Any]]:
    """The rows of the first tables found."""
    rows: list[dict[str, Any]] = []
    batch: list[str] = []
    for folder in folders:
        batch.append(folder)
        if limit is not None and len(rows) + len(batch) >= limit:
            break
        if len(batch) == 4 * _CONCURRENCY:
            rows += _read(store, batch)
            batch = []
    return rows + _read(store, batch)


def _read(store: Tree, batch: list[str]) -> list[dict[str, Any]]:
    if store.files.location.io == HADOOP or len(batch) < 2:
        return [_row(store, folder) for folder in batch]
    with ThreadPoolExecutor(_CONCURRENCY) as pool:
        return list(pool.map(partial(_row, store), batch))


def _row(store: Tree, folder: str) -> dict[str, Any]:
    """The row from a table's current metadata file; if it cannot be read, `error` has the reason."""
    row: dict[str, Any] = {"location": folder, "name": folder.rpartition("/")[2]}
    try:
        row["metadata_file"] = current_metadata_file(
            store.metadata_files(folder), store.files.heads, table_uuid=None, by_last_updated=False
        ).location
        content = store.content(row["metadata_file"])
        # gzip's magic number.
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        return row | summary(json.loads(content))
    except JVM_ERRORS as error:
        row["error"] = message(error)
    except RecursionError:
        row["error"] = f"`{row['metadata_file']}` cannot be read: its JSON is nested too deeply"
    except (ValueError, EOFError, OSError) as read_error:
        row["error"] = str(read_error)
    return row


def summary(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The row of one table. metadata: its metadata.json. Raises MetadataError."""
    if "view-uuid" in metadata:
        return {"error": "this is a view, which has no files"}
    table = table_from_metadata((), metadata)
    assert table.schema is not None  # every metadata file has both
    assert table.specs is not None
    current = metadata.get("current-snapshot-id")
    snapshot: dict[str, Any] = next(
        (s for s in reversed(metadata.get("snapshots", ())) if s["snapshot-id"] == current), {}
    )
    totals = snapshot_totals(snapshot.get("summary", {}) if snapshot else None)
    return {
        "table_uuid": metadata.get("table-uuid"),
        "format_version": metadata.get("format-version"),
        "columns": columns_ddl(table.schema),
        "partitioning": partitioning_ddl(table.schema, table.specs),
        "last_updated_ms": metadata.get("last-updated-ms"),
        "snapshot_id": snapshot.get("snapshot-id"),
        "snapshot_ms": snapshot.get("timestamp-ms"),
        **asdict(totals),
    }
