"""ClickHouse: ENGINE = IcebergLocal('/path') PARTITION BY (icebergDay(ts), icebergBucket(16, id))."""

from __future__ import annotations

from spark_iceberg_sql.model.functions.table_functions import FUNCTIONS
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.types import Field, List, Map, Primitive, Type
from spark_iceberg_sql.syntax.clickhouse.literal_calls import LiteralCall
from spark_iceberg_sql.syntax.clickhouse.translation import translate
from spark_iceberg_sql.syntax.identifiers import quoted, string_literal
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.translation.create_writer import create_head
from spark_iceberg_sql.translation.definitions import (
    Definition,
    FieldTerm,
    SpecChange,
    TableDefinition,
    default_named,
    no_partition_ddl,
    refuse_parts,
    top_level,
    unsupported,
)

_ENGINE = "ClickHouse"
# Without those that versions of 2026 refuse, boolean, or store as another type, timestamp with time zone.
_TYPES = {
    "int": "Int32",
    "long": "Int64",
    "float": "Float32",
    "double": "Float64",
    "date": "Date32",
    "timestamp": "DateTime64(6)",
    "string": "String",
}
# ClickHouse's engine by the store of a location's scheme.
_STORES = {"": "local", "file": "local", "s3": "s3", "s3a": "s3", "hdfs": "hadoop"}
_ENGINES = {f.store: f"I{f.name[1:]}" for f in FUNCTIONS}
_FORMAT_VERSION = "format-version"


def write(definition: Definition) -> str:
    """A statement for ClickHouse. Raises IcebergSqlError for what ClickHouse cannot say."""
    if isinstance(definition, SpecChange):
        raise unsupported(
            "ClickHouse cannot change the partition spec of a table",
            "run the statement in Spark: ClickHouse reads the table with its new spec",
        )
    refuse_parts(definition, _ENGINE, replaces=False, comment=True, properties={_FORMAT_VERSION})
    if len(definition.table) > 2:
        raise unsupported(
            f"ClickHouse's names have no catalog, but `{'.'.join(definition.table)}` has one",
            f"write {'.'.join(definition.table[-2:])}",
        )
    lines = [
        create_head(definition, quoted, lambda column: _column_type(column.name, column), string_literal),
        f"ENGINE = {_engine(definition.location)}",
    ]
    _refuse_shared_source(definition)
    if definition.terms:
        lines.append(f"PARTITION BY ({', '.join(map(_term, definition.terms))})")
    if _FORMAT_VERSION in definition.properties:
        lines.append(f"SETTINGS iceberg_format_version = {definition.properties[_FORMAT_VERSION]}")
    if definition.comment is not None:
        lines.append(f"COMMENT {string_literal(definition.comment)}")
    return "\n".join(lines)


def _refuse_shared_source(definition: TableDefinition) -> None:
    """Refuse two fields of one column: ClickHouse names both by the column."""
    sources = [term.source for term in definition.terms]
    shared = next((source for source in sources if sources.count(source) > 1), None)
    if shared is not None:
        raise unsupported(
            f"ClickHouse gives all partition fields of `{'.'.join(shared)}` the same name, that of the column",
            "create the table in Spark",
        )


def _engine(location: str | None) -> str:
    scheme, colon, path = (location or "").rpartition("://") if "://" in (location or "") else ("", "", location or "")
    if location is not None and location.startswith("file:/"):
        scheme, colon, path = "", "", "/" + location.removeprefix("file:").lstrip("/")
    store = _STORES.get(scheme)
    if location is None or store is None or not path:
        raise unsupported(
            "ClickHouse needs the location of the table, in a store that one of its engines has",
            "write LOCATION with a path, or an s3:// or hdfs:// address",
        )
    return f"{_ENGINES[store]}({string_literal(scheme + colon + path)})"


def _column_type(column: str, part: Field) -> str:
    """The type of a column or of a part of one: nullable, unless it is required."""
    if isinstance(part.type, Primitive):
        text = _type(column, part.type)
        return text if part.required else f"Nullable({text})"
    if not part.required:
        raise unsupported(
            f"`{column}` is nullable and nested, which ClickHouse does not have", f"write {column} ... NOT NULL"
        )
    return _type(column, part.type)


def _type(column: str, column_type: Type) -> str:
    if isinstance(column_type, Primitive):
        if column_type.name == "decimal":
            return f"Decimal({', '.join(map(str, column_type.arguments))})"
        if column_type.name not in _TYPES:
            raise unsupported(
                f"`{column}` has the type {column_type}, and no type of ClickHouse is certain to be the same",
                "leave the column out, or create the table in Spark",
            )
        return _TYPES[column_type.name]
    if isinstance(column_type, List):
        return f"Array({_column_type(f'{column}.element', column_type.element)})"
    if isinstance(column_type, Map):
        key, value = _type(column, column_type.key.type), _column_type(f"{column}.value", column_type.value)
        return f"Map({key}, {value})"
    fields = (f"{quoted(field.name)} {_column_type(f'{column}.{field.name}', field)}" for field in column_type.fields)
    return f"Tuple({', '.join(fields)})"


def _term(term: FieldTerm) -> str:
    transform, source = term.transform, quoted(top_level(default_named(term, _ENGINE), _ENGINE))
    if transform.transform.is_identity:
        return source
    number = "" if transform.parameter is None else f"{transform.parameter}, "
    return f"{transform.transform.clickhouse_transforms[0]}({number}{source})"


def read(statement: Statement, catalog: Tables) -> list[str]:
    """Spark's statement for one of ClickHouse. Raises IcebergSqlError."""
    translation = translate(statement.text)
    if translation is None or not translation.text.startswith("CREATE TABLE"):
        raise no_partition_ddl(
            statement.tokens, _ENGINE, "write CREATE TABLE ... ENGINE = Iceberg...(...) with columns"
        )
    version = [message for message in translation.ignored if "iceberg_format_version" in message]
    other = [message for message in translation.ignored if message not in version]
    if other:
        raise unsupported(other[0], "leave it out")
    (attachment,) = translation.attach
    text = f"{translation.text} LOCATION {string_literal(_location(attachment.call))}"
    number = _version(statement) if version else None
    return [text if number is None else f"{text} TBLPROPERTIES ('{_FORMAT_VERSION}' = '{number}')"]


def _location(call: LiteralCall) -> str:
    if len(call.positional) != 1 or call.keywords:
        raise unsupported(f"the arguments of {call.function} besides the location are not translated", "leave them out")
    return call.first


def _version(statement: Statement) -> str:
    words = [token.text.lower() for token in statement.tokens]
    return words[words.index("iceberg_format_version") + 2]
