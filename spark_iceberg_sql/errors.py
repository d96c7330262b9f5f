"""Every exception and warning that this package means its users to see.

    ValueError
    └── IcebergSqlError          all of them; `.report` is set where a check is the cause: nothing of it ran
        ├── ConfigError          the settings say something that is not known
        ├── FileError            a file cannot be found, read or written
        ├── SourceError          a metadata file or a catalog that was named cannot be read
        ├── PluginError          rules of another package cannot be loaded
        ├── ScriptFailedError    a statement of a script failed while it ran
        ├── MissingExtraError    something that an optional dependency is needed for; an ImportError, too
        ├── JavaError            there is no Java that Spark runs on
        └── JarError             the Iceberg runtime jar is not there and cannot be fetched
    UserWarning
    └── IcebergSqlWarning        what the check says of a statement that it lets pass

Errors of Spark itself stay Spark's own.
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Report


class IcebergSqlError(ValueError):
    """Every error this package raises on purpose; its text is what the user should read.

    message: the rendering. report: the check's report, where a check is the cause.
    """

    def __init__(self, message: str, report: Report | None = None) -> None:
        super().__init__(message)
        self.report = report

    def _render_traceback_(self) -> list[str]:
        """In a notebook cell: the text alone, no Python stack."""
        return str(self).splitlines()


class ConfigError(IcebergSqlError):
    """A configuration that says something we do not know; `str` names file, key and near miss."""


class FileError(IcebergSqlError):
    """A file that cannot be found, read or written."""


class SourceError(IcebergSqlError):
    """A metadata file or a catalog that was named and cannot be read."""


class PluginError(IcebergSqlError):
    """Rules that another package announces cannot be loaded; the text says whose, and why."""


class ScriptFailedError(IcebergSqlError):
    """A statement of a script failed while it ran; the text says which ran and which did not.

    ran, not_run: the statements' texts. The cause is the error of the statement between them.
    """

    def __init__(self, message: str, ran: tuple[str, ...], not_run: tuple[str, ...]) -> None:
        super().__init__(message)
        self.ran = ran
        self.not_run = not_run


class MissingExtraError(IcebergSqlError, ImportError):
    """Something was asked for whose optional dependency is not installed; the text says what installs it."""

    def __init__(self, missing: str | None, extra: str) -> None:
        super().__init__(f"{missing} is not installed: pip install 'spark-iceberg-sql[{extra}]'")


class JavaError(IcebergSqlError):
    """There is no Java that Spark can run on."""


class JarError(IcebergSqlError):
    """The Iceberg runtime jar is not there and cannot be had."""


class IcebergSqlWarning(UserWarning):
    """What the gate says of a statement that it lets pass."""
