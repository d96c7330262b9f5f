"""The target of a write: a call of a table function, in a statement or from Python, whose store is opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.functions.table_functions import SETTINGS, Function, Value
from spark_iceberg_sql.spark.bridge.io.location import Location
from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, Refusal
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.tables.arguments import bind, find_argument, function_named, invalid
from spark_iceberg_sql.spark.tables.credentials import Secrets, settings_of, warn_of_exposed_secret
from spark_iceberg_sql.spark.tables.locations.allowed_locations import open_files
from spark_iceberg_sql.spark.tables.locations.locate import LocatedTable, find, location_argument
from spark_iceberg_sql.spark.tables.locations.stores import STORES
from spark_iceberg_sql.syntax.clickhouse.literal_calls import LiteralCall

# Settings that a writer needs: the others are about reading.
_OPENING = ("collection", "filename", "structure")
_READING = frozenset(setting.name for setting in SETTINGS) - set(_OPENING)


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """A table's folder to write to, and how to open its files.

    display_path: the path as in the call. location: the folder.
    """

    display_path: str
    location: Location
    _function: Function
    _values: Mapping[str, Value] = field(repr=False)
    _secrets: Secrets = field(repr=False)
    _call_values: tuple[Value, ...] = field(repr=False)

    @property
    def io(self) -> Java:
        """Iceberg's FileIO."""
        return open_files(self._function.name, location_argument(self._values), self.location, cached=True).io

    def find(self) -> LocatedTable:
        """The table there. Raises AnalysisException if there is none, IcebergSqlError if it cannot be read."""
        result = self._find()
        if isinstance(result, Refusal):
            raise gateway.to_python_exception(self._secrets.redact(result))
        return result

    def find_or_none(self) -> LocatedTable | None:
        """The table there; None if there is none. Raises as `find` does if something else is there."""
        result = self._find(may_create=True)
        if isinstance(result, Refusal) and result.condition == "PATH_NOT_FOUND":
            return None
        if isinstance(result, Refusal):
            raise gateway.to_python_exception(self._secrets.redact(result))
        return result

    def warn_of_exposed_secret(self, statement: str) -> None:
        """Raise a Python warning if a key is in a statement's text."""
        warn_of_exposed_secret(self._function, self._values, self._call_values, self._call_values, statement)

    def _find(self, *, may_create: bool = False) -> LocatedTable | Refusal:
        values = {name: value for name, value in self._values.items() if name not in _READING}
        with self.without_secrets():
            try:
                return find(self._function.name, self.location, values, may_create=may_create)
            except Refusal as refusal:
                return refusal

    @contextmanager
    def without_secrets(self) -> Iterator[None]:
        """Raise errors of the JVM as IcebergSqlError, without the call's secrets."""
        try:
            yield
        except JVM_ERRORS as error:
            text = self._secrets.redact_text(message(error))
            raise IcebergSqlError(f"`{self.display_path}` cannot be read: {text}") from None


def open_target(call: LiteralCall) -> WriteTarget:
    """The write target of a call, in the active session. Raises pyspark's AnalysisException for wrong arguments."""
    secrets = Secrets()
    try:
        function = function_named("attach", call.function)
        for name, _ in call.keywords:
            if find_argument(function, name).name in _READING:
                raise invalid(function.name, name, "it only applies to reading; leave it out")
        values = bind(function, (*call.positional, *call.keywords), settings_of)
        secrets.collect(function, values)
        location = STORES[function.store](function.name, values)
    except Refusal as refusal:
        raise gateway.to_python_exception(secrets.redact(refusal)) from None
    call_values = tuple(value for _, value in (*call.positional, *call.keywords))
    return WriteTarget(_display_path(values, location), location, function, values, secrets, call_values)


def _display_path(values: Mapping[str, Value], location: Location) -> str:
    argument = location_argument(values)
    if values.get("filename") is not None or argument == "blobpath":
        return location.path
    return str(values.get(argument, location.path))
