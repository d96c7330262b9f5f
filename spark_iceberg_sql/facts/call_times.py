"""Times in the arguments of a CALL: which of them Spark cannot compute there, and what it can."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.lexer import STRINGS, Token

_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86_400, "WEEK": 604_800}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_UNIT = rf"(?P<unit>{'|'.join((*_SECONDS, *_MONTHS))})S?"
_INTERVAL = rf"INTERVAL '?(?P<number>\d{{1,6}})'? {_UNIT}"
_NOW = r"(?:CURRENT_TIMESTAMP(?: \( \))?|NOW \( \))"
_TODAY = r"(?:CURRENT_DATE|CURDATE)(?: \( \))?"
_SINCE_NOW = regex(
    rf"{_NOW} - {_INTERVAL}|(?:TIMESTAMPADD|DATEADD) \( (?P<unit2>{'|'.join((*_SECONDS, *_MONTHS))})S? , "
    rf"- (?P<number2>\d{{1,6}}) , {_NOW} \)"
)
_SINCE_TODAY = regex(
    rf"{_TODAY} - (?P<days>\d{{1,6}})|{_TODAY} - INTERVAL '?(?P<days2>\d{{1,6}})'? DAYS?"
    rf"|DATE_SUB \( {_NOW} , (?P<days3>\d{{1,6}}) \)|{_TODAY}|DATE_TRUNC \( 'DAY' , {_NOW} \)"
)
_NOW_ALONE = regex(_NOW)
_SECONDS_AGO = regex(r"TIMESTAMP_SECONDS \( UNIX_TIMESTAMP \( \)(?: - (?P<seconds>\d{1,9}))? \)")
_TIME = r"'\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?'"
_CONSTANT = regex(
    rf"(?:CAST \( (?P<cast>{_TIME}) AS TIMESTAMP \)|(?:TO_TIMESTAMP|TIMESTAMP|TO_DATE) \( (?P<call>{_TIME}) \))"
)
_SINCE_CONSTANT = regex(rf"(?:TIMESTAMP|DATE) (?P<time>{_TIME}) - (?:{_INTERVAL}|(?P<days>\d{{1,6}}))")
# Spark 4 fails on these as a whole argument: their types or time zones are resolved after the CALL's parameters.
_CALLS = frozenset({
    "TIMESTAMPADD", "DATEADD", "TO_TIMESTAMP", "TO_DATE", "DATE_TRUNC", "TIMESTAMP", "FROM_UNIXTIME", "LOCALTIMESTAMP",
    "UNIX_TIMESTAMP", "MAKE_TIMESTAMP", "CURRENT_DATE", "CURDATE",
})  # fmt: skip
_TIME_WORDS = frozenset({
    "INTERVAL", "CURRENT_TIMESTAMP", "NOW", "CURRENT_DATE", "CURDATE", "LOCALTIMESTAMP", "MAKE_DT_INTERVAL",
})  # fmt: skip


@record(frozen=True, slots=True)
class TimeToWrite:
    """An argument that Spark can evaluate in a CALL. is_literal: every version can; else only Spark 4."""

    text: str
    is_literal: bool = False


def is_refused_time(tokens: Sequence[Token]) -> bool:
    """True if Spark cannot compute a time as the argument of a CALL that leaves parameters out."""
    tokens = _without_brackets(tokens)
    words = [token.word for token in tokens]
    outer = list(_outer(tokens))
    if any(token.text in ("+", "-") for token in outer[1:]):
        literals = pairwise(outer)
        return any(token.word in _TIME_WORDS for token in outer) or any(
            name.word in ("TIMESTAMP", "DATE") and value.kind in STRINGS for name, value in literals
        )
    if words in (["CURRENT_DATE"], ["CURDATE"]):
        return True
    if len(words) < 3 or words[1] != "(" or words[-1] != ")" or len(outer) != 3:
        return False
    if words[0] in ("DATE_SUB", "DATE_ADD"):
        return words[2] in ("NOW", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP")
    return words[0] in _CALLS or (words[0] == "CAST" and words[-3:-1] == ["AS", "TIMESTAMP"])


def is_of_today(tokens: Sequence[Token]) -> bool:
    """True for a time within the last 24 hours: now, or some seconds before."""
    text = " ".join(token.word for token in _without_brackets(tokens))
    if _NOW_ALONE.fullmatch(text) is not None:
        return True
    match = _SECONDS_AGO.fullmatch(text)
    return match is not None and int(match["seconds"] or "0") < _SECONDS["DAY"] - _SECONDS["MINUTE"]


def time_to_write(tokens: Sequence[Token]) -> TimeToWrite | None:
    """An argument that Spark can evaluate in a CALL: the same time, or the start of its day; None if none is known."""
    text = " ".join(token.text if token.kind in STRINGS else token.word for token in _without_brackets(tokens))
    if match := _CONSTANT.fullmatch(text):
        return TimeToWrite(f"TIMESTAMP {match['cast'] or match['call']}", is_literal=True)
    if (match := _SINCE_CONSTANT.fullmatch(text)) and (match["unit"] or "DAY") in _SECONDS:
        seconds = int(match["number"] or match["days"]) * _SECONDS[match["unit"] or "DAY"]
        time = _before(match["time"].strip("'"), seconds)
        return TimeToWrite(f"TIMESTAMP '{time}'", is_literal=True) if time is not None else None
    if match := _SINCE_NOW.fullmatch(text):
        number, unit = int(match["number"] or match["number2"]), match["unit"] or match["unit2"]
        if unit in _MONTHS:
            return TimeToWrite(f"add_months(current_date(), -{number * _MONTHS[unit]})")
        return TimeToWrite(f"timestamp_seconds(unix_timestamp() - {number * _SECONDS[unit]})")
    if match := _SINCE_TODAY.fullmatch(text):
        days = match["days"] or match["days2"] or match["days3"] or "0"
        return TimeToWrite(f"date_sub(current_date(), {days})")
    return None


def _before(time: str, seconds: int) -> str | None:
    """A time some seconds earlier; None if it is no time."""
    try:
        return re.sub(
            r"\.?0+$", "", (datetime.fromisoformat(time) - timedelta(seconds=seconds)).isoformat(" ", "microseconds")
        )
    except (ValueError, OverflowError):
        return None


def _without_brackets(tokens: Sequence[Token]) -> Sequence[Token]:
    """An expression without brackets around all of it."""
    while len(tokens) > 2 and tokens[0].text == "(" and len(list(_outer(tokens))) == 2 and tokens[-1].text == ")":
        tokens = tokens[1:-1]
    return tokens


def _outer(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens that are not inside brackets; the brackets themselves are not, either."""
    depth = 0
    for token in tokens:
        depth -= token.text == ")"
        if not depth:
            yield token
        depth += token.text == "("
