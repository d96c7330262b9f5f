"""Results as plain values, for JSON: dicts, lists, strings, numbers, booleans and None."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from spark_iceberg_sql.safe_output import data_without_commands


def json_value(value: object) -> Any:
    """A value without tuples and records: a record is a dict of its attributes, bytes are in hexadecimal.

    Anything else that JSON does not have, such as a decimal or NaN, is its text.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: json_value(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    is_finite = isinstance(value, float) and math.isfinite(value)
    return value if value is None or is_finite or isinstance(value, (bool, int, str)) else str(value)


def as_json(value: object) -> str:
    """The JSON of plain values, indented."""
    return data_without_commands(json.dumps(value, indent=2, ensure_ascii=False))


class Result:
    """Base of all results of insight: the same text on request and as a prompt's echo, and the same dict as JSON."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """A dict for JSON: the attributes, and the attributes of the records in them."""
        values: dict[str, Any] = json_value(self)
        return values

    def to_json(self) -> str:
        """The dict as JSON."""
        return as_json(self.to_dict())
