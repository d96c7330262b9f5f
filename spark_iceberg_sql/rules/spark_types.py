"""Spark's type for a type's name in another engine."""

from __future__ import annotations

import re

# Other engines' type names, with Spark's name if that is not STRING.
_SPARK_TYPES = {
    **dict.fromkeys(("int8", "bigserial", "int64", "serial", "uint32"), "BIGINT"),
    **dict.fromkeys(("int4", "int32", "mediumint", "int", "integer", "int2"), "INT"),
    **dict.fromkeys(("float8", "float64"), "DOUBLE"),
    **dict.fromkeys(("float4", "float32", "float"), "FLOAT"),
    **dict.fromkeys(("bool", "bit"), "BOOLEAN"),
    **dict.fromkeys(("number", "money", "bignumeric"), "DECIMAL(38, 9)"),
    **dict.fromkeys(("blob", "bytea", "varbinary", "bytes", "fixed", "raw"), "BINARY"),
    "geometry": "GEOMETRY(4326)",
    "geography": "GEOGRAPHY(4326)",
    **dict.fromkeys(("datetime", "timestamptz", "datetime2", "timestamp_tz", "timestamp"), "TIMESTAMP"),
    **dict.fromkeys(("timestamp_ns", "timestamptz_ns"), "TIMESTAMP"),
    **dict.fromkeys(("object", "super"), "VARIANT"),
    "interval": "BIGINT",
}

# Spark's names of types that only format version 3 has.
TYPES_OF_V3 = frozenset({"GEOMETRY(4326)", "GEOGRAPHY(4326)", "VARIANT"})


def type_words(type_text: str) -> list[str]:
    """The words of a type as written, in lower case, the outermost first."""
    return re.findall(r"[a-z_]\w*", type_text.lower())


def spark_type(type_text: str) -> str:
    """Spark's type for the first name in a type that Spark does not have; STRING if none is known."""
    return next((_SPARK_TYPES[word] for word in type_words(type_text) if word in _SPARK_TYPES), "STRING")
