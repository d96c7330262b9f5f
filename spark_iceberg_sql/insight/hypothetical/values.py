"""Column values as bytes, as Iceberg's metadata stores bounds.

Spec: Binary single-value serialization.
"""

from __future__ import annotations

import math
import struct
import uuid
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from spark_iceberg_sql.model.types import Primitive

_EPOCH = date(1970, 1, 1)
_EPOCH_TIME = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)
_BOUND_LENGTH = 16  # characters or bytes of a bound: Iceberg's default metrics mode, truncate(16)
_LAST_CHARACTER = "\U0010ffff"

# A value in a form that sorts: int for dates and times, otherwise the value itself.
Value = Any


def ordinal(data_type: Primitive, value: Value) -> Value:
    """A value returned by Spark, as Iceberg stores it: days or microseconds since 1970 for dates and timestamps."""
    if isinstance(value, datetime):
        zoned_time = value if value.tzinfo else value.replace(tzinfo=timezone.utc)
        return (zoned_time - _EPOCH_TIME) // _MICROSECOND
    if isinstance(value, date):
        return (value - _EPOCH).days
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if data_type.name == "uuid" and isinstance(value, str):
        return uuid.UUID(value).bytes
    return value


def lower_bound(data_type: Primitive, value: Value) -> bytes | None:
    """The bytes of a lower bound; strings and binaries are truncated to 16."""
    if isinstance(value, (str, bytes)) and data_type.name in ("string", "binary"):
        value = value[:_BOUND_LENGTH]
    return pack_value(data_type, value)


def upper_bound(data_type: Primitive, value: Value) -> bytes | None:
    """The bytes of an upper bound; a truncated string or binary is incremented; None if it cannot be."""
    if isinstance(value, str) and data_type.name == "string" and len(value) > _BOUND_LENGTH:
        value = _next_prefix(value[:_BOUND_LENGTH])
    elif isinstance(value, bytes) and data_type.name == "binary" and len(value) > _BOUND_LENGTH:
        prefix = value[:_BOUND_LENGTH].rstrip(b"\xff")
        value = prefix[:-1] + bytes([prefix[-1] + 1]) if prefix else None
    return None if value is None else pack_value(data_type, value)


def _next_prefix(text: str) -> str | None:
    """The smallest string of at most this length that is above every string with this prefix."""
    text = text.rstrip(_LAST_CHARACTER)
    if not text:
        return None
    code = ord(text[-1]) + 1
    # Surrogates are no characters of their own, so they are skipped, as in Iceberg's UnicodeUtil.truncateStringMax.
    return text[:-1] + chr(0xE000 if 0xD800 <= code <= 0xDFFF else code)


def _pack_decimal(value: Decimal) -> bytes:
    # Spec: the unscaled value as two's complement, big-endian, in the minimum number of bytes.
    number = int(value.scaleb(-int(value.as_tuple().exponent)))
    # Two's complement has one negative number more: -128 fits a byte, 128 does not.
    bits = (number + 1 if number < 0 else number).bit_length()
    return number.to_bytes(bits // 8 + 1, "big", signed=True)


_PACKERS: Mapping[str, Callable[[Value], bytes]] = {
    "boolean": lambda v: b"\x01" if v else b"\x00",
    **dict.fromkeys(("int", "date"), struct.Struct("<i").pack),
    **dict.fromkeys(("long", "time", "timestamp", "timestamptz"), struct.Struct("<q").pack),
    "float": struct.Struct("<f").pack,
    "double": struct.Struct("<d").pack,
    "decimal": _pack_decimal,
    "string": lambda v: v.encode("utf-8", "replace"),
    "binary": bytes,
    "fixed": bytes,
    "uuid": bytes,
}


def has_bounds(data_type: object) -> bool:
    """True if bounds of this column type can be written."""
    return isinstance(data_type, Primitive) and data_type.name in _PACKERS


def pack_value(data_type: Primitive, value: Value) -> bytes | None:
    """The bytes of a value; None for NaN."""
    if isinstance(value, float) and math.isnan(value):
        return None  # a bound is never NaN
    return _PACKERS[data_type.name](value)
