"""Python variables as SQL parameters: which values SQL has, and their conversion to plain Python values."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

from pyspark.sql import DataFrame

from spark_iceberg_sql.notebook.errors.spark_errors import parse_error

NO_VALUE = "use a number, text, date, timestamp, list, dict or DataFrame"
_VALUES =(
    bool, int, float, str, bytes, bytearray, decimal.Decimal, type(None), datetime.date,
    datetime.time, datetime.timedelta,
)  # fmt: skip
_BIGINT = range(-(2**63), 2**63)
_MAX_DIGITS = 38
_MAX_DAYS = 106_751_991  # the longest interval: its microseconds are a bigint


class NoValueError(Exception):
    """A variable that cannot be a parameter. help: what to use instead."""

    def __init__(self, message: str, help: str = NO_VALUE) -> None:
        super().__init__(message)
        self.help = help


def is_frame(value: Any) -> bool:
    """True for a DataFrame, Spark's or pandas'."""
    return isinstance(value, DataFrame) or _is_instance(value, "pandas", "DataFrame")


def is_value(value: Any) -> bool:
    """True if a variable can be a parameter."""
    try:
        to_plain("", value)
    except NoValueError:
        return False
    return True


def to_plain(name: str, value: Any) -> Any:
    """A value as plain Python: numpy's and pandas' as Python's, tuples as lists, missing ones as None.

    An integer beyond bigint becomes a decimal, like its literal in SQL. name: of the variable, for the message.
    Raises NoValueError if SQL has no such value.
    """
    if _is_instance(value, "pandas", "NaTType") or _is_instance(value, "pandas", "NAType"):
        return None
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return to_plain(name, _convert_numpy(name, value))
    if _is_instance(value, "pandas", "Timestamp"):
        return value.to_pydatetime(warn=False)
    if _is_instance(value, "pandas", "Timedelta"):
        return value.to_pytimedelta()
    if isinstance(value, list | tuple):
        values = [to_plain(name, v) for v in value]
        _refuse_mixed_types(f"the values of the list `{name}`", values)
        return values
    if isinstance(value, dict):
        return _convert_dict(name, value)
    if not isinstance(value, _VALUES):
        type_name = type(value).__name__
        raise NoValueError(f"the variable `{name}` has the Python type {type_name}, which cannot be passed to SQL")
    return _refuse_out_of_range(name, value)


def _convert_numpy(name: str, value: Any) -> Any:
    """A numpy value or array as Python's. Times lose their nanoseconds, with which they would become integers."""
    if value.dtype.kind not in "mM":
        return value.tolist()
    times = value.astype(f"{value.dtype.kind}8[us]")
    listed = times.tolist()
    if any(isinstance(v, int) for v in (times.ravel().tolist() if times.shape else [listed])):
        raise NoValueError(f"the variable `{name}` contains a time outside the range of Python's datetime")
    return listed


def _convert_dict(name: str, value: dict[Any, Any]) -> dict[Any, Any]:
    result = {}
    for key, item in value.items():
        if isinstance(key, tuple):
            raise NoValueError(f"the dict `{name}` has tuples as keys, which cannot be passed to SQL")
        result[to_plain(name, key)] = to_plain(name, item)
    if None in result:
        raise NoValueError(f"the dict `{name}` has the key None, and a SQL map cannot have a null key")
    _refuse_mixed_types(f"the keys of the dict `{name}`", list(result))
    _refuse_mixed_types(f"the values of the dict `{name}`", list(result.values()))
    return result


def _refuse_mixed_types(subject: str, values: list[Any]) -> None:
    """Raise NoValueError if Spark cannot make an array of the values, whose types it does not convert."""
    type_names = {_type_description(v) for v in values}
    if len(type_names) > 1:
        type_list = ", ".join(sorted(type_names))
        raise NoValueError(f"{subject} have several types: {type_list}", "give all of them one type")


def _type_description(value: Any) -> str:
    """The part of a value that determines its Spark type."""
    if isinstance(value, list):
        return f"list of {_type_description(value[0])}" if value else "empty list"
    if isinstance(value, dict):
        pairs = list(value.items())
        return (
            f"dict of {_type_description(pairs[0][0])} to {_type_description(pairs[0][1])}" if pairs else "empty dict"
        )
    if isinstance(value, decimal.Decimal):
        _, digits, exponent = value.as_tuple()
        scale = max(0, -int(exponent))
        return f"decimal({max(len(digits) + max(0, int(exponent)), scale)},{scale})"
    return type(value).__name__


def _refuse_out_of_range(name: str, value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and value not in _BIGINT:
        if len(str(abs(value))) > _MAX_DIGITS:
            raise _too_long_error(name)
        return decimal.Decimal(value)
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise NoValueError(
                f"the variable `{name}` is the decimal {value}, which SQL's DECIMAL cannot represent",
                f"write float({name}) in Python, which is a double in SQL",
            )
        _, digits, exponent = value.as_tuple()
        if max(len(digits) + max(0, int(exponent)), -int(exponent)) > _MAX_DIGITS:
            raise _too_long_error(name)
    if isinstance(value, datetime.timedelta) and abs(value.days) >= _MAX_DAYS:
        raise NoValueError(f"the variable `{name}` is longer than the longest SQL interval")
    if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
        raise NoValueError(f"the string `{name}` contains a lone surrogate, which is not a valid character")
    return value


def refused_frame(name: str, frame: Any, error: Exception) -> tuple[str, str]:
    """The message and the help for a pandas DataFrame that Spark cannot convert. error: Spark's."""
    if not len(frame.columns):
        return f"the DataFrame `{name}` has no columns", "add a column"
    if not len(frame):
        return (
            f"the DataFrame `{name}` has no rows, so Spark cannot infer the types of its columns",
            f"in a Python cell: {name} = spark.createDataFrame([], '{frame.columns[0]} STRING, ...')",
        )
    first = parse_error(error).sentence
    return (f"Spark cannot convert the DataFrame `{name}`: {first}", "give all values of a column one type")


def _too_long_error(name: str) -> NoValueError:
    return NoValueError(
        f"the number `{name}` has more than {_MAX_DIGITS} digits, the maximum of DECIMAL",
        f"write float({name}) in Python, which is a double in SQL, or str({name})",
    )


def _is_instance(value: Any, package: str, name: str) -> bool:
    value_type = type(value)
    return value_type.__name__ == name and value_type.__module__.partition(".")[0] == package
