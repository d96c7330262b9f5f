"""Every exception and warning that users of this package may see.

    ValueError
    └── IcebergSqlError          base class; `.report` is set if a check is the cause: then nothing ran
        ├── ConfigError          the settings have an unknown key or an invalid value
        ├── FileError            a file cannot be found, read or written
        ├── SourceError          a given metadata file or catalog cannot be read
        ├── ReadError            a store or a file failed while a query ran; also of Spark's class
        ├── ConflictError        another writer's commit made one fail, or its outcome is unknown; also of Spark's class
        ├── PluginError          rules from another package cannot be loaded
        ├── ScriptFailedError    a statement of a script failed at run time
        ├── ArgumentsError       a call without the session, or with too few or unknown arguments; also a TypeError
        ├── MissingExtraError    an optional dependency is not installed; also an ImportError
        ├── JavaError            no Java installation that Spark supports was found
        └── JarError             the Iceberg runtime jar is missing and cannot be downloaded
    UserWarning
    └── IcebergSqlWarning        findings about a statement that is passed on to Spark

Errors of Spark itself stay Spark's own, except for ReadError and ConflictError in an installed session.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.safe_output import sanitized_message, visible, visible_lines, with_help

_WITH_SPARK = frozenset({"spark", "demo", "notebook", "jupyterlab"})  # the extras that bring pyspark


class IcebergSqlError(ValueError):
    """The base class of all errors that this package raises; the text is meant for the user.

    message: the fact. report: the check's report, if a check is the cause. help: what to do; with it, each of the two
    is one line, whatever the names in them. argument: the name of the argument whose value is refused, if it is one.
    """

    def __init__(
        self,
        message: str,
        report: Report | None = None,
        *,
        help: str | Sequence[str] | None = None,
        argument: str | None = None,
    ) -> None:
        remedies = (help,) if isinstance(help, str) else help
        super().__init__(visible_lines(message) if remedies is None else with_help(message, *remedies))
        self.report = report
        self.argument = argument

    def _render_traceback_(self) -> list[str]:
        """In a notebook cell: the text alone, no Python stack."""
        text = str(self) if self.report is not None else sanitized_message(str(self))
        return text.rstrip("\n").split("\n")


class _OneLineError(IcebergSqlError):
    """An error whose text has no second line but its help, whatever the names in it."""

    def __init__(self, message: str, *, help: str | Sequence[str] | None = None) -> None:
        super().__init__(visible(message), help=help)


class ConfigError(_OneLineError):
    """An unknown key or an invalid value in the configuration; `str` names the file, the key and the closest match."""


class FileError(_OneLineError):
    """A file that cannot be found, read or written."""


class SourceError(_OneLineError):
    """A given metadata file or catalog cannot be read."""


class ReadError(IcebergSqlError):
    """A store or a file failed while a query ran: one sentence with the table, its snapshot and the reason.

    It is also an instance of the class of the error that Spark itself raises, with that error's attributes.
    """


class ConflictError(_OneLineError):
    """A commit failed because of another writer's: one sentence with the table, the other commit, and what was written.

    It is also an instance of the class of the error that Spark itself raises, with that error's attributes.
    """


class PluginError(_OneLineError):
    """Rules from another package cannot be loaded; the text names the package and the reason."""


class ScriptFailedError(IcebergSqlError):
    """A statement of a script failed at run time; the text lists which statements ran and which did not.

    ran, not_run: the statements' texts. The cause is the error of the statement between them.
    """

    def __init__(self, message: str, ran: tuple[str, ...], not_run: tuple[str, ...]) -> None:
        super().__init__(message)
        self.ran = ran
        self.not_run = not_run

    def _render_traceback_(self) -> list[str]:
        return str(self).rstrip("\n").split("\n")


class MissingExtraError(IcebergSqlError, ImportError):
    """An optional dependency is not installed; the text gives the command that installs it.

    missing: the package. extra: of this package, with which pip installs it. An extra with pyspark is not named where
    there is a pyspark, which pip may not know: it would install another one beside it.
    """

    def __init__(self, missing: str | None, extra: str) -> None:
        is_alone = extra in _WITH_SPARK and missing is not None and find_spec("pyspark") is not None
        requirement = missing if is_alone else f"'spark-iceberg-sql[{extra}]'"
        super().__init__(f"{missing} is not installed: pip install {requirement}")


class ArgumentsError(IcebergSqlError, TypeError):
    """A call of a public function without the session, or with too few or unknown arguments."""


class JavaError(IcebergSqlError):
    """No Java installation that Spark supports was found, or Java has ended, for example out of memory."""


class JarError(IcebergSqlError):
    """The Iceberg runtime jar is missing and cannot be downloaded."""


class IcebergSqlWarning(UserWarning):
    """Findings about a statement that the gate passes on to Spark, or what does not work on an untested Spark."""
