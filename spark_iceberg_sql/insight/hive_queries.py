"""Rewrites a query's conditions on Hive's partition columns as ranges of the column that determines them.

Works on tokens, and only where the text leaves no doubt; anything else stays as it is, which returns the same rows,
since the partition columns remain columns of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from spark_iceberg_sql.insight.hive_partitions import UNITS, Form, Reading, after
from spark_iceberg_sql.syntax.brackets import closing
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import STRINGS, TRIVIA, Kind, Token, tokenize
from spark_iceberg_sql.syntax.literals import unescape

_COMPARISONS = ("=", "==", "<", "<=", ">", ">=", "<>", "!=")
_BEFORE = frozenset({"WHERE", "AND", "OR", "NOT", "ON", "("})
_ENDS = frozenset(
    {
        *("GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "MINUS"),
        *("WINDOW", "SORT", "CLUSTER", "DISTRIBUTE", "QUALIFY"),
    }
)
_JOINS = frozenset(
    {"JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "SEMI", "ANTI", "LATERAL"}
)
_AFTER = _ENDS | _JOINS | {"AND", "OR", ")", "WHERE"}
_NO_ALIAS = (
    _ENDS | _JOINS | {"WHERE", "ON", "USING", "TABLESAMPLE", "FOR", "VERSION", "TIMESTAMP", "PIVOT"}
)
_NAMES = (Kind.WORD, Kind.QUOTED)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A query. text: as given. rewritten: with ranges instead; None if nothing was rewritten.

    notes: which conditions stay, and why.
    """

    text: str
    rewritten: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Condition:
    """A comparison of a partition column. first, last: its tokens. values: None if it is not with constants."""

    form: Form
    first: int
    last: int
    qualifier: str
    operator: str
    values: tuple[str, ...] | None


def constants(text: str, table: str, columns: Sequence[str]) -> dict[str, set[str]]:
    """The constants that a query compares with columns of a table, by column in lower case."""
    found: dict[str, set[str]] = {}
    tokens = _tokens(text)
    for at, name, _ in _mentions(tokens, table, columns):
        operator, values, _ = _compared(tokens, at)
        if not operator.endswith("LIKE"):  # a pattern is not a value
            found.setdefault(name, set()).update(values or ())
    return found


def rewrite(text: str, table: str, reading: Reading) -> Rewritten:
    """A query with its conditions on the reading's columns rewritten. table: the table's name, its last part."""
    tokens = _tokens(text)
    if not any(_is_table(tokens, at, table) for at in range(len(tokens))):
        return Rewritten(text, None, (f"it does not read `{table}`",))
    forms = {form.column.name.lower(): form for form in reading.forms}
    places = list(_mentions(tokens, table, list(forms)))
    all_places = [
        at
        for at in range(len(tokens))
        if _name(tokens[at]).lower() in forms and not _is_call(tokens, at)
    ]
    notes = []
    lost = len(all_places) - len(places)
    if lost:
        notes.append(
            f"{_times(lost)} it is not certain in the text whose column `{_name(tokens[all_places[0]])}` is; "
            "qualify it with the table's alias"
        )
    conditions = []
    for at, name, qualifier in places:
        found, why = _condition(tokens, at, forms[name], qualifier)
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


def _tokens(text: str) -> list[Token]:
    return [token for token in tokenize(text) if token.kind not in TRIVIA]


def _name(token: Token) -> str:
    if token.kind is Kind.QUOTED:
        return token.text[1:-1].replace("``", "`")
    return token.text if token.kind is Kind.WORD else ""


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _is_call(tokens: Sequence[Token], at: int) -> bool:
    return at + 1 < len(tokens) and tokens[at + 1].text == "("


# ------------------------------------------------------------------------------------ whose column it is


def _is_table(tokens: Sequence[Token], at: int, table: str) -> bool:
    """Whether the last part of a table's name in FROM or JOIN stands here."""
    if _name(tokens[at]).lower() != table.lower():
        return False
    first = at
    while first > 1 and tokens[first - 1].text == "." and tokens[first - 2].kind in _NAMES:
        first -= 2
    return first > 0 and tokens[first - 1].word in ("FROM", "JOIN", ",")


def _mentions(
    tokens: Sequence[Token], table: str, columns: Iterable[str]
) -> Iterator[tuple[int, str, str]]:
    """The column names, lower case, that certainly are the table's: index, name, and qualifier with its dot."""
    wanted = {column.lower() for column in columns}
    places = [at for at in range(len(tokens)) if _is_table(tokens, at, table)]
    if len(places) != 1 or any(token.text == "->" for token in tokens):
        return
    alias, end = _alias(tokens, places[0])
    words = [token.word for token in tokens]
    alone = words.count("FROM") == 1 and not _JOINS & set(words) and words[end : end + 1] != [","]
    uses = [at for at, token in enumerate(tokens) if alias and _name(token).lower() == alias]
    defined = [at for at in uses if words[at + 1 : at + 2] != ["."]]
    for at, token in enumerate(tokens):
        name = _name(token).lower()
        if name not in wanted or _is_call(tokens, at) or words[at + 1 : at + 2] == ["."]:
            continue
        if at < 2 or words[at - 1] != ".":
            if alone and words[at - 1 : at] != ["AS"]:
                yield at, name, ""
        elif (
            _name(tokens[at - 2]).lower() == alias
            and len(defined) == 1
            and words[at - 3 : at - 2] != ["."]
        ):
            yield at, name, f"{tokens[at - 2].text}."


def _alias(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """What the query calls the table, lower case, and the index after it."""
    end = at + 1
    if end < len(tokens) and tokens[end].word == "AS":
        end += 1
    if end < len(tokens) and tokens[end].kind in _NAMES and tokens[end].word not in _NO_ALIAS:
        return _name(tokens[end]).lower(), end + 1
    return _name(tokens[at]).lower(), at + 1


# ------------------------------------------------------------------------------------ conditions


def _in_where(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token is part of a WHERE or ON clause: there, every column of the table may be used."""
    inner = 0
    for i in range(at - 1, -1, -1):
        text = tokens[i].word
        if text == ")":
            inner += 1
        elif text == "(" and inner:
            inner -= 1
        if inner or text in ("(", ")"):
            continue
        if text in ("WHERE", "ON"):
            return True
        if text in _ENDS or text in ("SELECT", "FROM"):
            return False
    return False


def _compared(tokens: Sequence[Token], at: int) -> tuple[str, tuple[str, ...] | None, int]:
    """The operator after a column, empty if there is none, the constants, and the index of the last token."""
    words = [token.word for token in tokens[at + 1 : at + 6]]
    negated = "NOT " if words[:1] == ["NOT"] else ""
    step = at + 1 + bool(negated)
    operator = tokens[step].word if step < len(tokens) else ""
    if operator in _COMPARISONS and not negated:
        value, last = _constant(tokens, step + 1)
        return operator, None if value is None else (value,), last
    if operator == "LIKE":
        value, last = _constant(tokens, step + 1)
        return f"{negated}LIKE", None if value is None else (value,), last
    if operator == "BETWEEN":
        low, last = _constant(tokens, step + 1)
        if low is None or last + 1 >= len(tokens) or tokens[last + 1].word != "AND":
            return f"{negated}BETWEEN", None, last
        high, last = _constant(tokens, last + 2)
        return f"{negated}BETWEEN", None if high is None else (low, high), last
    if operator == "IN" and step + 1 < len(tokens) and tokens[step + 1].text == "(":
        close = closing(tokens, step + 1)
        inner = [_constant(tokens, i) for i in range(step + 2, close, 2)]
        plain = all(
            value is not None and last == i
            for (value, last), i in zip(inner, range(step + 2, close, 2), strict=True)
        ) and all(tokens[i].text == "," for i in range(step + 3, close, 2))
        values = tuple(value for value, _ in inner if value is not None)
        return f"{negated}IN", values if plain and values else None, min(close, len(tokens) - 1)
    return "", None, at


def _constant(tokens: Sequence[Token], at: int) -> tuple[str | None, int]:
    """A string, a number or a DATE literal, and the index of its last token."""
    if at < len(tokens) and tokens[at].word == "DATE" and at + 1 < len(tokens):
        at += tokens[at + 1].kind in STRINGS
    if at >= len(tokens):
        return None, len(tokens) - 1
    token = tokens[at]
    follows = at + 1 < len(tokens) and tokens[at + 1].kind in STRINGS  # 'a' 'b' is one string
    if token.kind in STRINGS and not follows:
        return unescape(token.text), at
    if token.kind is Kind.NUMBER and token.text.isdigit():
        return token.text, at
    return None, at


def _condition(
    tokens: Sequence[Token], at: int, form: Form, qualifier: str
) -> tuple[_Condition | None, str]:
    """The condition that a column begins; or why it stays, if that is worth saying."""
    if not _in_where(tokens, at):
        return None, "in the SELECT list or another clause stays as it is"
    first = at - 2 if qualifier else at
    operator, values, last = _compared(tokens, at)
    if not operator:
        return None, "stays as it is where it is not compared with a constant"
    if values is None:
        return None, "stays as it is where it is not compared with a constant"
    before = tokens[first - 1].word if first else ""
    behind = tokens[last + 1].word if last + 1 < len(tokens) else ")"
    if before not in _BEFORE or behind not in _AFTER or _of_between(tokens, first - 1):
        return None, "stays as it is inside an expression"
    return _Condition(form, first, last, qualifier, operator, values), ""


def _of_between(tokens: Sequence[Token], at: int) -> bool:
    """Whether an AND belongs to a BETWEEN."""
    if tokens[at].word != "AND":
        return False
    for i in range(at - 1, max(-1, at - 12), -1):
        if tokens[i].word in ("AND", "OR", "WHERE", "(", ")"):
            return False
        if tokens[i].word == "BETWEEN":
            return True
    return False


def _runs(tokens: Sequence[Token], conditions: Sequence[_Condition]) -> Iterator[list[_Condition]]:
    """Conditions that are rewritten together: equalities of several columns, joined by AND alone."""
    run: list[_Condition] = []
    for one in sorted(conditions, key=lambda c: c.first):
        last = run[-1] if run else None
        together = (
            last is not None
            and one.first == last.last + 2
            and tokens[last.last + 1].word == "AND"
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


def _predicate(reading: Reading, run: Sequence[_Condition]) -> tuple[str | None, str]:
    """A run as a predicate on the source column; or why there is none."""
    column = run[0].qualifier + quoted(reading.source.name)
    try:
        spans = _spans(run)
    except OverflowError:
        spans = None
    if spans is None:
        one = run[0]
        name = one.form.column.name
        if all(c.form.is_part for c in run) and run[0].form.unit != "year":
            return (
                None,
                f"`{name}` alone is no range of `{reading.source.name}`: it stays, and does not prune",
            )
        return (
            None,
            f"`{name}` stays as it is: {', '.join(map(repr, one.values or ()))} is not a value that it has",
        )
    words = [reading.within(start, end, column) for start, end in spans]
    made = words[0] if len(words) == 1 else f"({' OR '.join(words)})"
    negated = run[0].operator.startswith("NOT ") or run[0].operator in ("<>", "!=")
    if negated:
        made = f"NOT {made}" if made.startswith("(") else f"NOT ({made})"
    return made, ""


_Span = tuple[datetime | None, datetime | None]


def _spans(run: Sequence[_Condition]) -> list[_Span] | None:
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


def _of_parts(run: Sequence[_Condition]) -> list[_Span] | None:
    """Equalities of the year, the month and so on: a range if none is left out before the finest."""
    each = sorted(run, key=lambda one: UNITS.index(one.form.unit))
    if any(one.operator not in ("=", "==") for one in each):
        return None
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
    """`LIKE '2024-01-%'` as a month, `LIKE '2024%'` as a year."""
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
