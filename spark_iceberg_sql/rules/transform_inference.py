"""Infers the transform that an unknown name intends: another engine's transform, an expression or a typo."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_FUNCTION, BY_OTHER_NAME, BY_SPELLING, DATE, TIMES
from spark_iceberg_sql.similar_names import similar_names

# Functions that take the unit, or a format that implies it, as a string.
_FORMAT_FUNCTIONS = frozenset({"date_format", "to_char", "from_unixtime", "to_varchar", "format_datetime"})
# Without separators, only these are a format, such as `yyyyMMdd`: other long runs of letters are a word.
_UNSEPARATED = re.compile(r"(?:[yYu]{4}|[yYu]{2}|MM|[dD]{2}|[hHkK]{2}|mm|MI|[sS]{2})+")


class InferredTransform(NamedTuple):
    """An inferred transform. reason: why it fits, or empty. is_misspelling: only the name is wrong."""

    transform: Transform
    reason: str = ""
    is_misspelling: bool = False


def infer_transform(call: str, texts: Sequence[str]) -> InferredTransform | None:
    """The transform that a call intends; None if it cannot be inferred. texts: its arguments, as written."""
    lower_name = call.lower()
    string_arguments = [text for text in texts if text[:1] in ("'", '"')]
    if lower_name in _FORMAT_FUNCTIONS:
        unit = next(filter(None, map(_finest_unit, string_arguments)), None)
        return InferredTransform(unit, "a transform names the unit") if unit is not None else None
    if lower_name in BY_OTHER_NAME:
        transform, reason = BY_OTHER_NAME[lower_name]
        unit = next(iter(time_units(texts)), None)
        if transform is DATE and unit is not None:
            return InferredTransform(unit, reason)
        unit = next(iter(time_units(string_arguments)), None)
        if transform.truncates and unit is not None:  # trunc(d, 'MM')
            return InferredTransform(unit, "a transform names the unit")
        return InferredTransform(transform, reason)
    spelled_transform = BY_SPELLING.get(lower_name) or BY_FUNCTION.get(lower_name)
    if spelled_transform is None:
        matches = [
            n for n in similar_names(lower_name, BY_SPELLING) if n[0] == lower_name[0] or n in lower_name.split("_")
        ]
        spelled_transform = BY_SPELLING[matches[0]] if matches else None
    return (
        InferredTransform(spelled_transform, is_misspelling=True)
        if spelled_transform is not None and spelled_transform.in_ddl
        else None
    )


def time_units(texts: Iterable[str]) -> list[Transform]:
    """The units of time among a call's arguments: `date_trunc('month', ts)`, `TIMESTAMP_TRUNC(ts, MONTH)`."""
    transforms: list[Transform] = []
    for text in texts:
        word = text.strip("'\"`").lower()
        transform = BY_SPELLING.get(word) or BY_OTHER_NAME.get(word, (None, ""))[0]
        if transform is not None and transform.granularity is not None:
            transforms.append(transform)
    return transforms


def _finest_unit(pattern: str) -> Transform | None:
    """The finest unit of a format such as `yyyy-MM`."""
    letters = re.sub(r"'[^']*'", "", pattern[1:-1])
    matching_units = [t for t in TIMES if set(t.pattern_letters) & set(letters)]
    runs = re.findall(r"[^\W\d_]{5,}", letters)
    return matching_units[-1] if matching_units and all(map(_UNSEPARATED.fullmatch, runs)) else None


def pick_parameter(transform: Transform, numbers: Sequence[int]) -> int | None:
    """The bucket count or width among a call's numbers; of `substr(s, 1, 4)` the 4, where the prefix ends."""
    bounds = transform.parameter
    if transform.truncates and len(numbers) == 2:
        start, length = numbers
        numbers = [max(start, 1) - 1 + length]
    return next((n for n in numbers if bounds and bounds.minimum <= n <= bounds.maximum), None)
