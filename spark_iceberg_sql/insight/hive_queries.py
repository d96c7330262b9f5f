"""Rewrites a query's conditions on Hive's partition columns as ranges of the column that determines them.

Anything else stays as it is, which returns the same rows, since the partition columns remain columns of the
table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from spark_iceberg_sql.insight.hive_conditions import (
    Condition,
    condition_at,
    is_call,
    mentions,
    name_of,
    tables,
    tokens_of,
    unclear,
)
from spark_iceberg_sql.insight.hive_partitions import UNITS, Form, Reading, after
from spark_iceberg_sql.insight.hive_zones import is_sure
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import Token


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A query. text: as given. rewritten: with ranges instead; None if nothing was rewritten.

    notes: which conditions stay, and why.
    """

    text: str
    rewritten: str | None
    notes: tuple[str, ...] = ()


def rewrite(text: str, names: Sequence[tuple[str, ...]], reading: Reading) -> Rewritten:
    """A query with its conditions on the derived columns rewritten.

    names: the names of the table in queries, the parts of each in lower case, the recommended one first.
    """
    tokens = tokens_of(text)
    title = ".".join(names[0])
    places_of_table = tables(tokens, names[0][-1])
    if not places_of_table:
        return Rewritten(text, None, (f"it does not read `{title}`",))
    other = next((name for _, name in places_of_table if name not in names), None)
    if other is not None:
        why = f"`{'.'.join(other)}` may be another table than `{title}`: the query stays as it is"
        return Rewritten(text, None, (why,))
    forms = {form.column.name.lower(): form for form in reading.forms}
    why = unclear(tokens, names[0][-1])
    if why:
        return Rewritten(text, None, (f"{why}: the query stays as it is",))
    places = list(mentions(tokens, names, list(forms)))
    all_places = [
        at
        for at in range(len(tokens))
        if name_of(tokens[at]).lower() in forms and not is_call(tokens, at)
    ]
    notes = []
    lost = len(all_places) - len(places)
    if lost:
        notes.append(
            f"{_times(lost)} the text does not show which table's column `{name_of(tokens[all_places[0]])}` is; "
            "qualify it with the table's alias"
        )
    conditions = []
    for at, name, qualifier in places:
        found, why = condition_at(tokens, at, forms[name], qualifier)
        if found is not None:
            conditions.append(found)
        if why:
            notes.append(f"`{forms[name].column.name}` {why}")
    out, at = "", 0
    for run in _runs(tokens, conditions):
        made, why = _predicate(reading, run)
        if made is None:
            notes.append(why)
            continue
        start, end = tokens[run[0].first].start, tokens[run[-1].last].end
        out += text[at:start] + made
        at = end
    return Rewritten(text, out + text[at:] if at else None, tuple(dict.fromkeys(notes)))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _runs(tokens: Sequence[Token], conditions: Sequence[Condition]) -> Iterator[list[Condition]]:
    """Conditions that are rewritten together: equalities of several columns, joined by AND alone."""
    run: list[Condition] = []
    for one in sorted(conditions, key=lambda c: c.first):
        last = run[-1] if run else None
        together = (
            last is not None
            and one.first == last.last + 2
            and tokens[last.last + 1].word == "AND"
            # NOT a AND b negates a alone.
            and tokens[run[0].first - 1].word != "NOT"
            and {one.operator, *(c.operator for c in run)} <= {"=", "=="}
            and one.qualifier == last.qualifier
            and one.form.column.name not in {c.form.column.name for c in run}
        )
        if run and not together:
            yield run
            run = []
        run.append(one)
    if run:
        yield run


# ------------------------------------------------------------------------------------ ranges


def _predicate(reading: Reading, run: Sequence[Condition]) -> tuple[str | None, str]:
    """A run of conditions as a predicate on the source column; or the reason why there is none."""
    column = run[0].qualifier + quoted(reading.source.name)
    try:
        spans = _spans(run)
    except OverflowError:
        spans = None
    if spans is None:
        return None, _why(reading, run)
    bounds = (bound for span in spans for bound in span if bound is not None)
    if twice := next((at for at in bounds if not is_sure(at, reading.zone)), None):
        return None, (
            f"`{run[0].form.column.name}` stays as it is: in {reading.zone}, it is not certain that clocks show "
            f"{twice.isoformat(sep=' ')} once, so it cannot bound a range of `{reading.source.name}`"
        )
    words = [reading.within(start, end, column) for start, end in spans]
    made = words[0] if len(words) == 1 else f"({' OR '.join(words)})"
    negated = run[0].operator.startswith("NOT ") or run[0].operator in ("<>", "!=")
    if negated:
        made = f"NOT {made}" if made.startswith("(") else f"NOT ({made})"
    return made, ""


def _why(reading: Reading, run: Sequence[Condition]) -> str:
    """The reason why a run of conditions is no range."""
    names = " and ".join(f"`{one.form.column.name}`" for one in run)
    values = [value for one in run for value in one.values or ()]
    told = ", ".join(f"'{value}'" for value in values)
    form = run[0].form
    if any(one.form.is_part for one in run):
        alone = f"{names} alone" if len(run) == 1 else f"{names} with {told}"
        return f"{alone}: not a range of `{reading.source.name}`, so the condition stays and does not prune"
    start = f"{names} stays as it is: "
    if run[0].operator.endswith("LIKE"):
        return (
            f"{start}{told} is not the pattern of a whole year or month in the format {form.format}"
        )
    odd = [value for value in values if form.start(value) is None]
    if odd:
        return f"{start}'{odd[0]}' is not a {form.unit} in the format {form.format}"
    if run[0].operator.endswith("BETWEEN") and values[0] > values[1]:
        return f"{start}nothing is between {' and '.join(map(repr, values))}"
    return f"{start}the {form.unit} after {told} is outside the range of a timestamp"


_Span = tuple[datetime | None, datetime | None]


def _spans(run: Sequence[Condition]) -> list[_Span] | None:
    if any(one.form.is_part for one in run):
        return _of_parts(run)
    (one,) = run if len(run) == 1 else (None,)
    if one is None or one.values is None:
        return None
    operator = one.operator.removeprefix("NOT ")
    if operator == "LIKE":
        return _of_prefix(one.form, one.values[0])
    starts = [one.form.start(value) for value in one.values]
    if not all(starts):
        return None
    known = [start for start in starts if start is not None]
    if operator == "IN":
        return _merged(sorted({(start, after(start, one.form.unit)) for start in known}))
    first, end = known[0], after(known[-1], one.form.unit)
    if operator in ("=", "==", "<>", "!="):
        return [(first, end)]
    if operator == "BETWEEN":
        return [(first, end)] if first < end else None
    return [
        {">=": (first, None), ">": (end, None), "<": (None, first), "<=": (None, end)}[operator]
    ]


def _merged(spans: Sequence[tuple[datetime, datetime]]) -> list[_Span]:
    out: list[tuple[datetime, datetime]] = []
    for start, end in spans:
        if out and out[-1][1] == start:
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return list(out)


def _of_parts(run: Sequence[Condition]) -> list[_Span] | None:
    """The range of equalities of the year, the month and so on, if no unit is left out before the finest."""
    each = sorted(run, key=lambda one: UNITS.index(one.form.unit))
    if any(one.operator not in ("=", "==") for one in each):
        return None
    # Year, month, day, hour: units finer than those in the run keep their first value.
    numbers = [1, 1, 1, 0]
    first = each[0].form
    if not first.is_part:
        start = first.start((each[0].values or ("",))[0])
        if start is None:
            return None
        numbers = [start.year, start.month, start.day, start.hour]
        expected = UNITS.index(first.unit) + 1
        rest = each[1:]
    else:
        expected, rest = 0, each
    for one in rest:
        at = UNITS.index(one.form.unit)
        number = one.form.number((one.values or ("",))[0])
        if at != expected or number is None:
            return None
        numbers[at] = number
        expected += 1
    try:
        begin = datetime(numbers[0], numbers[1], numbers[2], numbers[3])  # noqa: DTZ001  a wall clock
    except ValueError:
        return None
    return [(begin, after(begin, each[-1].form.unit))]


_PREFIX = re.compile(r"(\d{4})(?:-?(\d\d))?-?%")


def _of_prefix(form: Form, pattern: str) -> list[_Span] | None:
    """The range of a pattern: `LIKE '2024-01-%'` is a month, `LIKE '2024%'` a year."""
    found = _PREFIX.fullmatch(pattern)
    if found is None or ("-" in pattern and "-" not in form.format) or form.column.type == "date":
        return None
    if found[2] and "-" in form.format and pattern[4] != "-":
        return None
    unit = "month" if found[2] else "year"
    if UNITS.index(unit) > UNITS.index(form.unit) or (found[2] and not 1 <= int(found[2]) <= 12):
        return None
    if int(found[1]) < 1:
        return None
    start = datetime(int(found[1]), int(found[2] or 1), 1)  # noqa: DTZ001  a wall clock
    return [(start, after(start, unit))]
