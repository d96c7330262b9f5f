"""Validates the values of a metadata.json: numbers and strings where the spec requires them (spec: Table Metadata).

A value of the wrong type would otherwise fail much later, in a rule or in a report, without the file's name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_INTEGERS = frozenset({
    "format-version", "last-column-id", "last-partition-id", "schema-id", "current-schema-id",
    "spec-id", "default-spec-id", "order-id", "default-sort-order-id", "field-id", "source-id",
    "id", "element-id", "key-id", "value-id",
})  # fmt: skip
_LISTS = frozenset({"source-ids", "identifier-field-ids"})
_STRINGS = frozenset({"name", "doc", "transform", "direction", "null-order"})
_PARTS = ("schema", "schemas", "partition-spec", "partition-specs", "sort-orders")
# The values of columns, with their own keys.
_DEFAULTS = frozenset({"initial-default", "write-default"})
_MAX_TEXT = 60  # characters of a value in a message


def wrong_value(metadata: Mapping[str, Any]) -> str | None:
    """The first value of the wrong type, as a sentence without its end; None if there is none."""
    return next(_wrong_values(metadata), None)


def _wrong_values(metadata: Mapping[str, Any]) -> Iterator[str]:
    for key, value in metadata.items():
        if key in _PARTS:
            yield from _wrong_within(value)
        elif key in _INTEGERS:
            yield from _wrong(key, value)
    version = metadata.get("format-version", 1)
    if isinstance(version, int) and version < 1:
        yield f"`format-version` is {version}, less than 1"
    yield from _wrong_properties(metadata.get("properties", {}))


def _wrong_within(value: Any) -> Iterator[str]:
    """The wrong values in a part and in everything inside it."""
    if isinstance(value, list):
        for item in value:
            yield from _wrong_within(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if item is not None or key != "doc":  # a column may have no comment
                yield from _wrong(key, item)
            if key not in _DEFAULTS:
                yield from _wrong_within(item)


def _wrong(key: str, value: Any) -> Iterator[str]:
    if key in _INTEGERS and not _is_integer(value):
        yield _sentence(key, value, "a 32-bit integer")
    elif key in _LISTS and not (isinstance(value, list) and all(map(_is_integer, value))):
        yield _sentence(key, value, "a list of 32-bit integers")
    elif key in _STRINGS and not isinstance(value, str):
        yield _sentence(key, value, "a string")


def _wrong_properties(properties: Any) -> Iterator[str]:
    if not isinstance(properties, dict):
        yield _sentence("properties", properties, "an object")
        return
    for key, value in properties.items():
        if not isinstance(value, str):
            yield f"the property {_sentence(key, value, 'a string')}"


def _is_integer(value: Any) -> bool:
    return type(value) is int and -(2**31) <= value < 2**31


def _sentence(key: str, value: Any, expected: str) -> str:
    text = json.dumps(value)
    value_text = text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}..."
    return f"`{key}` is {value_text}, not {expected}"
