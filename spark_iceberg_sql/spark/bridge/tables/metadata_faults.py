"""Metadata of a catalog's table that Iceberg or Spark cannot read: the table, the file and the reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm import gateway as jvm
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, causes, message, thrown_by
from spark_iceberg_sql.spark.bridge.plans import read_branches

_NO_SOURCE = "Cannot parse missing int: source-id"
_PARSER = "org.apache.iceberg.TableMetadataParser"


def is_parse_error(thrown: Java) -> bool:
    """True if Iceberg's parser of metadata files threw a Java exception, or one of its causes."""
    return any(
        str(frame.getClassName()).startswith(_PARSER) for cause in causes(thrown) for frame in cause.getStackTrace()
    )


def metadata_file(catalog: Java, identifier: Java) -> str | None:
    """The metadata file that a catalog reads for a table, in a form for messages; None if the catalog is not one of
    folders: others name the file only after they have read it.
    """
    file = _java().metadataFile(catalog, identifier)
    if file is None and (data_table := parent(identifier)) is not None:
        file = _java().metadataFile(catalog, data_table)
    return None if file is None else str(file)


def parent(identifier: Java) -> Java | None:
    """The name of the table that a metadata table is about, db.t of db.t.files; None for a name of one or two parts."""
    levels = [*identifier.namespace()]
    if len(levels) < 2:
        return None
    *namespace, name = levels
    names: Any = java_class("org.apache.spark.sql.connector.catalog.Identifier")
    return names.of(jvm.array("java.lang.String", namespace), name)


def parse_error(error: Exception, catalog: Java, identifier: Java) -> str:
    """The sentence for an exception of the JVM that is a parse error: the metadata file, if it is known, and the
    reason.
    """
    reason, file = parse_reason(error), metadata_file(catalog, identifier)
    return reason if file is None or file in reason else f"`{file}` cannot be read: {reason}"


def parse_reason(error: Exception) -> str:
    """Why Iceberg's parser refuses a metadata file."""
    text = message(error)
    if _NO_SOURCE not in text:
        return text
    return (
        "a partition or sort field has several source columns (`source-ids`), which this version of Iceberg does not "
        "know; read the table with the engine that wrote it"
    )


def named_parse_error(error: Exception, session: Java, name: str) -> str | None:
    """The same for the name of a table, as in SQL; None for any other exception of the JVM."""
    if not is_parse_error(thrown_by(error)):
        return None
    resolved: Any = java_class("org.apache.iceberg.spark.Spark3Util").catalogAndIdentifier(session, name)
    return parse_error(error, resolved.catalog(), resolved.identifier())


def unusable(metadata: Java) -> str | None:
    """The sentence why a table cannot be read although Iceberg has parsed its metadata file; None if it can be."""
    file = f"`{metadata.metadataFileLocation()}` cannot be read"
    if metadata.spec() is None:
        return f"{file}: its default-spec-id is {metadata.defaultSpecId()}, and no partition spec has that id"
    unknown = _java().unknownTransform(metadata)
    if unknown is None:
        return None
    name, transform = unknown
    return (
        f"{file}: the partition field `{name}` has the transform {transform}, which this version of Iceberg does not "
        "know; read the table with the engine that wrote it"
    )


def unusable_table(table: Java) -> str | None:
    """The same for Spark's or Iceberg's table, a metadata table included."""
    metadata = _java().metadata(table)
    return None if metadata is None else unusable(metadata)


def manifest_fault(table: Java) -> str | None:
    """The sentence with the first manifest list or manifest of Spark's table that cannot be read, and the reason; None
    if all can be, or if there are too many to look at.

    Reads them, so this is for the message of an error that names no file.
    """
    return snapshot_fault(table.table(), read_branches.snapshot_id(table))


def snapshot_fault(table: Java, snapshot: int | None) -> str | None:
    """The same for a snapshot of Iceberg's table; None: the current one."""
    fault = compiler.shared_instance(__package__, "ManifestFaults").first(table, snapshot)
    if fault is None:
        return None
    file, reason = (str(part).splitlines()[0] for part in fault)
    return reason if file in reason else f"`{file}`: {reason}"


def type_fault(table: Java) -> str | None:
    """The sentence with the first column of Spark's table whose type in the schema is another one than in a data file;
    None if there is none, or if the files cannot be examined. Reads footers, so this is for the message of an error.
    """
    try:
        difference = compiler.shared_instance(__package__, "FileTypes").firstDifference(
            table.table(), read_branches.snapshot_id(table)
        )
    except JVM_ERRORS:
        return None
    if difference is None:
        return None
    column, declared_type, file_type, file = map(str, difference)
    return (
        f"the column `{column}` is {declared_type} in the table's schema, but {file_type} in the data file `{file}`; "
        f"leave `{column}` out of the query, or correct the schema with the program that wrote it"
    )


def named_tables(session: Java, plan: Java) -> Iterator[tuple[str, Java, Java]]:
    """The tables that a parsed statement names: the name as written, its catalog, its identifier there.

    session: Spark's. plan: from its parser. Names that no catalog can have are left out.
    """
    resolver: Any = java_class("org.apache.iceberg.spark.Spark3Util")
    for parts in _java().names(plan):
        try:
            resolved = resolver.catalogAndIdentifier(session, parts)
        except JVM_ERRORS:
            continue
        yield ".".join(str(part) for part in parts), resolved.catalog(), resolved.identifier()


def _java() -> Java:
    """MetadataFaults.java."""
    return compiler.shared_instance(__package__, "MetadataFaults")
