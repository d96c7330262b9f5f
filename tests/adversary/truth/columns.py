"""The types of columns with their random values: the ends of each type, values beside them, nulls, and SQL literals."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa

INT, LONG = 2**31, 2**63
DAY = 86_400_000_000
EPOCH = date(1970, 1, 1)
TEXTS = (
    *("", "a", "A", "ab", "abc", "abd", "abcd", "abb", "b", "zz", "2", "10", "-5", "2024-01-15", "a ", "a%b_c"),
    *("x" * 15 + "a", "x" * 16, "x" * 16 + "y", "é" * 20, "😀" * 17, "\uffff" * 3, "\U0010ffff" * 17),
    *("日本語のテキスト", "NaN", "ünïcödé"),
)
BYTES = (b"", b"\x00", b"\x01", b"\x01\x02", b"\x7f", b"\x80", b"\xff", b"\xff\xff", b"\xff" * 17, b"x" * 20)
DOUBLES = (
    *(math.nan, math.nan, 0.0, 0.0, -0.0, -0.0, math.inf, -math.inf, 1.0, -1.0, 2.5, 0.1, 1e10, -1e10, 5e-324, -5e-324),
    *(1.7976931348623157e308, -1.7976931348623157e308, 16777217.0, 3.4028234663852886e38, 3.5e38),
)
FLOATS = (
    *(math.nan, math.nan, 0.0, 0.0, -0.0, -0.0, math.inf, -math.inf, 1.0, -1.0, 2.5, 0.1, 1e10, 1e-45, -1e-45),
    *(3.4028234663852886e38, -3.4028234663852886e38, 16777216.0),
)
DATES = (0, -1, 1, 19_723, 19_724, 19_783, -719_162, 2_932_896, INT - 1, -INT, -141_428, -141_427, 364, 365, -365, -366)
MOMENTS = (
    # ORC itself, in Spark's own files, too, keeps a TIMESTAMP of the last second before 1970 as one of the next second.
    *(0, -1_000_001, 1, DAY, -DAY, DAY - 1, LONG - 1, -LONG, -LONG + 1),
    *(19_723 * DAY, 19_723 * DAY - 1, 19_723 * DAY + 3600),
    *(-719_162 * DAY, 2_932_896 * DAY, -141_428 * DAY, -365 * DAY, -365 * DAY - 1, 1_704_067_200_123_456, 999, 1000),
)


@dataclass(frozen=True)
class Column:
    """A column: its name and SQL type; `fields` of a struct."""

    name: str
    type: str
    fields: tuple[Column, ...] = ()

    @property
    def family(self) -> str:
        """The type without its parameters."""
        return self.type.partition("(")[0].partition("<")[0]

    @property
    def leaves(self) -> list[Column]:
        """The column, or the fields of the struct by their paths."""
        return [Column(f"{self.name}.{f.name}", f.type) for f in self.fields] or [self]

    def arrow(self) -> pa.DataType:
        if self.fields:
            return pa.struct([pa.field(f.name, f.arrow()) for f in self.fields])
        if self.family == "decimal":
            return pa.decimal128(*_parameters(self.type))
        return _ARROW[self.type]


_ARROW = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
TYPES = (
    *("float", "double", "double", "int", "int", "bigint", "decimal(9,2)", "decimal(18,4)", "decimal(38,10)"),
    *("date", "timestamp", "timestamp_ntz", "string", "string", "binary", "boolean"),
)
WIDER = {"int": "bigint", "float": "double", "decimal(9,2)": "decimal(20,2)", "decimal(18,4)": "decimal(38,4)"}
_HALVES = {"int": INT, "bigint": LONG}


def _parameters(type: str) -> tuple[int, int]:
    precision, scale = type[8:-1].split(",")
    return int(precision), int(scale)


def _whole(rng: Random, half: int) -> int:
    kind = rng.random()
    if kind < 0.3:
        return rng.choice((-half, half - 1, -half + 1, half - 2, -half + rng.randint(0, 99), half - rng.randint(1, 99)))
    return rng.choice((0, 1, -1, 5, 10, 77, 100, rng.randint(-120, 120)))


def value(rng: Random, column: Column) -> Any:
    """A value that is not null, often at an end of its type."""
    family = column.family
    if column.fields:
        return {f.name: None if rng.random() < 0.15 else value(rng, f) for f in column.fields}
    if family in _HALVES:
        return _whole(rng, _HALVES[family])
    if family == "decimal":
        precision, scale = _parameters(column.type)
        end = 10**precision - 1
        unscaled = rng.choice((0, 5, -5, 100, -123, 1055, end, -end, end - 1, 1 - end, rng.randint(-9999, 9999)))
        return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))  # exact, unlike scaleb
    if family == "float":
        return single(rng.choice(FLOATS) if rng.random() < 0.8 else rng.uniform(-5, 5))
    if family == "double":
        return rng.choice(DOUBLES) if rng.random() < 0.8 else rng.uniform(-5, 5)
    if family == "date":
        return rng.choice(DATES) if rng.random() < 0.6 else rng.randint(19_700, 19_800)
    if family in ("timestamp", "timestamp_ntz"):
        return (
            rng.choice(MOMENTS)
            if rng.random() < 0.6
            else rng.randint(19_700, 19_710) * DAY + rng.choice((0, 1, -1, 5 * 10**9))
        )
    choices: dict[str, tuple[Any, ...]] = {"string": TEXTS, "binary": BYTES, "boolean": (True, False)}
    return rng.choice(choices[family])


def single(number: float) -> float:
    """The nearest number of 32 bits; beyond the greatest one, infinity."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def beside(rng: Random, column: Column, value: Any) -> Any:
    """A value next to another one, where the type has one."""
    family = column.family
    if family in _HALVES:
        return max(-_HALVES[family], min(_HALVES[family] - 1, value + rng.choice((1, -1))))
    if family == "date":
        return max(-INT, min(INT - 1, value + rng.choice((1, -1, 30))))
    if family in ("timestamp", "timestamp_ntz"):
        return max(-LONG, min(LONG - 1, value + rng.choice((1, -1, DAY, 1000))))
    if family in ("float", "double") and math.isfinite(value):
        near = math.nextafter(value, math.inf if rng.random() < 0.5 else -math.inf)
        return single(near) if family == "float" else near
    if family == "string":
        return rng.choice((value[:-1], value + "a", value[: len(value) // 2], value.upper()))
    if family == "binary":
        return rng.choice((value[:-1], value + b"\x00", value + b"\xff"))
    return value


def edge(rng: Random, column: Column, value: Any) -> Any:
    """The first value of a partition of the value's: of a year, month, day or hour, or of a width of 10 or 1000."""
    family = column.family
    if family in _HALVES:
        return max(-_HALVES[family], value - value % rng.choice((10, 1000)))
    if family not in ("date", "timestamp", "timestamp_ntz"):
        return value
    unit = 1 if family == "date" else DAY
    days = value // unit
    if unit > 1 and rng.random() < 0.4:
        start = value - value % rng.choice((DAY, DAY // 24))
    elif not -719_000 < days < 2_932_000:  # beyond Python's years
        return value
    else:
        day = EPOCH + timedelta(days)
        start = (day.replace(day=1, month=day.month if rng.random() < 0.5 else 1) - EPOCH).days * unit
    return max(-LONG, start)


def array(column: Column, values: list[Any]) -> pa.Array:
    """An Arrow array; dates and times are numbers of days and microseconds since 1970."""
    kind = column.arrow()
    if column.fields:
        parts = [array(f, [None if v is None else v[f.name] for v in values]) for f in column.fields]
        absent = pa.array([v is None for v in values], pa.bool_())
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=absent)
    if column.family == "date":
        return pa.array(values, pa.int32()).cast(kind)
    if column.family in ("timestamp", "timestamp_ntz"):
        return pa.array(values, pa.int64()).cast(kind)
    return pa.array(values, kind)


def plain(column: Column, cells: pa.ChunkedArray) -> list[Any]:
    """The opposite of `array`."""
    if column.family == "date":
        cells = cells.cast(pa.int32())
    elif column.family in ("timestamp", "timestamp_ntz"):
        cells = cells.cast(pa.int64())
    return list(cells.to_pylist())


def literal(column: Column, value: Any) -> str:
    """A value, or None, as SQL of exactly its type, in a session whose zone is UTC."""
    if value is None:
        return f"CAST(NULL AS {column.type})"
    family = column.family
    if column.fields:
        inner = ", ".join(f"'{f.name}', {literal(f, value[f.name])}" for f in column.fields)
        return f"named_struct({inner})"
    if family == "date":
        return f"date_from_unix_date({_whole_number(value)})"
    if family == "timestamp":
        return f"timestamp_micros({_whole_number(value)})"
    if family == "timestamp_ntz":
        return f"CAST(timestamp_micros({_whole_number(value)}) AS timestamp_ntz)"
    if family == "string":
        text = str(value).replace("\\", "\\\\").replace("'", "\\'")
        return f"'{text}'"
    if family == "binary":
        return f"X'{value.hex()}'"
    if family in ("float", "double"):
        return f"CAST('{_number(value)}' AS {family})"
    return str(value).lower() if family == "boolean" else f"CAST('{value}' AS {column.type})"


def _whole_number(value: int) -> str:
    return f"CAST('{value}' AS {'int' if -INT <= value < INT else 'bigint'})"


def _number(value: float) -> str:
    return "NaN" if math.isnan(value) else str(value).replace("inf", "Infinity")


def shown(type: str, sql: str) -> str:
    """SQL for a value as text; both zeros are the same."""
    family = type.partition("(")[0]
    if family in ("timestamp", "timestamp_ntz"):
        return f"CAST(unix_micros(CAST({sql} AS timestamp)) AS string)"
    if family == "date":
        return f"CAST(unix_date({sql}) AS string)"
    if family == "binary":
        return f"hex({sql})"
    if family in ("float", "double"):
        return f"CASE WHEN {sql} = 0 THEN '0' ELSE CAST({sql} AS string) END"
    return f"CAST({sql} AS string)"
