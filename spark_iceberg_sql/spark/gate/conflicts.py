"""Commits that fail because of another writer's: one sentence with the table, the other commit, and what to do.

Iceberg reports them with messages about files and requirements, and Spark with the stack of the JVM.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import ConflictError
from spark_iceberg_sql.model.table import Name, split_name
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS, JVM_ERRORS, causes, first_line, thrown_by
from spark_iceberg_sql.spark.bridge.tables import catalog_entries, other_commits
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax import failed_commits
from spark_iceberg_sql.syntax.identifiers import qualified_name
from spark_iceberg_sql.syntax.script import statements

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def is_conflict(error: Exception) -> bool:
    """True if a commit has failed because of another writer's."""
    return _conflict(error) is not None


def is_lost_race(error: Exception) -> bool:
    """True if another session has committed first: a statement of one commit wrote nothing, and may win later."""
    cause = _conflict(error)
    return cause is not None and str(cause.getClass().getName()) == failed_commits.FAILED


def conflict_error(
    spark: SparkSession, error: Exception, text: object, started_ms: int, table: object = None
) -> Exception | None:
    """The error for a commit that failed because of another writer's, or whose outcome is unknown; None for any other.

    text: the statement; of a DataFrame's writer there is none. started_ms: when it began, in milliseconds since 1970.
    table: the name that a writer was given.
    """
    cause = _conflict(error)
    if cause is None:
        return None
    # A message of its own, which this package's locks and stores write, names the table already.
    is_unknown = str(cause.getClass().getName()) == failed_commits.UNKNOWN
    name, iceberg_table = None, None
    with suppress(*BRIDGE_ERRORS, catalog_entries.CatalogUnavailableError, catalog_entries.NoCatalogError):
        name, iceberg_table = _table(spark, text, table)
    subject = "the table" if name is None else f"`{qualified_name(name)}`"
    if is_unknown:
        return _as_error(error, *failed_commits.unknown_sentence(name or (), first_line(cause)))
    fact, help_ = failed_commits.conflict_sentence(subject, _other(iceberg_table, started_ms), text, first_line(cause))
    return _as_error(error, fact, help_)


def _as_error(error: Exception, fact: str, help_: str) -> Exception:
    """A ConflictError that is also of the class of Spark's error, for code that catches that one."""
    conflict = ConflictError(fact, help=help_)
    text, original_class = str(conflict), type(error)
    methods = {"__str__": lambda _: text, "__repr__": lambda _: f"ConflictError({text!r})"}
    bases, module = (ConflictError, original_class), ConflictError.__module__
    error_class: Any = type("ConflictError", bases, {**methods, "__module__": module})
    combined: Exception = error_class.__new__(error_class, text)
    combined.__dict__.update(error.__dict__)
    combined.__dict__.update(conflict.__dict__)
    combined.args = (text,)
    return combined


def _conflict(error: Exception) -> Java | None:
    """The exception of Iceberg that a conflict is."""
    if not isinstance(error, JVM_ERRORS):
        return None
    try:
        for cause in causes(thrown_by(error)):
            name = str(cause.getClass().getName())
            if name in (failed_commits.FAILED, failed_commits.UNKNOWN) or (
                name == failed_commits.INVALID and failed_commits.CONFLICT.search(str(cause.getMessage()))
            ):
                return cause
    except BRIDGE_ERRORS:
        return None
    return None


def _other(table: Java | None, started_ms: int) -> str:
    """The other writer's commit, as a part of a sentence."""
    if table is None:
        return ""
    with suppress(*BRIDGE_ERRORS):
        other = other_commits.newest(table, started_ms)
        if other is not None:
            return str(other)
        return f"its metadata, at {other_commits.metadata_time(table)}"
    return ""


def _table(spark: SparkSession, text: object, table: object) -> tuple[Name | None, Java | None]:
    """The full name of the table that a statement changes, and Iceberg's table."""
    tables = SessionTables(spark, lambda _: spark.range(0))
    if isinstance(table, str):
        parts = split_name(table)
    else:
        script = statements(sessions.substitute_settings(spark, text)) if isinstance(text, str) else []
        parts = failed_commits.target(script[0]) if len(script) == 1 else ()
    if not parts:
        return None, None
    name = tables.full_name(parts)
    entry = catalog_entries.load(spark, name)
    if entry.relation_kind == "branch":
        entry = catalog_entries.load(spark, name[:-1])
    return name, entry.table
