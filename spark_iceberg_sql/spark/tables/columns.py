"""Columns whose types Spark does not have: time, timestamps in nanoseconds, geometry and geography.

The other columns are read. A column of such a type is left out, or read as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from spark_iceberg_sql.model.table_functions import Value
from spark_iceberg_sql.spark.bridge import schemas
from spark_iceberg_sql.spark.bridge.jvm import Java
from spark_iceberg_sql.spark.bridge.schemas import Json
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.warn_once import warn_once
from spark_iceberg_sql.syntax.identifiers import backticked

# The time of so many seconds after 1970, of no time zone.
_SECONDS = "CAST(TIMESTAMP_NTZ '1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, {}) AS STRING)"
_NANOS = (
    f"concat({_SECONDS.format('({0} - pmod({0}, 1000000000)) DIV 1000000000')}, '.', "
    "lpad(CAST(pmod({0}, 1000000000) AS STRING), 9, '0'))"
)
# Type: the one that its values are stored as, and the text of a value.
_TEXTS = {
    "time": ("long", f"substr({_SECONDS.format('CAST({0} AS DECIMAL(18, 0)) / 1000000')}, 12)"),
    "timestamp_ns": ("long", _NANOS),
    "timestamptz_ns": ("long", f"concat({_NANOS}, '+00:00')"),
    "geometry": ("binary", "hex({0})"),
    "geography": ("binary", "hex({0})"),
}


@dataclass(slots=True)
class Columns:
    """What a Spark table reads. table: with the columns that Spark can represent. texts: the names of those that are
    read as text, each with the expression of it.
    """

    table: Java
    texts: dict[str, str] = field(default_factory=dict)


def readable(function: str, table: Java, values: Mapping[str, Value]) -> Columns:
    """The columns of a Spark table that can be read, as `columns` in the values specifies.

    Warns of columns that are left out, unless the call asks for that. Raises Refusal.
    """
    if schemas.is_readable(table) or not schemas.can_leave_out():
        return Columns(table)
    schema, wanted = schemas.schema_of(table), str(values.get("columns") or "").lower()
    found = Columns(table)
    if wanted == "string":
        _as_text(schema, found.texts)
    out = ", ".join(f"`{name}` ({kind})" for name, kind in _unreadable(schema))
    kept = _kept(schema)
    if wanted == "error" or kept is None:
        advice = "leave `columns` out, or " if kept is not None else ""
        words = f"Spark has no type for {out}; {advice}write columns => 'string' to read such columns as text"
        raise invalid(function, "columns", words)
    if out and wanted != "skip":
        advice = "" if wanted == "string" else "; columns => 'string' reads such columns as text"
        warn_once(f"`{table.name()}` is read without {out}, for which Spark has no type{advice}")
    found.table = schemas.with_schema(table, kept)
    return found


def _as_text(schema: Json, texts: dict[str, str]) -> None:
    for column in schema["fields"]:
        kind = column["type"]
        stored = _TEXTS.get(kind.partition("(")[0]) if isinstance(kind, str) else None
        if stored is not None and not _is_readable(kind):
            column["type"] = stored[0]
            texts[column["name"]] = stored[1].format(backticked(column["name"]))


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
