"""The virtual columns of a table read by its path: _path, _file, _size, _time, _etag, and ClickHouse's _row_number and
_data_lake_snapshot_version, which are Iceberg's _pos and the snapshot's ID.

They are hidden, like Iceberg's own metadata columns: SELECT * omits them, and a statement can select them by
name. They cost nothing if their names are not in the statement's text; otherwise, only those used cost anything.

`_file` is the file's name in ClickHouse, and its full path in Iceberg. In the table
functions it is the file's name, and `_path` is the full path; a catalog table keeps Iceberg's `_file`.
If the columns are not requested, there is no `_file` at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_rows import StoreFile
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import file_facts
from spark_iceberg_sql.spark.tables.locations.locate import LocatedTable
from spark_iceberg_sql.syntax.identifiers import backticked

NAMES = ("_path", "_file", "_size", "_time", "_etag", "_row_number", "_data_lake_snapshot_version")
_MENTIONED = re.compile(rf"(?<![\w$])_({'|'.join(name[1:] for name in NAMES)})(?!\w)", re.IGNORECASE)

# Not `_file` alone: Iceberg fails on max(_file), which Spark would then push down to it.
_ADDRESS = "concat(_file, '') AS __address"
_SCHEME = re.compile(r"^[A-Za-z0-9+.-]+:(//)?")
_FACTS = {"_size": "BIGINT", "_time": "TIMESTAMP", "_etag": "STRING"}
_MAX_ON_DRIVER = 50_000  # data files whose sizes the driver collects


def mentioned_columns(always: bool) -> frozenset[str]:
    """The virtual columns that the statement may use; all if its text is unknown or `always` is set."""
    text = relations.statement_text()
    if always or text is None:
        return frozenset(NAMES)
    return frozenset("_" + word.lower() for word in _MENTIONED.findall(text))


def with_virtual_columns(
    leaf: Java,
    located_table: LocatedTable,
    snapshot: int | None,
    requested_names: frozenset[str],
    *,
    pruned: bool,
    cached: bool,
) -> Java:
    """The plan that reads a relation, with the virtual columns as hidden columns.

    leaf: the relation. located_table: its table. snapshot: the one it reads; None in an empty table.
    requested_names: the columns that the statement may use; cheap ones are always included. pruned: whether
    predicates may be pushed down. cached: whether to use an earlier call's maps of the snapshot's files.
    """
    column_names = relations.column_names(leaf)
    lower_names = {name.lower() for name in column_names}
    base = leaf if pruned else relations.without_push_down(leaf)
    if "_file" in lower_names:  # the table's own column shadows the one that all others are derived from
        return relations.without_file(base)
    metadata_columns = [name for name in relations.hidden_column_names(leaf) if name not in lower_names]
    metadata_columns.remove("_file")
    quoted = [backticked(name) for name in column_names]
    rows = relations.data_frame(base)
    expressions = {"_path": _address_expression(located_table), "_file": "substring_index(__address, '/', -1)"}
    if "_row_number" in requested_names:
        expressions["_row_number"] = "_pos"
    if "_data_lake_snapshot_version" in requested_names:
        snapshot_text = "NULL" if snapshot is None else str(snapshot)
        expressions["_data_lake_snapshot_version"] = f"CAST({snapshot_text} AS BIGINT)"
    fact_names = sorted((requested_names & _FACTS.keys()) - lower_names)
    if fact_names and snapshot is None:
        rows = _select(rows, *quoted, _ADDRESS, *metadata_columns)
        expressions |= {name: f"CAST(NULL AS {_FACTS[name]})" for name in fact_names}
    elif fact_names == ["_size"] and file_facts.count(located_table.operations, snapshot or 0) > _MAX_ON_DRIVER:
        rows = _select(rows, *quoted, _ADDRESS, *metadata_columns)
        rows = rows.join(_sizes(located_table, snapshot or 0), _expression("__address = __path"), "left")
        expressions["_size"] = "__size"
    else:
        fact_columns = _lookup_columns(located_table, snapshot or 0, fact_names, cached=cached) if fact_names else []
        plain = [_expression(text) for text in (*quoted, _ADDRESS, *metadata_columns)]
        rows = rows.select(gateway.to_seq([*plain, *fact_columns]))
        expressions |= {name: name for name in fact_names}
    hidden = [f"{text} AS {name}" for name, text in expressions.items() if name not in lower_names]
    inner = _select(rows, *quoted, *hidden, *metadata_columns)
    return relations.with_hidden(_select(inner, *quoted), inner, len(column_names))


def _address_expression(located_table: LocatedTable) -> str:
    """The expression for the address of a row's file."""
    if located_table.mapping is None:
        return "__address"
    pattern, replacement = (
        f"^{located_table.mapping.pattern}",
        re.sub(r"([\\$])", r"\\\1", located_table.mapping.replacement),
    )
    return f"regexp_replace(__address, {_text(pattern)}, {_text(replacement)})"


def _text(text: str) -> str:
    """A string in SQL that does not depend on the session's escape setting."""
    # In a plain string literal, backslashes mean different things under
    # spark.sql.parser.escapedStringLiterals.
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


def _select(rows: Java, *expressions: str) -> Java:
    return rows.selectExpr(gateway.to_seq(expressions))


def _expression(text: str) -> Java:
    return gateway.java_class("org.apache.spark.sql.functions").expr(text)


def _lookup_columns(located_table: LocatedTable, snapshot: int, names: list[str], *, cached: bool) -> list[Java]:
    """The columns with the size, time and etag of each row's file."""
    needs_listing = bool({"_time", "_etag"} & set(names))
    mapping = (
        None if located_table.mapping is None else (located_table.mapping.pattern, located_table.mapping.replacement)
    )
    list_files = partial(_listed, located_table) if needs_listing else None
    maps = file_facts.maps(located_table.operations, snapshot, list_files, mapping, cached=cached)
    return [file_facts.lookup(name, maps[name], "_file") for name in names]


def _sizes(located_table: LocatedTable, snapshot: int) -> Java:
    """The sizes of data files that are too many for the driver, read from the manifests on the executors."""
    table = relations.metadata_table(located_table.operations, located_table.location.path, "DATA_FILES")
    files = relations.relation(relations.spark_table(table, snapshot=snapshot))
    rows = _select(relations.data_frame(files), "file_path AS __path", "file_size_in_bytes AS __size")
    return rows.dropDuplicates(gateway.to_seq(["__path"]))


def _listed(located_table: LocatedTable) -> Iterator[StoreFile]:
    """Times and etags, from a listing of the folder that the table writes its data to."""
    properties = located_table.operations.current().properties()
    folder = properties.get("write.data.path") or f"{located_table.folder.rstrip('/')}/data"
    if located_table.mapping is not None:
        folder = located_table.mapping.current_address(folder)
    for file in located_table.files.folder(folder, etags=True):
        address = _SCHEME.sub("", file.location)
        yield StoreFile(address=address, modified_ms=file.modified_ms, etag=file.etag or None)
