"""The types of constants and functions in a query, as Spark gives them and Iceberg stores them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spark_iceberg_sql.model.types import Field, List, Map, Primitive, Struct, Type
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.syntax.lexer import STRINGS, Token

_INT, _LONG, _STRING, _DATE = (Primitive(name) for name in ("int", "long", "string", "date"))
_DOUBLE, _BOOLEAN, _TIMESTAMP = (Primitive(name) for name in ("double", "boolean", "timestamptz"))
# The return types of functions that do not depend on the arguments.
RETURN_TYPES: dict[str, Primitive] = {
    **dict.fromkeys(
        (
            "UPPER",
            "LOWER",
            "UCASE",
            "LCASE",
            "TRIM",
            "LTRIM",
            "RTRIM",
            "INITCAP",
            "CONCAT_WS",
            "REGEXP_REPLACE",
            "REGEXP_EXTRACT",
            "DATE_FORMAT",
            "MD5",
            "FROM_UNIXTIME",
            "UUID",
            "REPLACE",
            "TRANSLATE",
            "SHA2",
            "HEX",
            "TO_JSON",
            "GET_JSON_OBJECT",
            "CURRENT_USER",
            "INPUT_FILE_NAME",
            "REPEAT",
            "SPLIT_PART",
        ),
        _STRING,
    ),
    **dict.fromkeys(
        (
            "YEAR",
            "MONTH",
            "DAY",
            "DAYOFMONTH",
            "HOUR",
            "MINUTE",
            "SECOND",
            "QUARTER",
            "DAYOFWEEK",
            "DAYOFYEAR",
            "WEEKOFYEAR",
            "LENGTH",
            "CHAR_LENGTH",
            "ROW_NUMBER",
            "RANK",
            "DENSE_RANK",
            "NTILE",
            "HASH",
            "ASCII",
            "INSTR",
            "LOCATE",
        ),
        _INT,
    ),
    **dict.fromkeys(
        ("COUNT", "XXHASH64", "UNIX_TIMESTAMP", "MONOTONICALLY_INCREASING_ID", "APPROX_COUNT_DISTINCT"), _LONG
    ),
    **dict.fromkeys(("TO_DATE", "CURRENT_DATE", "CURDATE", "DATE_SUB", "LAST_DAY", "ADD_MONTHS"), _DATE),
    **dict.fromkeys(("CURRENT_TIMESTAMP", "NOW", "DATE_TRUNC", "FROM_UTC_TIMESTAMP"), _TIMESTAMP),
    **dict.fromkeys(("RAND", "RANDN", "SQRT", "EXP", "LN", "LOG10", "CORR", "STDDEV"), _DOUBLE),
    **dict.fromkeys(("ISNULL", "ISNOTNULL", "ISNAN", "STARTSWITH", "ENDSWITH"), _BOOLEAN),
    "DATE": _DATE,
    "STRING": _STRING,
    "INT": _INT,
    "BIGINT": _LONG,
    "DOUBLE": _DOUBLE,
    "BOOLEAN": _BOOLEAN,
}

# String functions that also accept binaries.
STRING_FUNCTIONS = frozenset({"SUBSTR", "SUBSTRING", "LPAD", "RPAD", "CONCAT"})
# Functions that return the type of their arguments, if all have the same type.
ARGUMENT_TYPE_FUNCTIONS = frozenset(
    {"COALESCE", "NVL", "IFNULL", "MIN", "MAX", "FIRST", "LAST", "ANY_VALUE", "GREATEST", "LEAST"}
)
BARE_FUNCTIONS = frozenset({"CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_USER"})
# Typed literals: the type's name before a string.
TYPED_LITERALS = {"DATE": _DATE, "TIMESTAMP": _TIMESTAMP, "TIMESTAMP_NTZ": Primitive("timestamp")}
# Spark has no such types.
_SPARK_READ_TYPES = {"uuid": "string", "fixed": "binary"}
# The units of trunc, and those of date_trunc whose results are whole hours.
_DATE_UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK")
_DATE_ABBREVIATIONS = ("YYYY", "YY", "MM", "MON")
_COARSE_UNITS = frozenset((*_DATE_UNITS, *_DATE_ABBREVIATIONS, "DAY", "DD", "HOUR"))
# By function: the units, and their abbreviations; any other unit makes the result NULL.
TRUNCATION_UNITS = {
    "TRUNC": _DATE_UNITS,
    "DATE_TRUNC": (*_DATE_UNITS, "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"),
}
UNIT_ABBREVIATIONS = {"TRUNC": _DATE_ABBREVIATIONS, "DATE_TRUNC": (*_DATE_ABBREVIATIONS, "DD")}
_NUMBER = re.compile(r"([0-9]+)([LlSsYy]?)")
_DECIMAL = re.compile(r"([0-9]*)\.([0-9]*)")


def is_coarse_unit(unit: Sequence[Token]) -> bool:
    """True if date_trunc's first argument is a literal that names an hour or a coarser unit."""
    return len(unit) == 1 and unit[0].kind in STRINGS and unit[0].text[1:-1].strip().upper() in _COARSE_UNITS


def with_rounding(data_type: Type, operand: Type) -> Type:
    """A timestamp type, marked `rounded` if the operand's values are: a date, or a rounded timestamp."""
    has_coarse_values = isinstance(operand, Primitive) and (operand.rounded or operand == _DATE)
    if not has_coarse_values or not isinstance(data_type, Primitive) or not data_type.name.startswith("timestamp"):
        return data_type
    return replace(data_type, rounded=True)


def least_rounded(types: Sequence[Type]) -> Type:
    """Of equal types, the first that is not `rounded`, or else the first."""
    return next((k for k in types if not (isinstance(k, Primitive) and k.rounded)), types[0])


def literal_type(token: Token) -> Type | None:
    """The type of a number or string literal; None if unknown."""
    if token.kind in STRINGS:
        return _STRING
    integer_match = _NUMBER.fullmatch(token.text)
    if integer_match is not None:
        # Iceberg stores smallint and tinyint as int. The slice keeps thousands of digits away from int().
        if integer_match[2] in ("", "S", "s", "Y", "y") and int(integer_match[1][:19]) < 2**31:
            return _INT
        if len(integer_match[1]) < 19:
            return _LONG
    decimal_match = _DECIMAL.fullmatch(token.text)
    if decimal_match is not None:
        scale = len(decimal_match[2])
        whole_digits = len(decimal_match[1].lstrip("0"))
        return Primitive("decimal", (max(whole_digits + scale, 1), scale))
    return None


def type_as_read(data_type: Type) -> Type:
    """The type of a column in a query's result: as Spark reads it, with every field nullable."""
    if isinstance(data_type, Primitive):
        return Primitive(
            _SPARK_READ_TYPES.get(data_type.name, data_type.name),
            data_type.arguments if data_type.name == "decimal" else (),
        )
    if isinstance(data_type, Struct):
        return Struct(tuple(map(field_as_read, data_type.fields)))
    if isinstance(data_type, List):
        return List(field_as_read(data_type.element))
    return Map(replace(data_type.key, type=type_as_read(data_type.key.type)), field_as_read(data_type.value))


def field_as_read(field: Field) -> Field:
    """A column of a query's result, or a field in one, as `type_as_read`."""
    return replace(field, required=False, type=type_as_read(field.type))
