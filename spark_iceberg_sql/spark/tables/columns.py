"""Columns of types that Spark does not support: time, nanosecond timestamps, geometry in some reference systems.

They are skipped and the other columns are read, or they are read as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from spark_iceberg_sql.model.table_functions import Value
from spark_iceberg_sql.spark.bridge import jvm, lines, relations, schemas, text_table
from spark_iceberg_sql.spark.bridge.jvm import Java
from spark_iceberg_sql.spark.bridge.schemas import Json
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.warn_once import warn_once

# Iceberg's readers of single rows fail on an unreadable column of a file, projected or not.
_IN_BATCHES = {"vectorization-enabled": "true"}


def readable(
    function: str, table: Java, values: Mapping[str, Value], *, rows: bool = False
) -> tuple[Java, dict[str, str]]:
    """The Spark table with the columns that Spark can represent, or with those given as `columns`; and read options.

    rows: whether the table's data files are read, not its metadata. Warns about skipped columns, unless the call asks
    to skip them. With `string`, the columns are text. Raises Refusal.
    """
    if schemas.is_readable(table):
        return table, {}
    schema, wanted = schemas.schema_of(table), str(values.get("columns") or "").lower()
    if wanted == "string":
        if not rows:
            words = "metadata has no text of such columns; write columns => 'skip'"
            raise invalid(function, "columns", words)
        return text_table.text_table(table, schema, _as_text(schema)), {}
    out = ", ".join(f"`{name}` ({kind})" for name, kind in _unreadable(schema))
    nested = [one["name"] for one in schema["fields"] if rows and _is_nested(one["type"])]
    kept = _kept(schema if not nested else _without(schema, nested))
    if wanted == "error" or kept is None:
        advice = "; write columns => 'string' to read text" if rows else ""
        raise invalid(function, "columns", f"Spark has no type for {out}{advice}")
    if rows:
        _refuse_avro(function, table, out)
    if wanted != "skip":
        besides = ", ".join(f"`{name}`" for name in nested)
        besides = besides and (
            f", and without {besides}: nested columns cannot be read from files with such columns"
        )
        advice = "; write columns => 'string' to read all columns, these as text" if rows else ""
        words = f"`{table.name()}` is read without {out}, for which Spark has no type"
        warn_once(words + besides + advice)
    return schemas.with_schema(table, kept), dict(_IN_BATCHES) if rows else {}


def refuse_without_type(function: str, argument: str, table: Java) -> None:
    """Refuse a Spark table with columns that Spark cannot represent, for an argument that reads all columns."""
    if not schemas.is_readable(table):
        out = ", ".join(
            f"`{name}` ({kind})" for name, kind in _unreadable(schemas.schema_of(table))
        )
        words = (
            f"Spark has no type for {out}; the changes of such a table cannot be read: compare two snapshots with "
            f"{function}(..., snapshot_id => ..., columns => 'string')"
        )
        raise invalid(function, argument, words)


def _is_nested(kind: Json | str) -> bool:
    """True for a column of Parquet files that Iceberg does not read in batches."""
    return not isinstance(kind, str) or kind == "variant"


def _without(schema: Json, names: list[str]) -> Json:
    return {**schema, "fields": [f for f in schema["fields"] if f["name"] not in names]}


def _refuse_avro(function: str, table: Java, out: str) -> None:
    """Refuse a table with Avro files, which are read row by row, too."""
    snapshot = lines.snapshot_id(table)
    if snapshot is None:
        return
    iceberg = table.table()
    files = relations.metadata_table(iceberg.operations(), str(iceberg.name()), "DATA_FILES")
    # Its columns have bounds of the unreadable ones.
    known = relations.spark_table(files, snapshot=snapshot)
    kept, _ = readable(function, known, {"columns": "skip"})
    formats = (
        relations.data_frame(relations.relation(kept))
        .select("file_format", jvm.to_seq([]))
        .distinct()
    )
    if "AVRO" in (name.upper() for name in relations.column(formats)):
        words = (
            f"the table has Avro files, which cannot be read without {out}, for which Spark has no type; "
            "write columns => 'string' to read text"
        )
        raise invalid(function, "columns", words)


def _as_text(kind: Any) -> Any:
    """A type with `string` for each part that Spark cannot represent, and for all geometry."""
    if isinstance(kind, str):
        return kind if _is_readable(kind) and not kind.startswith("geo") else "string"
    made = {**kind, **{part: _as_text(kind[part]) for part in _parts(kind)}}
    if "fields" in kind:
        made["fields"] = [_shown(one) for one in kind["fields"]]
    return made


def _shown(field: Json) -> Json:
    kept = {key: value for key, value in field.items() if not key.endswith("-default")}
    return {**kept, "type": _as_text(field["type"])}


def _unreadable(kind: Json | str, name: str = "") -> Iterator[tuple[str, str]]:
    """The parts of a type that Spark cannot represent: name, type."""
    if isinstance(kind, str):
        if not _is_readable(kind):
            yield name, kind
        return
    for part in _parts(kind):
        yield from _unreadable(kind[part], f"{name}.{part}")
    for one in kind.get("fields", ()):
        yield from _unreadable(one["type"], f"{name}.{one['name']}" if name else one["name"])


def _parts(kind: Json) -> list[str]:
    return [part for part in ("element", "key", "value") if part in kind]


def _kept(kind: Json) -> Json | None:
    """A type without what Spark cannot represent; None if nothing is left."""
    kept = dict(kind)
    for part in _parts(kind):
        if any(_unreadable(kind[part])):
            inner = None if part == "key" or isinstance(kind[part], str) else _kept(kind[part])
            if inner is None:
                return None
            kept[part] = inner
    if "fields" in kind:
        kept["fields"] = []
        for one in kind["fields"]:
            type_ = one["type"] if not any(_unreadable(one["type"])) else None
            if type_ is None and not isinstance(one["type"], str):
                type_ = _kept(one["type"])
            if type_ is not None:
                kept["fields"].append({**one, "type": type_})
        if kind["fields"] and not kept["fields"]:
            return None
        names = {one["id"] for one in kept["fields"]}
        if "identifier-field-ids" in kept:
            kept["identifier-field-ids"] = [i for i in kept["identifier-field-ids"] if i in names]
    return kept


@lru_cache(maxsize=256)
def _is_readable(kind: str) -> bool:
    return schemas.is_readable_type(kind)
