"""Rewrites a query's conditions on Hive's partition columns as ranges of the column that determines them.

Anything else stays as it is, which returns the same rows, since the partition columns remain columns of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from spark_iceberg_sql.insight.from_hive.hive_conditions import (
    Condition,
    ambiguity,
    column_references,
    condition_at,
    name_of,
    possible_columns,
    table_references,
    tokens_of,
)
from spark_iceberg_sql.insight.from_hive.hive_partitions import (
    INTEGERS,
    UNITS,
    PartitionDerivation,
    PartitionValueFormat,
    next_unit,
)
from spark_iceberg_sql.insight.from_hive.hive_zones import is_unambiguous
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import Token

_EQUALITIES = frozenset({"=", "=="})
_RANGES = frozenset({"BETWEEN", "IN", ">", ">=", "<", "<="})


@dataclass(frozen=True, slots=True)
class RewrittenQuery:
    """A query. text: as given. rewritten: with ranges instead; None if nothing was rewritten.

    notes: which conditions stay, and why.
    """

    text: str
    rewritten: str | None
    notes: tuple[str, ...] = ()


def rewrite(text: str, names: Sequence[tuple[str, ...]], derivation: PartitionDerivation) -> RewrittenQuery:
    """A query with its conditions on the derived columns rewritten.

    names: the names of the table in queries, the parts of each in lower case, the recommended one first.
    """
    tokens = tokens_of(text)
    title = ".".join(names[0])
    tables_read = table_references(tokens, names[0][-1])
    if not tables_read:
        return RewrittenQuery(text, None, (f"it does not read `{title}`",))
    other_table = next((name for _, name in tables_read if name not in names), None)
    if other_table is not None:
        reason = f"`{'.'.join(other_table)}` may be another table than `{title}`: the query stays as it is"
        return RewrittenQuery(text, None, (reason,))
    formats = {value_format.column.name.lower(): value_format for value_format in derivation.formats}
    reason = ambiguity(tokens, names[0][-1])
    if reason:
        return RewrittenQuery(text, None, (f"{reason}: the query stays as it is",))
    references = list(column_references(tokens, names, list(formats)))
    name_indexes = possible_columns(tokens, names[0][-1], formats)
    notes = []
    if ambiguous_count := len(name_indexes) - len(references):
        notes.append(
            ("once" if ambiguous_count == 1 else f"{ambiguous_count} times")
            + f" the text does not show which table's column `{name_of(tokens[name_indexes[0]])}` is; "
            "qualify it with the table's alias"
        )
    conditions = []
    for position, name, qualifier in references:
        condition, reason = condition_at(tokens, position, formats[name], qualifier)
        if condition is not None:
            conditions.append(condition)
        if reason:
            notes.append(f"`{formats[name].column.name}` {reason}")
    rewritten, position = "", 0
    for run in _runs(tokens, conditions):
        predicate, reason = _predicate(derivation, run)
        if predicate is None:
            notes.append(reason)
            continue
        start, end = tokens[run[0].first_index].start, tokens[run[-1].last_index].end
        rewritten += text[position:start] + predicate
        position = end
    return RewrittenQuery(text, rewritten + text[position:] if position else None, tuple(dict.fromkeys(notes)))


def _runs(tokens: Sequence[Token], conditions: Sequence[Condition]) -> Iterator[list[Condition]]:
    """Conditions that are rewritten together: equalities of several columns, joined by AND alone."""
    run: list[Condition] = []
    for condition in sorted(conditions, key=lambda c: c.first_index):
        last = run[-1] if run else None
        is_joined = (
            last is not None
            and condition.first_index == last.last_index + 2
            and tokens[last.last_index + 1].word == "AND"
            # NOT a AND b negates a alone.
            and tokens[run[0].first_index - 1].word != "NOT"
            and _are_one_range([*run, condition])
            and condition.qualifier == last.qualifier
            and condition.value_format.column.name not in {c.value_format.column.name for c in run}
        )
        if run and not is_joined:
            yield run
            run = []
        run.append(condition)
    if run:
        yield run


def _are_one_range(run: Sequence[Condition]) -> bool:
    """True if at most the finest unit's condition is no equality: `year = 2008 AND month BETWEEN 5 AND 7`."""
    finest = max(run, key=lambda condition: UNITS.index(condition.value_format.unit))
    others = {condition.operator for condition in run if condition is not finest}
    return others <= _EQUALITIES and finest.operator in {*_EQUALITIES, *_RANGES}


# ------------------------------------------------------------------------------------ ranges


def _predicate(derivation: PartitionDerivation, run: Sequence[Condition]) -> tuple[str | None, str]:
    """A run of conditions as a predicate on the source column; or the reason why there is none."""
    column = run[0].qualifier + quoted(derivation.source.name)
    try:
        spans = _spans(run)
    except OverflowError:
        spans = None
    if spans is None:
        return None, _reason_kept(derivation, run)
    bounds = (bound for span in spans for bound in span if bound is not None)
    if ambiguous_time := next((moment for moment in bounds if not is_unambiguous(moment, derivation.zone)), None):
        return None, (
            f"`{run[0].value_format.column.name}` stays as it is: in {derivation.zone}, it is not certain that "
            f"clocks show "
            f"{ambiguous_time.isoformat(sep=' ')} once, so it cannot bound a range of `{derivation.source.name}`"
        )
    ranges = [derivation.range_predicate(start, end, column) for start, end in spans]
    predicate = ranges[0] if len(ranges) == 1 else f"({' OR '.join(ranges)})"
    if run[0].operator.startswith("NOT ") or run[0].operator in ("<>", "!="):
        predicate = f"NOT {predicate}" if predicate.startswith("(") else f"NOT ({predicate})"
    return predicate, ""


def _reason_kept(derivation: PartitionDerivation, run: Sequence[Condition]) -> str:
    """The reason why a run of conditions is no range."""
    names = " and ".join(f"`{condition.value_format.column.name}`" for condition in run)
    values = [value for condition in run for value in condition.values or ()]
    quoted_values = ", ".join(f"'{value}'" for value in values)
    value_format = run[0].value_format
    if any(condition.value_format.is_part for condition in run):
        subject = f"{names} alone" if len(run) == 1 else f"{names} with {quoted_values}"
        return f"{subject}: not a range of `{derivation.source.name}`, so the condition stays and does not prune"
    prefix = f"{names} stays as it is: "
    if run[0].operator.endswith("LIKE"):
        return (
            f"{prefix}{quoted_values} is not the pattern of a whole year or month in the format {value_format.format}"
        )
    malformed_values = [value for value in values if value_format.start(value) is None]
    if malformed_values:
        article = "an" if value_format.unit == "hour" else "a"
        return (
            f"{prefix}'{malformed_values[0]}' is not {article} {value_format.unit} in the format {value_format.format}"
        )
    if run[0].operator.endswith("BETWEEN") and values[0] > values[1]:
        return f"{prefix}nothing is between {' and '.join(map(repr, values))}"
    return f"{prefix}the {value_format.unit} after {quoted_values} is outside the range of a timestamp"


_Span = tuple[datetime | None, datetime | None]


def _spans(run: Sequence[Condition]) -> list[_Span] | None:
    if any(condition.value_format.is_part for condition in run):
        return _span_of_parts(run)
    (condition,) = run if len(run) == 1 else (None,)
    if condition is None or condition.values is None:
        return None
    operator = condition.operator.removeprefix("NOT ")
    if operator == "LIKE":
        return _span_of_prefix(condition.value_format, condition.values[0])
    starts = [condition.value_format.start(value) for value in condition.values]
    if not all(starts):
        return None
    moments = [start for start in starts if start is not None]
    if operator == "IN":
        return _merge_spans(sorted({(start, next_unit(start, condition.value_format.unit)) for start in moments}))
    first, end = moments[0], next_unit(moments[-1], condition.value_format.unit)
    if operator in ("=", "==", "<>", "!="):
        return [(first, end)]
    if operator == "BETWEEN":
        return [(first, end)] if first < end else None
    return [{">=": (first, None), ">": (end, None), "<": (None, first), "<=": (None, end)}[operator]]


def _merge_spans(spans: Sequence[tuple[datetime, datetime]]) -> list[_Span]:
    merged: list[tuple[datetime, datetime]] = []
    for start, end in spans:
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return list(merged)


def _span_of_parts(run: Sequence[Condition]) -> list[_Span] | None:
    """The range of equalities of the year, the month and so on, if no unit is left out before the finest.

    The finest unit may be compared otherwise: within the unit above it, that is a range, too.
    """
    conditions = sorted(run, key=lambda condition: UNITS.index(condition.value_format.unit))
    *equalities, finest = conditions
    if any(condition.operator not in _EQUALITIES for condition in equalities):
        return None
    value_format, operator = finest.value_format, finest.operator
    # Digits that are not padded do not sort as their numbers do.
    is_sorted = value_format.column.type in INTEGERS or len(value_format.format) > 1
    if operator not in _EQUALITIES and not (operator == "IN" or (operator in _RANGES and is_sorted)):
        return None
    texts = finest.values or ("",)
    starts = [start for text in texts if (start := _start_of_parts(equalities, finest, text)) is not None]
    if len(starts) < len(texts):
        return None
    ends = [next_unit(start, value_format.unit) for start in starts]
    if operator in ("IN", *_EQUALITIES):
        return _merge_spans(sorted(set(zip(starts, ends, strict=True))))
    lowest, limit = None, None  # of the unit above
    if equalities:
        lowest = _start_of_parts(equalities[:-1], equalities[-1], (equalities[-1].values or ("",))[0])
        limit = next_unit(lowest, equalities[-1].value_format.unit) if lowest is not None else None
    first, end = {
        "BETWEEN": (starts[0], ends[-1]),
        ">=": (starts[0], limit),
        ">": (ends[0], limit),
        "<": (lowest, starts[0]),
        "<=": (lowest, ends[0]),
    }[operator]
    return [(first, end)] if first is None or end is None or first < end else None


def _start_of_parts(equalities: Sequence[Condition], finest: Condition, text: str) -> datetime | None:
    """The time at which a unit begins; None if a unit is left out, or if a value is none of its unit.

    equalities: the conditions on the coarser units, in order. text: the value of the finest.
    """
    # Year, month, day, hour: units finer than those in the run keep their first value.
    numbers = [1, 1, 1, 0]
    values = [*((c.value_format, (c.values or ("",))[0]) for c in equalities), (finest.value_format, text)]
    expected = 0
    if not values[0][0].is_part:
        start = values[0][0].start(values[0][1])
        if start is None:
            return None
        numbers = [start.year, start.month, start.day, start.hour]
        expected = UNITS.index(values.pop(0)[0].unit) + 1
    for value_format, value in values:
        unit_index, number = UNITS.index(value_format.unit), value_format.number(value)
        if unit_index != expected or number is None:
            return None
        numbers[unit_index] = number
        expected += 1
    try:
        return datetime(numbers[0], numbers[1], numbers[2], numbers[3])  # noqa: DTZ001  a wall clock
    except ValueError:
        return None


_PREFIX = re.compile(r"(\d{4})(?:-?(\d\d))?-?%")


def _span_of_prefix(value_format: PartitionValueFormat, pattern: str) -> list[_Span] | None:
    """The range of a pattern: `LIKE '2024-01-%'` is a month, `LIKE '2024%'` a year."""
    match = _PREFIX.fullmatch(pattern)
    if match is None or ("-" in pattern and "-" not in value_format.format) or value_format.column.type == "date":
        return None
    if match[2] and "-" in value_format.format and pattern[4] != "-":
        return None
    unit = "month" if match[2] else "year"
    is_date = int(match[1]) >= 1 and 1 <= int(match[2] or 1) <= 12
    if not is_date or UNITS.index(unit) > UNITS.index(value_format.unit):
        return None
    start = datetime(int(match[1]), int(match[2] or 1), 1)  # noqa: DTZ001  a wall clock
    return [(start, next_unit(start, unit))]
