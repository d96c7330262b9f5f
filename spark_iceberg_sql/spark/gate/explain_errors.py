"""Errors that Spark raises after the check: Spark's own error, after an explanation if the cause is known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyspark.errors.exceptions.captured import CapturedException

from spark_iceberg_sql.errors import IcebergSqlError, JavaError
from spark_iceberg_sql.model.metadata_functions import NAMES
from spark_iceberg_sql.model.schema import similar_names
from spark_iceberg_sql.outgoing import with_help
from spark_iceberg_sql.spark.bridge import catalogs, jvm_process, lines, sessions
from spark_iceberg_sql.spark.bridge.errors import causes, thrown_by
from spark_iceberg_sql.spark.gate import read_errors
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.spark.tables import attached
from spark_iceberg_sql.syntax import parser
from spark_iceberg_sql.syntax.clickhouse import INTO_FUNCTION, PATH_TABLE
from spark_iceberg_sql.syntax.script import statements
from spark_iceberg_sql.syntax.terms import NamePath

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
_UNKNOWN = re.compile(r"UNRESOLVABLE_TABLE_VALUED_FUNCTION\].*?`(iceberg\w*)`", re.IGNORECASE)
_INTO_FUNCTION = re.compile(r"\s*INSERT\s+INTO\s+(?:TABLE\s+)?FUNCTION\b", re.IGNORECASE)
_NO_CATALOG_FUNCTIONS = "MISSING_CATALOG_ABILITY.TABLE_VALUED_FUNCTIONS"
_CALL = re.compile(r"\b(?:FROM|JOIN)\s+(iceberg\w*)\s*\(", re.IGNORECASE)
_WRITE = re.compile(
    r"^\s*(?:INSERT|MERGE|UPDATE|DELETE|CALL|(?:CREATE|REPLACE)\b.*?\bAS\b)",
    re.IGNORECASE | re.DOTALL,
)
_FIELD_STATEMENTS = ("AddPartitionField", "DropPartitionField", "ReplacePartitionField")


def lost_a_race(error: Exception) -> bool:
    """True if another session committed first. A statement of one commit wrote nothing."""
    return "org.apache.iceberg.exceptions.CommitFailedException" in catalogs.thrown(error)


def can_be_sent_again(text: object) -> bool:
    """True if a text that met a commit conflict is one DDL statement. A script's earlier statements would run
    twice.
    """
    return _only_statement(text) in _DDL


def _only_statement(text: object) -> str:
    """The first word of a text of one statement; empty for any other text."""
    found = statements(text) if isinstance(text, str) else []
    return found[0].first if len(found) == 1 else ""


def _lost(text: object) -> str:
    """The end of a message about a commit conflict. FROM, WITH, BEGIN and CALL may be several commits."""
    if _only_statement(text) in _ONE_COMMIT:
        return "; nothing was written\nhelp: run the statement again"
    return "; earlier parts of the statement may have been written"


_DDL = ("ALTER", "CREATE", "REPLACE")
_ONE_COMMIT = (*_DDL, "INSERT", "UPDATE", "DELETE", "MERGE")
_GONE = "NoSuchTableException"
_REFUSALS = ("ValidationException", "CommitFailedException", "UnsupportedOperationException")


def of_attached(error: Exception, text: object = None) -> IcebergSqlError | None:
    """The refusal of a table that was attached by its path, without the Java stack; None for any other error.

    text: the statement.
    """
    for cause in causes(thrown_by(error)):
        frames = cause.getStackTrace()
        ours = len(frames) and str(frames[0].getClassName()).startswith("sparkicebergsql.Folder")
        kind = cause.getClass().getSimpleName()
        # Spark has its own error for a table that it does not find, except in CREATE TABLE.
        if ours and (
            kind in _REFUSALS or (kind == _GONE and not isinstance(error, CapturedException))
        ):
            said = str(cause.getMessage())
            if lost_a_race(error):
                said += _lost(text)
            return IcebergSqlError(said)
    return None


def of_ended(error: Exception, text: object) -> JavaError | None:
    """The error for a JVM that has ended while it ran a statement, or before; None if it has not ended.

    text: the statement.
    """
    if not jvm_process.has_ended_by(error):
        return None
    is_write = isinstance(text, str) and _WRITE.search(text) is not None
    return jvm_process.ended_error("the write" if is_write else None)


def explained(spark: SparkSession, error: Exception, text: object = None) -> Exception:
    """The error to show the user for an error raised by Spark.

    spark: the session. error: what `spark.sql` raised. text: the statement. Spark's own error keeps its class and
    condition; a bare Java exception becomes an IcebergSqlError, without the Java stack.
    """
    cause = _cause(spark, error, text)
    if isinstance(error, CapturedException):
        if cause is not None and _has_no_plan(error):
            # Spark reports a bug in Spark, which it is not.
            return lines.described(error, cause)
        return catalogs.explained(error, cause) if cause is not None else error
    if cause is not None and _has_no_plan(error):
        return IcebergSqlError(cause)
    known = of_attached(error, text) or read_errors.of_statement(error)
    if cause is None and known is not None:
        return known
    if catalogs.thrown(error):
        said = f"Spark refused the statement: {catalogs.first_line(error)}"
        return IcebergSqlError(said if cause is None else f"{cause}\n\n{said}")
    return error


def in_users_words(spark: SparkSession, error: Exception) -> Exception:
    """The error with a table's location instead of the generated name that INSERT INTO FUNCTION uses."""
    said = lines.description(error) if isinstance(error, CapturedException) else str(error)

    def place(name: re.Match[str]) -> str:
        location = attached.location(spark, name[1], name[2]) or name[2]
        return f"`{location.removeprefix('file:')}`"

    found = PATH_TABLE.sub(place, said)
    if found == said:
        return error
    if isinstance(error, CapturedException):
        return lines.described(error, found)
    return IcebergSqlError(found) if isinstance(error, IcebergSqlError) else error


def unknown_function(error: Exception, text: object) -> str | None:
    """The table function that Spark did not find, if it has this package's prefix. text: the statement."""
    said = catalogs.first_line(error)
    found = _UNKNOWN.search(said)
    if found is None and _NO_CATALOG_FUNCTIONS in said and isinstance(text, str):
        # After `USE lake`, Spark looks the function up there, and its error does not name it.
        calls = (call for call in _CALL.finditer(text) if call[1].lower() not in NAMES)
        found = next(calls, None)
    return None if found is None else found[1]


def _cause(spark: SparkSession, error: Exception, text: object) -> str | None:
    said = catalogs.first_line(error)
    unknown = unknown_function(error, text)
    if unknown is not None:
        like = similar_names(unknown, NAMES)
        return (
            f"there is no table function `{unknown}`; write {' or '.join(like)}" if like else None
        )
    if "PARSE_SYNTAX_ERROR" in said and isinstance(text, str) and _INTO_FUNCTION.match(text):
        return INTO_FUNCTION
    # Without Iceberg's extensions, Spark's parser fails at the word FIELD and does not name the missing
    # setting.
    if "PARSE_SYNTAX_ERROR" in said and "FIELD" in said.upper():
        if not catalogs.has_iceberg_extensions(spark):
            return (
                "this session's parser does not know Iceberg's statements: "
                "IcebergSparkSessionExtensions is not loaded\n"
                f"help: start the session with spark.sql.extensions={_EXTENSIONS}"
            )
        return None
    if _has_no_plan(error):
        return _why_no_plan(spark, text)
    if lost_a_race(error):
        return f"other sessions changed the table at the same time{_lost(text)}"
    return None


def _has_no_plan(error: Exception) -> bool:
    """True if Iceberg did not plan one of its own statements, because the table is not in an Iceberg
    catalog.
    """
    causes = catalogs.thrown(error)
    return any(f"No plan for {statement}" in causes for statement in _FIELD_STATEMENTS)


def _why_no_plan(spark: SparkSession, text: object) -> str:
    found = statements(sessions.substituted(spark, text)) if isinstance(text, str) else []
    node = parser.parse(found[0]) if len(found) == 1 else None
    table = getattr(node, "table", None)
    if isinstance(table, NamePath):
        known = SessionTables(spark, lambda _: spark.range(0))
        name = known.full_name(table.parts)
        try:
            if name[0] in catalogs.configured(spark) or name[0] == "spark_catalog":
                catalogs.load(spark, name)
        except catalogs.NoCatalogError as missing:
            return with_help(str(missing), "start the name with a configured catalog")
        except catalogs.CatalogSilentError as silent:
            return with_help(
                f"the catalog `{name[0]}` did not answer: {silent}",
                "run the statement again when it answers; nothing was changed",
            )
    return (
        "the table's catalog is not an Iceberg catalog, so it has no partition fields\n"
        "help: name the table through a catalog of class org.apache.iceberg.spark.SparkCatalog "
        "(or SparkSessionCatalog for spark_catalog)"
    )
