"""Types: Spark's spellings and Iceberg's names, both ways."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.model.types import (
    Field,
    List,
    Map,
    Primitive,
    Struct,
    UnknownTypeError,
    from_metadata,
    is_iceberg,
    primitive_from_spark,
    primitives,
    promotes,
    struct_from_spark,
)

INT = Primitive("int")


@pytest.mark.parametrize(
    ("spark", "iceberg", "spelling"),
    [
        ("boolean", "boolean", "boolean"),
        ("TINYINT", "int", "tinyint"),
        ("byte", "int", "tinyint"),
        ("smallint", "int", "smallint"),
        ("Short", "int", "smallint"),
        ("int", "int", "int"),
        ("integer", "int", "int"),
        ("bigint", "long", "bigint"),
        ("long", "long", "bigint"),
        ("float", "float", "float"),
        ("real", "float", "float"),
        ("double", "double", "double"),
        ("date", "date", "date"),
        ("timestamp", "timestamptz", "timestamp"),
        ("timestamp_ltz", "timestamptz", "timestamp"),
        ("timestamp_ntz", "timestamp", "timestamp_ntz"),
        ("string", "string", "string"),
        ("binary", "binary", "binary"),
        ("variant", "variant", "variant"),
        ("void", "unknown", "unknown"),
    ],
)
def test_spark_spellings(spark, iceberg, spelling):
    kind = primitive_from_spark(spark)
    assert kind.name == iceberg
    assert str(kind) == spelling


@pytest.mark.parametrize(
    ("spark", "arguments", "spelling"),
    [
        ("decimal", (), "decimal(10, 0)"),
        ("dec", (5,), "decimal(5, 0)"),
        ("numeric", (9, 2), "decimal(9, 2)"),
        ("char", (3,), "char(3)"),
        ("character", (3,), "char(3)"),
        ("varchar", (7,), "varchar(7)"),
    ],
)
def test_spark_spellings_with_arguments(spark, arguments, spelling):
    assert str(primitive_from_spark(spark, arguments)) == spelling


@pytest.mark.parametrize("spark", ["uuid", "text", "time", "timestamptz", "timestamp_ns", "interval", "bool"])
def test_what_spark_refuses_for_an_iceberg_table(spark):
    with pytest.raises(UnknownTypeError, match=spark):
        primitive_from_spark(spark)


@pytest.mark.parametrize(
    ("metadata", "name", "arguments"),
    [
        ("long", "long", ()),
        ("decimal(9, 2)", "decimal", (9, 2)),
        ("decimal(9,2)", "decimal", (9, 2)),
        ("fixed[16]", "fixed", (16,)),
        ("timestamptz_ns", "timestamptz_ns", ()),
        ("geometry(srid:4326)", "geometry", ()),
        ("hologram", "hologram", ()),
    ],
)
def test_types_of_metadata(metadata, name, arguments):
    kind = from_metadata(metadata)
    assert (kind.name, kind.arguments) == (name, arguments)
    assert is_iceberg(kind) == (name != "hologram")


def test_nested_types_of_metadata():
    kind = from_metadata(
        {
            "type": "struct",
            "fields": [
                {
                    "id": 1,
                    "name": "tags",
                    "required": True,
                    "type": {"type": "list", "element-id": 2, "element": "string", "element-required": False},
                },
                {
                    "id": 3,
                    "name": "m",
                    "required": False,
                    "type": {
                        "type": "map",
                        "key-id": 4,
                        "key": "string",
                        "value-id": 5,
                        "value": "decimal(9, 2)",
                        "value-required": True,
                    },
                },
            ],
        }
    )
    tags = List(Field("element", Primitive("string"), False, 2))
    mapped = Map(Field("key", Primitive("string"), True, 4), Field("value", Primitive("decimal", (9, 2)), True, 5))
    assert kind == Struct((Field("tags", tags, True, 1), Field("m", mapped, False, 3)))
    assert str(kind) == "struct<tags: array<string>, m: map<string, decimal(9, 2)>>"
    assert [p.name for p in primitives(kind)] == ["string", "string", "decimal"]


def test_a_nested_type_of_a_later_spec_is_named():
    with pytest.raises(UnknownTypeError, match="matrix"):
        from_metadata({"type": "matrix"})


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        ("int", "long", True),
        ("long", "int", False),
        ("float", "double", True),
        ("double", "float", False),
        ("int", "int", True),
        ("int", "string", False),
        ("date", "timestamp", False),
        ("string", "binary", False),
    ],
)
def test_promotion(old, new, allowed):
    assert promotes(Primitive(old), Primitive(new)) is allowed


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [((9, 2), (18, 2), True), ((9, 2), (8, 2), False), ((9, 2), (18, 3), False), ((9, 2), (9, 2), True)],
)
def test_promotion_of_decimals(old, new, allowed):
    assert promotes(Primitive("decimal", old), Primitive("decimal", new)) is allowed


def test_nested_types_do_not_promote():
    int_struct, two = Struct((Field("a", Primitive("int")),)), Struct((Field("a", Primitive("long")),))
    assert promotes(int_struct, int_struct)
    assert not promotes(int_struct, two)
    assert not promotes(Primitive("int"), int_struct)


# --- Spark's schema JSON ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("long", "bigint"),
        ("decimal(9, 2)", "decimal(9, 2)"),
        ("varchar(3)", "varchar(3)"),
        ("string collate UNICODE_CI", "string"),
        ({"type": "array", "elementType": "integer", "containsNull": True}, "array<int>"),
        (
            {
                "type": "map",
                "keyType": "string",
                "valueType": {"type": "struct", "fields": [{"name": "x", "type": "date", "nullable": True}]},
                "valueContainsNull": True,
            },
            "map<string, struct<x: date>>",
        ),
        ({"type": "udt", "sqlType": "double"}, "double"),
    ],
)
@pytest.mark.parametrize("optional", [False, True])
def test_columns_of_a_spark_schema(value: object, expected: str, optional: bool) -> None:
    columns = {"type": "struct", "fields": [{"name": "c", "type": value, "nullable": optional}]}
    (field,) = struct_from_spark(columns).fields
    assert (field.name, str(field.type), field.required) == ("c", expected, not optional)


def test_what_a_spark_schema_says_of_nulls() -> None:
    for nulls in (False, True):
        items = {"type": "array", "elementType": "integer", "containsNull": nulls}
        pairs = {"type": "map", "keyType": "string", "valueType": "integer", "valueContainsNull": nulls}
        fields = [{"name": name, "type": kind, "nullable": True} for name, kind in (("l", items), ("m", pairs))]
        (listed, mapped) = struct_from_spark({"fields": fields}).fields
        assert listed.type == List(Field("element", INT, not nulls))
        assert mapped.type == Map(Field("key", Primitive("string"), True), Field("value", INT, not nulls))


@pytest.mark.parametrize("kind", ["calendar interval", {"type": "matrix"}])
def test_a_spark_type_that_iceberg_has_not(kind: object) -> None:
    fields = [{"name": "c", "type": kind, "nullable": True}]
    with pytest.raises(UnknownTypeError, match=r"^(calendar|matrix)$"):
        struct_from_spark({"fields": fields})


def test_a_length_that_is_left_out_is_no_length() -> None:
    assert primitive_from_spark("varchar") == Primitive("string")


def test_a_list_whose_elements_are_required() -> None:
    value = {"type": "list", "element": "int", "element-required": True, "element-id": 2}
    assert from_metadata(value) == List(Field("element", INT, True, 2))


def test_nothing_nested_is_promoted_to_a_primitive() -> None:
    nested = List(Field("element", INT))
    assert not promotes(nested, INT)
    assert not promotes(INT, nested)
    assert promotes(nested, nested)


def test_types_are_equal_whatever_is_known_besides() -> None:
    """A comment, a default and what is known of the values do not make another type, nor do they show in a repr."""
    described = Field("id", Primitive("timestamp", rounded=True), doc="of the visit", default=17)
    bare = Field("id", Primitive("timestamp"), doc="of the visit")
    assert described == bare
    assert hash(described) == hash(bare)
    assert repr(described) == repr(bare)
    assert Field("id", INT, doc="a key") == Field("id", INT)
    assert not bare.required
    assert not bare.type.rounded
