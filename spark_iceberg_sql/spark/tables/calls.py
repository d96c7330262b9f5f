"""One call of a table function, from Spark's argument expressions to a plan or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from spark_iceberg_sql.model.table_functions import Function, Value
from spark_iceberg_sql.report.terminal import plural
from spark_iceberg_sql.spark.bridge import call_arguments, configuration, jvm, unlocked
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, is_analysis_error, message
from spark_iceberg_sql.spark.bridge.jvm import Java, Refusal
from spark_iceberg_sql.spark.tables import nearly
from spark_iceberg_sql.spark.tables.arguments import bind, invalid, named
from spark_iceberg_sql.spark.tables.credentials import Secrets, settings_of, warn_of_open
from spark_iceberg_sql.spark.tables.locate import place_of

_TIMEOUT = "spark.iceberg_sql.read_timeout"
_DEFAULT_TIMEOUT = 300  # seconds


def answer(
    function: Function, plan: Callable[[Function, Mapping[str, Value]], Java], arguments: Java
) -> Java:
    """The callback that Spark invokes during analysis: the plan of a call.

    plan: makes the logical plan from the bound values. arguments: the Seq of expressions.
    Raises Refusal for any error, without the call's secrets.
    """
    secrets = Secrets()
    values: Mapping[str, Value] = {}
    try:
        values = _values(function, arguments, secrets)
        return _within_time(function, values, partial(plan, function, values))
    except Refusal as refusal:
        raise secrets.out_of(_explained(function, values, refusal)) from None
    except JVM_ERRORS as error:
        if is_analysis_error(error):
            raise
        place = place_of(values) if values else function.positional[0].name
        unread = invalid(function.name, place, message(error))
        raise secrets.out_of(_explained(function, values, unread)) from None


def _within_time(function: Function, values: Mapping[str, Value], plan: Callable[[], Java]) -> Java:
    """The plan, made while other statements of the session go on. Raises Refusal if it takes too long."""
    setting = configuration.setting(_TIMEOUT) or str(_DEFAULT_TIMEOUT)
    place = place_of(values)
    if not setting.isdecimal() or int(setting) < 1:
        words = f"the setting {_TIMEOUT} is `{setting}`, not a whole number of seconds from 1"
        raise invalid(function.name, place, words)
    try:
        return unlocked.without_lock(plan, int(setting))
    except TimeoutError:
        words = (
            f"`{values.get(place)}` did not answer within {plural(int(setting), 'second')}; to wait longer, "
            f"SET {_TIMEOUT} = {2 * int(setting)}"
        )
        raise invalid(function.name, place, words) from None


def _explained(function: Function, values: Mapping[str, Value], refusal: Refusal) -> Refusal:
    """The refusal, or a better one if the path is misspelled."""
    place = place_of(values)
    missing = refusal.condition == "PATH_NOT_FOUND"
    if not (missing or refusal.parameters.get("parameter") == f"`{place}`"):
        return refusal
    words = nearly.slip_in(str(values.get(place, "")), values, missing=missing)
    return refusal if words is None else invalid(function.name, place, words)


def _values(function: Function, arguments: Java, secrets: Secrets) -> Mapping[str, Value]:
    given: list[tuple[str | None, Value]] = []
    literals: list[Value] = []
    for position, expression in enumerate(jvm.from_seq(arguments)):
        name, value = call_arguments.named_argument(expression)
        if name is not None and named(function, name).name == "timestamp":
            given.append((name, call_arguments.timestamp_micros(value)))
            continue
        slot = function.positional[min(position, len(function.positional) - 1)].name
        given.append((name, call_arguments.constant(function.name, name or slot, value)))
        if call_arguments.is_literal(value):
            literals.append(given[-1][1])
    bound = bind(function, given, settings_of)
    secrets.learn(function, bound)
    warn_of_open(function, bound, [value for _, value in given], literals)
    return bound
