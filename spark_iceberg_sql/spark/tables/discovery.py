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
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.model.globs import has_wildcards, matcher, patterns
from spark_iceberg_sql.model.metadata_files import (
    METADATA_NAMES,
    NoMetadataError,
    current_metadata_file,
)
from spark_iceberg_sql.model.metadata_functions import TABLES
from spark_iceberg_sql.model.metadata_json import MetadataError, table_from_metadata
from spark_iceberg_sql.model.table_functions import Function, Value
from spark_iceberg_sql.outgoing import raw_stream, visible, without_commands
from spark_iceberg_sql.report.table_ddl import columns_ddl, partitioning_ddl
from spark_iceberg_sql.spark.bridge import jobs, namespaces, registries, table_metadata
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.file_io import BrokenFileError
from spark_iceberg_sql.spark.bridge.folders import Children, Tree, tree
from spark_iceberg_sql.spark.bridge.jvm import Java, Refusal
from spark_iceberg_sql.spark.bridge.listings import prefix_listing
from spark_iceberg_sql.spark.bridge.location import HADOOP
from spark_iceberg_sql.spark.tables.allowed_locations import files_of
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.calls import answer
from spark_iceberg_sql.spark.tables.locate import place_of
from spark_iceberg_sql.spark.tables.metadata_functions import without_store
from spark_iceberg_sql.spark.tables.stores import STORES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COLUMNS = (
    "location string, name string, table_uuid string, format_version int, columns string, partitioning string, "
    "last_updated_ms bigint, snapshot_id bigint, snapshot_ms bigint, records bigint, data_files bigint, "
    "delete_files bigint, bytes bigint, metadata_file string, error string"
)
_SHOWN =(
    "location", "name", "table_uuid", "format_version", "columns", "partitioning",
    "timestamp_millis(last_updated_ms) AS last_updated_at", "snapshot_id",
    "timestamp_millis(snapshot_ms) AS snapshot_at", "records", "data_files", "delete_files",
    "bytes", "metadata_file", "error",
)  # fmt: skip
_BUCKET = re.compile(r"s3[an]?://[^/]+/*", re.IGNORECASE)
_DEPTH = next(argument.default for argument in TABLES.settings if argument.name == "depth")
_NAME = re.compile(r"\w+(?:\.\w+)*")
_AT_ONCE = 16  # concurrent requests to an object store
_PATIENCE = 2.0  # seconds before progress is shown, and between updates


def register(spark: SparkSession) -> None:
    """Register iceberg_tables in a session, and in every later one of this process."""
    lines = "".join(f"      * {a.name} - {a.description}\n" for a in TABLES.arguments)
    registries.register_function(
        spark,
        registries.TABLE,
        TABLES.name,
        _called,
        usage=f"_FUNC_(path [, setting => value ...]) - {TABLES.description}",
        arguments=f"\n    Arguments:\n{lines}  ",
        examples=f"\n    Examples:\n      > SELECT * FROM {TABLES.example};\n  ",
        group="table_funcs",
    )


def unregister(spark: SparkSession) -> None:
    """Unregister iceberg_tables."""
    registries.unregister_function(spark, registries.TABLE, TABLES.name)


def _called(arguments: Java) -> Java:
    """The callback. With `store`, the other arguments are those of that function over a location."""
    store, rest = without_store(TABLES.name, arguments)
    reader = TABLES
    if store.store != TABLES.store:
        reader = replace(store, name=TABLES.name, settings=TABLES.settings)
    return answer(reader, _plan, rest)


def _plan(function: Function, values: Mapping[str, Value]) -> Java:
    depth = int(str(values.get("depth", _DEPTH)))
    most = values.get("limit")
    if depth < 1 or (most is not None and int(most) < 1):
        name = "depth" if depth < 1 else "limit"
        raise invalid(function.name, name, f"`{values[name]}` is not a positive number")
    path = str(values.get("path") or values.get("url"))
    if function.store == TABLES.store:
        if _NAME.fullmatch(path):
            rows = list(islice(_named(path), None if most is None else int(most)))
            return table_metadata.rows(_COLUMNS, rows, *_SHOWN)
        # A whole bucket: the store's URL needs a path below it (stores.s3).
        if _BUCKET.fullmatch(path) and "filename" not in values:
            path = f"{path.rstrip('/')}/*"
        values = {**values, "url": path}
    location = STORES[function.store](function.name, values)
    files = files_of(function.name, place_of(values), location, cached=False)
    store, path = tree(files, location.path)
    rows = _rows(
        store, _counted(_found(store, path, depth), path), None if most is None else int(most)
    )
    return table_metadata.rows(_COLUMNS, rows, *_SHOWN)


# ---------------------------------------------------------------------------------- which folders


def _found(store: Tree, path: str, depth: int) -> Iterator[str]:
    """The folders of tables, without duplicates, in traversal order."""
    seen = set()
    if has_wildcards(path) and store.can_walk:  # a folder may have such a name itself
        for folder in _below(store, path, store.children(path) or Children(), depth):
            seen.add(folder)
            yield folder
    for pattern in patterns(path):
        if store.can_walk:
            top = store.children(pattern.root)
            if top is None and not has_wildcards(path):
                raise Refusal("PATH_NOT_FOUND", path=pattern.root)
            walk = _matching(store, pattern.root, top or Children(), pattern.parts, depth)
        else:
            walk = _listed(store, pattern.root, pattern.parts)
        for folder in walk:
            if folder not in seen:
                seen.add(folder)
                yield folder


def _matching(
    store: Tree, folder: str, here: Children, parts: tuple[str, ...], depth: int
) -> Iterator[str]:
    """The tables below the folders that match the remaining parts of a pattern. children: of the folder."""
    if not parts:
        yield from _below(store, folder, here, depth)
        return
    fits = matcher(parts[0])
    wanted = [name for name in sorted(here.folders) if fits(name)]
    for inner, inside in _all_children(store, folder, wanted):
        yield from _matching(store, inner, inside, parts[1:], depth)


def _below(store: Tree, folder: str, here: Children, depth: int) -> Iterator[str]:
    """The tables in a folder and its subfolders, down to a depth. children: of the folder."""
    # A table's own folder is not searched: its data may be in a hundred thousand files.
    if "metadata" in here.folders and store.metadata_files(folder):
        yield folder
        return
    if depth == 0:
        return
    wanted = [name for name in sorted(here.folders) if not name.startswith(".") and "=" not in name]
    for inner, inside in _all_children(store, folder, wanted):
        yield from _below(store, inner, inside, depth - 1)


def _all_children(store: Tree, folder: str, names: list[str]) -> Iterator[tuple[str, Children]]:
    """Each subfolder of a folder with its content; object stores are queried in parallel."""
    addresses = [f"{folder.rstrip('/')}/{name}" for name in names]
    if store.files.location.io == HADOOP or len(addresses) < 2:
        for address in addresses:
            yield address, store.children(address) or Children()
        return
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        yield from zip(
            addresses,
            (found or Children() for found in pool.map(store.children, addresses)),
            strict=True,
        )


def _listed(store: Tree, root: str, parts: tuple[str, ...]) -> Iterator[str]:
    """For a store that can only list everything below a prefix: the folders above its metadata files."""
    found = {
        file.location.rpartition("/")[0].removesuffix("/metadata")
        for file in prefix_listing(store.files.io, root, METADATA_NAMES)
        if file.location.rpartition("/")[0].endswith("/metadata")
    }
    for folder in sorted(found):
        names = folder[len(root.rstrip("/")) + 1 :].split("/")
        if len(names) >= len(parts) and all(
            matcher(part)(name) for part, name in zip(parts, names, strict=False)
        ):
            yield folder


def _counted(found: Iterable[str], path: str) -> Iterator[str]:
    """The same folders, with a progress line in a terminal or notebook."""
    watched = jobs.watched()
    begun = said = time.monotonic()
    count = 0
    for count, folder in enumerate(found, 1):
        yield folder
        now = time.monotonic()
        if watched and now - said > _PATIENCE:
            said = now
            _say(f"{count:,} tables, now in {folder}")
    if said != begun:
        _say(f"{count:,} tables below {path}", "\n")


def _say(words: str, end: str = "") -> None:
    """Write over the last line of progress."""
    line = without_commands(visible(f"iceberg_tables: {words}"))
    raw_stream(sys.stderr).write(f"\r{line}{end}")


# ---------------------------------------------------------------------------------- one table


def _named(name: str) -> Iterator[dict[str, Any]]:
    """The tables of a catalog or a namespace."""
    for table, metadata, why in namespaces.tables(name):
        row: dict[str, Any] = {"name": table, "error": why}
        if metadata is not None:
            row["location"] = str(metadata.location())
            row["metadata_file"] = str(metadata.metadataFileLocation())
            row |= summary(namespaces.content(metadata))
        yield row


def _rows(store: Tree, found: Iterator[str], most: int | None) -> list[dict[str, Any]]:
    """The rows of the first tables found."""
    rows: list[dict[str, Any]] = []
    batch: list[str] = []
    for folder in found:
        batch.append(folder)
        if most is not None and len(rows) + len(batch) >= most:
            break
        if len(batch) == 4 * _AT_ONCE:
            rows += _read(store, batch)
            batch = []
    return rows + _read(store, batch)


def _read(store: Tree, batch: list[str]) -> list[dict[str, Any]]:
    if store.files.location.io == HADOOP or len(batch) < 2:
        return [_row(store, folder) for folder in batch]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(partial(_row, store), batch))


def _row(store: Tree, folder: str) -> dict[str, Any]:
    """The row from a table's current metadata file; if it cannot be read, `error` has the reason."""
    row: dict[str, Any] = {"location": folder, "name": folder.rpartition("/")[2]}
    try:
        row["metadata_file"] = current_metadata_file(
            store.metadata_files(folder),
            store.files.heads,
            table_uuid=None,
            by_last_updated=False,
        ).location
        raw = store.content(row["metadata_file"])
        # gzip's magic number.
        if raw[:2] == b"\x1f\x8b":
            raw = gzip.decompress(raw)
        return row | summary(json.loads(raw))
    except JVM_ERRORS as error:
        row["error"] = message(error)
    except BrokenFileError as broken:
        row["error"] = str(broken)
    except RecursionError:
        row["error"] = f"`{row['metadata_file']}` cannot be read: its JSON is nested too deeply"
    except (NoMetadataError, MetadataError, ValueError, EOFError, OSError) as wrong:
        row["error"] = f"{wrong}"
    return row


def summary(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The row of one table. metadata: its metadata.json. Raises MetadataError."""
    if "view-uuid" in metadata:
        return {"error": "this is a view, which has no files"}
    table = table_from_metadata((), metadata)
    assert table.schema is not None  # every metadata file has both
    assert table.specs is not None
    current = metadata.get("current-snapshot-id")
    snapshots = (s for s in reversed(metadata.get("snapshots", ())) if s["snapshot-id"] == current)
    snapshot = next(snapshots, None) or {}
    totals = snapshot.get("summary", {})
    return {
        "table_uuid": metadata.get("table-uuid"),
        "format_version": metadata.get("format-version"),
        "columns": columns_ddl(table.schema),
        "partitioning": partitioning_ddl(table.schema, table.specs),
        "last_updated_ms": metadata.get("last-updated-ms"),
        "snapshot_id": snapshot.get("snapshot-id"),
        "snapshot_ms": snapshot.get("timestamp-ms"),
        "records": _number(totals, "total-records", snapshot),
        "data_files": _number(totals, "total-data-files", snapshot),
        "delete_files": _number(totals, "total-delete-files", snapshot),
        "bytes": _number(totals, "total-files-size", snapshot),
    }


def _number(totals: Mapping[str, str], key: str, snapshot: Mapping[str, Any]) -> int | None:
    """A total from the snapshot; 0 without a snapshot, NULL if the writer omitted it."""
    return (int(totals[key]) if key in totals else None) if snapshot else 0
