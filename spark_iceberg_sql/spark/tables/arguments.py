"""Binds the values of a call to a table function's arguments, using its record in model/functions/table_functions.py.

Values are passed by position or by name; a position can have different meanings, as in ClickHouse:
`icebergS3(url, 'orc')`, `icebergS3(url, key, secret)`, `icebergS3(url, 'NOSIGN', 'orc')`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from spark_iceberg_sql.model.functions.table_functions import (
    BY_NAME,
    COLUMNS,
    COMPRESSIONS,
    FORMAT,
    FORMATS,
    FUNCTIONS,
    Argument,
    Function,
    Value,
)
from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.spark.bridge.jvm import shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Refusal, invalid_value, wrong_count

NOSIGN = "NOSIGN"
_MAX_QUOTED = 15  # characters; real keys have at least 16
_ALLOWED_VALUES = {"format": FORMATS, "compression_method": COMPRESSIONS, "structure": ("auto",), "columns": COLUMNS}
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def invalid(function: str, argument: str, message: str) -> Refusal:
    """The refusal of an argument's value; message: the fact and what to write instead."""
    return invalid_value(function, argument, message.rstrip(". \n"))


def find_argument(function: Function, name: str) -> Argument:
    """The argument of that name. Raises Refusal with similar names, or else with all names."""
    lower_name = name.lower()
    for argument in function.arguments:
        if lower_name == argument.name or lower_name in argument.aliases:
            return argument
    names = [argument.name for argument in function.arguments]
    raise Refusal(
        "UNRECOGNIZED_PARAMETER_NAME",
        **{shims.ROUTINE: f"`{function.name}`"},
        argumentName=f"`{name}`",
        proposal=" ".join(f"`{proposal}`" for proposal in similar_names(lower_name, names) or names),
    )


def bind(
    function: Function,
    call_values: Sequence[tuple[str | None, Value]],
    collection: Callable[[str], Mapping[str, str] | None],
) -> dict[str, Value]:
    """The values of a call by argument name, converted; defaults are not filled in.

    call_values: (name or None, value) in the order of the call. collection: the settings of a named collection in the
    session's configuration, or None if it does not exist.
    The call's values override the collection's. Raises Refusal.
    """
    bound: dict[str, Value] = {}
    by_position: set[str] = set()
    position = 0
    for name, value in call_values:
        if name is not None:
            argument = find_argument(function, name)
        elif (
            position == function.location_position
            and isinstance(value, str)
            and _IDENTIFIER.fullmatch(value) is not None
            and collection(value) is not None
        ):
            argument, position = find_argument(function, "collection"), len(function.positional)
        else:
            position = _effective_position(function, position, value)
            if position >= len(function.positional):
                raise wrong_count(
                    function.name, f"[{function.required}, {len(function.positional)}] positional", len(call_values)
                )
            argument, position = function.positional[position], position + 1
        if argument.name in bound:
            is_positional = argument.name in by_position
            condition = "BOTH_POSITIONAL_AND_NAMED" if is_positional else "DOUBLE_NAMED_ARGUMENT_REFERENCE"
            raise Refusal(
                f"DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.{condition}",
                routineName=f"`{function.name}`",
                parameterName=f"`{argument.name}`",
            )
        bound[argument.name] = convert(function, argument, value)
        if name is None:
            by_position.add(argument.name)
    bound = _with_collection(function, bound, collection)
    if bound.get("access_key_id") == NOSIGN:
        bound["no_sign"] = True
        del bound["access_key_id"]
    _refuse_missing(function, bound)
    return bound


def convert(function: Function, argument: Argument, value: Value) -> Value:
    """A value converted to its argument's type.

    Strings are accepted for numbers and booleans, 0 and 1 for booleans.
    """
    if value is None:
        raise invalid(function.name, argument.name, "it is NULL; leave it out, or pass a value")
    text = str(value).strip()
    if argument.type is bool:
        if text.lower() in ("true", "1"):
            return True
        if text.lower() in ("false", "0"):
            return False
        raise invalid(function.name, argument.name, f"`{quoted_value(text)}` is not true or false")
    if argument.type is int:
        try:
            return int(text)
        except ValueError:
            message = f"`{quoted_value(text)}` is not an integer"
            raise invalid(function.name, argument.name, message) from None
    text = str(value)
    allowed_values = _ALLOWED_VALUES.get(argument.name)
    if allowed_values is not None and text.lower() not in allowed_values:
        message = f"`{quoted_value(text)}` is not one of {', '.join(allowed_values)}"
        raise invalid(function.name, argument.name, message)
    if not text.strip():
        raise invalid(function.name, argument.name, "it is empty")
    return text


def quoted_value(text: str) -> str:
    """A wrong value as quoted in messages, shortened: a long one may be a key in the wrong position."""
    return text if len(text) <= _MAX_QUOTED else f"{text[:3]}..."


def _effective_position(function: Function, position: int, value: Value) -> int:
    """The effective position of a value: the name of a format is never a key, and NOSIGN ends the keys."""
    arguments = function.positional
    if not isinstance(value, str) or position <= function.location_position:
        return position
    format_position = next(i for i, argument in enumerate(arguments) if argument is FORMAT)
    if function.required <= position < format_position and value.lower() in FORMATS:
        return format_position
    return position


def _with_collection(
    function: Function, bound: dict[str, Value], collection: Callable[[str], Mapping[str, str] | None]
) -> dict[str, Value]:
    name = bound.get("collection")
    if name is None:
        return bound
    settings = collection(str(name))
    if settings is None:
        message = f"no settings spark.iceberg_sql.collection.{name}.* found"
        raise invalid(function.name, "collection", message)
    merged: dict[str, Value] = {}
    for key, value in settings.items():
        try:
            argument = find_argument(function, key)
        except Refusal as refusal:
            message = (
                f"`{name}` has the setting `{key}`, which is not an argument of {function.name}; "
                f"write {refusal.parameters['proposal']}, or remove the setting"
            )
            raise invalid(function.name, "collection", message) from None
        merged[argument.name] = convert(function, argument, value)
    return merged | bound


def _refuse_missing(function: Function, bound: Mapping[str, Value]) -> None:
    for index, argument in enumerate(function.positional[: function.required]):
        if argument.name not in bound:
            raise Refusal(
                "REQUIRED_PARAMETER_NOT_FOUND",
                routineName=f"`{function.name}`",
                parameterName=f"`{argument.name}`",
                index=str(index),
            )


def function_named(caller: str, name: str) -> Function:
    """The function over a location that an argument `store` names. caller: for the refusal. Raises Refusal."""
    function = BY_NAME.get(name.lower())
    if function is None:
        raise invalid(caller, "store", f"`{name}` is not one of {', '.join(f.name for f in FUNCTIONS)}")
    return function
