"""Results as plain values, for JSON, and the schema of that JSON, both from the records' attributes."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Union, get_args, get_origin, get_type_hints

from spark_iceberg_sql.safe_output import data_without_commands

_JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", bytes: "string", type(None): "null"}


def json_value(value: object) -> Any:
    """A value without tuples and records: a record is a dict of its attributes, bytes are in hexadecimal.

    Anything else that JSON does not have, such as a decimal or NaN, is its text.
    """
    if isinstance(value, Result) or (is_dataclass(value) and not isinstance(value, type)):
        return {name: json_value(getattr(value, name)) for name in _names(type(value))}
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    is_finite = isinstance(value, float) and math.isfinite(value)
    return value if value is None or is_finite or isinstance(value, (bool, int, str)) else str(value)


def _names(record: type) -> Iterator[str]:
    """The keys of a record: the attributes that its repr shows, and the properties that it names itself."""
    if is_dataclass(record):
        yield from (item.name for item in fields(record) if item.repr)
    yield from getattr(record, "JSON_PROPERTIES", ())


def _record_schema(record: type) -> dict[str, Any]:
    hints, properties = get_type_hints(record), {}
    for name in _names(record):
        attribute = getattr(record, name, None)
        getter = getattr(attribute, "fget", None) or getattr(attribute, "func", None)
        properties[name] = _type_schema(get_type_hints(getter)["return"] if getter is not None else hints[name])
    return {"type": "object", "required": list(properties), "properties": properties}


def _type_schema(hint: Any) -> dict[str, Any]:
    if hint in _JSON_TYPES:
        return {"type": _JSON_TYPES[hint]}
    if get_origin(hint) in (Union, types.UnionType):
        return {"anyOf": [_type_schema(part) for part in get_args(hint)]}
    if isinstance(hint, type) and is_dataclass(hint):
        return _record_schema(hint)
    if get_origin(hint) in (tuple, list, Sequence):
        return {"type": "array", "items": _type_schema(get_args(hint)[0])}
    return {}  # the values of partitions may be of any type


def as_json(value: object) -> str:
    """The JSON of plain values, indented."""
    return data_without_commands(json.dumps(value, indent=2, ensure_ascii=False))


class Result:
    """Base of all results of insight: the same text on request and as a prompt's echo, and the same dict as JSON."""

    __slots__ = ()
    JSON_PROPERTIES: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """A dict for JSON: the attributes, and the attributes of the records in them."""
        values: dict[str, Any] = json_value(self)
        return values

    def to_json(self) -> str:
        """The dict as JSON."""
        return as_json(self.to_dict())

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """The JSON Schema (2020-12) of the dicts that `to_dict` returns."""
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": cls.__name__, **_record_schema(cls)}
