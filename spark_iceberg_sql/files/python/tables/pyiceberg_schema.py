"""Literal schemas, partition specs and transforms of pyiceberg in a program."""

from __future__ import annotations

import ast
import re

from spark_iceberg_sql.files.python.calls import argument, method_of
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source_map import MessageOverride
from spark_iceberg_sql.model.transforms import BY_NAME, BY_PYICEBERG_CLASS

_TYPES = {
    "BooleanType": "BOOLEAN", "IntegerType": "INT", "LongType": "BIGINT", "FloatType": "FLOAT",
    "DoubleType": "DOUBLE", "DateType": "DATE", "TimestampType": "TIMESTAMP_NTZ",
    "TimestamptzType": "TIMESTAMP", "StringType": "STRING", "BinaryType": "BINARY",
}  # fmt: skip
# Their types in SQL, and the arguments that are types.
_COLLECTIONS = {"ListType": ("ARRAY", ((1, "element_type"),)), "MapType": ("MAP", ((1, "key_type"), (3, "value_type")))}
_TEXT = re.compile(r"(\w+)(?:\[(\d+)\])?")


class SchemaColumns:
    """The columns of a schema. columns: name and SQL type of each. paths_by_id: field paths, by field id."""

    def __init__(self) -> None:
        self.columns: list[tuple[str, str]] = []
        self.paths_by_id: dict[object, str] = {}


def schema_columns(program: Program, schema: ast.expr | None) -> SchemaColumns | None:
    """The columns of `Schema(NestedField(1, "id", LongType()), ...)`; None if any is not a literal."""
    if not isinstance(schema, ast.Call) or _pyiceberg_name(program, schema, "schema") != "Schema":
        return None
    columns = SchemaColumns()
    fields = _nested_fields(program, schema, (), columns)
    if not fields or any(k.arg not in ("schema_id", "identifier_field_ids") for k in schema.keywords):
        return None
    columns.columns = fields
    return columns


def _nested_fields(
    program: Program, owner: ast.Call, path: tuple[str, ...], columns: SchemaColumns
) -> list[tuple[str, str]] | None:
    fields = []
    for value in owner.args:
        field = program.definition(value)
        if not isinstance(field, ast.Call) or _pyiceberg_name(program, field, "types") != "NestedField":
            return None
        field_id, name = argument(field, 0, "field_id"), argument(field, 1, "name")
        field_type = argument(field, 2, "field_type")
        text = program.string_value(name) if name is not None else None
        if not isinstance(field_id, ast.Constant) or not text or field_type is None or "`" in text:
            return None
        field_path = (*path, text)
        sql_type = _sql_type(program, field_type, field_path, columns)
        if sql_type is None:
            return None
        columns.paths_by_id[field_id.value] = ".".join(
            f"`{part}`" if not part.isidentifier() else part for part in field_path
        )
        required = argument(field, 3, "required")
        is_required = isinstance(required, ast.Constant) and required.value is True
        fields.append((text, f"{sql_type} NOT NULL" if is_required else sql_type))
    return fields


def _sql_type(program: Program, field_type: ast.expr, path: tuple[str, ...], columns: SchemaColumns) -> str | None:
    definition = program.definition(field_type)
    if not isinstance(definition, ast.Call):
        return None
    name = _pyiceberg_name(program, definition, "types")
    if name in _TYPES:
        return _TYPES[name]
    if name == "DecimalType":
        sizes = [argument(definition, 0, "precision"), argument(definition, 1, "scale")]
        numbers = [str(s.value) for s in sizes if isinstance(s, ast.Constant)]
        return f"DECIMAL({', '.join(numbers)})" if len(numbers) == 2 else None
    if name == "StructType":
        fields = _nested_fields(program, definition, path, columns)
        inner = ", ".join(f"`{n}`: {k}" for n, k in fields or ())
        return f"STRUCT<{inner}>" if inner else None
    if name in _COLLECTIONS:
        word, positions = _COLLECTIONS[name]
        parts = [argument(definition, index, part) for index, part in positions]
        part_types = [_sql_type(program, part, path, columns) if part is not None else None for part in parts]
        return f"{word}<{', '.join(t for t in part_types if t)}>" if None not in part_types else None
    return None


def partition_fields(
    program: Program, spec: ast.expr | None
) -> list[tuple[ast.Call, tuple[ast.expr, ast.expr, ast.expr | None]]] | None:
    """The fields of `PartitionSpec(PartitionField(...), ...)`: source id, transform and name of each."""
    if (
        not isinstance(spec, ast.Call)
        or _pyiceberg_name(program, spec, "partitioning") != "PartitionSpec"
        or any(keyword.arg not in ("spec_id", "fields") for keyword in spec.keywords)
    ):
        return None
    keyword_fields = next((program.definition(k.value) for k in spec.keywords if k.arg == "fields"), None)
    if keyword_fields is not None and not isinstance(keyword_fields, ast.Tuple | ast.List):
        return None
    field_list = []
    for value in [*spec.args, *(keyword_fields.elts if keyword_fields is not None else ())]:
        field = program.definition(value)
        if not isinstance(field, ast.Call) or _pyiceberg_name(program, field, "partitioning") != "PartitionField":
            return None
        source, transform = argument(field, 0, "source_id"), argument(field, 2, "transform")
        if source is None or transform is None:
            return None
        field_list.append((field, (source, transform, argument(field, 3, "name"))))
    return field_list


def column_by_name(program: Program, source: ast.expr) -> str | None:
    """The name of the column of `schema.find_field("ts").field_id`."""
    call = source.value if isinstance(source, ast.Attribute) and source.attr == "field_id" else None
    if not isinstance(call, ast.Call) or method_of(call) != "find_field":
        return None
    name = argument(call, 0, "name_or_id")
    text = program.string_value(name) if name is not None else None
    return text if text is not None and text.replace(".", "_").isidentifier() else None


def unknown_id_override(program: Program, source: ast.expr, columns: SchemaColumns) -> MessageOverride:
    """The message about a source id that is not in the schema."""
    fields = ", ".join(f"{number} ({path})" for number, path in columns.paths_by_id.items())
    message = f"the schema has no field with the id {program.source(source)}"
    return MessageOverride(*program.span(source), message, f"write one of its ids: {fields}")


def transform_parts(program: Program, value: ast.expr, overrides: list[MessageOverride]) -> tuple[str, str] | None:
    """A transform of pyiceberg: its name in ALTER TABLE, and its number, if any."""
    text = program.string_value(value)
    if text is not None:
        match = _TEXT.fullmatch(text)
        record = BY_NAME.get(match[1]) if match is not None else None
        number = match[2] if match is not None else None
        if record is not None and record.in_ddl and (number is None) == (record.parameter is None):
            return record.name, number or ""
        transforms = sorted(BY_PYICEBERG_CLASS.values(), key=lambda t: t.parameter is not None)
        *names, last = (f"`{transform.pyiceberg_text}`" for transform in transforms)
        help_text = f"write {', '.join(names)} or {last}"
        message = f"pyiceberg has no transform `{text}`".replace("\n", " ")
        overrides.append(MessageOverride(*program.span(value), message, help_text))
        return "partition_expression", ""
    definition = program.definition(value)
    if not isinstance(definition, ast.Call):
        return None
    record = BY_PYICEBERG_CLASS.get(_pyiceberg_name(program, definition, "transforms"))
    if record is None:
        return None
    name, parameter = (record.name, record.parameter.keyword if record.parameter is not None else None)
    number = argument(definition, 0, parameter) if parameter is not None else None
    if number is not None:
        number = program.definition(number)
        sign = "-" if isinstance(number, ast.UnaryOp) and isinstance(number.op, ast.USub) else ""
        if isinstance(number, ast.UnaryOp):
            number = number.operand
        count = number.value if isinstance(number, ast.Constant) else None
        return (name, f"{sign}{count}") if isinstance(count, int) and not isinstance(count, bool) else None
    return (name, "") if parameter is None and not definition.args else None


def table_name(program: Program, value: ast.expr) -> str | None:
    """A table's name, from a string or a tuple of strings."""
    text = program.string_value(value)
    definition = program.definition(value)
    if text is None and isinstance(definition, ast.Tuple):
        texts = [program.string_value(item) for item in definition.elts]
        text = ".".join(t for t in texts if t) if all(texts) else None
    if text is None or not all(text.split(".")) or "`" in text:
        return None
    return ".".join(p if p.isidentifier() and p.isascii() else f"`{p}`" for p in text.split("."))


def _pyiceberg_name(program: Program, call: ast.Call, module: str) -> str:
    """The name of the called class or function if it belongs to pyiceberg; otherwise empty."""
    module_name, _, name = (program.imports.full_name(call.func) or "").rpartition(".")
    return name if module_name in (f"pyiceberg.{module}", "pyiceberg.schema", "pyiceberg.types") else ""
