"""The source of a preview or advice: a table, a query, a file or a DataFrame, with its columns as Iceberg columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.properties import PROPERTIES
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.model.types import Struct, from_metadata
from spark_iceberg_sql.spark.bridge import catalogs, hypothetical, relations, sessions
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.gate import intercept, read_errors
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PATH = re.compile(r"/|\.{1,2}/|[A-Za-z][A-Za-z0-9+.-]*:/")
_QUERY = re.compile(r"\s*(?:\(\s*)*(?:select|with|from|values|table)\b", re.IGNORECASE)
_NO_FORMAT = re.compile(r"No enum constant org\.apache\.iceberg\.FileFormat\.(\w+)")
# The properties that previews and advice calculate with, each with its least value and an example.
_NUMBERS = {
    "write.target-file-size-bytes": (1, 536870912),
    "write.parquet.page-row-limit": (1, 20000),
    "write.parquet.page-size-bytes": (1, 1048576),
    "read.split.open-file-cost": (0, 4194304),
}
_FORMATS = {".parquet": "parquet", ".orc": "orc", ".csv": "csv", ".json": "json"}


@dataclass(frozen=True)
class Source:
    """Rows that a spec is tried on.

    frame: the rows. title: the user's name for it. schema: its columns, with field ids. schema_json: the
    same, as in metadata.json. properties: of the table that would be written. table: its full name, if it is
    an Iceberg table in a catalog. metadata: that table's metadata.json, without its snapshots. name: the full
    name of any other table.
    """

    frame: DataFrame
    words: str
    schema: Schema
    json: Mapping[str, Any]
    properties: Mapping[str, str]
    table: tuple[str, ...] | None = None
    metadata: Mapping[str, Any] | None = None
    name: tuple[str, ...] | None = None

    def as_table(self, *specs: Spec) -> dict[str, Any]:
        """The metadata of a new empty table with these columns and properties. specs: the last is the default."""
        written = [
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
        return hypothetical.table_metadata(self.json, written, self.properties, self.metadata)


def source_of(
    spark: SparkSession,
    given: str | DataFrame,
    properties: Mapping[str, str] | None = None,
) -> Source:
    """Resolve a source. Every preview and advice starts here.

    source: a DataFrame, a table's or view's name, a query, or the path of an Iceberg table, of a Parquet,
    ORC, CSV (with a header) or JSON file, or of a folder named like one. properties: table properties that
    override the table's.
    Raises IcebergSqlError if the source does not exist, or for a property that is read here and is no such
    number.
    """
    found = _source_of(spark, given, properties)
    refuse_numbers(found.properties)
    return found


def _source_of(
    spark: SparkSession, given: str | DataFrame, properties: Mapping[str, str] | None
) -> Source:
    properties = dict(properties or {})
    if not isinstance(given, str):
        return _of_frame(given, "the DataFrame", properties)
    try:
        if _QUERY.match(given) and re.search(r"\s", given.strip()):
            return _of_frame(intercept.own_sql(spark)(given), "the query", properties)
        if _PATH.match(given):
            return _of_frame(_at(spark, given), given, properties)
        return _of_name(spark, given, properties)
    except JVM_ERRORS as error:
        raise read_errors.failed(error, f"`{given}` cannot be read") from None


@contextmanager
def refusing(argument: str) -> Iterator[None]:
    """Name the argument whose value the errors within are about."""
    try:
        yield
    except IcebergSqlError as error:
        error.argument = argument
        raise


def refuse_property(words: str, properties: Mapping[str, str]) -> None:
    """Raise IcebergSqlError if an error of Iceberg is about the value of a table property.

    error_text: Iceberg's, `For input string: "64MB"`, which does not name the property.
    """
    number, format_ = re.search(r'For input string: "(.*)"', words), _NO_FORMAT.search(words)
    found = number or format_
    if found is None:
        return
    key = next((k for k, v in properties.items() if v.lower() == found[1].lower()), None)
    if key is None:
        return
    wanted = "a whole number, such as 67108864" if number else "parquet, orc or avro"
    raise IcebergSqlError(
        f"the table property '{key}' cannot be '{properties[key]}'",
        help=f"give {wanted}",
        argument="properties",
    )


def refuse_numbers(properties: Mapping[str, str]) -> None:
    """Raise IcebergSqlError for a property that decides a figure and is not a number that Iceberg reads or uses."""
    for key, (least, example) in _NUMBERS.items():
        value = properties.get(key)
        if value is not None and not (PROPERTIES[key].takes(value) and int(value) >= least):
            raise IcebergSqlError(
                f"the table property '{key}' cannot be '{value}'",
                help=f"give a whole number of at least {least}, such as {example}",
                argument="properties",
            )


def _at(spark: SparkSession, path: str) -> DataFrame:
    kind = _FORMATS.get(PurePosixPath(path.rstrip("/*")).suffix.lower())
    if kind is None:
        escaped = path.replace("\\", "\\\\").replace("'", "\\'")
        return intercept.own_sql(spark)(f"SELECT * FROM iceberg('{escaped}')")
    options = {"header": "true", "inferSchema": "true"} if kind == "csv" else {}
    return spark.read.format(kind).options(**options).load(path)


def _of_name(spark: SparkSession, name: str, properties: Mapping[str, str]) -> Source:
    parts = relations.name_parts(spark, name)
    if not catalogs.is_temporary_view(spark, parts):
        with sessions.working_in(spark):
            full = tuple(relations.full_name(dotted(parts)))
        try:
            loaded = catalogs.load(spark, full)
        except (catalogs.CatalogSilentError, catalogs.NoCatalogError) as error:
            raise IcebergSqlError(f"`{name}` cannot be read: {error}") from None
        if loaded.what == "absent":
            raise IcebergSqlError(
                f"there is no table or view `{name}`",
                help="give a table's name, a query, a path that starts with / or a scheme, or a DataFrame",
            )
        if loaded.metadata is not None:
            return _of_table(spark, name, full, loaded.metadata, properties)
        if loaded.what != "view":
            return replace(_of_frame(spark.table(dotted(full)), name, properties), name=full)
    return _of_frame(spark.table(dotted(parts)), name, properties)


def _of_table(
    spark: SparkSession,
    name: str,
    full: tuple[str, ...],
    metadata: Mapping[str, Any],
    properties: Mapping[str, str],
) -> Source:
    schemas = metadata.get("schemas") or [metadata["schema"]]
    wanted = metadata.get("current-schema-id")
    json = next((s for s in schemas if s.get("schema-id") == wanted), schemas[-1])
    return Source(
        frame=spark.table(dotted(full)),
        words=name,
        schema=_schema(json),
        json=json,
        properties={**metadata.get("properties", {}), **properties},
        table=full,
        metadata=metadata,
    )


def _of_frame(frame: DataFrame, words: str, properties: Mapping[str, str]) -> Source:
    names = [column.lower() for column in frame.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise IcebergSqlError(
            f"{words} has two columns `{twice}`, but column names in a table are unique",
            help="rename one of them",
        )
    if not names:
        raise IcebergSqlError(f"{words} has no columns")
    try:
        json = hypothetical.schema_json(frame)
    except JVM_ERRORS as error:
        raise IcebergSqlError(
            f"{words} has a column of a type that Iceberg does not support: {message(error)}"
        ) from None
    properties = hypothetical.new_table_properties(properties)
    return Source(frame, words, _schema(json), json, properties)


def _schema(json: Mapping[str, Any]) -> Schema:
    struct = from_metadata(json)
    assert isinstance(struct, Struct)
    return Schema(struct.fields)
