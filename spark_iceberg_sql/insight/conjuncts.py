"""Reasons why a conjunct does not prune, and rewrites that may, from the expression alone, without Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from spark_iceberg_sql.rules.sis206_reserved_column_name import RESERVED
from spark_iceberg_sql.syntax.identifiers import string_literal

# Placeholder for the column in a rewritten predicate.
COLUMN = "\0"


@dataclass(frozen=True, slots=True)
class Term:
    """A Spark expression as plain data.

    class_name: the simple name of its Catalyst class. sql: its SQL text. type: the result type, as in DDL.
    value: a literal's value as text; None for a null and for anything but a literal. children: its arguments.
    """

    kind: str
    sql: str
    type: str
    value: str | None = None
    children: tuple[Term, ...] = ()

    def walk(self) -> Iterator[Term]:
        """The expression and all its descendants."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def columns(self) -> frozenset[str]:
        """The columns it refers to."""
        return frozenset(t.sql for t in self.walk() if t.kind == "AttributeReference")

    @property
    def is_column(self) -> bool:
        """True for a column or a struct field."""
        if self.kind == "GetStructField":
            return self.children[0].is_column
        return self.kind == "AttributeReference"


_FLIPPED = {
    "EqualTo": "EqualTo",
    "LessThan": "GreaterThan",
    "GreaterThan": "LessThan",
    "LessThanOrEqual": "GreaterThanOrEqual",
    "GreaterThanOrEqual": "LessThanOrEqual",
}
_SIGN = {
    "EqualTo": "=",
    "LessThan": "<",
    "GreaterThan": ">",
    "LessThanOrEqual": "<=",
    "GreaterThanOrEqual": ">=",
}
_CYCLIC = re.compile(
    r"Month|DayOfMonth|DayOfWeek|WeekDay|DayOfYear|WeekOfYear|Quarter|Hour|Minute|Second|DayName|MonthName"
)
_RUN_TIME = frozenset({"ScalarSubquery", "ListQuery", "Exists", "InSubquery", "OuterReference"})
_INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})

# ---------------------------------------------------------------------------------- why not


def why_withheld(call: Term, column: str, fields: Sequence[Field]) -> str:
    """The reason why the rule `guard` does not push a call of one of Iceberg's functions on a column to the
    scan.

    fields: of all specs.
    """
    if any(one.source == column and one.transform == "identity" for one in fields):
        return (
            f"`{call.sql}` is not passed to Iceberg: where a partition field is `{column}` itself, Iceberg would "
            "compare its values with those of the function, and return wrong rows"
        )
    return f"`{call.sql}` is not passed to Iceberg, which would return wrong rows for some values of `{column}`"


def why_not_pushed(term: Term, withheld: str | None = None) -> str:
    """The reason why Spark does not push a conjunct to Iceberg.

    withheld: the reason why one of Iceberg's own functions in it is not pushed.
    """
    for part in term.walk():
        if part.kind in _RUN_TIME:
            return "its value comes from a subquery, which is known only when the query runs"
        if part.kind.endswith("UDF"):
            return f"`{part.sql}` is a user-defined function, which Spark cannot analyse"
    if not term.columns:
        return "it refers to no column"
    for column in sorted(term.columns & RESERVED):
        return (
            f"`{column}` is a metadata column: Iceberg has no bounds and no partition values for it"
        )
    compared = _compared(term)
    if compared is not None and compared[2].columns:
        return "it compares columns with each other; partition values and bounds can only be compared with constants"
    subject = compared[1] if compared is not None else term.children[0]
    if term.kind == "Like":
        return "the pattern is not a prefix: only `LIKE 'prefix%'` is a range of the column"
    if term.kind == "RLike":
        return "a regular expression is not a range of the column"
    if term.kind in ("EndsWith", "Contains"):
        return "only a prefix is a range of the column, not a suffix or a substring"
    for part in subject.walk():
        if _CYCLIC.fullmatch(part.kind):
            (column, *_) = sorted(part.columns) or ("the column",)
            return f"`{part.sql}` is cyclic, so it is not a range of `{column}`; add a range of `{column}` to prune"
    if subject.kind == "Cast" and subject.children[0].is_column:
        own = subject.children[0]
        return (
            f"`{own.sql}` is converted from {own.type} to {subject.type} before it is compared; "
            f"a comparison with a constant of type {own.type} can prune"
        )
    if withheld is not None:
        return withheld
    if subject.is_column:
        return "Iceberg does not take this kind of predicate"
    return (
        f"`{subject.sql}` is computed from the column; "
        "partition values and bounds can only be compared with the column itself"
    )


@dataclass(frozen=True, slots=True)
class Field:
    """A partition field of any spec: its DDL clause, its source column, the name of its transform."""

    clause: str
    source: str
    transform: str


def why_kept(
    term: Term,
    columns: Sequence[str],
    fields: Sequence[Field],
    *,
    total: int,
    whole: int,
    without_bounds: Mapping[str, int],
) -> str:
    """The reason why a conjunct that reaches Iceberg prunes no file.

    columns: the ones it compares. fields: of all specs. total: the table's files. fully_matching: the number
    of files in which every row matches. without_bounds: by column, the number of files that have no bounds
    for it.
    """
    if whole == total:
        return "every row of every file matches it"
    words = []
    types = {t.sql: t.type for t in term.walk() if t.kind == "AttributeReference"}
    for column in columns:
        nested = re.match(r"struct|array|map|variant", types.get(column, ""))
        if nested:
            article = "an" if nested[0] == "array" else "a"
            words.append(
                f"Iceberg has no bounds or null counts for `{column}`, {article} {nested[0]}"
            )
            continue
        own = sorted({f.clause: f for f in fields if f.source == column}.items())
        if not own:
            words.append(f"no partition field uses `{column}`")
        for clause, one in own:
            if one.transform == "bucket" and term.kind not in ("EqualTo", "In", "InSet"):
                words.append(f"`{clause}` prunes only for = and IN")
            else:
                words.append(f"`{clause}` excludes no file")
        missing = without_bounds.get(column, 0)
        if missing == total:
            words.append(f"the files have no bounds for `{column}` (write.metadata.metrics)")
        elif missing:
            words.append(f"{missing:,} files have no bounds for `{column}`")
        if missing < total:
            words.append(f"every file's bounds for `{column}` may include a match")
    return ", and ".join(words) if words else "no file can be excluded by it"


# ---------------------------------------------------------------------------------- what instead


def rewrites(term: Term) -> Iterator[str]:
    """Predicates for the same rows that reach Iceberg, with COLUMN for the column; the caller must test them."""
    if term.kind == "Like" and term.children[0].is_column and len(term.children) == 2:
        prefix = re.split(r"[%_\\]", term.children[1].value or "")[0]
        if prefix and "\\" not in (term.children[1].value or ""):
            yield f"{COLUMN} LIKE {string_literal(prefix + '%')} AND {COLUMN} LIKE {term.children[1].sql}"
    if term.kind == "RLike" and term.children[0].is_column:
        # A literal prefix; its last character must not be followed by a quantifier.
        start = re.match(r"\^((?:[A-Za-z0-9 -](?![*?+{|]))+)", term.children[1].value or "")
        if start and "|" not in (term.children[1].value or ""):
            text = term.children[1].sql
            yield f"{COLUMN} LIKE {string_literal(start[1] + '%')} AND {COLUMN} RLIKE {text}"
    if term.kind == "ArrayContains" and term.children[1].is_column:
        items = re.fullmatch(r"(?:ARRAY|array)\((.+)\)", term.children[0].sql)
        if items:
            yield f"{COLUMN} IN ({items[1]})"
    compared = _compared(term)
    if compared is not None and compared[2].kind == "Literal" and compared[2].value is not None:
        yield from _comparisons(*compared)


def _comparisons(kind: str, subject: Term, constant: Term) -> Iterator[str]:
    sign, value = _SIGN[kind], constant.value or ""
    inner = subject.children[0] if subject.children else subject
    if not inner.is_column:
        return
    if subject.kind == "Coalesce" and len(subject.children) == 2:
        yield f"{COLUMN} {sign} {constant.sql}"
        yield f"({COLUMN} {sign} {constant.sql} OR {COLUMN} IS NULL)"
    if kind != "EqualTo":
        return
    if subject.kind == "Substring" and subject.children[1].value in ("0", "1"):
        if subject.children[2].value == str(len(value)) and value:
            yield _starts(value)
    elif subject.kind == "StringInstr" and value == "1" and subject.children[1].value:
        yield _starts(subject.children[1].value)
    elif subject.kind == "Cast" and inner.type in _INTEGERS and subject.type == "string":
        if re.fullmatch(r"0|-?[1-9]\d*", value):
            yield f"{COLUMN} = {value}"
    elif subject.kind == "Abs" and inner.type in _INTEGERS and re.fullmatch(r"\d+", value):
        yield f"{COLUMN} IN ({value}, -{value})"
    elif subject.kind == "DateFormatClass" and subject.children[1].value is not None:
        yield from _range(subject.children[1].value, value)


def _starts(text: str) -> str:
    if re.search(r"[%_\\]", text):
        return f"startswith({COLUMN}, {string_literal(text)})"
    return f"{COLUMN} LIKE {string_literal(text + '%')}"


# Letters of Spark's date patterns, coarsest first: the Python directive and the length of the unit.
_LETTERS = (("yyyy", "%Y"), ("MM", "%m"), ("dd", "%d"), ("HH", "%H"), ("mm", "%M"), ("ss", "%S"))


def _range(pattern: str, text: str) -> Iterator[str]:
    """The range of times that a pattern such as dd.MM.yyyy formats as the given text."""
    python, finest, parts = "", -1, re.findall(r"([A-Za-z])(\1*)|([^A-Za-z']+)", pattern)
    known = {spark: (i, letter) for i, (spark, letter) in enumerate(_LETTERS)}
    seen = set()
    for letter, more, other in parts:
        if other:
            python += other.replace("%", "%%")
        elif letter + more in known:
            place, directive = known[letter + more]
            python, finest = python + directive, max(finest, place)
            seen.add(place)
        else:
            return
    if "".join(a + b + c for a, b, c in parts) != pattern or seen != set(range(finest + 1)):
        return  # quotes, or a gap such as a day without its month
    try:
        start = datetime.strptime(text, python)  # noqa: DTZ007 - a local time, as in the query
    except ValueError:
        return
    if finest == 0:
        end = start.replace(year=start.year + 1)
    elif finest == 1:
        end = (start + timedelta(days=31)).replace(day=1)
    else:
        unit = ("days", "hours", "minutes", "seconds")[finest - 2]
        end = start + timedelta(**{unit: 1})
    yield f"{COLUMN} >= TIMESTAMP '{start}' AND {COLUMN} < TIMESTAMP '{end}'"


def trials(term: Term, candidate: str) -> Iterator[str | None]:
    """Values, as text, on which to compare a predicate with its rewrite: near each constant, and null.

    For times, also the second before each bound.
    """
    yield None
    texts = [t.value for t in term.walk() if t.kind == "Literal" and t.value is not None]
    texts += re.findall(r"'((?:[^'\\])*)'", candidate)
    for text in texts:
        yield from (text, text[:-1], text.strip("%^"), text + "a", "a" + text, text.upper(), "")
        if re.fullmatch(r"-?\d{1,18}", text):
            yield from (str(int(text) + i) for i in (-1, 1))
            yield str(-int(text))
        if re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", text):
            at = datetime.fromisoformat(text)
            for seconds in (-3600, -1, 1, 3600, 86400, -86400):
                yield str(at + timedelta(seconds=seconds))


def _compared(term: Term) -> tuple[str, Term, Term] | None:
    """A comparison as (its class, the side with a column, the other side)."""
    if term.kind not in _FLIPPED or len(term.children) != 2:
        return None
    left, right = term.children
    if left.columns:
        return term.kind, left, right
    return _FLIPPED[term.kind], right, left
