"""Errors that Spark raises after the check: Spark's own error, after an explanation if the cause is known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyspark.errors.exceptions.captured import CapturedException

from spark_iceberg_sql.errors import IcebergSqlError, JavaError
from spark_iceberg_sql.model.functions.metadata_functions import NAMES
from spark_iceberg_sql.model.transforms import SPEC_CATALOG, SPEC_FUNCTIONS
from spark_iceberg_sql.safe_output import with_help
from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm import process, sessions, shims
from spark_iceberg_sql.spark.bridge.jvm.java_errors import causes, internal_error, linkage_error, thrown_by
from spark_iceberg_sql.spark.bridge.tables import catalog_entries
from spark_iceberg_sql.spark.gate import conflicts
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.spark.tables import attached_tables
from spark_iceberg_sql.syntax import failed_commits, parser
from spark_iceberg_sql.syntax.clickhouse.translation import INTO_FUNCTION, PATH_TABLE
from spark_iceberg_sql.syntax.identifiers import qualified_name, quoted
from spark_iceberg_sql.syntax.script import statements
from spark_iceberg_sql.syntax.terms import NamePath

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
_CATALOG = ".SparkCatalog"
_NO_PATH = "Cannot open table: path is not set"
_UNKNOWN_FUNCTION = re.compile(r"UNRESOLVABLE_TABLE_VALUED_FUNCTION\].*?`(iceberg\w*)`", re.IGNORECASE)
_INTO_FUNCTION = re.compile(r"\s*INSERT\s+INTO\s+(?:TABLE\s+)?FUNCTION\b", re.IGNORECASE)
_UNKNOWN_SPEC_FUNCTION = re.compile(rf"UNRESOLVED_ROUTINE\].*?`{SPEC_CATALOG}`\.`(\w+)`", re.IGNORECASE)
_NO_CATALOG_FUNCTIONS = "MISSING_CATALOG_ABILITY.TABLE_VALUED_FUNCTIONS"
_CALL = re.compile(r"\b(?:FROM|JOIN)\s+(iceberg\w*)\s*\(", re.IGNORECASE)
_WRITE = re.compile(r"^\s*(?:INSERT|MERGE|UPDATE|DELETE|CALL|(?:CREATE|REPLACE)\b.*?\bAS\b)", re.IGNORECASE | re.DOTALL)
_FIELD_STATEMENTS = ("AddPartitionField", "DropPartitionField", "ReplacePartitionField")


def is_refused_call(error: Exception, text: object) -> bool:
    """True if one of Iceberg's procedures has refused its arguments, with an exception of Iceberg's own."""
    thrown = thrown_by(error)
    is_icebergs = thrown is not None and str(thrown.getClass().getName()).startswith("org.apache.iceberg.exceptions.")
    return is_icebergs and failed_commits.single_first_word(text) == "CALL"


_NO_SUCH_TABLE = "NoSuchTableException"
_REFUSALS = ("ValidationException", "CommitFailedException", "UnsupportedOperationException")


def attached_table_error(error: Exception, text: object = None) -> IcebergSqlError | None:
    """The refusal of a table that was attached by its path, without the Java stack; None for any other error.

    text: the statement.
    """
    for cause in causes(thrown_by(error)):
        frames = cause.getStackTrace()
        is_ours = len(frames) and str(frames[0].getClassName()).startswith("sparkicebergsql.Folder")
        class_name = cause.getClass().getSimpleName()
        # Spark has its own error for a table that it does not find, except in CREATE TABLE.
        if is_ours and (
            class_name in _REFUSALS or (class_name == _NO_SUCH_TABLE and not isinstance(error, CapturedException))
        ):
            message = str(cause.getMessage())
            if conflicts.is_conflict(error):
                outcome, help_ = failed_commits.outcome(text)
                message += f"; {outcome}\nhelp: {help_}"
            return IcebergSqlError(message)
    return None


def jvm_end_error(error: Exception, text: object) -> JavaError | None:
    """The error for a JVM that has ended while it ran a statement, or before; None if it has not ended.

    text: the statement.
    """
    if not process.has_ended_by(error):
        return None
    is_write = isinstance(text, str) and _WRITE.search(text) is not None
    return process.ended_error("the write" if is_write else None)


def is_checked(spark: SparkSession, text: object) -> bool:
    """True for a text that the gate checks."""
    try:
        return isinstance(text, str) and requests.needs_check(spark, text)
    except Exception:  # the session has ended, and Spark has reported it
        return False


def with_cause(spark: SparkSession, error: Exception, text: object = None) -> Exception | None:
    """The error with an explanation of its cause before it; None if none is known.

    spark: the session. error: what `spark.sql` raised. text: the statement. Spark's own error keeps its class and
    condition; a bare Java exception becomes an IcebergSqlError, without the Java stack.
    """
    cause = _cause(spark, error, text)
    if cause is None:
        return None
    if isinstance(error, CapturedException):
        # Without a plan, Spark reports a bug in Spark, which it is not.
        has_no_plan = _has_no_plan(error)
        return shims.with_description(error, cause) if has_no_plan else catalog_entries.with_explanation(error, cause)
    if _has_no_plan(error) or not catalog_entries.exception_text(error):
        return IcebergSqlError(cause)
    return IcebergSqlError(f"{cause}\n\n{_spark_message(error)}")


def plain(error: Exception) -> Exception:
    """An error without the Java stack that pyspark shows of one for which it has no class."""
    return error if isinstance(error, CapturedException) else bare(error) or error


def bare(error: Exception) -> Exception | None:
    """A Java exception as one of this package, without the Java stack; None for any other error."""
    return IcebergSqlError(_spark_message(error)) if catalog_entries.exception_text(error) else None


def _spark_message(error: Exception) -> str:
    refused = f"Spark refused the statement: {catalog_entries.first_line(error)}"
    return internal_error(error) or linkage_error(error) or refused


def with_table_location(spark: SparkSession, error: Exception) -> Exception:
    """The error with a table's location instead of the generated name that INSERT INTO FUNCTION uses."""
    message = shims.description(error) if isinstance(error, CapturedException) else str(error)

    def place(name: re.Match[str]) -> str:
        location = attached_tables.location(spark, name[1], name[2]) or name[2]
        return f"`{location.removeprefix('file:')}`"

    located_message = PATH_TABLE.sub(place, message)
    if located_message == message:
        return error
    if isinstance(error, CapturedException):
        return shims.with_description(error, located_message)
    return IcebergSqlError(located_message) if isinstance(error, IcebergSqlError) else error


def unknown_function(error: Exception, text: object) -> str | None:
    """The table function that Spark did not find, if it has this package's prefix. text: the statement."""
    message = catalog_entries.first_line(error)
    match = _UNKNOWN_FUNCTION.search(message)
    if match is None and _NO_CATALOG_FUNCTIONS in message and isinstance(text, str):
        # After `USE lake`, Spark looks the function up there, and its error does not name it.
        match = next((call for call in _CALL.finditer(text) if call[1].lower() not in NAMES), None)
    return None if match is None else match[1]


def unknown_spec_function(error: Exception) -> str | None:
    """The function to write for one of the catalog that Iceberg's expressions spec reserves, of which Spark 3.5 knows
    none.
    """
    match = _UNKNOWN_SPEC_FUNCTION.search(catalog_entries.first_line(error))
    return None if match is None else SPEC_FUNCTIONS.get(match[1].lower())


def _cause(spark: SparkSession, error: Exception, text: object) -> str | None:
    message = catalog_entries.first_line(error)
    if (function_name := unknown_function(error, text)) is not None:
        similar = similar_names(function_name, NAMES)
        return f"there is no table function `{function_name}`; write {' or '.join(similar)}" if similar else None
    if (session_function := unknown_spec_function(error)) is not None:
        return f"this version of Spark has no catalog `{SPEC_CATALOG}`; write {session_function}(...)"
    if not is_checked(spark, text):
        return None
    if "PARSE_SYNTAX_ERROR" in message and isinstance(text, str) and _INTO_FUNCTION.match(text):
        return INTO_FUNCTION
    # Without Iceberg's extensions, Spark's parser fails at the word FIELD and does not name the missing setting.
    if "PARSE_SYNTAX_ERROR" in message and "FIELD" in message.upper():
        if catalog_entries.has_iceberg_extensions(spark):
            return None
        return (
            "this session's parser does not know Iceberg's statements: "
            "IcebergSparkSessionExtensions is not loaded\n"
            f"help: start the session with spark.sql.extensions={_EXTENSIONS}"
        )
    if _has_no_plan(error):
        return _why_no_plan(spark, text)
    if _NO_PATH in message:
        return _why_no_path(spark, text)
    return None


def _has_no_plan(error: Exception) -> bool:
    """True if Iceberg did not plan one of its own statements, because the table is not in an Iceberg catalog."""
    causes = catalog_entries.exception_text(error)
    return any(f"No plan for {statement}" in causes for statement in _FIELD_STATEMENTS)


def _why_no_path(spark: SparkSession, text: object) -> str | None:
    """The reason why CREATE TABLE needs a path: its table is not in one of Iceberg's catalogs."""
    table = _table_of(spark, text)
    if table is None:
        return None
    names = catalog_entries.configured_names(spark)
    catalogs = [name for name in names if str(spark.conf.get(f"spark.sql.catalog.{name}", "")).endswith(_CATALOG)]
    name = qualified_name(table.parts)
    return with_help(
        f"no catalog is named: `{table.text}` would be in Spark's own, which has no Iceberg tables",
        f"write `{quoted(catalogs[0])}.{name}`"
        if catalogs
        else "add a catalog, such as sis.catalog(spark, 'lake', 'hadoop', warehouse='/path'), and write its name first",
    )


def _table_of(spark: SparkSession, text: object) -> NamePath | None:
    """The table of a text of one statement."""
    script_statements = statements(sessions.substitute_settings(spark, text)) if isinstance(text, str) else []
    node = parser.parse(script_statements[0]) if len(script_statements) == 1 else None
    table = getattr(node, "table", None)
    return table if isinstance(table, NamePath) else None


def _why_no_plan(spark: SparkSession, text: object) -> str:
    table = _table_of(spark, text)
    if table is not None:
        name = SessionTables(spark, lambda _: spark.range(0)).full_name(table.parts)
        try:
            if name[0] in catalog_entries.configured_names(spark) or name[0] == "spark_catalog":
                catalog_entries.load(spark, name)
        except catalog_entries.NoCatalogError as missing:
            return with_help(str(missing), "start the name with a configured catalog")
        except catalog_entries.CatalogUnavailableError as unavailable:
            return with_help(
                f"the catalog `{name[0]}` did not answer: {unavailable}",
                "run the statement again when it answers; nothing was changed",
            )
    return (
        "the table's catalog is not an Iceberg catalog, so it has no partition fields\n"
        "help: name the table through a catalog of class org.apache.iceberg.spark.SparkCatalog "
        "(or SparkSessionCatalog for spark_catalog)"
    )
