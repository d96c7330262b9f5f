"""Which Python variables SQL has values for, and each of them as Spark takes it."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

from pyspark.sql import DataFrame

from spark_iceberg_sql.notebook.spark_errors import said

NO_VALUE = "use a number, text, date, timestamp, list, dict or DataFrame"
_VALUES = (
    *(bool, int, float, str, bytes, bytearray, decimal.Decimal, type(None)),
    *(datetime.date, datetime.time, datetime.timedelta),
)
_BIGINT = range(-(2**63), 2**63)
_MOST_DIGITS = 38
_LONGEST_DAYS = 106_751_991  # of an interval: its microseconds are a bigint


class NoValueError(Exception):
    """A variable that cannot be a parameter: what it is, and `help`, what to use instead."""

    def __init__(self, message: str, help: str = NO_VALUE) -> None:
        super().__init__(message)
        self.help = help


def is_frame(value: Any) -> bool:
    """Whether a variable is a DataFrame, Spark's or pandas'."""
    return isinstance(value, DataFrame) or _from(value, "pandas", "DataFrame")


def is_value(value: Any) -> bool:
    """Whether a variable can be a parameter."""
    try:
        plain("", value)
    except NoValueError:
        return False
    return True


def plain(name: str, value: Any) -> Any:
    """A value as plain Python: numpy's and pandas' as Python's, tuples as lists, missing ones as None.

    A number beyond bigint becomes a decimal, as its literal is in SQL. name: the variable's, for the message.
    Raises NoValueError for what is no value of SQL.
    """
    if _from(value, "pandas", "NaTType") or _from(value, "pandas", "NAType"):
        return None
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return plain(name, _of_numpy(name, value))
    if _from(value, "pandas", "Timestamp"):
        return value.to_pydatetime(warn=False)
    if _from(value, "pandas", "Timedelta"):
        return value.to_pytimedelta()
    if isinstance(value, list | tuple):
        values = [plain(name, v) for v in value]
        _of_one_kind(f"the list `{name}`", values)
        return values
    if isinstance(value, dict):
        return _of_dict(name, value)
    if not isinstance(value, _VALUES):
        kind = type(value).__name__
        raise NoValueError(
            f"the variable `{name}` has the Python type {kind}, which cannot be passed to SQL"
        )
    return _in_range(name, value)


def _of_numpy(name: str, value: Any) -> Any:
    """Python's for a value or an array of numpy; its times without nanoseconds, which would else be numbers."""
    if value.dtype.kind not in "mM":
        return value.tolist()
    times = value.astype(f"{value.dtype.kind}8[us]")
    listed = times.tolist()
    flat = times.ravel().tolist() if times.shape else [listed]
    if any(isinstance(v, int) for v in flat):
        raise NoValueError(f"the variable `{name}` has a time that Python has no datetime for")
    return listed


def _of_dict(name: str, value: dict[Any, Any]) -> dict[Any, Any]:
    made = {}
    for key, v in value.items():
        if isinstance(key, tuple):
            raise NoValueError(f"the dict `{name}` has tuples as keys, which SQL has no value for")
        made[plain(name, key)] = plain(name, v)
    if None in made:
        raise NoValueError(
            f"the dict `{name}` has a key that is None, and a map of SQL has no null key"
        )
    _of_one_kind(f"among its keys the dict `{name}`", list(made))
    _of_one_kind(f"the dict `{name}`", list(made.values()))
    return made


def _of_one_kind(what: str, values: list[Any]) -> None:
    """Raises NoValueError for values that Spark makes no array of: it converts none of them to another's type."""
    kinds = {_kind(v) for v in values}
    if len(kinds) > 1:
        listed = ", ".join(sorted(kinds))
        raise NoValueError(
            f"{what} has values of several types: {listed}", "give all of them one type"
        )


def _kind(value: Any) -> str:
    """What Spark's type of a value depends on."""
    if isinstance(value, list):
        return f"list of {_kind(value[0])}" if value else "empty list"
    if isinstance(value, dict):
        pairs = list(value.items())
        return f"dict of {_kind(pairs[0][0])} to {_kind(pairs[0][1])}" if pairs else "empty dict"
    if isinstance(value, decimal.Decimal):
        _, digits, exponent = value.as_tuple()
        scale = max(0, -int(exponent))
        return f"decimal({max(len(digits) + max(0, int(exponent)), scale)},{scale})"
    return type(value).__name__


def _in_range(name: str, value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and value not in _BIGINT:
        if len(str(abs(value))) > _MOST_DIGITS:
            raise _too_long(name)
        return decimal.Decimal(value)
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise NoValueError(
                f"the variable `{name}` is the decimal {value}, and decimals of SQL are numbers",
                f"write float({name}) in Python, which is a double in SQL",
            )
        _, digits, exponent = value.as_tuple()
        if max(len(digits) + max(0, int(exponent)), -int(exponent)) > _MOST_DIGITS:
            raise _too_long(name)
    if isinstance(value, datetime.timedelta) and abs(value.days) >= _LONGEST_DAYS:
        raise NoValueError(f"the variable `{name}` is longer than an interval of SQL can be")
    if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
        raise NoValueError(f"the text `{name}` has half of a character, a lone surrogate")
    return value


def refused_frame(name: str, frame: Any, error: Exception) -> tuple[str, str]:
    """What to say of pandas' DataFrame that Spark cannot take, and what to write instead. error: Spark's."""
    if not len(frame.columns):
        return f"the DataFrame `{name}` has no columns", "give it columns"
    if not len(frame):
        return (
            f"the DataFrame `{name}` has no rows, which Spark takes the columns' types from",
            f"in a Python cell: {name} = spark.createDataFrame([], '{frame.columns[0]} STRING, ...')",
        )
    first = said(error).sentence
    return (
        f"Spark cannot take the DataFrame `{name}`: {first}",
        "give all values of a column one type",
    )


def _too_long(name: str) -> NoValueError:
    return NoValueError(
        f"the number `{name}` has more than {_MOST_DIGITS} digits, the most that a decimal has",
        f"write float({name}) in Python, which is a double in SQL, or str({name})",
    )


def _from(value: Any, package: str, name: str) -> bool:
    kind = type(value)
    return kind.__name__ == name and kind.__module__.partition(".")[0] == package
