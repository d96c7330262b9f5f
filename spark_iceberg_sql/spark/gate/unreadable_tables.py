"""Statements that fail because a table's metadata cannot be used, reported in one sentence with the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import ReadError
from spark_iceberg_sql.model.functions.metadata_functions import METADATA_FUNCTIONS
from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm import gateway, sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import (
    BRIDGE_ERRORS,
    JVM_ERRORS,
    causes,
    is_analysis_error,
    thrown_by,
)
from spark_iceberg_sql.spark.bridge.plans import plan_leaves, relations, schemas
from spark_iceberg_sql.spark.bridge.tables import catalog_entries, metadata_faults, table_metadata
from spark_iceberg_sql.spark.gate import read_errors
from spark_iceberg_sql.spark.tables.functions.unsupported_columns import unreadable_columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ICEBERG = "org.apache.iceberg."
_METADATA_FUNCTIONS = {f.name for f in METADATA_FUNCTIONS if f.metadata_table is not None}


def statement_fault(spark: SparkSession, error: Exception, text: object) -> ReadError | None:
    """The ReadError for a statement that failed because the metadata of a table in it cannot be used; else None.

    error: what Spark raised. text: the statement. Its tables are loaded again, to learn which one is at fault.
    """
    if not isinstance(text, str) or not isinstance(error, JVM_ERRORS):
        return None
    try:
        has_type_fault = read_errors.may_be_type_fault(error)
        if not has_type_fault and not _is_of_iceberg(error):
            return None
        is_unlocated = has_type_fault or read_errors.names_no_file(error)
        with sessions.working_in(spark):
            session = gateway.java_session(spark)
            plan = requests.parser_without_gate(spark).parsePlan(text)
            for name, catalog, identifier in metadata_faults.named_tables(session, plan):
                fault = _fault(catalog, identifier)
                if fault is None and is_unlocated and (tables := catalog_entries.spark_table(catalog, identifier)):
                    fault = _file_fault(tables[0], types=has_type_fault)
                if fault is not None:
                    return read_errors.as_read_error(error, f"`{name}` cannot be read: {fault}")
            analyzed = session.sessionState().analyzer().execute(plan) if is_unlocated else None
            for table in plan_leaves.iceberg_tables_of(analyzed) if analyzed is not None else ():  # by path, too
                if (fault := _file_fault(table, types=has_type_fault)) is not None:
                    return read_errors.as_read_error(error, f"`{table.name()}` cannot be read: {fault}")
    except BRIDGE_ERRORS:
        return None
    return None


@contextmanager
def naming_manifests(table: Java, title: str) -> Iterator[None]:
    """Makes an error of reading manifests one sentence with the file and the reason, where Iceberg's has none.

    table: Iceberg's. title: its name or path, for the sentence.
    """
    try:
        yield
    except JVM_ERRORS as error:
        fault = metadata_faults.manifest_fault(relations.spark_table(table))
        # Of an encrypted file, Iceberg's error has the name and not the reason.
        if fault is None or (not read_errors.names_no_file(error) and "encrypted" not in fault):
            raise
        raise read_errors.as_read_error(error, f"`{title}` cannot be read: {fault}") from None


def _is_of_iceberg(error: Exception) -> bool:
    """True if Iceberg's own code failed, and Spark has not refused the statement."""
    return not is_analysis_error(error) and any(
        str(frame.getClassName()).startswith(_ICEBERG)
        for cause in causes(thrown_by(error))
        for frame in cause.getStackTrace()[:20]
    )


def _file_fault(table: Java, *, types: bool) -> str | None:
    """The fault of the first file of Spark's table that cannot be read. types: whether to examine data files, too."""
    fault = metadata_faults.type_fault(table) if types else None
    return metadata_faults.manifest_fault(table) if fault is None else fault


def _fault(catalog: Java, identifier: Java) -> str | None:
    """Why a catalog's table cannot be used; None if it can be, or if there is none."""
    try:
        tables = catalog_entries.spark_table(catalog, identifier)
    except JVM_ERRORS as error:
        if metadata_faults.is_parse_error(thrown_by(error)):
            return metadata_faults.parse_error(error, catalog, identifier)
        # Iceberg cannot make a metadata table, such as db.t.files, of a table whose partition type it cannot have.
        data_table = metadata_faults.parent(identifier)
        return None if data_table is None else _fault(catalog, data_table)
    if tables is None:
        return None
    table, data_table = tables
    metadata = table_metadata.current(data_table)
    reason = metadata_faults.unusable(metadata)
    if reason is not None or schemas.is_readable(table):
        return reason
    file, function = metadata.metadataFileLocation(), f"iceberg_{identifier.name()}".lower()
    call = f"{function}('{file}')" if function in _METADATA_FUNCTIONS else f"iceberg('{file}', columns => 'string')"
    columns = unreadable_columns(schemas.schema_of(relations.spark_table(data_table)))
    return f"`{file}` declares {columns}, for which Spark has no type; write {call} instead of the table's name"
