"""pyiceberg: catalog.create_table(..., partition_spec=PartitionSpec(...)), and update_spec() for changes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.files.python.sql_extraction import python_sql
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.spec import FIRST_FIELD_ID
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.types import Field, List, Primitive, Struct, Type
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.translation.definitions import (
    Definition,
    FieldTerm,
    SpecChange,
    TableDefinition,
    refuse_parts,
    unsupported,
)
from spark_iceberg_sql.translation.spark_statements import create_text, definition_of, field_terms

_ENGINE = "pyiceberg"
_COMMENT, _NEWLINE = "comment", "\n"
_UNREAD = frozenset({"doc", "location", "sort_order"})
# The argument that says whether the parts of a nested type are required, which they are by default.
_REQUIRED = {"ListType": "element_required", "MapType": "value_required"}
# The modules of pyiceberg, and the names in each.
_MODULES = {
    "catalog": "load_catalog",
    "partitioning": "PartitionSpec|PartitionField",
    "schema": "Schema",
    "transforms": r"\w+Transform",
    "types": r"NestedField|\w+Type",
}
_TYPES = {
    "boolean": "BooleanType",
    "int": "IntegerType",
    "long": "LongType",
    "float": "FloatType",
    "double": "DoubleType",
    "date": "DateType",
    "timestamp": "TimestampType",
    "timestamptz": "TimestamptzType",
    "string": "StringType",
    "binary": "BinaryType",
}


def write(definition: Definition) -> str:
    """A statement of Python. Raises IcebergSqlError for what pyiceberg cannot say."""
    if isinstance(definition, SpecChange):
        return "\n".join(_change_lines(definition))
    refuse_parts(definition, _ENGINE, replaces=False, comment=True, properties=None)
    return "\n".join(_create_lines(definition))


# ------------------------------------------------------------------------------ CREATE TABLE


def _create_lines(definition: TableDefinition) -> Iterator[str]:
    method = "create_table_if_not_exists" if definition.if_not_exists else "create_table"
    yield f"{_catalog(definition)}.{method}("
    yield f"    {_table(definition)!r},"
    yield "    schema=Schema("
    ids = _Ids(definition)
    for column in definition.schema.fields:
        comment = definition.comments.get(column.name)
        yield f"        {ids.field(column, comment)},"
    yield "    ),"
    if definition.location is not None:
        yield f"    location={definition.location!r},"
    if definition.terms:
        yield "    partition_spec=PartitionSpec("
        for number, term in enumerate(definition.terms, FIRST_FIELD_ID):
            name = term.name or term.transform.transform.create_name(".".join(term.source))
            transform = _transform(term.transform)
            yield f"        PartitionField({ids.of_path(term.source)}, {number}, {transform}, {name!r}),"
        yield "    ),"
    properties = dict(definition.properties)
    if definition.comment is not None:
        properties[_COMMENT] = definition.comment
    if properties:
        yield f"    properties={properties!r},"
    yield ")"


def _catalog(definition: Definition) -> str:
    """The call that opens the catalog: the first of three parts of the table's name, otherwise the default one."""
    return f"load_catalog({definition.table[0]!r})" if len(definition.table) > 2 else "load_catalog()"


def _table(definition: Definition) -> str:
    """The table's name in its catalog."""
    name = definition.table[1:] if len(definition.table) > 2 else definition.table
    if any("." in part for part in name):
        raise unsupported(f"a part of `{'.'.join(name)}` has a dot, which separates parts", "write another name")
    return ".".join(name)


class _Ids:
    """The field IDs of a schema, and its fields as calls of pyiceberg's classes."""

    def __init__(self, definition: TableDefinition) -> None:
        self._schema = definition.schema
        self._numbers = count(1 + max((c.field.field_id or 0 for c in definition.schema.columns), default=0))

    def of_path(self, path: tuple[str, ...]) -> int:
        """The ID of the column at a path."""
        column = self._schema.find(path)
        return self._id(column.field) if column is not None else 0

    def _id(self, field: Field) -> int:
        return field.field_id if field.field_id is not None else next(self._numbers)

    def field(self, field: Field, comment: str | None = None) -> str:
        """The call for a column or a field of a struct."""
        arguments = [str(self._id(field)), repr(field.name), self._type(field.name, field.type)]
        arguments.append(f"required={field.required}")
        if comment is not None:
            arguments.append(f"doc={comment!r}")
        return f"NestedField({', '.join(arguments)})"

    def _type(self, column: str, column_type: Type) -> str:
        if isinstance(column_type, Primitive):
            if column_type.name == "decimal":
                return f"DecimalType({', '.join(map(str, column_type.arguments))})"
            if column_type.name not in _TYPES:
                raise unsupported(
                    f"`{column}` has the type {column_type}, and no type of pyiceberg is certain to be the same",
                    "leave the column out, or create the table in Spark",
                )
            return f"{_TYPES[column_type.name]}()"
        if isinstance(column_type, Struct):
            return f"StructType({', '.join(map(self.field, column_type.fields))})"
        if isinstance(column_type, List):
            element = column_type.element
            element_text = self._type(column, element.type)
            return f"ListType({self._id(element)}, {element_text}, element_required={element.required})"
        key, value = column_type.key, column_type.value
        key_text, value_text = self._type(column, key.type), self._type(column, value.type)
        return f"MapType({self._id(key)}, {key_text}, {self._id(value)}, {value_text}, value_required={value.required})"


def _transform(transform: BoundTransform) -> str:
    parameter = transform.transform.parameter
    argument = "" if parameter is None else f"{parameter.keyword}={transform.parameter}"
    return f"{transform.transform.pyiceberg_class}({argument})"


# ------------------------------------------------------------------------------ changes


def _change_lines(change: SpecChange) -> Iterator[str]:
    yield f"with {_catalog(change)}.load_table({_table(change)!r}).update_spec() as update:"
    for term in change.dropped:
        if term.name is None:
            raise unsupported(
                f"pyiceberg drops a partition field by its name, and the fields of `{'.'.join(change.table)}` are not "
                "known",
                "put its CREATE TABLE before the statement",
            )
        yield f"    update.remove_field({term.name!r})"
    for term in change.added:
        yield f"    update.add_field({_added(term)})"


def _added(term: FieldTerm) -> str:
    name = "" if term.name is None else f", {term.name!r}"
    return f"{'.'.join(term.source)!r}, {_transform(term.transform)}{name}"


# ------------------------------------------------------------------------------ to Spark


def read_program(text: str) -> list[tuple[int, str]]:
    """Spark's statements for the calls of a program, each with its line. Raises IcebergSqlError."""
    fragments, problems = python_sql(text)
    if problems:
        (problem, *_) = problems
        raise unsupported(problem.reason, problem.help, text.count(_NEWLINE, 0, problem.start) + 1)
    _refuse_arguments(text)
    results = []
    for fragment in fragments:
        line = text.count(_NEWLINE, 0, fragment.starts[0]) + 1
        script = statements(fragment.sql)
        if script and script[0].first == "CREATE":
            results += [(line, sql) for sql in _creation(script, line, if_not_exists=bool(fragment.side_effects))]
        else:
            results += [(line, statement.text) for statement in script]
    return results


def _creation(script: list[Statement], line: int, *, if_not_exists: bool) -> list[str]:
    """The statements of one creation: one with PARTITIONED BY, if that gives the partition fields their names."""
    catalog = Tables()
    definition, *_ = [definition_of(statement, catalog) for statement in script]
    table = catalog.get(definition.table)
    terms = field_terms(table) if isinstance(table, Table) else None
    if isinstance(definition, TableDefinition) and terms is not None:
        text = create_text(replace(definition, terms=terms, if_not_exists=if_not_exists))
        names = [term.transform.transform.create_name(".".join(term.source)) for term in terms]
        if names == [term.name for term in terms] and check(text).ok:
            return [text]
    if if_not_exists:
        raise unsupported(
            "Spark's CREATE TABLE IF NOT EXISTS cannot create these partition fields, or not under their names",
            "write create_table",
            line,
        )
    return [statement.text for statement in script]


def _refuse_arguments(text: str) -> None:
    """Refuse the arguments of which no statement would say anything."""
    for call in ast.walk(ast.parse(text)):
        if not isinstance(call, ast.Call):
            continue
        arguments = {keyword.arg: keyword.value for keyword in call.keywords}
        for name in arguments.keys() & _UNREAD:
            raise unsupported(f"`{name}` is not translated", "leave it out", call.lineno)
        required = _REQUIRED.get(ast.unparse(call.func).rpartition(".")[2])
        value = arguments.get(required)
        if required is not None and not (isinstance(value, ast.Constant) and value.value is False):
            fact = f"Spark has no type whose parts are required, as they are here without `{required}=False`"
            raise unsupported(fact, f"write {required}=False", call.lineno)


def with_imports(text: str) -> str:
    """A program with the imports of the names that it uses."""
    lines = []
    for module, pattern in _MODULES.items():
        names = sorted(set(re.findall(rf"\b({pattern})\(", text)))
        if names:
            lines.append(f"from pyiceberg.{module} import {', '.join(names)}")
    return "\n".join(lines) + f"\n\n{text}" if text else text
