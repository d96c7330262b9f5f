"""The source of a preview or advice: a table, a query, a file or a DataFrame, with its columns as Iceberg columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.runtime.properties import PROPERTIES
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.model.types import Struct, from_metadata
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.plans import read_branches, relations, schemas
from spark_iceberg_sql.spark.bridge.tables import catalog_entries, hypothetical_tables, metadata_faults, table_metadata
from spark_iceberg_sql.spark.bridge.tables.tables_as_read import TableAsRead, as_read
from spark_iceberg_sql.spark.gate import intercept, read_errors
from spark_iceberg_sql.spark.gate.catalog_names import CatalogNames
from spark_iceberg_sql.spark.tables.functions.unsupported_columns import unreadable_columns
from spark_iceberg_sql.spark.tables.locations.write_target import open_target
from spark_iceberg_sql.syntax.clickhouse.literal_calls import LiteralCall
from spark_iceberg_sql.syntax.identifiers import dotted, qualified_name, quoted, string_literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PATH = re.compile(r"/|\.{1,2}/|[A-Za-z][A-Za-z0-9+.-]*:/")
_QUERY = re.compile(r"\s*(?:\(\s*)*(?:select|with|from|values|table)\b", re.IGNORECASE)
_NO_FORMAT = re.compile(r"No enum constant org\.apache\.iceberg\.FileFormat\.(\w+)")
TARGET_SIZE = "write.target-file-size-bytes"
DEFAULT_TARGET_SIZE = 512 << 20
# The properties that previews and advice calculate with, each with its least value and an example.
_NUMBER_PROPERTIES = {
    TARGET_SIZE: (1, DEFAULT_TARGET_SIZE),
    "write.parquet.page-row-limit": (1, 20000),
    "write.parquet.page-size-bytes": (1, 1048576),
    "read.split.open-file-cost": (0, 4194304),
}
SOURCE_NAME = "source"  # what the queries call a DataFrame, a query or a path
NAME_HELP = "give a table's name in a catalog, as in SQL, or its path"
_FORMATS = {".parquet": "parquet", ".orc": "orc", ".csv": "csv", ".json": "json"}


@dataclass(frozen=True)
class Source:
    """Rows that a spec is tried on.

    frame: the rows. title: the user's name for it. schema: its columns, with field ids. schema_json: the same, as in
    metadata.json. properties: of the table that would be written. table: its full name, if it is an Iceberg table in a
    catalog. metadata: that table's metadata.json, without its snapshots. name: the full name of any other table. read:
    Iceberg's table as the session reads it, if it is one in a catalog.
    """

    frame: DataFrame
    title: str
    schema: Schema
    schema_json: Mapping[str, Any]
    properties: Mapping[str, str]
    table: tuple[str, ...] | None = None
    metadata: Mapping[str, Any] | None = None
    name: tuple[str, ...] | None = None
    read: TableAsRead | None = None

    @property
    def short_title(self) -> str:
        """A table's name without its catalog and namespace; else the title."""
        return self.table[-1] if self.table else self.title

    @property
    def iceberg_table(self) -> Java | None:
        """Iceberg's table, whose current snapshot is the one that the session reads; None for what is none."""
        return None if self.read is None else self.read.table

    @property
    def branch(self) -> str:
        """The branch that the session reads; empty for main, and for what is no table."""
        return "" if self.read is None else self.read.branch

    @property
    def sql_name(self) -> tuple[str, ...]:
        """Its name in queries: the table's, or `source`."""
        return self.table or self.name or (SOURCE_NAME,)

    def as_table(self, *specs: Spec) -> dict[str, Any]:
        """The metadata of a new empty table with these columns and properties. specs: the last is the default."""
        spec_fields = [
            [
                {
                    "name": f"hypothetical_{field.field_id}",  # its real name may be a column's name
                    "transform": str(field.transform),
                    "source-id": field.source_id,
                    "field-id": field.field_id,
                }
                for field in spec.fields
            ]
            for spec in specs
        ]
        return hypothetical_tables.table_metadata(self.schema_json, spec_fields, self.properties, self.metadata)


def resolve_source(spark: SparkSession, source: Any, properties: Mapping[str, str] | None = None) -> Source:
    """Resolve a source. Every preview and advice starts here.

    source: a DataFrame of Spark, pandas or polars, or an Arrow table; a table's or view's name, a query, or the path of
    an Iceberg table, of a Parquet, ORC, CSV (with a header) or JSON file, or of a folder named like one. properties:
    table properties that override the table's.
    Raises IcebergSqlError if the source does not exist, or for a property that is read here and is no such number.
    """
    resolved = _resolve(spark, source, properties)
    refuse_numbers(resolved.properties)
    return resolved


def _resolve(spark: SparkSession, source: Any, properties: Mapping[str, str] | None) -> Source:
    properties = dict(properties or {})
    if not isinstance(source, str):
        return _of_frame(_spark_frame(spark, source), "the DataFrame", properties)
    try:
        if _QUERY.match(source) and re.search(r"\s", source.strip()):
            return _of_frame(intercept.unchecked_sql(spark)(source), "the query", properties)
        if is_path(source):
            return _of_frame(_frame_at(spark, source), source, properties)
        return _of_name(spark, source, properties)
    except JVM_ERRORS as error:
        raise read_errors.read_failure(error, f"`{source}` cannot be read") from None


def _spark_frame(spark: SparkSession, source: Any) -> DataFrame:
    """A DataFrame of Spark with the rows of any other. Raises IcebergSqlError for what is none."""
    if hasattr(source, "_jdf"):
        frame: DataFrame = source
        return frame
    library = type(source).__module__.partition(".")[0]
    if library == "polars":
        source = (source.collect() if hasattr(source, "collect") else source).to_arrow()
    elif library not in ("pandas", "pyarrow") or not hasattr(source, "columns"):
        raise IcebergSqlError(
            f"the source is an object of the class {type(source).__name__}, which has no rows to read",
            help="give a table's name, a query, a path, or a DataFrame of Spark, pandas or polars",
            argument="source",
        )
    if hasattr(source, "to_pandas") and int(spark.version.partition(".")[0]) < 4:  # it does not take Arrow tables
        source = source.to_pandas()
    try:
        return spark.createDataFrame(source)
    except (PySparkException, TypeError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise IcebergSqlError(
            f"the rows cannot be taken from the {library} data: {reason}", argument="source"
        ) from None


def is_path(source: str) -> bool:
    """True for text that starts like a path, or an address with a scheme, and not like a name."""
    return _PATH.match(source) is not None


@contextmanager
def naming_argument(argument: str) -> Iterator[None]:
    """Name the argument whose value the errors within are about."""
    try:
        yield
    except IcebergSqlError as error:
        error.argument = argument
        raise


def refuse_property(error_text: str, properties: Mapping[str, str]) -> None:
    """Raise IcebergSqlError if an error of Iceberg is about the value of a table property.

    error_text: Iceberg's, `For input string: "64MB"`, which does not name the property.
    """
    number, format_ = (re.search(r'For input string: "(.*)"', error_text), _NO_FORMAT.search(error_text))
    match = number or format_
    key = next((k for k, v in properties.items() if match and v.lower() == match[1].lower()), None)
    if key is not None:
        expected = "a whole number, such as 67108864" if number else "parquet, orc or avro"
        raise IcebergSqlError(
            f"the table property '{key}' cannot be '{properties[key]}'", help=f"give {expected}", argument="properties"
        )


def refuse_numbers(properties: Mapping[str, str]) -> None:
    """Raise IcebergSqlError for a property that decides a figure and is not a number that Iceberg reads or uses."""
    for key, (minimum, example) in _NUMBER_PROPERTIES.items():
        value = properties.get(key)
        if value is not None and not (PROPERTIES[key].takes(value) and int(value) >= minimum):
            raise IcebergSqlError(
                f"the table property '{key}' cannot be '{value}'",
                help=f"give a whole number of at least {minimum}, such as {example}",
                argument="properties",
            )


def _frame_at(spark: SparkSession, path: str) -> DataFrame:
    file_format = _FORMATS.get(PurePosixPath(path.rstrip("/*")).suffix.lower())
    if file_format is None:
        return intercept.unchecked_sql(spark)(f"SELECT * FROM iceberg({string_literal(path)})")
    options = {"header": "true", "inferSchema": "true"} if file_format == "csv" else {}
    return spark.read.format(file_format).options(**options).load(path)


def _of_name(spark: SparkSession, name: str, properties: Mapping[str, str]) -> Source:
    parts = relations.name_parts(spark, name)
    if not catalog_entries.is_temporary_view(spark, parts):
        with sessions.working_in(spark):
            full_name = tuple(relations.full_name(dotted(parts)))
        loaded = load_entry(spark, name, full_name)
        if loaded.relation_kind == "absent":
            raise absent_error(
                spark,
                name,
                full_name,
                "give a table's name, a query, a path that starts with / or a scheme, or a DataFrame",
            )
        if loaded.metadata is not None and not read_branches.is_selection(loaded.table, full_name[-1]):
            refuse_unusable(name, loaded.table)
            return _of_table(spark, name, full_name, loaded.metadata, properties, loaded.table)
        if loaded.relation_kind not in ("view", "iceberg"):
            return replace(_of_frame(spark.table(dotted(full_name)), name, properties), name=full_name)
    return _of_frame(spark.table(dotted(parts)), name, properties)


def absent_error(
    spark: SparkSession, name: str, full_name: tuple[str, ...], hint: str, argument: str | None = None
) -> IcebergSqlError:
    """The error for a table, view or namespace that does not exist; it names a similar one that does.

    name: as the user wrote it. hint: the help if there is none. argument: whose value it is.
    """
    similar = CatalogNames(intercept.unchecked_sql(spark)).table_like(full_name, name)
    suggestion = similar if similar is None or "`" in similar else f"`{similar}`"
    return IcebergSqlError(
        f"there is no table or view `{name}`",
        help=f"did you mean {suggestion}?" if suggestion is not None else hint,
        argument=argument,
    )


def refuse_branch(name: str, full_name: tuple[str, ...], entry: catalog_entries.CatalogEntry) -> None:
    """Raise IcebergSqlError for a branch, a snapshot or a metadata table of a table. name: as the user wrote it."""
    is_snapshot = entry.table is not None and read_branches.is_selection(entry.table, full_name[-1])
    if is_snapshot or entry.relation_kind in ("branch", "metadata table"):
        table, kind = qualified_name(full_name[:-1]), "snapshot" if is_snapshot else entry.relation_kind
        raise IcebergSqlError(f"`{name}` is a {kind} of the table {table}, not a table itself", help=f"write {table}")


def table_name(spark: SparkSession, table: str) -> tuple[str, ...]:
    """The parts of a table's full name, catalog first. table: as in SQL. Raises IcebergSqlError if it is no name."""
    try:
        parts = relations.name_parts(spark, table)
    except JVM_ERRORS:
        raise IcebergSqlError(f"`{table}` is not the name of a table", help=NAME_HELP) from None
    if catalog_entries.is_temporary_view(spark, parts):
        raise IcebergSqlError(f"`{table}` is a temporary view, not a table", help=NAME_HELP)
    with read_errors.reading(f"`{table}` cannot be read"), sessions.working_in(spark):
        return tuple(relations.full_name(dotted(parts)))


def operations_at(path: str) -> Java:
    """Iceberg's read-only operations on the table in a folder. Raises IcebergSqlError if there is none."""
    try:
        return open_target(LiteralCall("iceberg", ((None, path),), ())).find().operations
    except JVM_ERRORS as error:  # Spark's class for a wrong argument of a table function
        raise read_errors.read_failure(error, f"`{path}` cannot be read") from None


def branch_note(branch: str) -> str:
    """Why no statement is proposed for the files of a branch. branch: that the session reads."""
    return (
        f"the session reads the branch {quoted(branch)} (spark.wap.branch): no rewrite is proposed, since it would "
        "change main, and ALTER TABLE changes all branches"
    )


def load_entry(spark: SparkSession, name: str, full_name: tuple[str, ...]) -> catalog_entries.CatalogEntry:
    """A catalog's entry. name: as the user wrote it. Raises IcebergSqlError if the catalog cannot be read."""
    try:
        return catalog_entries.load(spark, full_name)
    except (catalog_entries.CatalogUnavailableError, catalog_entries.NoCatalogError) as error:
        raise IcebergSqlError(f"`{name}` cannot be read: {error}") from None


def refuse_unusable(name: str, table: Java) -> None:
    """Raise IcebergSqlError if the rows and files of Iceberg's table cannot be read. name: as the user wrote it; by a
    path, columns that Spark cannot represent are skipped.
    """
    if (reason := metadata_faults.unusable_table(table)) is not None:
        raise IcebergSqlError(f"`{name}` cannot be read: {reason}")
    spark_table = relations.spark_table(table)
    if not is_path(name) and not schemas.is_readable(spark_table):
        metadata = table_metadata.current(table)
        columns = unreadable_columns(schemas.schema_of(spark_table))
        raise IcebergSqlError(
            f"`{name}` cannot be read: `{metadata.metadataFileLocation()}` declares {columns}, for which Spark has no "
            f"type; pass its folder instead of its name, '{table_metadata.location(metadata)}'"
        )


def _of_table(
    spark: SparkSession,
    name: str,
    full_name: tuple[str, ...],
    metadata: Mapping[str, Any],
    properties: Mapping[str, str],
    iceberg_table: Java,
) -> Source:
    schemas = metadata.get("schemas") or [metadata["schema"]]
    schema_id = metadata.get("current-schema-id")
    schema_json = next((s for s in schemas if s.get("schema-id") == schema_id), schemas[-1])
    with sessions.working_in(spark):
        read = as_read(iceberg_table)
    return Source(
        frame=spark.table(dotted(full_name)),
        title=read_branches.title(name, read.branch),
        schema=_schema(schema_json),
        schema_json=schema_json,
        properties={**metadata.get("properties", {}), **properties},
        table=full_name,
        metadata=metadata,
        read=read,
    )


def _of_frame(frame: DataFrame, title: str, properties: Mapping[str, str]) -> Source:
    names = [column.lower() for column in frame.columns]
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        raise IcebergSqlError(
            f"{title} has two columns `{duplicate}`, but column names in a table are unique", help="rename one of them"
        )
    if not names:
        raise IcebergSqlError(f"{title} has no columns")
    try:
        schema_json = hypothetical_tables.schema_json(frame)
    except JVM_ERRORS as error:
        raise IcebergSqlError(
            f"{title} has a column of a type that Iceberg does not support: {message(error)}"
        ) from None
    properties = hypothetical_tables.new_table_properties(properties)
    return Source(frame, title, _schema(schema_json), schema_json, properties)


def _schema(json: Mapping[str, Any]) -> Schema:
    struct = from_metadata(json)
    assert isinstance(struct, Struct)
    return Schema(struct.fields)
