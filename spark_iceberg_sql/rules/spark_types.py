"""Spark's type for a type as another engine writes it: `number(10, 2)`, `double precision`, `int[]`, `row(a int)`.

A type's text or tokens come in, Spark's text for it goes out: what a help says to write, never what is run unseen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spark_iceberg_sql.model.types import FROM_SPARK
from spark_iceberg_sql.syntax.brackets import closing_index, comma_ranges
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import STRINGS, TRIVIA, Token, tokenize

# Other engines' type names, with Spark's name if that is not STRING.
_SPARK_TYPES = {
    **dict.fromkeys(("int8", "bigserial", "int64", "serial", "uint32"), "BIGINT"),
    **dict.fromkeys(("int4", "int32", "mediumint", "int2", "int16", "uint8", "uint16", "signed"), "INT"),
    **dict.fromkeys(("float8", "float64"), "DOUBLE"),
    **dict.fromkeys(("float4", "float32"), "FLOAT"),
    **dict.fromkeys(("bool", "bit"), "BOOLEAN"),
    **dict.fromkeys(("number", "money", "bignumeric"), "DECIMAL(38, 9)"),
    **dict.fromkeys(("uint64", "unsigned"), "DECIMAL(20, 0)"),
    **dict.fromkeys(("blob", "bytea", "varbinary", "bytes", "fixed", "raw"), "BINARY"),
    "geometry": "GEOMETRY(4326)",
    "geography": "GEOGRAPHY(4326)",
    **dict.fromkeys(("datetime", "timestamptz", "datetime2", "timestamp_tz", "datetime64"), "TIMESTAMP"),
    "timestamp_ns": "TIMESTAMP_NTZ",
    "timestamptz_ns": "TIMESTAMP",
    **dict.fromkeys(("object", "super"), "VARIANT"),
    "interval": "BIGINT",
    **dict.fromkeys(("embedding", "vector"), "ARRAY<FLOAT>"),
}
_DECIMALS = frozenset({"number", "decimal", "dec", "numeric", "bignumeric"})
_TEXTS = frozenset({"varchar", "char", "character"})
_WRAPPERS = frozenset({"nullable", "lowcardinality"})
_LISTS = frozenset({"array", "list", "vector"})
_STRUCTS = frozenset({"struct", "row", "tuple", "record"})
# Types of several words, the longest first, with Spark's name for them without a length.
_PHRASES = {
    ("national", "character", "varying"): "STRING",
    ("national", "char", "varying"): "STRING",
    ("national", "character"): "STRING",
    ("national", "char"): "STRING",
    ("character", "varying"): "STRING",
    ("char", "varying"): "STRING",
    ("long", "varchar"): "STRING",
    ("double", "precision"): "DOUBLE",
    ("long", "raw"): "BINARY",
    ("bit", "varying"): "BINARY",
    ("binary", "varying"): "BINARY",
}
_ZONES = (("with", "time", "zone"), ("without", "time", "zone"), ("with", "local", "time", "zone"))
# What holds all values of a type that is UNSIGNED.
_UNSIGNED = {"BIGINT": "DECIMAL(20, 0)", "INT": "BIGINT", "INTEGER": "BIGINT", "TINYINT": "INT", "SMALLINT": "INT"}
_MAX_PRECISION = 38
_MAX_DEPTH = 100
_CLOSING = {"(": ")", "<": ">", "[": "]"}

# Spark's names of types that only format version 3 has.
TYPES_OF_V3 = frozenset({"GEOMETRY(4326)", "GEOGRAPHY(4326)", "VARIANT"})

_NANOSECONDS = re.compile(r"(timestamp|timestamptz)_ns\b|(timestamp|datetime)\w*\s*\(\s*[789]\b", re.IGNORECASE)


def precision_note(type_text: str) -> str:
    """What a help adds where Spark's type holds fewer digits of a time than the one that is written; or nothing."""
    return ", which has microseconds" if _NANOSECONDS.match(type_text) else ""


def type_words(type_text: str) -> list[str]:
    """The words of a type as written, in lower case, the outermost first."""
    return re.findall(r"[a-z_]\w*", type_text.lower())


def spark_type(type_text: str) -> str:
    """Spark's type for a type that Spark does not have; STRING if none is known."""
    tokens = [token for token in tokenize(type_text) if token.kind not in TRIVIA]
    return read_type(tokens, 0)[0]


def read_type(tokens: Sequence[Token], index: int, depth: int = 0) -> tuple[str, int]:
    """Spark's type for the one that begins at an index, and the index after it; any token begins a type."""
    spark, index = _without_suffixes(tokens, index, depth)
    while index < len(tokens):
        word = tokens[index].text.lower()
        zone = next((words for words in _ZONES if _is_at(tokens, index, words)), ())
        if zone:
            spark = "TIMESTAMP_NTZ" if word == "without" and spark == "TIMESTAMP" else spark
            index += len(zone)
        elif word == "[":
            spark, index = f"ARRAY<{spark}>", _end(tokens, index)
        elif word in ("unsigned", "signed", "zerofill"):
            spark = _UNSIGNED.get(spark, spark) if word == "unsigned" else spark
            index += 1
        else:
            break
    return spark, index


def _without_suffixes(tokens: Sequence[Token], index: int, depth: int) -> tuple[str, int]:
    """As `read_type`, without the words and brackets that may follow a whole type."""
    name = tokens[index].text.lower()
    phrase = next((words for words in _PHRASES if _is_at(tokens, index, words)), (name,))
    spark = _PHRASES.get(phrase) or _named(name)
    opening = index + len(phrase)
    if opening >= len(tokens) or tokens[opening].text not in ("(", "<"):
        return spark, opening
    end = _end(tokens, opening)
    arguments = [(i, j) for i, j in comma_ranges(tokens, opening + 1, end - 1, "()<>[]") if i < j]
    lengths = [tokens[i].text for i, j in arguments if j == i + 1 and tokens[i].text.isdecimal()]
    if len(lengths) == len(arguments):
        return _with_lengths(phrase, spark, lengths), end
    if depth == _MAX_DEPTH:
        return spark, end
    if name in _STRUCTS:
        fields = [_field(tokens[i:j], place, depth + 1) for place, (i, j) in enumerate(arguments, 1)]
        return f"STRUCT<{', '.join(fields)}>", end
    inner = [read_type(tokens[i:j], 0, depth + 1)[0] for i, j in arguments]
    if name in _WRAPPERS:
        spark = inner[0]
    elif name in _LISTS:
        spark = f"ARRAY<{inner[0]}>"
    elif name == "map" and len(inner) == 2:
        spark = f"MAP<{', '.join(inner)}>"
    return spark, end


def _named(name: str) -> str:
    if name in _SPARK_TYPES:
        return _SPARK_TYPES[name]
    return name.upper() if name in FROM_SPARK and name not in _TEXTS else "STRING"


def _with_lengths(phrase: tuple[str, ...], spark: str, lengths: list[str]) -> str:
    """The type with numbers in parentheses, if Spark's has such, too."""
    if phrase[0] in _DECIMALS and 1 <= len(lengths) <= 2:
        return f"DECIMAL({', '.join(lengths)})" if int(lengths[0]) <= _MAX_PRECISION else "STRING"
    if len(lengths) == 1 and (phrase[0] in _TEXTS or phrase[-1] == "varying") and spark == "STRING":
        return f"VARCHAR({lengths[0]})"
    return spark


def _field(tokens: Sequence[Token], place: int, depth: int) -> str:
    """A field of a struct: `a INT`, `a: INT`, or a type alone."""
    if len(tokens) == 1 or tokens[1].text in ("(", "<"):
        return f"_{place}: {read_type(tokens, 0, depth)[0]}"
    name = quoted(tokens[0].text[1:-1]) if tokens[0].kind in STRINGS else tokens[0].text
    first = 1 + (len(tokens) > 2 and tokens[1].text == ":")
    return f"{name}: {read_type(tokens, first, depth)[0]}"


def _is_at(tokens: Sequence[Token], index: int, words: Sequence[str]) -> bool:
    return [token.text.lower() for token in tokens[index : index + len(words)]] == [*words]


def _end(tokens: Sequence[Token], opening: int) -> int:
    """The index after the bracket that closes the one at `opening`."""
    opened = tokens[opening].text
    return min(closing_index(tokens, opening, opened + _CLOSING[opened]) + 1, len(tokens))
