"""Derivations of a Hive table's partition columns from a data column, and the partition field that replaces them.

The format of a column's values is inferred from the values, or guessed from the constants of queries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import repeat

from spark_iceberg_sql.model.transforms import BY_NAME, TIMES
from spark_iceberg_sql.syntax.identifiers import quoted, string_literal

# The parts of a time that Hive partition columns may hold and that make a time together, coarse to fine, with the usual
# names of such columns.
_PART_NAMES = {
    transform.name: transform.hive_columns
    for transform in TIMES
    if transform.hive_columns and hasattr(datetime, transform.name)
}
UNITS = tuple(_PART_NAMES)
INTEGERS = ("tinyint", "smallint", "int", "integer", "bigint")
_UNKNOWN_FORMAT = "the format of its values is unknown: no query compares it with a constant"
_PART = re.compile(r"\d{1,4}")
_TIME_TYPES = ("timestamp", "timestamp_ltz", "timestamp_ntz", "date")
# Forms of one column: the shape of its values, their format in Spark and in Python, and the unit.
_DATE_SHAPES = (
    (r"\d{4}", "yyyy", "%Y", "year"),
    (r"\d{4}-\d\d", "yyyy-MM", "%Y-%m", "month"),
    (r"\d{6}", "yyyyMM", "%Y%m", "month"),
    (r"\d{4}-\d\d-\d\d", "yyyy-MM-dd", "%Y-%m-%d", "day"),
    (r"\d{8}", "yyyyMMdd", "%Y%m%d", "day"),
    (r"\d{4}-\d\d-\d\d-\d\d", "yyyy-MM-dd-HH", "%Y-%m-%d-%H", "hour"),
    (r"\d{4}-\d\d-\d\d \d\d", "yyyy-MM-dd HH", "%Y-%m-%d %H", "hour"),
    (r"\d{10}", "yyyyMMddHH", "%Y%m%d%H", "hour"),
)


@dataclass(frozen=True, slots=True)
class HiveColumn:
    """A column. type: as in DDL, lower case."""

    name: str
    type: str

    @property
    def is_time(self) -> bool:
        """True for a date or a timestamp."""
        return self.type in _TIME_TYPES


@dataclass(frozen=True, slots=True)
class PartitionValueFormat:
    """The format of a partition column's values.

    column: the partition column. unit: the finest unit that they hold. format: of the whole date or time,
    `yyyyMMdd`; for a column with one part of it, such as the month, `MM` or `M`. strptime: the same for
    Python; None for a part.
    """

    column: HiveColumn
    unit: str
    format: str
    strptime: str | None = None

    @property
    def is_part(self) -> bool:
        """True if the values are only one part of a date, such as the month without its year."""
        return self.strptime is None

    def start(self, text: str) -> datetime | None:
        """The start of the unit that a value names; None if the text is not such a value."""
        if self.strptime is None or not text.isascii():
            return None
        try:
            moment = datetime.strptime(text, self.strptime)  # noqa: DTZ007  a wall clock; the zone is the reading's
        except ValueError:
            return None
        # strptime also accepts other spellings, such as one digit for %m. zfill: strftime may not pad years before
        # 1000.
        return moment if moment.strftime(self.strptime).zfill(len(text)) == text else None

    def number(self, text: str) -> int | None:
        """The number of a part as it is stored; None if the text is not one."""
        if not _PART.fullmatch(text):
            return None
        if self.format == "n":
            return int(text)
        is_unpadded = len(self.format) == 1 and text == str(int(text))
        return int(text) if is_unpadded or len(text) == len(self.format) > 1 else None


@dataclass(frozen=True, slots=True)
class PartitionDerivation:
    """A candidate derivation: partition columns that one data column determines.

    formats: of the partition columns, coarsest unit first. source: the data column. zone: of the days and hours; empty
    for a source without a time zone. basis: how this is known.
    """

    formats: tuple[PartitionValueFormat, ...]
    source: HiveColumn
    zone: str
    basis: str = ""

    @property
    def unit(self) -> str:
        """The finest unit."""
        return self.formats[-1].unit

    @property
    def term(self) -> str:
        """The partition field that replaces the columns: `days(ts)`."""
        return BY_NAME[self.unit].clause(quoted(self.source.name))

    @property
    def columns(self) -> tuple[str, ...]:
        """The partition columns."""
        return tuple(value_format.column.name for value_format in self.formats)

    @property
    def description(self) -> str:
        """The derivation as a clause: "`dt` is the day of `ts` in UTC"."""
        names = ", ".join(f"`{name}`" for name in self.columns)
        verb = "is" if len(self.formats) == 1 else "are"
        where = f" in {self.zone}" if self.zone else ""
        return f"{names} {verb} the {self.unit} of `{self.source.name}`{where}"

    def matches(self, texts: Sequence[str], wall_time: datetime) -> bool:
        """Whether partition values, as text, are those of a wall clock's time."""
        return all(map(_holds, self.formats, texts, repeat(wall_time)))

    def mismatch_condition(self) -> str:
        """The condition, as SQL, of a row that contradicts the derivation."""
        pairs = (
            f"{quoted(value_format.column.name)} <=> {self._value_sql(value_format)}" for value_format in self.formats
        )
        return f"NOT ({' AND '.join(pairs)})"

    def check_query(self, table: str) -> str:
        """The query that returns 0 if the derivation is true for every row. table: its name in SQL."""
        return f"SELECT count_if({self.mismatch_condition()}) AS wrong FROM {table}"

    def _value_sql(self, value_format: PartitionValueFormat) -> str:
        """A partition column's value, computed from the source."""
        column = quoted(self.source.name)
        has_no_zone = self.source.type in ("date", "timestamp_ntz")
        day, hour = f"CAST({column} AS DATE)", f"hour({column})"
        if not has_no_zone and self.zone != "UTC":  # whatever the session's zone is
            seconds = f"make_dt_interval(0, 0, 0, unix_seconds({column}))"
            clock = f"TIMESTAMP_NTZ '1970-01-01 00:00:00' + {seconds}"
            local = f"convert_timezone('UTC', {string_literal(self.zone)}, {clock})"
            day, hour = f"CAST({local} AS DATE)", f"hour({local})"
        elif not has_no_zone:
            day, hour = f"iceberg_days({column})", f"CAST(pmod(iceberg_hours({column}), 24) AS INT)"
        is_number = value_format.column.type in INTEGERS
        if value_format.column.type == "date":
            return day
        if value_format.is_part:
            value = hour if value_format.unit == "hour" else f"{value_format.unit}({day})"
            if is_number:
                return value
            return f"lpad({value}, 2, '0')" if len(value_format.format) == 2 else f"CAST({value} AS STRING)"
        pattern, text = value_format.format, ""
        if value_format.unit == "hour":
            pattern = value_format.format.removesuffix("HH")
            text = f"concat(date_format({day}, '{pattern}'), lpad({hour}, 2, '0'))"
        text = text or f"date_format({day}, '{pattern}')"
        return f"CAST({text} AS BIGINT)" if is_number else text

    # ------------------------------------------------------------------------------ ranges

    def literal(self, moment: datetime) -> str:
        """A moment as a literal that does not depend on the session."""
        if self.source.type == "date":
            return f"DATE '{moment.date().isoformat()}'"
        zone = f" {self.zone}" if self.zone else ""
        type_name = "TIMESTAMP_NTZ" if self.source.type == "timestamp_ntz" else "TIMESTAMP"
        return f"{type_name} '{moment.isoformat(sep=' ')}{zone}'"

    def range_predicate(self, start: datetime | None, end: datetime | None, column: str) -> str:
        """The range from `start` to before `end`, either of which may be open. column: as the query names it."""
        if start and end and self.source.type == "date" and end - start == timedelta(days=1):
            return f"{column} = {self.literal(start)}"
        bounds = [f"{column} >= {self.literal(start)}"] if start else []
        bounds += [f"{column} < {self.literal(end)}"] if end else []
        return f"({' AND '.join(bounds)})" if len(bounds) > 1 else bounds[0]


def _holds(value_format: PartitionValueFormat, text: str, wall_time: datetime) -> bool:
    if value_format.is_part:
        return value_format.number(text) == int(getattr(wall_time, value_format.unit))
    start = value_format.start(text)
    return start is not None and start <= wall_time < next_unit(start, value_format.unit)


def next_unit(start: datetime, unit: str) -> datetime:
    """The start of the next unit. Raises OverflowError after the year 9999."""
    if unit in ("day", "hour"):
        return start + (timedelta(days=1) if unit == "day" else timedelta(hours=1))
    month = start.month if unit == "month" else 12
    year = start.year + 1 if month == 12 else start.year
    if year > 9999:
        raise OverflowError(year)
    return start.replace(year=year, month=month % 12 + 1)


def infer_formats(
    partitions: Sequence[HiveColumn], values: Mapping[str, Iterable[str]], *, is_guessed: bool = False
) -> tuple[dict[str, PartitionValueFormat], dict[str, str]]:
    """The format of each partition column that may hold time, and, for the others, the reason why it is not known.

    values: of each partition column, in lower case, as text. is_guessed: whether they only are the constants of
    queries, some of which may be no values.
    """
    formats, reasons = {}, {}
    part_units = _units_of_parts(partitions)
    # Columns with values come first: that another one has none is only reported if no column holds time.
    for column in sorted(partitions, key=lambda c: not values.get(c.name.lower())):
        column_values = sorted(set(values.get(column.name.lower(), ())))
        part_unit = part_units.get(column.name)
        if column_values and not any(map(_PART.fullmatch, column_values)):
            part_unit = None  # whole times, under the name of a part
        value_format, reason = _infer_format(
            column, _likely_values(column_values, part_unit) if is_guessed else column_values, part_unit
        )
        if value_format is not None:
            formats[column.name] = value_format
            continue
        if reason == _UNKNOWN_FORMAT and column_values:
            reason = f"{_UNKNOWN_FORMAT} that is one, such as '2024-01-05', but with '{column_values[0]}'"
        if reason and (not formats or not reason.startswith(_UNKNOWN_FORMAT)):
            reasons[column.name] = reason
    return formats, reasons


def _units_of_parts(partitions: Sequence[HiveColumn]) -> dict[str, str]:
    """The columns that hold one part each, by their names: year, month, day; or hour after a whole day."""
    names_by_unit = {
        unit: next((c.name for c in partitions if c.name.lower() in names), None) for unit, names in _PART_NAMES.items()
    }
    units_by_name = {name: unit for unit, name in names_by_unit.items() if name is not None}
    year, month, day = names_by_unit["year"], names_by_unit["month"], names_by_unit["day"]
    if year is None or (day is not None and month is None):
        # a day or a month without its year is a whole date, if it is one at all
        return {name: unit for name, unit in units_by_name.items() if unit == "hour"}
    return units_by_name


def _infer_format(
    column: HiveColumn, values: Sequence[str], part_unit: str | None
) -> tuple[PartitionValueFormat | None, str]:
    if column.type == "date":
        return PartitionValueFormat(column, "day", "yyyy-MM-dd", "%Y-%m-%d"), ""
    if column.type not in (*INTEGERS, "string") and not column.type.startswith("varchar"):
        return None, ""
    if part_unit is not None:
        return _part_format(column, values, part_unit)
    if not values:
        return None, _UNKNOWN_FORMAT
    shapes = {_shape_of(text): text for text in values}
    if set(shapes) == {None}:
        return None, ""  # it does not hold time: a country, a tenant
    if len(shapes) > 1:
        examples = ", ".join(f"'{text}'" for text in sorted(shapes.values())[:2])
        return (None, f"its values have several formats ({examples}), so they cannot be derived from a time")
    (shape,) = shapes
    assert shape is not None
    if column.type in INTEGERS and ("-" in shape[1] or " " in shape[1]):
        return None, ""
    value_format = PartitionValueFormat(column, shape[3], shape[1], shape[2])
    if any(value_format.start(text) is None for text in values):
        return None, ""  # numbers that only look like dates
    return value_format, ""


def _shape_of(text: str) -> tuple[str, str, str, str] | None:
    """The shape of a value that looks like a date or a time."""
    return next((shape for shape in _DATE_SHAPES if re.fullmatch(shape[0], text)), None)


def _likely_values(constants: Sequence[str], part_unit: str | None) -> list[str]:
    """The constants that may be values: of the finest unit, in the most frequent format or formats."""
    if part_unit is not None:
        return [*filter(_PART.fullmatch, constants)]
    by_shape: dict[tuple[str, str, str, str], list[str]] = {}
    for text in constants:
        shape = _shape_of(text)
        if shape and PartitionValueFormat(HiveColumn("", "string"), shape[3], shape[1], shape[2]).start(text):
            by_shape.setdefault(shape, []).append(text)
    rank = {shape: (UNITS.index(shape[3]), len(texts)) for shape, texts in by_shape.items()}
    best = max(rank.values(), default=None)
    return [text for shape, texts in by_shape.items() if rank[shape] == best for text in texts]


def _part_format(column: HiveColumn, values: Sequence[str], unit: str) -> tuple[PartitionValueFormat | None, str]:
    if not all(map(_PART.fullmatch, values)):
        return None, ""
    if column.type in INTEGERS or unit == "year":
        return PartitionValueFormat(column, unit, "n" if column.type in INTEGERS else "yyyy"), ""
    letter = BY_NAME[unit].pattern_letters[0]
    is_padded = all(len(text) == 2 for text in values)
    return PartitionValueFormat(column, unit, letter * 2 if is_padded else letter), ""


def possible_derivations(
    formats: Mapping[str, PartitionValueFormat], columns: Sequence[HiveColumn], zones: Sequence[str]
) -> Iterator[PartitionDerivation]:
    """Every derivation of the partitions' time from one data column.

    columns: the columns that are not partition columns. zones: to try, for a column with a time zone.
    """
    sorted_formats = sorted(formats.values(), key=lambda value_format: UNITS.index(value_format.unit))
    if not sorted_formats or not _is_complete(sorted_formats):
        return
    for column in columns:
        if not column.is_time or (column.type == "date" and sorted_formats[-1].unit == "hour"):
            continue
        for zone in dict.fromkeys(zones) if column.type in ("timestamp", "timestamp_ltz") else ("",):
            yield PartitionDerivation(tuple(sorted_formats), column, zone)


def _is_complete(formats: Sequence[PartitionValueFormat]) -> bool:
    """True if the formats together hold a time from the year on, each unit once."""
    units = [value_format.unit for value_format in formats]
    first = UNITS.index(units[0])
    is_composable = first == 0 if formats[0].is_part else all(value_format.is_part for value_format in formats[1:])
    return is_composable and units == list(UNITS[first : first + len(units)])
