"""Records that cross between Python and Java: a dataclass, and the Java class with the same fields, generated from it.

Both sides read the fields by name and with their types, so a field that one side renames fails in the Java compiler,
and a value that Java leaves out fails when Python reads the record.

A constant record is written into the source of its Java class (`constants_source`). Any other record travels as JSON,
in either direction: one string costs less than a call for each value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

PACKAGE = "sparkicebergsql"
_BOXED = {str: "String", bool: "Boolean", int: "Long", float: "Double"}
_PRIMITIVE = {**_BOXED, bool: "boolean", int: "long", float: "double"}
_UNDERSCORE = re.compile(r"_(.)")

Record = TypeVar("Record")


def constants_source(record_class: type[Record], records: Iterable[Record]) -> str:
    """The source of a Java class with final fields, and its only instances as the list ALL."""
    name = record_class.__name__
    hints = _hints(record_class)
    parameters = ", ".join(f"{_java_type(h, _PRIMITIVE)} {java_name(n)}" for n, h in hints.items())
    values = ",\n    ".join(_construction(record) for record in records)
    return (
        f"{_head(record_class)}"
        + "".join(f"  public final {_java_type(h, _PRIMITIVE)} {java_name(n)};\n" for n, h in hints.items())
        + f"\n  private {name}({parameters}) {{\n"
        + "".join(f"    this.{java_name(n)} = {java_name(n)};\n" for n in hints)
        + "  }\n\n"
        + f"  public static final java.util.List<{name}> ALL = java.util.Arrays.asList(new {name}[] {{\n"
        + f"    {values}}});\n}}\n"
    )


def exchange_source(record_class: type) -> str:
    """The source of a Java class whose instances are converted from or to JSON; a field without a value is null."""
    attributes = "".join(
        f"  public {_java_type(hint, _BOXED)} {java_name(name)};\n" for name, hint in _hints(record_class).items()
    )
    return f"{_head(record_class)}{attributes}}}\n"


def to_json(record_class: type[Record], records: Iterable[Record]) -> str:
    """Flat records as JSON, for the array of Java objects that Jackson makes of it."""
    names = {name: java_name(name) for name in _hints(record_class)}
    return json.dumps([{names[n]: getattr(record, n) for n in names} for record in records])


def from_json(record_class: type[Record], text: str) -> Record:
    """The record that Java has written as JSON. Raises TypeError if it has other fields, or lacks a value."""
    record: Record = _record_reader(record_class)(json.loads(text))
    return record


def list_from_json(record_class: type[Record], text: str) -> list[Record]:
    """The records of a list that Java has written as JSON; otherwise like `from_json`."""
    return list(map(_record_reader(record_class), json.loads(text)))


def java_name(name: str) -> str:
    """The name of a field in Java: `specId` for `spec_id`."""
    return _UNDERSCORE.sub(lambda match: match[1].upper(), name)


def _head(record_class: type) -> str:
    name = record_class.__name__
    return f"package {PACKAGE};\n\n/** Generated from {name} in java_rows.py. */\npublic final class {name} {{\n"


def _hints(record_class: Any) -> dict[str, Any]:
    hints = get_type_hints(record_class)
    return {field.name: hints[field.name] for field in fields(record_class)}


def _required(hint: Any) -> Any:
    """The type of a value that is not None."""
    if get_origin(hint) is not UnionType:
        return hint
    (required,) = (part for part in get_args(hint) if part is not type(None))
    return required


def _java_type(hint: Any, simple: Mapping[Any, str]) -> str:
    if get_origin(hint) is UnionType:
        return _java_type(_required(hint), _BOXED)
    if hint in simple:
        return simple[hint]
    if get_origin(hint) is tuple:
        return f"java.util.List<{_java_type(get_args(hint)[0], _BOXED)}>"
    if get_origin(hint) is dict:
        return f"java.util.Map<String, {_java_type(get_args(hint)[1], _BOXED)}>"
    return str(hint.__name__)


def _construction(record: Any) -> str:
    values = (_literal(getattr(record, name)) for name in _hints(type(record)))
    return f"new {type(record).__name__}({', '.join(values)})"


def _literal(value: Any) -> str:
    if isinstance(value, tuple):
        return f"java.util.Arrays.asList(new String[] {{{', '.join(map(_literal, value))}}})"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value}L"
    return json.dumps(value)  # strings, true, false and null are written alike in both languages


def _reader(hint: Any) -> Callable[[Any], Any] | None:
    """The conversion of a JSON value to the type of a field; None if it is already of that type."""
    if hint in _BOXED:
        return None
    if get_origin(hint) is tuple:
        read_item = _reader(_required(get_args(hint)[0]))
        return tuple if read_item is None else lambda value: tuple(map(read_item, value))
    if get_origin(hint) is dict:
        read_value = _reader(get_args(hint)[1]) or _unchanged
        return lambda value: {key: read_value(item) for key, item in value.items()}
    return _record_reader(hint)


def _unchanged(value: Any) -> Any:
    return value


def _new_record_reader(record_class: type) -> Callable[[Any], Any]:
    hints = _hints(record_class)
    names = {java_name(name): name for name in hints}
    required = [java_name(name) for name, hint in hints.items() if hint is _required(hint)]
    readers = {name: reader for name, hint in hints.items() if (reader := _reader(_required(hint)))}

    def read(value: dict[str, Any]) -> Any:
        if value.keys() != names.keys():
            raise TypeError(f"Java's {record_class.__name__} has the fields {', '.join(value)}")
        if None in value.values() and (missing := [name for name in required if value[name] is None]):
            raise TypeError(f"Java's {record_class.__name__} has no value for {missing[0]}")
        arguments = {names[name]: part for name, part in value.items()}
        for name, reader in readers.items():
            if arguments[name] is not None:
                arguments[name] = reader(arguments[name])
        return record_class(**arguments)

    return read


# Evaluating the annotations costs more than reading a short record: 25 us against 3.
_record_reader: Callable[[type], Callable[[Any], Any]] = cache(_new_record_reader)
