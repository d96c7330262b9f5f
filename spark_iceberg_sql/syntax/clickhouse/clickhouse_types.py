"""ClickHouse's column types as Spark types, if Iceberg has an equal type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.literals import unescape

# In lower case. The first table's names are also Spark's, with the same meaning.
_SPARK_NAMES = {
    "boolean": "BOOLEAN",
    "int": "INT",
    "integer": "INT",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "STRING",
    "date": "DATE",
}
_PLAIN_TYPES = {
    "bool": "BOOLEAN",
    "int32": "INT",
    "int64": "BIGINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "date32": "DATE",
}
_DECIMALS = {"decimal32": 9, "decimal64": 18, "decimal128": 38}
# Types without an equal -> what holds all their values.
_REPLACEMENTS = {
    **dict.fromkeys(("int8", "int16", "uint8", "uint16"), "Int32"),
    "uint32": "Int64",
    "uint64": "Decimal(20, 0)",
    **dict.fromkeys(("time64", "uuid", "enum", "enum8", "enum16"), "String"),
    **dict.fromkeys(("ipv4", "ipv6", "json"), "String"),
    "bfloat16": "Float32",
}
_TIMES = ("datetime", "datetime32", "datetime64")
# Without one that holds all values.
_UNREPLACEABLE = ("int128", "uint128", "int256", "uint256", "decimal256", "fixedstring", "dynamic")
_WRAPPERS = ("nullable", "lowcardinality")
_NESTED = ("array", "map", "tuple", "nested")
_CLICKHOUSE_TYPES = frozenset({*_PLAIN_TYPES, *_DECIMALS, *_REPLACEMENTS, *_TIMES, *_UNREPLACEABLE, *_WRAPPERS})
_UTC = ("utc", "etc/utc", "gmt", "z")
_MAX_PRECISION = 38


class _NoEqualError(IcebergSqlError):
    """A type without an equal. replacement: the type to write for it; None if no type holds all its values."""

    def __init__(self, column: str, type_text: str, replacement: str | None) -> None:
        super().__init__(
            f"the column `{column}` has the type `{type_text}`, which has no equivalent in Spark and Iceberg",
            help=f"write `{column} {replacement}`" if replacement else (),
        )
        self.column = column
        self.type_text = type_text
        self.replacement = replacement


@dataclass(frozen=True, slots=True)
class SparkType:
    """A type in Spark's words.

    text: the type. nullable: whether ClickHouse's takes NULL. zone: of an instant in ClickHouse. nested: whether
    ClickHouse has it without NULL only.
    """

    text: str
    nullable: bool = False
    zone: str | None = None
    nested: bool = False

    @property
    def with_nulls(self) -> str:
        """The type, as a column or field has it."""
        return self.text if self.nullable else f"{self.text} NOT NULL"

    @property
    def has_utc_calendar(self) -> bool:
        """True if ClickHouse's days and months begin when Iceberg's do."""
        return self.zone is None or self.zone.lower() in _UTC


def is_clickhouse_type(tokens: list[Token]) -> bool:
    """True if a type at the start of tokens is only ClickHouse's syntax. `MAP<..>` and `date` are Spark's."""
    end = closing_index(tokens, 1) + 1 if len(tokens) > 1 and tokens[1].text == "(" else 1
    return any(_is_clickhouse_word(tokens, index) for index in range(min(end, len(tokens))))


def _is_clickhouse_word(tokens: list[Token], index: int) -> bool:
    word = tokens[index].text.lower()
    if word in _NESTED:
        return index + 1 < len(tokens) and tokens[index + 1].text == "("
    return word in _CLICKHOUSE_TYPES


def spark_type(column: str, tokens: list[Token]) -> tuple[SparkType, list[Token]]:
    """A type at the start of tokens, and the tokens after it.

    Raises IcebergSqlError, naming the column, for a type without an equal.
    """
    if not tokens or tokens[0].kind is not TokenKind.WORD:
        raise IcebergSqlError(f"the column `{column}` has no type", help=f"write `{column} Nullable(String)`")
    end = 1
    arguments: list[list[Token]] = []
    if len(tokens) > 1 and tokens[1].text == "(":
        end = closing_index(tokens, 1) + 1
        arguments = [a for a in between_commas(tokens[2 : end - 1]) if a]
    name = tokens[0].text.lower()
    try:
        column_type = _type(column, name, arguments)
    except _NoEqualError as inner:
        raise _wrapping_error(column, tokens[:end], arguments, inner) from None
    if column_type is None:
        raise _NoEqualError(column, _text(tokens[:end]), _replacement_for(name, arguments))
    remaining = tokens[end:]
    if [t.word for t in remaining[:1]] == ["NULL"]:
        if column_type.nullable:
            raise IcebergSqlError(
                f"the column `{column}` is declared nullable twice", help="leave out the second `NULL`"
            )
        raise IcebergSqlError(
            f"the column `{column}` is declared nullable after its type",
            help=f"write `{column} Nullable({_text(tokens[:end])})`",
        )
    if [t.word for t in remaining[:2]] == ["NOT", "NULL"] and not column_type.nullable:
        remaining = remaining[2:]  # as without it
    if [t.word for t in remaining[:1]] in (["UNSIGNED"], ["SIGNED"]) and name in ("int", "integer", "bigint"):
        raise IcebergSqlError(
            f"the column `{column}` has the type `{_text(tokens[:end])} {remaining[0].text}`, which has no "
            "equivalent in Spark and Iceberg",
            help=f"write `{column} {_SIGNS[remaining[0].word, name == 'bigint']}`",
        )
    return column_type, remaining


_SIGNS = {
    ("UNSIGNED", True): "Decimal(20, 0)",
    ("UNSIGNED", False): "Int64",
    ("SIGNED", True): "Int64",
    ("SIGNED", False): "Int32",
}


def _wrapping_error(
    column: str, tokens: list[Token], arguments: list[list[Token]], inner: _NoEqualError
) -> _NoEqualError:
    """The error for a type inside another: what to write instead is the whole type."""
    if inner.column != column:  # a field has its own name
        return inner
    replacement = None
    argument_texts = [_text(argument) for argument in arguments]
    other_arguments = [item for item in arguments if _text(item) != inner.type_text]
    if inner.replacement is not None and inner.type_text in argument_texts and _all_equal(column, other_arguments):
        argument_list = ", ".join(inner.replacement if item == inner.type_text else item for item in argument_texts)
        replacement = f"{tokens[0].text}({argument_list})"
    return _NoEqualError(column, _text(tokens), replacement)


def _all_equal(column: str, types: list[list[Token]]) -> bool:
    try:
        for tokens in types:
            _complete_type(column, tokens)
    except IcebergSqlError:
        return False
    return True


def _replacement_for(name: str, arguments: list[list[Token]]) -> str | None:
    if name not in _TIMES:
        return _REPLACEMENTS.get(name)
    texts = [_text(a) for a in arguments]
    if name == "datetime64":
        if not texts or texts[0] not in tuple("0123456"):
            return None  # the digits after those of a microsecond would be lost
        texts = texts[1:]
    zones = [a[0] for a in arguments if len(a) == 1 and a[0].kind in STRINGS]
    if len(texts) != len(zones) or not all(_is_zone(unescape(z.text)) for z in zones):
        return None
    return f"DateTime64(6{''.join(f', {z.text}' for z in zones)})"


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # Without a database of zones, none is known to be wrong.
        return name.lower() in _UTC or not available_timezones()
    return True


def _type(column: str, name: str, arguments: list[list[Token]]) -> SparkType | None:
    primitive_name = _PLAIN_TYPES.get(name) or _SPARK_NAMES.get(name)
    if primitive_name is not None:
        return SparkType(primitive_name) if not arguments else None
    if name in _WRAPPERS and len(arguments) == 1:
        inner = _complete_type(column, arguments[0])
        return SparkType(inner.text, inner.nullable or name == "nullable", inner.zone, inner.nested)
    if name == "decimal" or name in _DECIMALS:
        return _decimal(_DECIMALS.get(name), [_text(a) for a in arguments])
    if name == "datetime64":
        return _instant(arguments)
    if name == "array" and len(arguments) == 1:
        return SparkType(f"ARRAY<{_complete_type(column, arguments[0]).text}>", nested=True)
    if name == "map" and len(arguments) == 2:
        key, value = (_complete_type(column, argument).text for argument in arguments)
        return SparkType(f"MAP<{key}, {value}>", nested=True)
    if name == "tuple" and arguments:
        return _struct(column, arguments)
    return None


def _complete_type(column: str, tokens: list[Token]) -> SparkType:
    column_type, remaining = spark_type(column, tokens)
    if remaining:
        raise IcebergSqlError(
            f"the column `{column}` has `{_text(remaining)}` in its type, which is not understood", help="leave it out"
        )
    return column_type


def _decimal(precision: int | None, numbers: list[str]) -> SparkType | None:
    if precision is not None:
        numbers = [str(precision), *numbers]
    if not 1 <= len(numbers) <= 2 or not all(re.fullmatch("[0-9]{1,2}", n) for n in numbers):
        return None
    digits, scale = int(numbers[0]), int(numbers[1]) if len(numbers) == 2 else 0
    return SparkType(f"DECIMAL({digits}, {scale})") if 1 <= digits <= _MAX_PRECISION and scale <= digits else None


def _instant(arguments: list[list[Token]]) -> SparkType | None:
    if not arguments or _text(arguments[0]) != "6":
        return None
    if len(arguments) == 1:
        return SparkType("TIMESTAMP_NTZ")
    if len(arguments) == 2 and len(arguments[1]) == 1 and arguments[1][0].kind in STRINGS:
        zone = unescape(arguments[1][0].text)
        return SparkType("TIMESTAMP", zone=zone) if _is_zone(zone) else None
    return None


def _struct(column: str, arguments: list[list[Token]]) -> SparkType | None:
    fields = []
    for argument in arguments:
        if len(argument) < 2 or argument[1].text == "(":
            raise IcebergSqlError(
                f"the column `{column}` is a Tuple without field names, which Iceberg needs",
                help=f"give each a name: `{column} Tuple(a Int32, b String)`",
            )
        name = column_name(argument[0])
        fields.append(f"{quoted(name)}: {_complete_type(f'{column}.{name}', argument[1:]).with_nulls}")
    return SparkType(f"STRUCT<{', '.join(fields)}>", nested=True)


def column_name(token: Token) -> str:
    """A column's name as written: plain, in backticks or in double quotes."""
    if token.kind is TokenKind.QUOTED:
        return token.text[1:-1].replace("``", "`")
    return unescape(token.text) if token.kind is TokenKind.DOUBLE else token.text


def _text(tokens: list[Token]) -> str:
    text = ""
    for token in tokens:
        needs_no_blank = not text or token.text in ("(", ")", ",") or text[-1] == "("
        text += token.text if needs_no_blank else f" {token.text}"
    return text
