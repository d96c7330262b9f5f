"""Athena: PARTITIONED BY (day(ts), bucket(16, id)) with LOCATION; the partition spec cannot change."""

from __future__ import annotations

from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.types import Field
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.identifiers import backticked
from spark_iceberg_sql.syntax.lexer import STRINGS, Token
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.translation.create_reader import is_create, read_create, read_properties, read_term, string_value
from spark_iceberg_sql.translation.create_writer import create_head
from spark_iceberg_sql.translation.definitions import (
    FILE_FORMAT,
    Definition,
    FieldTerm,
    SpecChange,
    default_named,
    file_format_properties,
    lose,
    no_partition_ddl,
    refuse_parts,
    refuse_upper_case,
    top_level,
    unsupported,
)
from spark_iceberg_sql.translation.engines.trino import array_terms
from spark_iceberg_sql.translation.spark_statements import create_text
from spark_iceberg_sql.translation.type_syntax import TypeSyntax

_ENGINE = "Athena"
_TABLE_TYPE = "table_type"
# Athena writes format version 2 only; a timestamp with a time zone can be read, but not created.
_FORMAT_VERSION = {"format-version": "2"}
_TYPES = TypeSyntax(
    _ENGINE,
    {
        "boolean": "boolean",
        "int": "int",
        "long": "bigint",
        "float": "float",
        "double": "double",
        "date": "date",
        "timestamp": "timestamp",
        "string": "string",
        "binary": "binary",
    },
    "<",
    ">",
    "struct",
    ":",
    backticked,
    {"integer": "int", "smallint": "int", "tinyint": "int"},
    {"varchar(N)": ("string", "its length is not limited"), "char(N)": ("string", "it is neither padded nor limited")},
)
_CODECS = ("zstd", "snappy", "gzip", "lz4")


def write(definition: Definition) -> str:
    """A statement for Athena. Raises IcebergSqlError for what Athena cannot say."""
    if isinstance(definition, SpecChange):
        raise unsupported(
            "Athena cannot change the partition spec of a table",
            "run the statement in Spark: Athena reads and writes the table with its new spec",
        )
    refuse_parts(definition, _ENGINE, replaces=False, comment=False, properties=_FORMAT_VERSION.keys())
    if definition.properties not in ({}, _FORMAT_VERSION):
        raise unsupported("Athena creates tables of format version 2", "write 'format-version' = '2'")
    refuse_upper_case(definition, _ENGINE)
    if len(definition.table) > 2:
        raise unsupported(
            f"Athena's CREATE TABLE takes no catalog, but `{'.'.join(definition.table)}` has one",
            f"write {'.'.join(definition.table[-2:])}",
        )
    if definition.location is None:
        raise unsupported("Athena needs the location of the table", "write LOCATION 's3://bucket/folder'")
    lines = [create_head(definition, backticked, _column_type, _string)]
    if definition.terms:
        lines.append(f"PARTITIONED BY ({', '.join(map(_term, definition.terms))})")
    lines.append(f"LOCATION {_string(definition.location)}")
    lines.append(f"TBLPROPERTIES ('{_TABLE_TYPE}' = 'ICEBERG')")
    return "\n".join(lines)


def _column_type(column: Field) -> str:
    if column.required:
        raise unsupported(f"Athena has no NOT NULL, as `{column.name}` has", "leave out NOT NULL")
    return _TYPES.text(column.name, column.type)


def _term(term: FieldTerm) -> str:
    transform, source = term.transform, backticked(top_level(default_named(term, _ENGINE), _ENGINE))
    if transform.transform.is_identity:
        return source
    number = "" if transform.parameter is None else f"{transform.parameter}, "
    return f"{transform.transform.name}({number}{source})"


def _string(text: str) -> str:
    if "\\" in text or "'" in text:
        raise unsupported(f"how Athena takes the string `{text}` is not certain", "leave out quotes and backslashes")
    return f"'{text}'"


def read(statement: Statement, catalog: Tables) -> list[str]:
    """Spark's statement for one of Athena. Raises IcebergSqlError."""
    if not is_create(statement):
        raise no_partition_ddl(statement.tokens, _ENGINE, "write CREATE TABLE")
    create = read_create(statement, _TYPES)
    terms: tuple[FieldTerm, ...] = ()
    location = comment = None
    is_iceberg = False
    properties: dict[str, str] = {}
    clauses = create.clauses
    while clauses:
        words = [t.word for t in clauses[:2]]
        if words == ["PARTITIONED", "BY"]:
            end = closing_index(clauses, 2) + 1
            terms = _terms(clauses[3 : end - 1])
        elif words[0] == "COMMENT" and len(clauses) > 1 and clauses[1].kind in STRINGS:
            comment, end = string_value(clauses[1]), 2
        elif words[0] == "LOCATION" and len(clauses) > 1 and clauses[1].kind in STRINGS:
            location, end = string_value(clauses[1]), 2
        elif words[0] == "TBLPROPERTIES":
            end = closing_index(clauses, 1) + 1
            is_iceberg, properties = _properties(_texts(clauses[1:end]))
        elif words[0] == "WITH" and create.query is not None:  # as Trino writes them
            end = closing_index(clauses, 1) + 1
            values = read_properties(clauses[1:end])
            terms = array_terms(values.pop("partitioning")) if "partitioning" in values else ()
            texts = {key: string_value(v[0]) if v[0].kind in STRINGS else v[0].text for key, v in values.items()}
            location = texts.pop("location", texts.pop("external_location", None))
            texts.pop("is_external", None)  # of Iceberg's tables always false
            is_iceberg, properties = _properties(texts)
        else:
            raise unsupported(f"`{clauses[0].text}` after the columns is not translated", "leave it out")
        clauses = clauses[end:]
    if not is_iceberg:
        raise unsupported("the table is not one of Iceberg's", "write TBLPROPERTIES ('table_type' = 'ICEBERG')")
    properties = {**_FORMAT_VERSION, **properties}
    return [create_text(create.definition(terms, comment=comment, location=location, properties=properties))]


def _texts(tokens: list[Token]) -> dict[str, str]:
    return {key.lower(): string_value(value[0]) for key, value in read_properties(tokens).items()}


def _properties(values: dict[str, str]) -> tuple[bool, dict[str, str]]:
    """Whether the table is one of Iceberg's, and Iceberg's properties. values: Athena's, which are taken out."""
    table_type = values.pop(_TABLE_TYPE, "")
    properties = file_format_properties(values.pop("format")) if "format" in values else {}
    codec = values.pop("write_compression", "")
    if codec.lower() in _CODECS:
        properties[f"write.{properties.get(FILE_FORMAT, 'parquet')}.compression-codec"] = codec.lower()
    elif codec:
        lose(f"Athena's `write_compression` of `{codec}` is not translated")
    for key in values:
        lose(f"Athena's property `{key}` is not translated")
    return table_type.upper() == "ICEBERG", properties


def _terms(tokens: list[Token]) -> tuple[FieldTerm, ...]:
    terms = []
    for group in between_commas(tokens):
        term = read_term(group, number_first=True)
        if term is None:
            raise unsupported(
                f"`{''.join(t.text for t in group)}` is no partition field of Athena", "write day(ts), bucket(16, id)"
            )
        terms.append(term)
    return tuple(terms)
