"""Iceberg's types and their spellings in Spark SQL and in table metadata (spec: Schemas and Data Types)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import field, record


@record(frozen=True, slots=True)
class Primitive:
    """A primitive type by its Iceberg name; `arguments` are decimal's precision and scale or fixed's length.

    spark: the Spark spelling where it says more than the Iceberg type (tinyint, varchar(3), ...). rounded:
    whether the values are known to be whole hours, or coarser; the type is the same.
    """

    name: str
    arguments: tuple[int, ...] = ()
    spark: str | None = None
    rounded: bool = field(default=False, compare=False, repr=False)

    def __str__(self) -> str:
        if self.spark is not None:
            return self.spark
        if self.arguments:
            return f"{self.name}({', '.join(map(str, self.arguments))})"
        return SPARK_NAMES.get(self.name, self.name)


@record(frozen=True, slots=True)
class Field:
    """A column or a struct's field. field_id is None until Iceberg has given one.

    doc: its comment. default: of new rows, as metadata has it (write-default). Both None if unknown.
    """

    name: str
    type: Type
    required: bool = False
    field_id: int | None = None
    doc: str | None = field(default=None, compare=False)
    default: Any = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True)
class Struct:
    """A struct of named fields."""

    fields: tuple[Field, ...]

    name = "struct"

    def __str__(self) -> str:
        return f"struct<{', '.join(f'{f.name}: {f.type}' for f in self.fields)}>"


@record(frozen=True, slots=True)
class List:
    """A list; `element` is named `element` in paths."""

    element: Field

    name = "list"

    def __str__(self) -> str:
        return f"array<{self.element.type}>"


@record(frozen=True, slots=True)
class Map:
    """A map; its parts are named `key` and `value` in paths."""

    key: Field
    value: Field

    name = "map"

    def __str__(self) -> str:
        return f"map<{self.key.type}, {self.value.type}>"


Type = Primitive | Struct | List | Map

# Iceberg name -> what a Spark user writes, where the two differ.
SPARK_NAMES: Mapping[str, str] = {
    "long": "bigint",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
    "fixed": "binary",
}

# Spark spelling -> Iceberg name (iceberg-spark SparkTypeToType; what it refuses is absent: time is switched off in
# Spark 4.1, interval is no Iceberg type).
FROM_SPARK: Mapping[str, str] = {
    "boolean": "boolean",
    "tinyint": "int",
    "byte": "int",
    "smallint": "int",
    "short": "int",
    "int": "int",
    "integer": "int",
    "bigint": "long",
    "long": "long",
    "float": "float",
    "real": "float",
    "double": "double",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ltz": "timestamptz",
    "timestamp_ntz": "timestamp",
    "string": "string",
    "char": "string",
    "character": "string",
    "varchar": "string",
    "binary": "binary",
    "decimal": "decimal",
    "dec": "decimal",
    "numeric": "decimal",
    "variant": "variant",
    "void": "unknown",
    "geometry": "geometry",
    "geography": "geography",
}

# Types that only format version 3 has (spec: Schemas and Data Types, "v3").
V3_TYPES = frozenset({"variant", "timestamp_ns", "timestamptz_ns", "geometry", "geography", "unknown"})

_ICEBERG_NAMES = V3_TYPES | {
    "boolean",
    "int",
    "long",
    "float",
    "double",
    "decimal",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "string",
    "uuid",
    "fixed",
    "binary",
}


# The type of an expression whose type cannot be inferred.
UNKNOWN = Primitive("?")


class UnknownTypeError(ValueError):
    """A type's spelling that neither Spark nor Iceberg has; `str` is the spelling."""


@lru_cache(maxsize=256)  # few types, in many columns
def primitive_from_spark(name: str, arguments: tuple[int, ...] = ()) -> Primitive:
    """The Iceberg type of a Spark type name such as `bigint`, `decimal` (10, 2), `varchar` (3).

    Raises UnknownTypeError where Iceberg's Spark runtime has none.
    """
    lower_name = name.lower()
    iceberg = FROM_SPARK.get(lower_name)
    if iceberg is None:
        raise UnknownTypeError(name)
    if iceberg == "decimal":
        precision = arguments[0] if arguments else 10
        return Primitive("decimal", (precision, arguments[1] if len(arguments) > 1 else 0))
    if lower_name in ("tinyint", "byte"):
        return Primitive(iceberg, spark="tinyint")
    if lower_name in ("smallint", "short"):
        return Primitive(iceberg, spark="smallint")
    if lower_name in ("char", "character", "varchar") and arguments:
        return Primitive(iceberg, spark=f"{'varchar' if lower_name == 'varchar' else 'char'}({arguments[0]})")
    return Primitive(iceberg)


_PARAMETERS = regex(r"^(\w+)\s*[\[(](.*)[\])]$", re.DOTALL)


def from_metadata(value: Any) -> Type:
    """The type in a metadata.json field: a name such as "decimal(9,2)", or a nested object.

    Unknown names are kept as they are, so that metadata of a later spec version still loads.
    """
    if isinstance(value, str):
        match = _PARAMETERS.match(value)
        if match is None:
            return Primitive(value)
        name, arguments_text = match.group(1), match.group(2)
        if name in ("decimal", "fixed"):
            return Primitive(name, tuple(int(part) for part in arguments_text.split(",")))
        return Primitive(name, spark=value)
    type_name = value["type"]
    if type_name == "struct":
        return Struct(tuple(field_from_metadata(f) for f in value["fields"]))
    if type_name == "list":
        return List(
            Field("element", from_metadata(value["element"]), bool(value["element-required"]), value["element-id"])
        )
    if type_name == "map":
        return Map(
            Field("key", from_metadata(value["key"]), True, value["key-id"]),
            Field("value", from_metadata(value["value"]), bool(value["value-required"]), value["value-id"]),
        )
    raise UnknownTypeError(str(type_name))


def field_from_metadata(value: Mapping[str, Any]) -> Field:
    """A struct field of metadata.json."""
    return Field(
        value["name"],
        from_metadata(value["type"]),
        bool(value["required"]),
        value["id"],
        value.get("doc"),
        value.get("write-default"),
    )


def children(data_type: Type) -> tuple[Field, ...]:
    """The fields directly inside a type: a struct's, a list's element, a map's key and value."""
    if isinstance(data_type, Struct):
        return data_type.fields
    if isinstance(data_type, List):
        return (data_type.element,)
    return (data_type.key, data_type.value) if isinstance(data_type, Map) else ()


def with_children(data_type: Type, fields: tuple[Field, ...]) -> Type:
    """The type with other fields directly inside it, as `children` has them."""
    if isinstance(data_type, Primitive):
        return data_type
    return Struct(fields) if isinstance(data_type, Struct) else type(data_type)(*fields)


def primitives(data_type: Type) -> Iterator[Primitive]:
    """Every primitive in a type, at any depth."""
    if isinstance(data_type, Primitive):
        yield data_type
    for child in children(data_type):
        yield from primitives(child.type)


def is_iceberg(data_type: Primitive) -> bool:
    """True if the spec has a type of this name."""
    return data_type.name in _ICEBERG_NAMES


def promotes(old: Type, new: Type) -> bool:
    """True if Iceberg's Spark runtime lets a column's type change like this (spec: Schema Evolution).

    int -> long, float -> double, decimal(P, S) -> decimal(P' >= P, S), and no change at all.
    """
    if not (isinstance(old, Primitive) and isinstance(new, Primitive)):
        return old == new
    if (old.name, new.name) in (("int", "long"), ("float", "double")):
        return True
    if old.name == new.name == "decimal":
        return old.arguments[1] == new.arguments[1] and old.arguments[0] <= new.arguments[0]
    return (old.name, old.arguments) == (new.name, new.arguments)


def struct_from_spark(value: Mapping[str, Any]) -> Struct:
    """Columns as Spark's schema JSON has them (`StructType.jsonValue()`). Raises UnknownTypeError."""
    return Struct(tuple(Field(f["name"], _from_spark_json(f["type"]), not f["nullable"]) for f in value["fields"]))


def _from_spark_json(value: Any) -> Type:
    if isinstance(value, str):
        match = _PARAMETERS.match(value)
        if match is None:
            return primitive_from_spark(value.split(" ")[0])  # `string collate X` is a string
        arguments = tuple(int(part) for part in match.group(2).split(",") if part.strip().isdigit())
        return primitive_from_spark(match.group(1), arguments)
    if value["type"] == "struct":
        return struct_from_spark(value)
    if value["type"] == "array":
        return List(Field("element", _from_spark_json(value["elementType"]), not value["containsNull"]))
    if value["type"] == "map":
        return Map(
            Field("key", _from_spark_json(value["keyType"]), True),
            Field("value", _from_spark_json(value["valueType"]), not value["valueContainsNull"]),
        )
    if value["type"] == "udt":
        return _from_spark_json(value["sqlType"])
    raise UnknownTypeError(str(value["type"]))
