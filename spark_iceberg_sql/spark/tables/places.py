"""The target of a write: a call of a table function, in a statement or from Python, whose store is opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.table_functions import FUNCTIONS, SETTINGS, Function, Value
from spark_iceberg_sql.spark.bridge import jvm
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.jvm import Java, Refusal
from spark_iceberg_sql.spark.bridge.location import Location
from spark_iceberg_sql.spark.tables.allowed_locations import files_of
from spark_iceberg_sql.spark.tables.arguments import bind, invalid, named
from spark_iceberg_sql.spark.tables.credentials import Secrets, settings_of, warn_of_open
from spark_iceberg_sql.spark.tables.locate import Found, find, place_of
from spark_iceberg_sql.spark.tables.stores import STORES
from spark_iceberg_sql.syntax.literal_calls import LiteralCall

_BY_NAME = {name.lower(): function for function in FUNCTIONS for name in function.names}
# Settings that a writer needs: the others are about reading.
_OPENING = ("collection", "filename", "structure")
_READING = frozenset(setting.name for setting in SETTINGS) - set(_OPENING)


@dataclass(frozen=True, slots=True)
class Place:
    """A table's folder to write to, and how to open its files.

    display_path: the path as in the call. location: the folder.
    """

    shown: str
    location: Location
    _function: Function
    _values: Mapping[str, Value] = field(repr=False)
    _secrets: Secrets = field(repr=False)
    _given: tuple[Value, ...] = field(repr=False)

    @property
    def io(self) -> Java:
        """Iceberg's FileIO."""
        where = place_of(self._values)
        return files_of(self._function.name, where, self.location, cached=True).io

    def find(self) -> Found:
        """The table there. Raises AnalysisException if there is none, IcebergSqlError if it cannot be read."""
        found = self._find()
        if isinstance(found, Refusal):
            raise jvm.raised(self._secrets.out_of(found))
        return found

    def find_or_none(self) -> Found | None:
        """The table there; None if there is none. Raises as `find` does if something else is there."""
        found = self._find(new=True)
        if isinstance(found, Refusal) and found.condition == "PATH_NOT_FOUND":
            return None
        if isinstance(found, Refusal):
            raise jvm.raised(self._secrets.out_of(found))
        return found

    def warn_of_open(self, statement: str) -> None:
        """Raise a Python warning if a key is in a statement's text."""
        warn_of_open(self._function, self._values, self._given, self._given, statement)

    def _find(self, *, new: bool = False) -> Found | Refusal:
        values = {name: value for name, value in self._values.items() if name not in _READING}
        with self.without_secrets():
            try:
                return find(self._function.name, self.location, values, new=new)
            except Refusal as refusal:
                return refusal

    @contextmanager
    def without_secrets(self) -> Iterator[None]:
        """Raise errors of the JVM as IcebergSqlError, without the call's secrets."""
        try:
            yield
        except JVM_ERRORS as error:
            words = self._secrets.out_of_text(message(error))
            raise IcebergSqlError(f"`{self.shown}` cannot be read: {words}") from None


def opened(call: LiteralCall) -> Place:
    """The write target of a call, in the active session. Raises pyspark's AnalysisException for wrong
    arguments.
    """
    secrets = Secrets()
    try:
        function = _BY_NAME.get(call.function.lower())
        if function is None:
            names = ", ".join(f.name for f in FUNCTIONS)
            raise invalid("attach", "store", f"`{call.function}` is not one of {names}")
        for name, _ in call.keywords:
            if named(function, name).name in _READING:
                raise invalid(function.name, name, "it only applies to reading; leave it out")
        values = bind(function, (*call.positional, *call.keywords), settings_of)
        secrets.learn(function, values)
        location = STORES[function.store](function.name, values)
    except Refusal as refusal:
        raise jvm.raised(secrets.out_of(refusal)) from None
    given = tuple(value for _, value in (*call.positional, *call.keywords))
    return Place(_shown(values, location), location, function, values, secrets, given)


def _shown(values: Mapping[str, Value], location: Location) -> str:
    place = place_of(values)
    if values.get("filename") is not None or place == "blobpath":
        return location.path
    return str(values.get(place, location.path))
