"""Dates, numbers and patterns that Spark cannot read."""

from __future__ import annotations

import calendar
import re
from datetime import date

from spark_iceberg_sql.model.transforms import TIMES
from spark_iceberg_sql.syntax.lexer import STRINGS, Token
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import Mistake, MistakeHelp, RefusedStatement

_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(.*)", re.DOTALL)
_OTHER_ORDER = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(.*)", re.DOTALL)
_YEAR_FIRST = re.compile(r"(\d{4})([./])(\d{1,2})\2(\d{1,2})(.*)", re.DOTALL)
_UNITS = frozenset({*(transform.name for transform in TIMES), "quarter", "week", "minute", "second"})
_TIMES = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ")
_NUMBERS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL")
# Letters of other engines' patterns; Spark's are those of java.time.
_PATTERN_LETTERS = (
    ("HH24", "HH"), ("HH12", "hh"), ("MI", "mm"), ("YYYY", "yyyy"), ("YY", "yy"), ("DD", "dd"), ("SS", "ss"),
    ("Month", "MMMM"), ("Mon", "MMM"),
)  # fmt: skip


def impossible_date(text: str) -> str | None:
    """Why an ISO date does not exist, as a sentence; None if it does, or if it is no ISO date."""
    match = _ISO.match(text)
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    if not 1 <= month <= 12:
        return f"there is no month {month}"
    days = calendar.monthrange(year, month)[1] if year else 31
    return None if 1 <= day <= days else f"{calendar.month_name[month]} {year} has {days} days"


def iso_date(text: str) -> str | None:
    """A date in another notation as an ISO date; None if it is none, or may be read in two ways."""
    if (match := _YEAR_FIRST.match(text)) is not None:
        year, month, day, remaining = match[1], match[3], match[4], match[5]
    elif (match := _OTHER_ORDER.match(text)) is not None:
        first, second, year, remaining = int(match[1]), int(match[3]), match[4], match[5]
        # A dot is the day's; elsewhere only a number above 12 shows which is the day.
        if match[2] != "." and first <= 12 and second <= 12 and first != second:
            return None
        is_day_first = match[2] == "." or first > 12
        day, month = (str(first), str(second)) if is_day_first else (str(second), str(first))
    else:
        return None
    try:
        return f"{date(int(year), int(month), int(day)).isoformat()}{remaining}"
    except ValueError:
        return None


def _literal(refused: RefusedStatement, value: str) -> Token | None:
    """The only literal with a value."""
    literals = [token for token in refused.tokens if token.kind in STRINGS and token.text[1:-1] == value]
    return literals[0] if len(literals) == 1 else None


def _malformed(refused: RefusedStatement) -> MistakeHelp | None:
    """A text that cannot be converted to a date or a number."""
    value = str(refused.parameters.get("expression", "")).strip("'")
    target = str(refused.parameters.get("targetType", "")).strip('"')
    literal = _literal(refused, value)
    if literal is None:
        return None
    if (swapped := _swapped_unit(refused, literal)) is not None:
        return swapped
    message = f"{literal.text} is not a {target}"
    if target in _TIMES:
        if (fact := impossible_date(value)) is not None:
            return MistakeHelp(f"{fact}: write a date that exists", None, literal.span, message)
        if (iso := iso_date(value)) is not None:
            return MistakeHelp(f"write `'{iso}'`", (*literal.span, f"'{iso}'"), literal.span, message)
        if re.match(r"\d", value):
            return MistakeHelp("write the year, the month and the day: `'2024-01-31'`", None, literal.span, message)
    number = re.sub(r"(?<=\d)[,_'  ](?=\d{3}\b)", "", value)
    if target.partition("(")[0] in _NUMBERS and number != value and re.fullmatch(r"-?\d+(\.\d+)?", number):
        return MistakeHelp(f"write `{number}`", (*literal.span, number), literal.span, message)
    return None


def _swapped_unit(refused: RefusedStatement, unit: Token) -> MistakeHelp | None:
    """`date_trunc(ts, 'month')`."""
    index = refused.tokens.index(unit)
    start = max((i for i in range(index) if refused.words[i] == "DATE_TRUNC"), default=None)
    is_last = refused.words[index - 1] == "," and refused.words[index + 1 : index + 2] == [")"]
    if start is None or unit.text[1:-1].lower() not in _UNITS or not is_last:
        return None
    call_start, call_end = refused.tokens[start].start, refused.tokens[index + 1].end
    call = f"{refused.tokens[start].text}({unit.text}, {refused.source(start + 2, index - 1)})"
    span = call_start, call_end
    return MistakeHelp(f"write `{call}`", (*span, call), span, "`date_trunc` takes the unit before the time")


def _invalid_literal(refused: RefusedStatement) -> MistakeHelp | None:
    """`DATE '2023-02-30'`."""
    value = str(refused.parameters.get("value", "")).strip("'")
    literal = _literal(refused, value)
    if literal is None:
        return None
    if (fact := impossible_date(value)) is not None:
        return MistakeHelp(f"{fact}: write a date that exists", None, literal.span)
    iso = iso_date(value)
    return MistakeHelp(f"write `'{iso}'`", (*literal.span, f"'{iso}'"), literal.span) if iso is not None else None


def _bare_date(refused: RefusedStatement) -> MistakeHelp | None:
    """`ts > 2024-01-31`, a subtraction, and `ts + 1`."""
    start, end = refused.span
    fragment = refused.text[start:end]
    dates = list(re.finditer(r"(?<![\w'\"-])\d{4}-\d{1,2}-\d{1,2}(?![\w'\"-])", fragment))
    if len(dates) == 1:
        year, month, day = dates[0][0].split("-")
        iso = f"{year}-{int(month):02}-{int(day):02}"
        span = start + dates[0].start(), start + dates[0].end()
        message = f"{dates[0][0]} is a subtraction of numbers, not a date"
        if (fact := impossible_date(iso)) is not None:
            return MistakeHelp(fact, None, span, message)
        return MistakeHelp(f"write `DATE '{iso}'`", (*span, f"DATE '{iso}'"), span, message)
    types = {str(refused.parameters.get(key, "")).strip('"') for key in ("left", "right")}
    step = re.fullmatch(r"(.+?)\s*([+-])\s*(\d+)", fragment, re.DOTALL)
    if step is None or not types & {"TIMESTAMP", "TIMESTAMP_NTZ"} or "INT" not in types:
        return None
    clause = f"{step[1]} {step[2]} INTERVAL '{step[3]}' DAY"
    return MistakeHelp(f"if days are meant, write `{clause}`", (start, end, clause))


def _pattern(refused: RefusedStatement) -> MistakeHelp | None:
    """`'YYYY-MM-DD'`."""
    pattern = str(refused.parameters.get("pattern", "")).strip("'")
    literal = _literal(refused, pattern)
    java_pattern = pattern
    for letters, java_letters in _PATTERN_LETTERS:
        java_pattern = java_pattern.replace(letters, java_letters)
    if literal is None or java_pattern == pattern:
        return None
    message = (
        f"{literal.text} is not a pattern of Spark, where yyyy is the year, MM the month, dd the day, mm the minute"
    )
    return MistakeHelp(f"write `'{java_pattern}'`", (*literal.span, f"'{java_pattern}'"), literal.span, message)


def _travel_time(refused: RefusedStatement) -> MistakeHelp | None:
    """`TIMESTAMP AS OF 'yesterday'`."""
    for i in range(1, len(refused.tokens) - 1):
        value = refused.tokens[i + 1]
        if refused.words[i - 1 : i + 1] == ["AS", "OF"] and value.kind in STRINGS:
            if (fact := impossible_date(value.text[1:-1])) is not None:
                return MistakeHelp(f"{fact}: write a date that exists", None, value.span)
            return MistakeHelp(
                "write a time, `'2024-01-31 12:00:00'`, or an expression, `current_timestamp() - INTERVAL 1 DAY`",
                None,
                value.span,
            )
    return None


VALUES: dict[str, tuple[Mistake, ...]] = {
    "CAST_INVALID_INPUT": (_malformed,),
    "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR": (_travel_time,),
    "INVALID_TYPED_LITERAL": (_invalid_literal,),
    "DATATYPE_MISMATCH": (_bare_date,),
    "INCONSISTENT_BEHAVIOR_CROSS_VERSION": (_pattern,),
}
