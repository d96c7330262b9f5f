"""Catalogs that pyiceberg's configuration names, as a source of tables.

Each catalog is queried by its own thread: a check waits for an answer up to its timeout, an editor never waits. A
repository cannot cause a catalog to be opened, and pyiceberg's file in the working directory is not read: it may name
any Python callable (`auth: {type: custom, impl: ...}`), and the working directory is often somebody else's clone.
"""

from __future__ import annotations

import json
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDoneError
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any

from spark_iceberg_sql.errors import SourceError
from spark_iceberg_sql.model.metadata.metadata_json import table_from_metadata
from spark_iceberg_sql.model.table import MissingTable, Name, Table
from spark_iceberg_sql.model.tables import Tables

TIMEOUT = 5.0  # seconds
_HOME = "PYICEBERG_HOME"
_FILE = ".pyiceberg.yaml"
_MAX_ANSWER_AGE = 60.0  # seconds for which an editor believes an answer


class Catalogs:
    """The catalogs that a process looks tables up in, each opened once.

    answered: called, in another thread, when answers have come that nobody waited for. With it, a table is unknown
    until its catalog has answered; without it, a catalog that does not answer in time is recorded in `failure`.
    """

    def __init__(self, answered: Callable[[], None] | None = None) -> None:
        self._answered = answered
        self._catalogs: dict[str, _Catalog] = {}
        self.failure: str | None = None

    @property
    def waits(self) -> bool:
        """True if a check waits for the answers."""
        return self._answered is None

    def forget(self) -> None:
        """Query again, on next use, the catalogs whose last answer is more than a minute old."""
        oldest = time.monotonic() - _MAX_ANSWER_AGE
        self._catalogs = {n: c for n, c in self._catalogs.items() if not 0 < c.answered_at < oldest}

    def tables(self, name: str, timeout: float, **settings: Any) -> Tables:
        """The tables of a catalog.

        name: in pyiceberg's configuration. timeout: seconds to wait for each answer. settings: of Tables.
        Raises SourceError if pyiceberg is not installed, or if somebody waits and the catalog cannot be opened.
        """
        if name not in self._catalogs:
            self._catalogs[name] = _Catalog(name, self._answered)
        catalog = self._catalogs[name]
        if self.waits:
            # It takes seconds, and reads pyiceberg's file; what is wrong with either, the catalog's thread reports.
            with suppress(Exception):
                import pyiceberg.catalog.rest  # noqa: F401
            try:
                catalog.opened.result(timeout)
            except SourceError:
                raise
            except Exception as error:
                raise SourceError(f"cannot open the catalog `{name}`: {_reason(error, timeout)}") from None
        return _OpenedTables(self, catalog, timeout, settings)

    def unanswered(self, name: str, error: Exception, timeout: float) -> str:
        """The reason why a table is unknown; it is a failure of the check if somebody waits for the answer."""
        if isinstance(error, NotDoneError) and not self.waits:
            return f"the catalog `{name}` has not answered yet"
        reason = f"the catalog `{name}` did not answer: {_reason(error, timeout)}"
        if self.waits:
            self.failure = self.failure or reason
        return reason


class _Catalog:
    """A catalog and the thread that queries it.

    opened: pyiceberg's catalog. answered_at: time of the last answer, by the monotonic clock, in seconds; 0 before it.
    """

    def __init__(self, name: str, answered: Callable[[], None] | None) -> None:
        self.name = name
        self._answered = answered
        self._requests: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._tables: dict[Name, Future[Table | MissingTable]] = {}
        self.answered_at = 0.0
        # A daemon: a catalog that never answers must not keep the process alive.
        Thread(target=self._serve, name=f"catalog {name}", daemon=True).start()
        self.opened = self._ask(self._open)

    def table(self, parts: Name) -> Future[Table | MissingTable]:
        """The answer about a table, by its full name."""
        if parts not in self._tables:
            self._tables[parts] = self._ask(partial(self._load, parts))
        return self._tables[parts]

    def _open(self) -> Any:
        _refuse_working_directory()
        try:
            from pyiceberg.catalog import load_catalog
        except ImportError:
            raise SourceError("--catalog needs pyiceberg: pip install 'spark-iceberg-sql[catalog]'") from None
        return load_catalog(self.name)

    def _load(self, parts: Name) -> Table | MissingTable:
        from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

        try:
            metadata = self.opened.result(0).load_table(parts[1:]).metadata
        except (NoSuchTableError, NoSuchNamespaceError):
            return MissingTable(parts, f"the catalog `{self.name}` has no such table")
        except Exception as error:
            if _is_outage(error):
                raise
            reason = f"the catalog `{self.name}` has it, but pyiceberg cannot read it: {_first_line(error)}"
            return Table(parts, why_unknown=reason)
        return table_from_metadata(parts, json.loads(metadata.model_dump_json(by_alias=True)))

    def _ask(self, request: Callable[[], Any]) -> Future[Any]:
        answer: Future[Any] = Future()
        self._requests.put((answer, request))
        return answer

    def _serve(self) -> None:
        while True:
            answer, request = self._requests.get()
            try:
                answer.set_result(request())
            except Exception as error:  # pyiceberg raises what its backends raise
                answer.set_exception(error)
            self.answered_at = time.monotonic()
            if self._answered is not None and self._requests.empty():
                self._answered()


class _TablesOfCatalog(Tables, ABC):
    """Tables of a catalog that pyiceberg's configuration names.

    name: the catalog, which is also the default catalog if none is set.
    """

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        super().__init__(**{"catalog": name, **settings})
        self._name = name

    def is_catalog(self, name: str) -> bool:
        """True if the first part of a name is this catalog or the default one."""
        return name.lower() == self._name.lower() or super().is_catalog(name)

    def look_up(self, name: Name) -> Table | MissingTable | None:
        """The table of this catalog; None for a name in another one."""
        return self._answer(name) if self._is_in_catalog(name) else None

    def why_unknown(self, parts: Name) -> str:
        """The reason why a name is unknown, in the user's terms."""
        name = self.full_name(parts)
        reason = self._why_no_answer(name) if self._is_in_catalog(name) else None
        return reason or super().why_unknown(parts)

    def _is_in_catalog(self, name: Name) -> bool:
        return name[0].lower() == self._name.lower()

    @abstractmethod
    def _answer(self, name: Name) -> Table | MissingTable | None:
        """The table, MissingTable if there is none, None if that is unknown."""

    @abstractmethod
    def _why_no_answer(self, name: Name) -> str | None:
        """The reason why a table of this catalog is unknown, if the catalog is the cause."""


class _OpenedTables(_TablesOfCatalog):
    """The tables of an opened catalog; without an answer, it is unknown whether there is one."""

    def __init__(self, catalogs: Catalogs, source: _Catalog, timeout: float, settings: Mapping[str, Any]) -> None:
        super().__init__(source.name, settings)
        self._catalogs = catalogs
        self._source = source
        self._timeout = timeout
        self._unanswered: dict[Name, str] = {}

    def _answer(self, name: Name) -> Table | MissingTable | None:
        if self._catalogs.waits and name in self._unanswered:
            return None  # it has been waited for; copies of these tables share that
        wait = self._timeout if self._catalogs.waits else 0
        try:
            table = self._source.table(name).result(wait)
        except Exception as error:
            self._unanswered[name] = self._catalogs.unanswered(self._name, error, self._timeout)
            return None
        self.remember(name, table)
        return table

    def _why_no_answer(self, name: Name) -> str | None:
        return self._unanswered.get(name)


class WithheldTables(_TablesOfCatalog):
    """The tables of a catalog that is not opened, all of them unknown. reason: why it is not."""

    def __init__(self, name: str, reason: str, **settings: Any) -> None:
        super().__init__(name, settings)
        self._reason = reason

    def _answer(self, name: Name) -> None:
        return None

    def _why_no_answer(self, name: Name) -> str | None:
        return self._reason


def _refuse_working_directory() -> None:
    """Raise SourceError where pyiceberg would read its file from the working directory.

    It reads the first of three: in the folder that the environment variable PYICEBERG_HOME names, in the user's home
    folder, and in the working directory.
    """
    folders = [os.environ.get(_HOME), os.path.expanduser("~")]
    if not any(map(_has_file, folders)) and _has_file(os.getcwd()):
        raise SourceError(
            f"`{_FILE}` in the working directory is not read, since it may run any program; "
            f"keep it in your home folder, or name its folder in the environment: {_HOME}=."
        )


def _has_file(folder: str | None) -> bool:
    return bool(folder) and os.path.isfile(os.path.join(folder or "", _FILE))


def _is_outage(error: Exception) -> bool:
    """True if an error means that the catalog did not answer, not that pyiceberg cannot read a table."""
    errors = getattr(error, "errors", None)  # pydantic's: the answer has not the expected form
    if not callable(errors) or type(error).__name__ != "ValidationError":
        return True
    return any(item.get("type") == "json_invalid" for item in errors())


def _reason(error: Exception, timeout: float) -> str:
    if isinstance(error, NotDoneError):
        return f"no answer within {timeout:g} seconds"
    if type(error).__name__ in ("ValidationError", "JSONDecodeError"):
        return "its answer is not that of an Iceberg catalog; is the address right, or that of a login page?"
    if type(error).__module__.startswith("strictyaml"):
        return f"`{_FILE}` cannot be read: {' '.join(str(error).split())}"
    url = getattr(getattr(error, "request", None), "url", None)
    if url and type(error).__name__ in ("ConnectionError", "ConnectTimeout"):
        from urllib.parse import urlsplit

        return f"no connection to `{urlsplit(url).hostname}`, port {urlsplit(url).port or 'by default'}"
    return _first_line(error)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
