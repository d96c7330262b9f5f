"""The parts that `%load_ext spark_iceberg_sql` adds to IPython: the magics, quiet errors, completion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from spark_iceberg_sql.notebook.cells.magic import IcebergSql
from spark_iceberg_sql.notebook.completion import Completer
from spark_iceberg_sql.notebook.errors import plain_errors
from spark_iceberg_sql.spark.bridge.jvm import gateway, logs, process

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


class Extension:
    """Everything the extension adds to a shell, and can remove. shell: IPython's."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._magics = IcebergSql(shell)
        self._completer = Completer(shell)

    def add(self) -> None:
        """Add everything."""
        self._shell.register_magics(self._magics)
        self._shell.configurables.append(self._magics)
        self._display().for_type(DataFrame, self._magics.is_shown)
        self._shell.events.register("post_run_cell", self._magics.forget)
        self._shell.events.register("post_run_cell", _quiet_log)
        self._shell.Completer.custom_matchers.append(self._completer.matches)
        logs.log_queries(False)
        plain_errors.install()

    def remove(self) -> None:
        """Remove everything."""
        for magic_kind in ("line", "cell"):
            self._shell.magics_manager.magics[magic_kind].pop("iceberg_sql", None)
        self._shell.configurables.remove(self._magics)
        self._display().pop(DataFrame, None)
        self._shell.events.unregister("post_run_cell", self._magics.forget)
        self._shell.events.unregister("post_run_cell", _quiet_log)
        self._shell.Completer.custom_matchers.remove(self._completer.matches)
        logs.log_queries(True)
        gateway.log_tasks(True)
        plain_errors.uninstall()

    def _display(self) -> Any:
        return self._shell.display_formatter.ipython_display_formatter


def _quiet_log(*_: object) -> None:
    """After a cell: also quiet the log of a session that the cell started."""
    if not process.has_ended():
        gateway.log_tasks(False)


_loaded: dict[int, Extension] = {}


def load(shell: InteractiveShell) -> None:
    """Add the magics to a shell, if it does not have them yet."""
    if id(shell) not in _loaded:
        _loaded[id(shell)] = Extension(shell)
        _loaded[id(shell)].add()


def unload(shell: InteractiveShell) -> None:
    """Remove the magics."""
    if id(shell) in _loaded:
        _loaded.pop(id(shell)).remove()
