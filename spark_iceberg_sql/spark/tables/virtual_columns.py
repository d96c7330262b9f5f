"""The virtual columns of a table read by its path: _path, _file, _size, _time, _etag.

They are hidden, like Iceberg's own metadata columns: SELECT * omits them, and a statement can select them by
name. They cost nothing if the statement's text has none of the names, and otherwise only what is used.

`_file` means two things: in ClickHouse the file's name, in Iceberg its full path. In the table
functions it is the file's name, and Iceberg's `_file` is `_path`; a catalog table keeps Iceberg's.
If the columns were not requested, there is no `_file` at all.
"""

from __future__ import annotations

import json
import re

from spark_iceberg_sql.spark.bridge import jvm, relations
from spark_iceberg_sql.spark.bridge.jvm import Java
from spark_iceberg_sql.spark.tables.locate import Found
from spark_iceberg_sql.syntax.identifiers import backticked

NAMES = ("_path", "_file", "_size", "_time", "_etag")
_MENTIONED = re.compile(r"(?<![\w$])_(path|file|size|time|etag)(?!\w)", re.IGNORECASE)

# Not `_file` alone: Iceberg fails on max(_file), which Spark would then push down to it.
_ADDRESS = "concat(_file, '')"
_SAME_FILE = "regexp_replace(__address, '^[A-Za-z0-9+.-]+:(//)?', '') = __key"
_SCHEME = re.compile(r"^[A-Za-z0-9+.-]+:(//)?")
_LISTING = "array<struct<__key string, __ms bigint, __etag string>>"


def mentioned(always: bool) -> frozenset[str]:
    """The virtual columns that the statement may use; all if its text is unknown or `always` is set."""
    text = relations.statement()
    if always or text is None:
        return frozenset(NAMES)
    return frozenset("_" + word.lower() for word in _MENTIONED.findall(text))


def with_virtual_columns(
    leaf: Java, found: Found, snapshot: int | None, wanted: frozenset[str], *, pruned: bool
) -> Java:
    """The plan that reads a relation and has the virtual columns hidden in it.

    leaf: the relation. found: its table. snapshot: the one it reads; None in an empty table.
    wanted: what the statement may use; the cheap columns come along anyway. pruned: whether
    predicates may be pushed down.
    """
    own = relations.column_names(leaf)
    taken = {name.lower() for name in own}
    base = leaf if pruned else relations.unpushed(leaf)
    if "_file" in taken:  # the table's own column hides the one that all others are derived from
        return relations.without_file(base)
    theirs = [name for name in relations.hidden_column_names(leaf) if name not in taken]
    theirs.remove("_file")
    quoted = [backticked(name) for name in own]
    address = f"{_found(found, _ADDRESS)} AS __address"
    rows = _select(relations.data_frame(base), *quoted, address, *theirs)
    made = {"_path": "__address", "_file": "element_at(split(__address, '/'), -1)"}
    if "_size" in wanted:
        made["_size"] = "CAST(NULL AS BIGINT)"
        if snapshot is not None:
            rows = _joined(rows, _sizes(found, snapshot), "__address = __path")
            made["_size"] = "__size"
    if wanted & {"_time", "_etag"}:
        rows = _joined(rows, _listing(found), _SAME_FILE)
        made |= {"_time": "timestamp_millis(__ms)", "_etag": "__etag"}
    hidden = [f"{text} AS {name}" for name, text in made.items() if name not in taken]
    inner = _select(rows, *quoted, *hidden, *theirs)
    return relations.with_hidden(_select(inner, *quoted), inner, len(own))


def _found(found: Found, address: str) -> str:
    """The expression of an address where its file is. address: the expression of the one in the metadata."""
    if found.moved is None:
        return address
    old, new = f"^{found.moved.old}", re.sub(r"([\\$])", r"\\\1", found.moved.new)
    return f"regexp_replace({address}, {_text(old)}, {_text(new)})"


def _text(text: str) -> str:
    """A string in SQL, whatever the session's setting of escapes."""
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


def _select(rows: Java, *expressions: str) -> Java:
    return rows.selectExpr(jvm.to_seq(expressions))


def _joined(rows: Java, others: Java, condition: str) -> Java:
    """A left join that Spark eliminates if no column of the right side is used, since its key is distinct."""
    return rows.join(
        others, jvm.java_class("org.apache.spark.sql.functions").expr(condition), "left"
    )


def _sizes(found: Found, snapshot: int) -> Java:
    table = relations.metadata_table(found.operations, found.location.path, "DATA_FILES")
    files = relations.relation(relations.spark_table(table, snapshot=snapshot))
    rows = _select(
        relations.data_frame(files),
        f"{_found(found, 'file_path')} AS __path",
        "file_size_in_bytes AS __size",
    )
    return rows.dropDuplicates(jvm.to_seq(["__path"]))


def _listing(found: Found) -> Java:
    """Times and etags, from a listing of the folder that the table writes its data to."""
    properties = found.operations.current().properties()
    folder = properties.get("write.data.path") or f"{found.folder.rstrip('/')}/data"
    if found.moved is not None:
        folder = found.moved.found(folder)
    listed = [
        (_SCHEME.sub("", file.location), file.modified_ms, file.etag)
        for file in found.files.folder(folder, etags=True)
    ]
    text = json.dumps([{"__key": k, "__ms": ms, "__etag": etag} for k, ms, etag in listed])
    rows = _select(relations.texts([text]), f"inline(from_json(value, '{_LISTING}'))")
    return rows.dropDuplicates(jvm.to_seq(["__key"]))
