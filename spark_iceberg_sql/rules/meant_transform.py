"""Infers the transform that an unknown name intends: another engine's transform, an expression or a typo."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spark_iceberg_sql.model.schema import near
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_FUNCTION, BY_OTHER_NAME, BY_SPELLING, DATE, TIMES

# Functions that take the unit, or a format that implies it, as a string.
_FORMATTING = frozenset(
    {"date_format", "to_char", "from_unixtime", "to_varchar", "format_datetime"}
)
# The letters of a format, coarse to fine, as Java and strftime have them.
_LETTERS = ("yuY", "MLQqm", "dDEewW", "HhKk")
# Without separators, only these are a format, such as `yyyyMMdd`: other long runs of letters are a word.
_UNSEPARATED = re.compile(r"(?:[yYu]{4}|[yYu]{2}|MM|[dD]{2}|[hHkK]{2}|mm|MI|[sS]{2})+")


class Meant(NamedTuple):
    """An inferred transform. reason: why it fits, or empty. is_misspelling: only the name is wrong."""

    record: Transform
    why: str = ""
    slip: bool = False


def meant(call: str, texts: Sequence[str]) -> Meant | None:
    """The transform that a call intends; None if it cannot be inferred. texts: its arguments, as written."""
    low = call.lower()
    named = [text for text in texts if text[:1] in ("'", '"')]
    if low in _FORMATTING:
        unit = next(filter(None, map(_finest, named)), None)
        return Meant(unit, "a transform names the unit") if unit is not None else None
    if low in BY_OTHER_NAME:
        record, why = BY_OTHER_NAME[low]
        unit = next(iter(units(texts)), None)
        if record is DATE and unit is not None:
            return Meant(unit, why)
        unit = next(iter(units(named)), None)
        if record.truncates and unit is not None:  # trunc(d, 'MM')
            return Meant(unit, "a transform names the unit")
        return Meant(record, why)
    found = BY_SPELLING.get(low) or BY_FUNCTION.get(low)
    if found is None:
        close = [n for n in near(low, BY_SPELLING) if n[0] == low[0] or n in low.split("_")]
        found = BY_SPELLING[close[0]] if close else None
    return Meant(found, slip=True) if found is not None and found.in_ddl else None


def units(texts: Iterable[str]) -> list[Transform]:
    """The units of time among a call's arguments: `date_trunc('month', ts)`, `TIMESTAMP_TRUNC(ts, MONTH)`."""
    found: list[Transform] = []
    for text in texts:
        word = text.strip("'\"`").lower()
        record = BY_SPELLING.get(word) or BY_OTHER_NAME.get(word, (None, ""))[0]
        if record is not None and record.granularity is not None:
            found.append(record)
    return found


def _finest(pattern: str) -> Transform | None:
    """The finest unit of a format such as `yyyy-MM`."""
    letters = re.sub(r"'[^']*'", "", pattern[1:-1])
    kept = [
        record for record, each in zip(TIMES, _LETTERS, strict=True) if set(each) & set(letters)
    ]
    runs = re.findall(r"[^\W\d_]{5,}", letters)
    return kept[-1] if kept and all(map(_UNSEPARATED.fullmatch, runs)) else None


def parameter(record: Transform, numbers: Sequence[int]) -> int | None:
    """The bucket count or width among a call's numbers; of `substr(s, 1, 4)` the 4, where the prefix ends."""
    bounds = record.parameter
    if record.truncates and len(numbers) == 2:
        start, length = numbers
        numbers = [max(start, 1) - 1 + length]
    return next((n for n in numbers if bounds and bounds.minimum <= n <= bounds.maximum), None)
