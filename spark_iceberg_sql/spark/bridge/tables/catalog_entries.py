"""The session's catalogs, loaded by Spark and Iceberg."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException, convert_exception

from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm import compiler, configuration, sessions, shims
from spark_iceberg_sql.spark.bridge.jvm import gateway as jvm
from spark_iceberg_sql.spark.bridge.jvm.java_errors import causes, thrown_by
from spark_iceberg_sql.spark.bridge.jvm.java_records import list_from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import SpecFiles
from spark_iceberg_sql.spark.bridge.tables import metadata_faults, table_metadata

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_METADATA_TABLE = "org.apache.iceberg.BaseMetadataTable"
_SPARK_TABLE = "org.apache.iceberg.spark.source.SparkTable"
_MAX_ANSWER = 600  # characters of a server's answer in a message
_CLASS = re.compile(r"^(?:[a-z]\w*\.)+[A-Z][\w$]*(?:Exception|Error): (?=.)")
_MAX_MANIFESTS = 2000  # to read on the driver; more are read by a query on the executors
_NO_SUCH_NAME = (
    "TABLE_OR_VIEW_NOT_FOUND",
    "SCHEMA_NOT_FOUND",
    "NoSuchTableException",
    "NoSuchNamespaceException",
    "NoSuchDatabaseException",
)


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A catalog's answer about a name.

    relation_kind: `iceberg`, `metadata table`, `branch`, `other`, `view` or `absent`. metadata: the current
    metadata.json of an Iceberg table, without its snapshots. has_rows: whether it has a current snapshot.
    provider: of a table that is not Iceberg. branch: its name. table: Iceberg's table with this metadata.
    """

    relation_kind: str
    metadata: Mapping[str, Any] | None = None
    has_rows: bool = True
    provider: str | None = None
    branch: str | None = None
    table: jvm.Java = field(default=None, repr=False, compare=False)


class CatalogUnavailableError(Exception):
    """A catalog is unavailable; `str` is the first line of its error."""


class NoCatalogError(Exception):
    """The first part of a name is not a catalog; `str` is the message."""


def current_namespace(spark: SparkSession) -> tuple[str, tuple[str, ...]]:
    """The session's current catalog and namespace. Raises CatalogUnavailableError if Spark cannot start the
    catalog.
    """
    try:
        with sessions.working_in(spark):
            manager = jvm.java_session(spark).sessionState().catalogManager()
            return manager.currentCatalog().name(), tuple(manager.currentNamespace())
    except (CapturedException, Py4JJavaError) as error:
        raise CatalogUnavailableError(first_line(error)) from None


def is_catalog(spark: SparkSession, name: str) -> bool:
    """True if a name is configured as a catalog in this session (asking Spark would start the catalog)."""
    return name == "spark_catalog" or spark.conf.get(f"spark.sql.catalog.{name}", None) is not None


def no_catalog_message(spark: SparkSession, name: str) -> str:
    """The message that a session has no such catalog, with similar names."""
    similar = similar_names(name, configured_names(spark))
    return f"the session has no catalog `{name}`" + (f"; did you mean `{'` or `'.join(similar)}`?" if similar else "")


def configured_names(spark: SparkSession) -> list[str]:
    """The names of the catalogs in a session's settings."""
    with sessions.working_in(spark):
        return sorted(name for name in configuration.settings("spark.sql.catalog.") if "." not in name)


def is_temporary_view(spark: SparkSession, parts: tuple[str, ...]) -> bool:
    """True if a name as written is a temporary view of this session, a global one included."""
    return bool(jvm.java_session(spark).sessionState().catalog().isTempView(jvm.to_seq(parts)))


def load(spark: SparkSession, name: tuple[str, ...]) -> CatalogEntry:
    """The entry of a full name (catalog, namespace, table) in its catalog.

    Reads the table's current metadata through its catalog, refreshed, and changes nothing. Raises
    NoCatalogError if Spark's own catalog can have no such name, CatalogUnavailableError if the catalog fails.
    """
    catalog_name, *namespace, table_name = name
    catalog = None
    try:
        with sessions.working_in(spark):
            manager = jvm.java_session(spark).sessionState().catalogManager()
            identifiers = jvm.java_class("org.apache.spark.sql.connector.catalog.Identifier")
            identifier = identifiers.of(jvm.array("java.lang.String", namespace), table_name)
            catalog = manager.catalog(catalog_name)
            return _load(catalog, identifier)
    except (CapturedException, Py4JJavaError) as error:
        if catalog is not None and metadata_faults.is_parse_error(thrown_by(error)):
            raise CatalogUnavailableError(metadata_faults.parse_error(error, catalog, identifier)) from None
        if "REQUIRES_SINGLE_PART_NAMESPACE" in exception_text(error) and len(namespace) > 1:
            raise NoCatalogError(no_catalog_message(spark, namespace[0])) from None
        raise CatalogUnavailableError(first_line(error)) from None


def spark_table(catalog: jvm.Java, identifier: jvm.Java) -> tuple[jvm.Java, jvm.Java] | None:
    """Spark's table for a name in a catalog, and Iceberg's table with the data: of a metadata table, the one that it is
    about. None if there is no table of Iceberg. Raises JVM_ERRORS if the catalog cannot read it.
    """
    table = compiler.shared_instance(__package__, "CatalogLookup").table(catalog, identifier)
    if jvm.java_class("java.lang.Exception")._java_lang_class.isInstance(table):
        raise _as_python_error(table)
    if table.getClass().getName() != _SPARK_TABLE:
        return None
    iceberg_table = table.table()
    is_metadata_table = jvm.java_class(_METADATA_TABLE)._java_lang_class.isInstance(iceberg_table)
    return table, iceberg_table.table() if is_metadata_table else iceberg_table


def _as_python_error(thrown: jvm.Java) -> CapturedException:
    """Pyspark's exception for one in Java, which pyspark drops if it has no class for it."""
    error: CapturedException = convert_exception(thrown)
    error._origin = error._origin or thrown
    return error


def _load(catalog: jvm.Java, identifier: jvm.Java) -> CatalogEntry:
    lookup = compiler.shared_instance(__package__, "CatalogLookup")
    table = lookup.table(catalog, identifier)
    # CatalogLookup.java returns the exception instead of throwing it: a missing table is a usual result.
    if not jvm.java_class("java.lang.Exception")._java_lang_class.isInstance(table):
        return _describe(table, lookup.mayBeOld(catalog))
    if not _names_what_is_missing(_messages(table)):
        raise _as_python_error(table)
    return CatalogEntry("view") if lookup.isView(catalog, identifier) else CatalogEntry("absent")


def _describe(table: jvm.Java, may_be_old: bool) -> CatalogEntry:
    """The entry of a table that a catalog has loaded. may_be_old: whether the loaded table may be outdated, from
    a cache.
    """
    name = table.getClass().getName()
    if name == _SPARK_TABLE:
        iceberg_table = table.table()
        if jvm.java_class(_METADATA_TABLE)._java_lang_class.isInstance(iceberg_table):
            return CatalogEntry("metadata table")
        if table.branch() is not None:
            return CatalogEntry("branch", branch=table.branch())
        operations = iceberg_table.operations()
        current = operations.refresh() if may_be_old else operations.current()
        if current.spec() is None:
            raise CatalogUnavailableError(metadata_faults.unusable(current))
        metadata = table_metadata.without_snapshots(current)
        return CatalogEntry("iceberg", metadata, current.currentSnapshot() is not None, table=iceberg_table)
    if name.endswith(".V1Table"):
        if table.v1Table().tableType().name() == "VIEW":
            return CatalogEntry("view")
        return CatalogEntry("other", provider=jvm.from_option(table.v1Table().provider()))
    return CatalogEntry("other", provider=table.properties().get("provider"))


def files_by_spec(table: jvm.Java) -> list[SpecFiles] | None:
    """The data files of each spec that has any in the current snapshot.

    table: Iceberg's. Reads no manifest if all files have one spec, and those of all specs but the largest
    otherwise. None if a query is better or needed. Raises Spark's and py4j's exceptions.
    """
    text = compiler.shared_instance(__package__, "FileCounts", SpecFiles).of(table, _MAX_MANIFESTS)
    return None if text is None else list_from_json(SpecFiles, text)


def first_line(error: Exception) -> str:
    """The first line of a JVM exception's message, without its class, stack and call numbers; for a catalog server's
    answer in JSON, the answer on one line.
    """
    if isinstance(error, Py4JJavaError):
        error_text = error.java_exception.getMessage() or error.java_exception.toString()
    else:
        error_text = shims.description(error) if isinstance(error, CapturedException) else str(error)
    lines = str(error_text or type(error).__name__).strip().splitlines()
    if lines[0].endswith("{"):
        lines[0] = " ".join(map(str.strip, lines))[:_MAX_ANSWER]
    return _CLASS.sub("", lines[0])


def exception_text(error: Exception) -> str:
    """Class and message of a JVM exception and of its causes, one per line; empty for any other exception."""
    if not isinstance(error, CapturedException | Py4JJavaError):
        return ""
    cause = thrown_by(error)
    return shims.description(error) if cause is None else _messages(cause)


def _messages(cause: jvm.Java) -> str:
    return "\n".join(str(exception.toString()) for exception in causes(cause))


def is_missing_name(error: Exception) -> bool:
    """True if an exception of a catalog says that it has no such table or namespace."""
    return _names_what_is_missing(exception_text(error))


def _names_what_is_missing(text: str) -> bool:
    return any(word in text for word in _NO_SUCH_NAME)


def with_explanation(error: CapturedException, explanation: str) -> CapturedException:
    """Spark's own error, preceded by an explanation of its cause."""
    return shims.with_description(error, f"{explanation}\n\nSpark's message: {shims.description(error)}")


def has_iceberg_extensions(spark: SparkSession) -> bool:
    """True if the session's parser supports Iceberg's statements."""
    return "Iceberg" in str(requests.parser_without_gate(spark).getClass().getName())
