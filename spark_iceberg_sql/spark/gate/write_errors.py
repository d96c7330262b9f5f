"""Rows that Iceberg's writers refuse: one sentence with the column or the table, and what to write.

truncate(W) rounds a decimal down, which may take one digit more than the column has: 0.01 below -99.99 is -100.00.
Iceberg finds out while it writes the manifest. And a task that writes one file after another refuses a row of a
partition whose file it has closed; Spark's order, for one, does not tell 0.0 from -0.0, which are two partitions.
Spark shows both with the stacks of a task and of the driver.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pyspark.sql import readwriter

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.safe_output import visible
from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm import gateway, sessions, shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS, JVM_ERRORS, causes, thrown_by
from spark_iceberg_sql.spark.bridge.tables import catalog_entries, metadata_faults
from spark_iceberg_sql.spark.gate.read_errors import Explain
from spark_iceberg_sql.syntax.identifiers import qualified_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TOO_LARGE = re.compile(r"Cannot write value as decimal\((\d+), ?(\d+)\), too large: (-?[\d.E+]+)")
_CLOSED_FILE = re.compile(r"Incoming records violate the writer assumption")  # of Iceberg's ClusteredWriter
_MAXIMUM_PRECISION = 38
# Methods of DataFrameWriter that name their table, and of DataFrameWriterV2, whose table writeTo has named.
_V1_METHODS = {"save": "path", "saveAsTable": "name", "insertInto": "tableName"}
_V2_METHODS = ("append", "overwrite", "overwritePartitions", "create", "createOrReplace", "replace")
_TABLE = "_iceberg_sql_table"
_ORIGINALS: dict[tuple[type, str], Callable[..., Any]] = {}  # the methods as pyspark defines them


def refusal(spark: SparkSession, error: Exception, text: object, table: object = None) -> IcebergSqlError | None:
    """The error for a statement or a writer with such a row; None for any other error.

    spark: the session. error: what Spark raised. text: the statement. table: the name that a writer was given.
    """
    texts = _messages(error)
    too_large = next(filter(None, map(_TOO_LARGE.search, texts)), None)
    if too_large is None and not any(map(_CLOSED_FILE.search, texts)):
        return None

    def shown(tables: list[tuple[str, Java, Java]]) -> IcebergSqlError:
        return _unclustered(tables) if too_large is None else _as_error(too_large, tables)

    statement = text if isinstance(text, str) else f"SELECT * FROM {table}" if isinstance(table, str) else None
    if statement is not None:
        with suppress(*BRIDGE_ERRORS), sessions.working_in(spark):
            plan = requests.parser_without_gate(spark).parsePlan(statement)
            return shown(list(metadata_faults.named_tables(gateway.java_session(spark), plan)))
    return shown([])


def _unclustered(tables: list[tuple[str, Java, Java]]) -> IcebergSqlError:
    name = qualified_name(tuple(tables[0][0].split("."))) if len(tables) == 1 else "..."
    return IcebergSqlError(
        "a task of the write got rows of a partition whose file it had closed: they are not sorted by partition; "
        "nothing has been written",
        help=f"let it keep a file open for each partition: ALTER TABLE {name} SET TBLPROPERTIES "
        "('write.spark.fanout.enabled' = 'true')",
    )


def install(explained: Explain) -> None:
    """Explain such errors of the DataFrame writers of this process. explained: makes the error to show."""
    frame_class = shims.data_frame_class()
    _replace(frame_class, "writeTo", _remembering)
    for name, argument in _V1_METHODS.items():
        _replace(
            readwriter.DataFrameWriter, name, functools.partial(_explaining, argument=argument, explained=explained)
        )
    for name in _V2_METHODS:
        _replace(readwriter.DataFrameWriterV2, name, functools.partial(_explaining, argument=None, explained=explained))


def uninstall() -> None:
    """Leave all errors to Spark."""
    while _ORIGINALS:
        (owner, name), original = _ORIGINALS.popitem()
        setattr(owner, name, original)


def _replace(owner: type, name: str, wrapped: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    if (owner, name) not in _ORIGINALS:
        _ORIGINALS[owner, name] = getattr(owner, name)
        setattr(owner, name, wrapped(_ORIGINALS[owner, name]))


def _remembering(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def write_to(self: Any, table: str) -> Any:
        writer = original(self, table)
        setattr(writer, _TABLE, table)
        return writer

    return write_to


def _explaining(original: Callable[..., Any], argument: str | None, explained: Explain) -> Callable[..., Any]:
    @functools.wraps(original)
    def write(self: Any, *args: Any, **kwargs: Any) -> Any:
        started_ms = int(time.time() * 1000)
        try:
            return original(self, *args, **kwargs)
        except JVM_ERRORS as error:
            name = getattr(self, _TABLE, None) if argument is None else (args[0] if args else kwargs.get(argument))
            shown = explained(self._spark, error, started_ms, name)
            if shown is None:
                raise
        raise shown from None

    return write


def _messages(error: Exception) -> list[str]:
    """The messages of an error and its causes, the innermost first."""
    if not isinstance(error, JVM_ERRORS):
        return []
    try:
        return [str(thrown.getMessage()) for thrown in causes(thrown_by(error))][::-1]
    except BRIDGE_ERRORS:
        return []


def _as_error(match: re.Match[str], tables: list[tuple[str, Java, Java]]) -> IcebergSqlError:
    precision, scale, value = int(match[1]), int(match[2]), match[3]
    decimal = f"decimal({precision}, {scale})"
    for name, catalog, identifier in tables:
        for column, transform in _fields(catalog, identifier, decimal):
            fact = (
                f"`{visible(column)}` has a value whose partition value by {transform} would be {value}, "
                f"which {decimal} cannot hold; nothing has been written to `{visible(name)}`"
            )
            remedy = "partition by another field of the column, such as bucket, or delete the value"
            if precision < _MAXIMUM_PRECISION:
                table = qualified_name(tuple(name.split(".")))
                remedy = f"ALTER TABLE {table} ALTER COLUMN {column} TYPE DECIMAL({precision + 1}, {scale})"
            return IcebergSqlError(fact, help=remedy)
    return IcebergSqlError(
        f"a row has a partition value by truncate of {value}, which {decimal} cannot hold; nothing has been written"
    )


def _fields(catalog: Java, identifier: Java, decimal: str) -> Iterator[tuple[str, str]]:
    """The columns of a decimal type that a table is partitioned by, each with the transform as DDL writes it."""
    try:
        tables = catalog_entries.spark_table(catalog, identifier)
    except JVM_ERRORS:
        return
    if tables is None:
        return
    table = tables[1]
    for field in table.spec().fields():
        transform = str(field.transform())
        column = str(table.schema().findColumnName(field.sourceId()))
        if transform.startswith("truncate[") and str(table.schema().findType(column)) == decimal:
            yield column, f"truncate({transform[9:-1]}, {column})"
