"""The session's catalogs, loaded by Spark and Iceberg."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

from spark_iceberg_sql.model.schema import near
from spark_iceberg_sql.spark.bridge import gate, jvm, lines, sessions, table_metadata

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_METADATA_TABLE = "org.apache.iceberg.BaseMetadataTable"
_SPARK_TABLE = "org.apache.iceberg.spark.source.SparkTable"
_MANIFESTS = 500  # above this number, a query counts faster than calls per manifest
_CAUSES = 10  # maximum depth; a chain of causes may be cyclic
_NOT_THERE = (
    "TABLE_OR_VIEW_NOT_FOUND",
    "SCHEMA_NOT_FOUND",
    "NoSuchTableException",
    "NoSuchNamespaceException",
    "NoSuchDatabaseException",
)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A catalog's answer.

    what: `iceberg`, `metadata table`, `branch`, `other`, `view` or `absent`. metadata: the current
    metadata.json of an Iceberg table, without its snapshots. has_rows: whether it has a current snapshot.
    provider: of a table that is not Iceberg. branch: its name.
    """

    what: str
    metadata: Mapping[str, Any] | None = None
    has_rows: bool = True
    provider: str | None = None
    branch: str | None = None


class CatalogSilentError(Exception):
    """A catalog that did not answer; `str` is the first line of its error."""


class NoCatalogError(Exception):
    """The first part of a name is not a catalog; `str` is the message."""


def current_place(spark: SparkSession) -> tuple[str, tuple[str, ...]]:
    """The session's current catalog and namespace. Raises CatalogSilentError if Spark cannot start it."""
    try:
        with sessions.working_in(spark):
            manager = jvm.java_session(spark).sessionState().catalogManager()
            return manager.currentCatalog().name(), tuple(manager.currentNamespace())
    except (CapturedException, Py4JJavaError) as error:
        raise CatalogSilentError(first_line(error)) from None


def is_catalog(spark: SparkSession, name: str) -> bool:
    """Whether a name is configured as a catalog in this session (asking Spark would start the catalog)."""
    return name == "spark_catalog" or spark.conf.get(f"spark.sql.catalog.{name}", None) is not None


def no_catalog(spark: SparkSession, name: str) -> str:
    """The message that a session has no such catalog, with similar names."""
    like = near(name, configured(spark))
    return f"the session has no catalog `{name}`" + (
        f"; did you mean `{'` or `'.join(like)}`?" if like else ""
    )


def configured(spark: SparkSession) -> list[str]:
    """The names of the catalogs in a session's settings."""
    conf = jvm.java_session(spark).sessionState().conf()
    keys = str(conf.getAllConfs().keySet().mkString("\n")).split("\n")
    prefix = "spark.sql.catalog."
    names = {key[len(prefix) :] for key in keys if key.startswith(prefix)}
    return sorted(name for name in names if "." not in name)


def is_temporary_view(spark: SparkSession, parts: tuple[str, ...]) -> bool:
    """Whether a name as written is a temporary view of this session, a global one included."""
    return bool(jvm.java_session(spark).sessionState().catalog().isTempView(jvm.to_seq(parts)))


def load(spark: SparkSession, name: tuple[str, ...]) -> Loaded:
    """What a full name (catalog, namespace, table) refers to.

    Reads the table's current metadata through its catalog, refreshed, and changes nothing.
    Raises NoCatalogError if Spark's own catalog can have no such name, CatalogSilentError if the catalog fails.
    """
    catalog_name, *namespace, table_name = name
    try:
        with sessions.working_in(spark):
            manager = jvm.java_session(spark).sessionState().catalogManager()
            return _load(manager.catalog(catalog_name), _identifier(namespace, table_name))
    except (CapturedException, Py4JJavaError) as error:
        if "REQUIRES_SINGLE_PART_NAMESPACE" in thrown(error) and len(namespace) > 1:
            raise NoCatalogError(no_catalog(spark, namespace[0])) from None
        raise CatalogSilentError(first_line(error)) from None


def _load(catalog: jvm.Java, identifier: jvm.Java) -> Loaded:
    try:
        table = catalog.loadTable(identifier)
    except (CapturedException, Py4JJavaError) as error:
        if not _says_absent(error):
            raise
        return Loaded("view") if _is_view(catalog, identifier) else Loaded("absent")
    return _describe(table)


def _describe(table: jvm.Java) -> Loaded:
    name = table.getClass().getName()
    if name == _SPARK_TABLE:
        inner = table.table()
        if jvm.java_class(_METADATA_TABLE)._java_lang_class.isInstance(inner):
            return Loaded("metadata table")
        if table.branch() is not None:
            return Loaded("branch", branch=table.branch())
        current = inner.operations().refresh()
        light = table_metadata.without_snapshots(current)
        return Loaded("iceberg", light, current.currentSnapshot() is not None)
    if name.endswith(".V1Table"):
        if table.v1Table().tableType().name() == "VIEW":
            return Loaded("view")
        return Loaded("other", provider=jvm.from_option(table.v1Table().provider()))
    return Loaded("other", provider=table.properties().get("provider"))


def files_of_one_spec(spark: SparkSession, name: tuple[str, ...]) -> tuple[int, int, int] | None:
    """The spec id of a table's data files, their number and their bytes, without reading its manifests.

    name: full. None unless all files are data files of one spec, and the current snapshot's summary agrees with its
    manifest list. Raises Spark's and py4j's exceptions.
    """
    catalog_name, *namespace, table_name = name
    with sessions.working_in(spark):
        manager = jvm.java_session(spark).sessionState().catalogManager()
        loaded = manager.catalog(catalog_name).loadTable(_identifier(namespace, table_name))
        if loaded.getClass().getName() != _SPARK_TABLE:
            return None
        table = loaded.table()
        snapshot = table.currentSnapshot()
        if snapshot is None:
            return None
        summary = dict(snapshot.summary())
        manifests = snapshot.allManifests(table.io())
        if len(manifests) > _MANIFESTS:
            return None
        counts = [
            (int(m.partitionSpecId()), m.existingFilesCount(), m.addedFilesCount())
            for m in manifests
        ]
    if any(existing is None or added is None for _, existing, added in counts):
        return None  # optional in format version 1
    by_spec = Counter[int]()
    for spec_id, existing, added in counts:
        by_spec[spec_id] += int(existing) + int(added)
    found = [(spec_id, files) for spec_id, files in by_spec.items() if files]
    if len(found) != 1 or summary.get("total-delete-files") != "0":
        return None
    [(spec_id, files)] = found
    size = str(summary.get("total-files-size", ""))
    if summary.get("total-data-files") != str(files) or not size.isdigit():
        return None
    return spec_id, files, int(size)


def _is_view(catalog: jvm.Java, identifier: jvm.Java) -> bool:
    if not jvm.java_class(
        "org.apache.spark.sql.connector.catalog.ViewCatalog"
    )._java_lang_class.isInstance(catalog):
        return False
    try:
        catalog.loadView(identifier)
    except (CapturedException, Py4JJavaError):
        return False
    return True


def _identifier(namespace: list[str], name: str) -> jvm.Java:
    gateway = jvm.gateway()
    parts = gateway.new_array(gateway.jvm.java.lang.String, len(namespace))
    for i, part in enumerate(namespace):
        parts[i] = part
    return jvm.java_class("org.apache.spark.sql.connector.catalog.Identifier").of(parts, name)


def _says_absent(error: CapturedException | Py4JJavaError) -> bool:
    said = thrown(error)
    return any(word in said for word in _NOT_THERE)


def first_line(error: Exception) -> str:
    """The first line of a JVM exception's message, without stack and call numbers."""
    if isinstance(error, Py4JJavaError):
        error_text = error.java_exception.getMessage() or error.java_exception.toString()
    elif isinstance(error, CapturedException):
        error_text = lines.description(error) or type(error).__name__
    else:
        error_text = str(error) or type(error).__name__
    return str(error_text).strip().splitlines()[0]


def thrown(error: Exception) -> str:
    """Class and message of a JVM exception and of its causes, one per line; empty for any other exception."""
    if not isinstance(error, CapturedException | Py4JJavaError):
        return ""
    cause = error._origin if isinstance(error, CapturedException) else error.java_exception
    if cause is None:
        return lines.description(error)
    said: list[str] = []
    while cause is not None and len(said) < _CAUSES:
        said.append(str(cause.toString()))
        cause = cause.getCause()
    return "\n".join(said)


def explained(error: CapturedException, explanation: str) -> CapturedException:
    """Spark's own error, preceded by an explanation of its cause."""
    said = lines.description(error)
    return lines.described(error, f"{explanation}\n\nSpark's message: {said}")


def has_iceberg_extensions(spark: SparkSession) -> bool:
    """Whether the session's parser supports Iceberg's statements."""
    parser = gate.parser_behind(spark).getClass().getName()
    return "Iceberg" in str(parser)
