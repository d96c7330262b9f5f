"""Flink: PARTITIONED BY (a, b) takes columns only; transforms and changes of the spec do not exist."""

from __future__ import annotations

from dataclasses import replace

from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.transforms import BY_SPELLING
from spark_iceberg_sql.rules.sis411_refused_property import RESERVED
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.identifiers import backticked
from spark_iceberg_sql.syntax.lexer import STRINGS, Token
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.translation.create_reader import (
    CreateClauses,
    is_create,
    read_create,
    read_properties,
    read_term,
    string_value,
)
from spark_iceberg_sql.translation.create_writer import create_head, standard_string
from spark_iceberg_sql.translation.definitions import (
    Definition,
    FieldTerm,
    SpecChange,
    default_named,
    lose,
    no_partition_ddl,
    refuse_parts,
    top_level,
    unsupported,
)
from spark_iceberg_sql.translation.spark_statements import create_text
from spark_iceberg_sql.translation.type_syntax import MICROSECONDS, TypeSyntax

_ENGINE = "Flink"
_LOCATION = "location"
_TYPES = TypeSyntax(
    _ENGINE,
    {
        "boolean": "boolean",
        "int": "int",
        "long": "bigint",
        "float": "float",
        "double": "double",
        "date": "date",
        "timestamp": "timestamp(6)",
        "timestamptz": "timestamp_ltz(6)",
        "string": "string",
        "binary": "bytes",
    },
    "<",
    ">",
    "row",
    " ",
    backticked,
    # Iceberg's times have microseconds, whichever precision is written.
    {
        "integer": "int",
        "smallint": "int",
        "tinyint": "int",
        **{
            f"{word}{precision}": name
            for word, name in (("timestamp", "timestamp"), ("timestamp_ltz", "timestamptz"))
            for precision in MICROSECONDS
        },
        **{f"timestamp{precision} with local time zone": "timestamptz" for precision in MICROSECONDS},
        "double precision": "double",
        "varbinary": "binary",
        "varbinary(N)": "binary",
        # Flink stores texts of any length as one type.
        "varchar": "string",
        "varchar(N)": "string",
        "char": "string",
        "char(N)": "string",
    },
    {"binary(N)": ("binary", "its length is not fixed"), "binary": ("binary", "its length is not fixed")},
    ("time", "time(N)"),
)
# A table of another kind: it is defined in Flink's memory, and its catalog and name are in the properties.
_CONNECTOR = "connector"
_CONNECTOR_KEYS = ("uri", "warehouse", "clients", "hive-conf-dir", "hadoop-conf-dir", "io-impl", "s3.endpoint")


def write(definition: Definition) -> str:
    """A statement for Flink. Raises IcebergSqlError for what Flink cannot say."""
    if isinstance(definition, SpecChange):
        raise unsupported(
            "Flink cannot change the partition spec of a table",
            "run the statement in Spark: Flink writes the table with its new spec",
        )
    refuse_parts(definition, _ENGINE, replaces=False, comment=True, properties=None)
    lines = [create_head(definition, backticked, _TYPES.column_text, standard_string)]
    if definition.comment is not None:
        lines.append(f"COMMENT {standard_string(definition.comment)}")
    if definition.terms:
        lines.append(f"PARTITIONED BY ({', '.join(map(_column, definition.terms))})")
    properties = dict(definition.properties)
    if definition.location is not None:
        properties[_LOCATION] = definition.location
    if properties:
        pairs = (f"{standard_string(key)} = {standard_string(value)}" for key, value in properties.items())
        lines.append(f"WITH ({', '.join(pairs)})")
    return "\n".join(lines)


def _column(term: FieldTerm) -> str:
    source = top_level(default_named(term, _ENGINE), _ENGINE)
    if not term.transform.transform.is_identity:
        raise unsupported(
            f"Flink partitions by columns only, not by {term.transform.clause(source)}",
            "create the table in Spark: Flink writes it with its transforms",
        )
    return backticked(source)


def _of_connector(create: CreateClauses, properties: dict[str, str]) -> CreateClauses:
    """The table that the properties of a connector name, which are taken out of them."""
    keys = [key for key in properties if key.startswith("catalog-") or key in _CONNECTOR_KEYS]
    table = (properties.get("catalog-database", ""), properties.get("catalog-table", create.table[-1]))
    lose(f"the table is in the catalog that Flink's properties describe: {', '.join(keys) or 'none'}")
    for key in keys:
        del properties[key]
    return replace(create, table=tuple(part for part in table if part))


def _read_term(tokens: list[Token]) -> FieldTerm:
    """A column, or a transform as Spark writes it: Flink itself refuses one, but nothing else can be meant."""
    name = " ".join(token.text for token in tokens[:1])
    transform = BY_SPELLING.get(name.lower()) if len(tokens) > 1 else None
    renamed = [tokens[0]._replace(text=transform.name), *tokens[1:]] if transform is not None else tokens
    term = read_term(renamed, number_first=True)
    if term is None:
        raise unsupported("Flink's PARTITIONED BY takes columns only", "write PARTITIONED BY (region)")
    if len(tokens) > 1:
        lose(f"Flink's PARTITIONED BY takes columns only: `{term.transform.clause(term.source[0])}` is Spark's")
    return term


def read(statement: Statement, catalog: Tables) -> list[str]:
    """Spark's statement for one of Flink. Raises IcebergSqlError."""
    if not is_create(statement):
        raise no_partition_ddl(statement.tokens, _ENGINE, "write CREATE TABLE")
    create = read_create(statement, _TYPES)
    comment = None
    terms: tuple[FieldTerm, ...] = ()
    properties: dict[str, str] = {}
    clauses = create.clauses
    while clauses:
        words = [t.word for t in clauses[:2]]
        if words[0] == "COMMENT" and len(clauses) > 1 and clauses[1].kind in STRINGS:
            comment, end = string_value(clauses[1]), 2
        elif words == ["PARTITIONED", "BY"]:
            end = closing_index(clauses, 2) + 1
            terms = tuple(_read_term(group) for group in between_commas(clauses[3 : end - 1]))
        elif words[0] == "WITH":
            end = closing_index(clauses, 1) + 1
            properties = {key: string_value(value[0]) for key, value in read_properties(clauses[1:end]).items()}
        else:
            raise unsupported(f"`{clauses[0].text}` after the columns is not translated", "leave it out")
        clauses = clauses[end:]
    if properties.get(_CONNECTOR, "iceberg") != "iceberg":
        raise unsupported(f"`{properties[_CONNECTOR]}` is no table of Iceberg", "translate tables of Iceberg alone")
    if properties.pop(_CONNECTOR, None) is not None:
        create = _of_connector(create, properties)
    location = properties.pop(_LOCATION, None)
    for key in [key for key in properties if key in RESERVED]:
        del properties[key]
        lose(f"Flink's property `{key}` is reserved in Spark")
    definition = create.definition(terms, comment=comment, location=location, properties=properties)
    return [create_text(definition)]
