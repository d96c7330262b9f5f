"""Conversion of parameters to values that `spark.sql` handles correctly."""

from __future__ import annotations

import calendar
import datetime
import time
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the usual name

from spark_iceberg_sql.spark.bridge.jvm import gateway, shims

_INTS = range(-(2**31), 2**31)
# Before the Gregorian calendar pyspark shifts timestamps by days, and it cannot write years of three digits.
_GREGORIAN = 1583


def parameter(value: Any) -> Any:
    """A plain Python value as `spark.sql` takes it in `args`; a dict as a map, in lists too."""
    if isinstance(value, dict):
        return _constant(F.create_map(*(_column(v) for item in value.items() for v in item)))
    if isinstance(value, list):
        if value and all(type(v) is int for v in value) and any(v not in _INTS for v in value):
            return _longs(value)
        return _constant(F.array(*map(_column, value)))
    return _early_date(value) if isinstance(value, datetime.date) and value.year < _GREGORIAN else value


def _constant(column: Column) -> Column:
    """An array or a map; Spark 3.5 takes only literals."""
    literal_column = shims.literal(column._jc, gateway.java_class) if shims.SPARK_VERSION < (4, 0) else None
    return column if literal_column is None else Column(literal_column)


def _column(value: Any) -> Column:
    return F.lit(parameter(value))


def _literal(value: gateway.Java) -> Column:
    return Column(gateway.java_class("org.apache.spark.sql.functions").lit(value))


def _longs(values: list[int]) -> Column:
    """An array of bigint: pyspark would mix int and bigint elements, which Spark refuses as two types."""
    py4j_gateway = gateway.gateway()
    java_array = py4j_gateway.new_array(py4j_gateway.jvm.long, len(values))
    for i, value in enumerate(values):
        java_array[i] = value
    return _literal(java_array)


def _early_date(value: datetime.date) -> Column:
    if not isinstance(value, datetime.datetime):
        return _literal(gateway.java_class("java.time.LocalDate").of(value.year, value.month, value.day))
    # Without a zone, it is local time, as pyspark reads it.
    seconds = time.mktime(value.timetuple()) if value.tzinfo is None else calendar.timegm(value.utctimetuple())
    instant = gateway.java_class("java.time.Instant")
    return _literal(instant.ofEpochSecond(int(seconds), value.microsecond * 1000))
