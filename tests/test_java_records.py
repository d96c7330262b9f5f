"""Records between Python and Java: the generated classes, and what is refused when the two sides differ."""

from __future__ import annotations

import json
from dataclasses import dataclass, make_dataclass

import pytest

from spark_iceberg_sql.spark.bridge.jvm import java_rows
from spark_iceberg_sql.spark.bridge.jvm.java_records import (
    constants_source,
    exchange_source,
    from_json,
    list_from_json,
    to_json,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    file_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    spec_id: int
    name: str | None
    is_current: bool
    parts: tuple[Inner, ...]
    by_name: dict[str, Inner]
    names: tuple[str, ...]
    share: float | None


OUTER = {
    "name": None,
    "specId": 3,
    "isCurrent": True,
    "parts": [{"fileCount": 1}, {"fileCount": 2}],
    "byName": {"a": {"fileCount": 4}},
    "names": ["x", "y"],
    "share": 0.5,
}


def test_values_are_read_by_name() -> None:
    assert from_json(Outer, json.dumps(OUTER)) == Outer(
        spec_id=3,
        name=None,
        is_current=True,
        parts=(Inner(file_count=1), Inner(file_count=2)),
        by_name={"a": Inner(file_count=4)},
        names=("x", "y"),
        share=0.5,
    )
    assert list_from_json(Inner, '[{"fileCount": 1}]') == [Inner(file_count=1)]


@pytest.mark.parametrize(
    "change",
    [
        {"specId": None},
        {"parts": None},
        {"extra": 1},
        {"parts": [{"files": 1}]},
        {"byName": {"a": {"fileCount": None}}},
    ],
)
def test_another_field_and_a_missing_value_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(TypeError, match=r"Java's (Outer|Inner) has"):
        from_json(Outer, json.dumps({**OUTER, **change}))


def test_a_renamed_field_is_refused() -> None:
    renamed = {("spec" if key == "specId" else key): value for key, value in OUTER.items()}
    with pytest.raises(TypeError, match="has the fields name, spec,"):
        from_json(Outer, json.dumps(renamed))


def test_java_reads_what_python_writes() -> None:
    files = [java_rows.StoreFile(address="a", modified_ms=1, etag=None)]
    assert json.loads(to_json(java_rows.StoreFile, files)) == [{"address": "a", "modifiedMs": 1, "etag": None}]
    assert to_json(java_rows.StoreFile, ()) == "[]"


def test_an_exchanged_class_has_a_field_for_each_value() -> None:
    source = exchange_source(Outer)
    assert "public Long specId;" in source
    assert "public java.util.List<Inner> parts;" in source
    assert "public java.util.Map<String, Inner> byName;" in source


@pytest.mark.parametrize("order", [("name", "size"), ("size", "name")])
def test_constants_follow_the_order_of_the_declaration(order: tuple[str, str]) -> None:
    types = {"name": str, "size": int}
    row_class = make_dataclass("Row", [(name, types[name]) for name in order], kw_only=True)
    source = constants_source(row_class, [row_class(name="a\n", size=7)])
    values = {"name": r'"a\n"', "size": "7L"}
    java = {"name": "String name", "size": "long size"}
    assert f"private Row({', '.join(java[name] for name in order)})" in source
    assert f"new Row({', '.join(values[name] for name in order)})" in source


def test_each_record_is_declared_after_those_it_contains() -> None:
    declared: set[str] = set()
    for record in java_rows.EXCHANGED:
        fields = exchange_source(record)
        later = {other.__name__ for other in java_rows.EXCHANGED} - declared - {record.__name__}
        assert not [name for name in later if f"<{name}>" in fields or f" {name}>" in fields]
        declared.add(record.__name__)
