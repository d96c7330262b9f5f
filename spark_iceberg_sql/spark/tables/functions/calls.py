"""One call of a table function, from Spark's argument expressions to a plan or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from spark_iceberg_sql.model.functions.table_functions import Function, Value
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.spark.bridge.functions import call_arguments, catalog_lock
from spark_iceberg_sql.spark.bridge.jvm import configuration, gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, Refusal
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, is_analysis_error, message
from spark_iceberg_sql.spark.session_settings import READ_TIMEOUT
from spark_iceberg_sql.spark.tables.arguments import bind, find_argument, invalid
from spark_iceberg_sql.spark.tables.credentials import Secrets, settings_of, warn_of_exposed_secret
from spark_iceberg_sql.spark.tables.locations import path_suggestions
from spark_iceberg_sql.spark.tables.locations.locate import location_argument


def plan_call(function: Function, plan: Callable[[Function, Mapping[str, Value]], Java], arguments: Java) -> Java:
    """The callback that Spark invokes during analysis: the plan of a call.

    plan: makes the logical plan from the bound values. arguments: the Seq of expressions.
    Raises Refusal for any error, without the call's secrets.
    """
    secrets = Secrets()
    values: Mapping[str, Value] = {}
    try:
        values = _bound_values(function, arguments, secrets)
        return _within_time(function, values, partial(plan, function, values))
    except Refusal as refusal:
        raise secrets.redact(_explain(function, values, refusal)) from None
    except JVM_ERRORS as error:
        if is_analysis_error(error):
            raise
        argument = location_argument(values) if values else function.positional[0].name
        raise secrets.redact(_explain(function, values, invalid(function.name, argument, message(error)))) from None


def _within_time(function: Function, values: Mapping[str, Value], plan: Callable[[], Java]) -> Java:
    """The plan, made while other statements of the session go on. Raises Refusal if it takes too long."""
    setting = configuration.setting(READ_TIMEOUT.key) or READ_TIMEOUT.default
    argument = location_argument(values)
    if not setting.isdecimal() or int(setting) < 1:
        text = f"the setting {READ_TIMEOUT.key} is `{setting}`, not a whole number of seconds from 1"
        raise invalid(function.name, argument, text)
    try:
        return catalog_lock.without_lock(plan, int(setting))
    except TimeoutError:
        text = (
            f"`{values.get(argument)}` did not answer within {plural(int(setting), 'second')}; to wait longer, "
            f"SET {READ_TIMEOUT.key} = {2 * int(setting)}"
        )
        raise invalid(function.name, argument, text) from None


def _explain(function: Function, values: Mapping[str, Value], refusal: Refusal) -> Refusal:
    """The refusal, or a better one if the path is misspelled."""
    argument = location_argument(values)
    is_missing = refusal.condition == "PATH_NOT_FOUND"
    if not (is_missing or refusal.parameters.get("parameter") == f"`{argument}`"):
        return refusal
    explanation = path_suggestions.explain_path(str(values.get(argument, "")), values, missing=is_missing)
    return refusal if explanation is None else invalid(function.name, argument, explanation)


def _bound_values(function: Function, arguments: Java, secrets: Secrets) -> Mapping[str, Value]:
    call_values: list[tuple[str | None, Value]] = []
    literal_values: list[Value] = []
    for position, expression in enumerate(gateway.from_seq(arguments)):
        name, value = call_arguments.named_argument(expression)
        if name is not None and find_argument(function, name).name == "timestamp":
            call_values.append((name, call_arguments.timestamp_micros(value)))
            continue
        slot = function.positional[min(position, len(function.positional) - 1)].name
        call_values.append((name, call_arguments.constant(function.name, name or slot, value)))
        if call_arguments.is_literal(value):
            literal_values.append(call_values[-1][1])
    bound = bind(function, call_values, settings_of)
    secrets.collect(function, bound)
    warn_of_exposed_secret(function, bound, [value for _, value in call_values], literal_values)
    return bound
