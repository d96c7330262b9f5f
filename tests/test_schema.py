"""Schemas: look-up by dotted name, field ids as Iceberg gives them, and changes of columns."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.model.schema import Schema, folded
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.types import Field, List, Map, Primitive, Struct
from spark_iceberg_sql.similar_names import similar_names

INT, TEXT = Primitive("int"), Primitive("string")
POINT = Struct((Field("x", INT), Field("y", INT)))
NESTED = Schema(
    (
        Field("id", INT),
        Field("p", POINT),
        Field("l", List(Field("element", POINT))),
        Field("m", Map(Field("key", TEXT, True), Field("value", POINT))),
        Field("s", TEXT),
    )
)
FRESH, LAST = NESTED.with_fresh_ids()


def ids(schema: Schema) -> dict[str, int | None]:
    return {column.name: column.field.field_id for column in schema.columns}


def test_fresh_ids_number_a_level_before_what_lies_inside() -> None:
    assert ids(FRESH) == {
        "id": 1,
        "p": 2,
        "l": 3,
        "m": 4,
        "s": 5,
        "p.x": 6,
        "p.y": 7,
        "l.element": 8,
        "l.element.x": 9,
        "l.element.y": 10,
        "m.key": 11,
        "m.value": 12,
        "m.value.x": 13,
        "m.value.y": 14,
    }
    assert LAST == FRESH.last_column_id == 14


def test_fresh_ids_keep_those_of_the_same_full_name() -> None:
    new = Schema((Field("z", INT), Field("p", Struct((Field("y", INT), Field("z", INT))))))
    assert ids(new.with_fresh_ids(FRESH, LAST)[0]) == {"z": 15, "p": 2, "p.y": 7, "p.z": 16}
    assert ids(NESTED.with_fresh_ids(FRESH, LAST)[0]) == ids(FRESH)


def test_look_up() -> None:
    assert FRESH.find(["p", "x"]) == FRESH.find(["p.x"]) == FRESH.by_id(6)
    assert FRESH.find(["P", "x"]) is None
    assert [c.name for c in FRESH.find_all(["P", "X"])] == ["p.x"]
    assert FRESH.find_all(["P", "X"], case_sensitive=True) == ()
    assert [c.name for c in FRESH.find_all(["p", "x"], case_sensitive=True)] == ["p.x"]
    assert FRESH.by_id(99) is None
    assert Schema(()).last_column_id == NESTED.last_column_id == 0


def test_in_collection() -> None:
    inside = {column.name for column in FRESH.columns if column.in_collection}
    assert inside == {c.name for c in FRESH.columns if c.name[:2] in ("l.", "m.")}


def test_several_of_one_name() -> None:
    schema = Schema((Field("a.b", INT, False, 1), Field("a", Struct((Field("b", INT, False, 3),)), False, 2)))
    assert schema.find(["a", "b"]) is None
    assert [c.field.field_id for c in schema.find_all(["A", "B"])] == [1, 3]


def test_add_a_column() -> None:
    schema, last = FRESH.with_column(["q"], Field("q", POINT), 20)
    assert (schema.find(["q"]), last) != (None, 20)
    assert {n: i for n, i in ids(schema).items() if n.startswith("q")} == {"q": 21, "q.x": 22, "q.y": 23}
    assert last == 23


@pytest.mark.parametrize(
    ("parent", "where"), [("p", "p.z"), ("l", "l.element.z"), ("m", "m.value.z"), ("l.element", "l.element.z")]
)
def test_add_a_field_to_a_struct_also_inside_collections(parent: str, where: str) -> None:
    schema, last = FRESH.with_column([*parent.split("."), "z"], Field("z", INT), LAST)
    assert ids(schema)[where] == last == LAST + 1
    assert len(schema.columns) == len(FRESH.columns) + 1


def test_add_a_field_to_a_struct_in_a_struct() -> None:
    outer = Schema((Field("a", Struct((Field("b", POINT),))),)).with_fresh_ids()[0]
    schema, _ = outer.with_column(["a", "b", "z"], Field("z", INT), 4)
    assert ids(schema) == {"a": 1, "a.b": 2, "a.b.x": 3, "a.b.y": 4, "a.b.z": 5}


def test_add_to_nothing_changes_nothing() -> None:
    assert FRESH.with_column(["id", "z"], Field("z", INT), LAST)[0] == FRESH
    assert FRESH.with_column(["nope", "z"], Field("z", INT), LAST) == (FRESH, LAST)


def test_edit_and_drop_at_any_depth() -> None:
    renamed = FRESH.with_edited_field(13, lambda f: Field("w", f.type, f.required, f.field_id))
    assert ids(renamed)["m.value.w"] == 13
    for name in ("id", "p.x", "l.element.y", "m.value.x"):
        field_id = ids(FRESH)[name]
        assert field_id is not None
        assert ids(FRESH.with_edited_field(field_id, lambda _: None)).keys() == ids(FRESH).keys() - {name}
    assert not any(n.startswith("p") for n in ids(FRESH.with_edited_field(2, lambda _: None)))


@pytest.mark.parametrize(("name", "key"), [("ID", "id"), ("ÄB", "äb"), ("\u212a", "k"), ("\u0130d", "id")])
def test_letter_case_is_that_of_java(name: str, key: str) -> None:
    assert folded(name) == folded(key) == key


def test_near_misses() -> None:
    assert similar_names("NMAE", ["id", "name", "note"]) == ("name",)
    assert FRESH.similar_names("p.z")[:2] in (("p.x", "p.y"), ("p.y", "p.x"))
    assert similar_names("nothing like it", ["id"]) == ()


def test_the_first_of_each_type_are_as_many_as_a_message_lists() -> None:
    types = ["int", "string"] * 5
    fields = [Field(f"c{i}", Primitive(kind)) for i, kind in enumerate(types)]
    inside = Field("l", List(Field("element", Primitive("int"))))
    column_names = [column.name for column in Schema((inside, *fields)).first_of_each_type]
    assert column_names == ["l", *(f"c{i}" for i in range(8))]


def test_what_is_computed_of_columns_in_use_is_kept() -> None:
    """Statements that change only the specs of a table leave its columns one object."""
    schema = Schema((Field("id", Primitive("int"), field_id=1),))
    tables = Tables([Table(("t",), schema=schema)])
    for i in range(300):
        assert schema.find(("id",))
        computed = dict(vars(schema))
        tables.put(Table(("t",), schema=schema, properties={"i": str(i)}))
        assert vars(schema) == computed
