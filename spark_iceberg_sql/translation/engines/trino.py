"""Trino: WITH (partitioning = ARRAY['day(ts)', 'bucket(id, 16)']); a change of the spec sets the whole list."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.syntax.brackets import between_commas
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import STRINGS, TRIVIA, Token, tokenize
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.translation.create_reader import (
    CreateClauses,
    is_create,
    read_create,
    read_name,
    read_properties,
    read_term,
    string_value,
)
from spark_iceberg_sql.translation.create_writer import create_head, standard_string
from spark_iceberg_sql.translation.definitions import (
    Definition,
    FieldTerm,
    Name,
    SpecChange,
    TableDefinition,
    default_named,
    file_format_properties,
    lose,
    no_partition_ddl,
    refuse_parts,
    refuse_upper_case,
    top_level,
    unsupported,
)
from spark_iceberg_sql.translation.spark_statements import (
    change_texts,
    create_text,
    dotted_name,
    field_terms,
    order_text,
)
from spark_iceberg_sql.translation.type_syntax import MICROSECONDS, TypeSyntax

_ENGINE = "Trino"
_PLAIN = regex(r"[a-z][a-z0-9_]*")
_RESERVED_WORDS = (
    "alter and as auto between by case cast constraint create cross cube current_catalog current_date current_path "
    "current_role current_schema current_time current_timestamp current_user deallocate delete describe distinct drop "
    "else end escape except exists extract false for from full group grouping having in inner insert intersect into is "
    "join json_array json_exists json_object json_query json_table json_value left like listagg localtime "
    "localtimestamp natural normalize not null on or order outer prepare recursive right rollup select skip table then "
    "trim true uescape union unnest using values when where with"
)
_RESERVED = frozenset(_RESERVED_WORDS.split())


def _quoted(name: str) -> str:
    if _PLAIN.fullmatch(name) and name not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


_TYPES = TypeSyntax(
    _ENGINE,
    {
        "boolean": "boolean",
        "int": "integer",
        "long": "bigint",
        "float": "real",
        "double": "double",
        "date": "date",
        "timestamp": "timestamp(6)",
        "timestamptz": "timestamp(6) with time zone",
        "string": "varchar",
        "binary": "varbinary",
    },
    "(",
    ")",
    "row",
    " ",
    _quoted,
    # Iceberg has no smaller integers.
    {
        "int": "int",
        "smallint": "int",
        "tinyint": "int",
        # Iceberg's times have microseconds, whichever precision is written.
        **{f"timestamp{precision}": "timestamp" for precision in MICROSECONDS},
        **{f"timestamp{precision} with time zone": "timestamptz" for precision in MICROSECONDS},
        "string": "string",
    },
    {
        "varchar(N)": ("string", "its length is not limited"),
        "char(N)": ("string", "it is neither padded nor limited"),
        "char": ("string", "it is neither padded nor limited"),
        "uuid": ("string", "Spark has no UUID"),
        "json": ("string", "Iceberg has no JSON"),
    },
    ("time", "time(N)"),
)
# Iceberg's properties of Trino's.
_PROPERTIES = {
    "object_store_layout_enabled": "write.object-storage.enabled",
    "max_commit_retry": "commit.retry.num-retries",
    "delete_after_commit_enabled": "write.metadata.delete-after-commit.enabled",
    "max_previous_versions": "write.metadata.previous-versions-max",
    "data_location": "write.data.path",
}
_FORMAT_VERSION = "format-version"
_SORT_TERM = regex(r"(\"(?:[^\"]|\"\")+\"|\w+)((?:\s+(?:ASC|DESC))?(?:\s+NULLS\s+(?:FIRST|LAST))?)", re.IGNORECASE)


def write(definition: Definition) -> str:
    """A statement for Trino. Raises IcebergSqlError for what Trino cannot say."""
    name = ".".join(map(_quoted, definition.table))
    if isinstance(definition, SpecChange):
        if definition.remaining is None:
            raise unsupported(
                f"Trino sets all partition fields in one list, and those of `{dotted_name(definition.table)}` are not "
                "known",
                "put its CREATE TABLE before the statement",
            )
        for term in definition.added:
            default_named(term, _ENGINE)
        return f"ALTER TABLE {name} SET PROPERTIES partitioning = {_array(definition.remaining)}"
    refuse_upper_case(definition, _ENGINE)
    refuse_parts(definition, _ENGINE, replaces=True, comment=True, properties={_FORMAT_VERSION})
    lines = [create_head(definition, _quoted, _TYPES.column_text, standard_string)]
    if definition.comment is not None:
        lines.append(f"COMMENT {standard_string(definition.comment)}")
    settings = [f"partitioning = {_array(definition.terms)}"] if definition.terms else []
    if _FORMAT_VERSION in definition.properties:
        settings.append(f"format_version = {definition.properties[_FORMAT_VERSION]}")
    if definition.location is not None:
        settings.append(f"location = {standard_string(definition.location)}")
    if settings:
        lines.append(f"WITH ({', '.join(settings)})")
    return "\n".join(lines)


def _array(terms: Sequence[FieldTerm]) -> str:
    return f"ARRAY[{', '.join(standard_string(_term(term)) for term in terms)}]"


def _term(term: FieldTerm) -> str:
    transform, source = term.transform, _quoted(top_level(term, _ENGINE))
    if transform.transform.is_identity:
        return source
    number = "" if transform.parameter is None else f", {transform.parameter}"
    return f"{transform.transform.name}({source}{number})"


# ------------------------------------------------------------------------------ to Spark


def read(statement: Statement, catalog: Tables) -> list[str]:
    """Spark's statements for one of Trino. catalog: the tables before it. Raises IcebergSqlError."""
    if is_create(statement):
        definition, order = _definition(statement)
        return [create_text(definition), *([order_text(definition.table, order)] if order else [])]
    tokens = statement.tokens
    if [t.word for t in tokens[:2]] == ["ALTER", "TABLE"]:
        table, index = read_name(tokens, 2)
        words = [t.word for t in tokens[index : index + 4]]
        if words == ["SET", "PROPERTIES", "PARTITIONING", "="]:
            return change_texts(_change(table, array_terms(tokens[index + 4 :]), catalog))
    raise no_partition_ddl(
        tokens, _ENGINE, "write CREATE TABLE, or ALTER TABLE ... SET PROPERTIES partitioning = ARRAY[...]"
    )


def _definition(statement: Statement) -> tuple[TableDefinition, list[str]]:
    """The table of a CREATE TABLE, and the terms of its sort order."""
    create = read_create(statement, _TYPES)
    clauses, comment = create.clauses, None
    if len(clauses) > 1 and clauses[0].word == "COMMENT" and clauses[1].kind in STRINGS:
        comment, clauses = string_value(clauses[1]), clauses[2:]
    if clauses and clauses[0].word != "WITH":
        raise unsupported(f"`{clauses[0].text}` after the columns is not translated", "leave it out")
    values = read_properties(clauses[1:]) if clauses else {}
    terms = array_terms(values.pop("partitioning")) if "partitioning" in values else ()
    location = string_value(values.pop("location")[0]) if "location" in values else None
    version = values.pop("format_version")[0].text if "format_version" in values else None
    file_format = file_format_properties(string_value(values.pop("format")[0])) if "format" in values else {}
    order = _order(values.pop("sorted_by"), create) if "sorted_by" in values else []
    properties = {**({} if version is None else {_FORMAT_VERSION: version}), **file_format}
    for key, value in values.items():
        if key in _PROPERTIES and len(value) == 1:
            properties[_PROPERTIES[key]] = string_value(value[0]) if value[0].kind in STRINGS else value[0].text.lower()
        else:
            lose(f"Trino's property `{key}` is not translated")
    return create.definition(terms, comment=comment, location=location, properties=properties), order


def _order(tokens: Sequence[Token], create: CreateClauses) -> list[str]:
    """The terms of `sorted_by`, as Spark takes them, without those of columns that are left out."""
    terms = []
    for group in _elements(tokens) or []:
        text = string_value(group[0]) if len(group) == 1 and group[0].kind in STRINGS else ""
        match = _SORT_TERM.fullmatch(text.strip())
        if match is None:
            raise unsupported(
                f"`{''.join(t.text for t in group)}` is no column to sort by", "write sorted_by = ARRAY['a', 'b DESC']"
            )
        name = match[1][1:-1].replace('""', '"') if match[1][0] == '"' else match[1]
        if create.has(name):
            terms.append(f"{quoted(name)}{match[2].upper()}")
        else:
            lose(f"`{name}` of the sort order is left out with its column")
    return terms


def _elements(tokens: Sequence[Token]) -> list[list[Token]] | None:
    """The elements of `ARRAY[...]`; None if the tokens are no array."""
    is_array = len(tokens) > 2 and [tokens[0].word, tokens[1].text, tokens[-1].text] == ["ARRAY", "[", "]"]
    if not is_array:
        return None
    return [list(group) for group in between_commas(tokens[2:-1])] if len(tokens) > 3 else []


def array_terms(tokens: Sequence[Token]) -> tuple[FieldTerm, ...]:
    """The partition fields of `ARRAY['day(ts)', ...]`. Raises IcebergSqlError for any other text."""
    terms = []
    groups = _elements(tokens)
    for group in groups or []:
        text = string_value(group[0]) if len(group) == 1 and group[0].kind in STRINGS else ""
        term = read_term(_tokens(text), number_first=False)
        if term is None:
            raise unsupported(
                f"`{''.join(t.text for t in group)}` is no partition field of Trino",
                "write 'day(ts)', 'bucket(id, 16)'",
            )
        terms.append(term)
    if groups is None:
        raise unsupported("the partition fields are no array of strings", "write partitioning = ARRAY['day(ts)']")
    return tuple(terms)


def _tokens(text: str) -> list[Token]:
    return [token for token in tokenize(text) if token.kind not in TRIVIA]


def _change(table: Name, terms: tuple[FieldTerm, ...], catalog: Tables) -> SpecChange:
    entry = catalog.get(table)
    current = field_terms(entry) if isinstance(entry, Table) else None
    if current is None:
        raise unsupported(
            f"Trino's list replaces the partition fields of `{dotted_name(table)}`, which are not known",
            "put its CREATE TABLE before the statement",
        )
    keys = {(term.transform.text, term.source) for term in terms}
    current_keys = {(term.transform.text, term.source) for term in current}
    dropped = tuple(term for term in current if (term.transform.text, term.source) not in keys)
    added = tuple(term for term in terms if (term.transform.text, term.source) not in current_keys)
    return SpecChange(table, dropped, added, None)
