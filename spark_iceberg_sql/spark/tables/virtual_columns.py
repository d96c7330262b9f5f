"""The virtual columns of a table read by its path: _path, _file, _size, _time, _etag.

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

from spark_iceberg_sql.spark.bridge import file_facts, jvm, relations
from spark_iceberg_sql.spark.bridge.java_rows import StoreFile
from spark_iceberg_sql.spark.bridge.jvm import Java
from spark_iceberg_sql.spark.tables.locate import Found
from spark_iceberg_sql.syntax.identifiers import backticked

NAMES = ("_path", "_file", "_size", "_time", "_etag")
_MENTIONED = re.compile(r"(?<![\w$])_(path|file|size|time|etag)(?!\w)", re.IGNORECASE)

# Not `_file` alone: Iceberg fails on max(_file), which Spark would then push down to it.
_ADDRESS = "concat(_file, '') AS __address"
_SCHEME = re.compile(r"^[A-Za-z0-9+.-]+:(//)?")
_FACTS = {"_size": "BIGINT", "_time": "TIMESTAMP", "_etag": "STRING"}
_AT_ONCE = 50_000  # data files whose sizes the driver collects


def mentioned(always: bool) -> frozenset[str]:
    """The virtual columns that the statement may use; all if its text is unknown or `always` is set."""
    text = relations.statement()
    if always or text is None:
        return frozenset(NAMES)
    return frozenset("_" + word.lower() for word in _MENTIONED.findall(text))


def with_virtual_columns(
    leaf: Java,
    found: Found,
    snapshot: int | None,
    wanted: frozenset[str],
    *,
    pruned: bool,
    cached: bool,
) -> Java:
    """The plan that reads a relation, with the virtual columns as hidden columns.

    leaf: the relation. located_table: its table. snapshot: the one it reads; None in an empty table.
    requested_names: the columns that the statement may use; cheap ones are always included. pruned: whether
    predicates may be pushed down. cached: whether to use an earlier call's maps of the snapshot's files.
    """
    own = relations.column_names(leaf)
    taken = {name.lower() for name in own}
    base = leaf if pruned else relations.unpushed(leaf)
    if "_file" in taken:  # the table's own column shadows the one that all others are derived from
        return relations.without_file(base)
    theirs = [name for name in relations.hidden_column_names(leaf) if name not in taken]
    theirs.remove("_file")
    quoted = [backticked(name) for name in own]
    rows = relations.data_frame(base)
    made = {"_path": _found(found), "_file": "substring_index(__address, '/', -1)"}
    facts = sorted((wanted & _FACTS.keys()) - taken)
    if facts and snapshot is None:
        rows = _select(rows, *quoted, _ADDRESS, *theirs)
        made |= {name: f"CAST(NULL AS {_FACTS[name]})" for name in facts}
    elif facts == ["_size"] and file_facts.count(found.operations, snapshot or 0) > _AT_ONCE:
        rows = _select(rows, *quoted, _ADDRESS, *theirs)
        condition = _expression("__address = __path")
        rows = rows.join(_sizes(found, snapshot or 0), condition, "left")
        made["_size"] = "__size"
    else:
        looked_up = _looked_up(found, snapshot or 0, facts, cached=cached) if facts else []
        plain = [_expression(text) for text in (*quoted, _ADDRESS, *theirs)]
        rows = rows.select(jvm.to_seq([*plain, *looked_up]))
        made |= {name: name for name in facts}
    hidden = [f"{text} AS {name}" for name, text in made.items() if name not in taken]
    inner = _select(rows, *quoted, *hidden, *theirs)
    return relations.with_hidden(_select(inner, *quoted), inner, len(own))


def _found(found: Found) -> str:
    """The expression for the address of a row's file."""
    if found.moved is None:
        return "__address"
    old, new = f"^{found.moved.old}", re.sub(r"([\\$])", r"\\\1", found.moved.new)
    return f"regexp_replace(__address, {_text(old)}, {_text(new)})"


def _text(text: str) -> str:
    """A string in SQL that does not depend on the session's escape setting."""
    # In a plain string literal, backslashes mean different things under
    # spark.sql.parser.escapedStringLiterals.
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


def _select(rows: Java, *expressions: str) -> Java:
    return rows.selectExpr(jvm.to_seq(expressions))


def _expression(text: str) -> Java:
    return jvm.java_class("org.apache.spark.sql.functions").expr(text)


def _looked_up(found: Found, snapshot: int, wanted: list[str], *, cached: bool) -> list[Java]:
    """The columns with the size, time and etag of each row's file."""
    timed = bool({"_time", "_etag"} & set(wanted))
    moved = None if found.moved is None else (found.moved.old, found.moved.new)
    listed = partial(_listed, found) if timed else None
    maps = file_facts.maps(found.operations, snapshot, listed, moved, cached=cached)
    return [file_facts.lookup(name, maps[name], "_file") for name in wanted]


def _sizes(found: Found, snapshot: int) -> Java:
    """The sizes of data files that are too many for the driver, read from the manifests on the executors."""
    table = relations.metadata_table(found.operations, found.location.path, "DATA_FILES")
    files = relations.relation(relations.spark_table(table, snapshot=snapshot))
    rows = _select(
        relations.data_frame(files), "file_path AS __path", "file_size_in_bytes AS __size"
    )
    return rows.dropDuplicates(jvm.to_seq(["__path"]))


def _listed(found: Found) -> Iterator[StoreFile]:
    """Times and etags, from a listing of the folder that the table writes its data to."""
    properties = found.operations.current().properties()
    folder = properties.get("write.data.path") or f"{found.folder.rstrip('/')}/data"
    if found.moved is not None:
        folder = found.moved.found(folder)
    for file in found.files.folder(folder, etags=True):
        address = _SCHEME.sub("", file.location)
        yield StoreFile(address=address, modified_ms=file.modified_ms, etag=file.etag or None)
