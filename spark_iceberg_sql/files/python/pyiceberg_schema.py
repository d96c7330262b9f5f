"""Literal schemas, partition specs and transforms of pyiceberg in a program."""

from __future__ import annotations

import ast
import re

from spark_iceberg_sql.files.python.calls import argument, method_of
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source_map import Said
from spark_iceberg_sql.model.transforms import BY_NAME, BY_PYICEBERG_CLASS

_TYPES = {
    "BooleanType": "BOOLEAN", "IntegerType": "INT", "LongType": "BIGINT", "FloatType": "FLOAT",
    "DoubleType": "DOUBLE", "DateType": "DATE", "TimestampType": "TIMESTAMP_NTZ",
    "TimestamptzType": "TIMESTAMP", "StringType": "STRING", "BinaryType": "BINARY",
}  # fmt: skip
_TEXT = re.compile(r"(\w+)(?:\[(\d+)\])?")


class Columns:
    """The columns of a schema. columns: name and SQL type of each. paths_by_id: field paths, by field id."""

    def __init__(self) -> None:
        self.top: list[tuple[str, str]] = []
        self.by_id: dict[object, str] = {}


def columns_of(program: Program, schema: ast.expr | None) -> Columns | None:
    """The columns of `Schema(NestedField(1, "id", LongType()), ...)`; None if any is not a literal."""
    if not isinstance(schema, ast.Call) or _pyiceberg(program, schema, "schema") != "Schema":
        return None
    found = Columns()
    fields = _nested(program, schema, (), found)
    if not fields or any(
        k.arg not in ("schema_id", "identifier_field_ids") for k in schema.keywords
    ):
        return None
    found.top = fields
    return found


def _nested(
    program: Program, owner: ast.Call, path: tuple[str, ...], found: Columns
) -> list[tuple[str, str]] | None:
    fields = []
    for value in owner.args:
        field = program.bound(value)
        if not isinstance(field, ast.Call) or _pyiceberg(program, field, "types") != "NestedField":
            return None
        number, name = argument(field, 0, "field_id"), argument(field, 1, "name")
        kind = argument(field, 2, "field_type")
        text = program.words(name) if name is not None else None
        if not isinstance(number, ast.Constant) or not text or kind is None or "`" in text:
            return None
        here = (*path, text)
        written = _type(program, kind, here, found)
        if written is None:
            return None
        found.by_id[number.value] = ".".join(
            f"`{part}`" if not part.isidentifier() else part for part in here
        )
        fields.append((text, written))
    return fields


def _type(program: Program, kind: ast.expr, path: tuple[str, ...], found: Columns) -> str | None:
    meant = program.bound(kind)
    if not isinstance(meant, ast.Call):
        return None
    name = _pyiceberg(program, meant, "types")
    if name in _TYPES:
        return _TYPES[name]
    if name == "DecimalType":
        sizes = [argument(meant, 0, "precision"), argument(meant, 1, "scale")]
        numbers = [str(s.value) for s in sizes if isinstance(s, ast.Constant)]
        return f"DECIMAL({', '.join(numbers)})" if len(numbers) == 2 else None
    if name == "StructType":
        fields = _nested(program, meant, path, found)
        inner = ", ".join(f"`{n}`: {k}" for n, k in fields or ())
        return f"STRUCT<{inner}>" if inner else None
    return None


def fields_of(
    program: Program, spec: ast.expr | None
) -> list[tuple[ast.Call, tuple[ast.expr, ast.expr, ast.expr | None]]] | None:
    """The fields of `PartitionSpec(PartitionField(...), ...)`: source id, transform and name of each."""
    if (
        not isinstance(spec, ast.Call)
        or _pyiceberg(program, spec, "partitioning") != "PartitionSpec"
    ):
        return None
    if any(k.arg not in ("spec_id", "fields") for k in spec.keywords):
        return None
    listed = next((program.bound(k.value) for k in spec.keywords if k.arg == "fields"), None)
    if listed is not None and not isinstance(listed, ast.Tuple | ast.List):
        return None
    found = []
    for value in [*spec.args, *(listed.elts if listed is not None else ())]:
        field = program.bound(value)
        if not isinstance(field, ast.Call):
            return None
        if _pyiceberg(program, field, "partitioning") != "PartitionField":
            return None
        source, transform = argument(field, 0, "source_id"), argument(field, 2, "transform")
        if source is None or transform is None:
            return None
        found.append((field, (source, transform, argument(field, 3, "name"))))
    return found


def found_by_name(program: Program, source: ast.expr) -> str | None:
    """The name of the column of `schema.find_field("ts").field_id`."""
    if not isinstance(source, ast.Attribute) or source.attr != "field_id":
        return None
    if not isinstance(source.value, ast.Call) or method_of(source.value) != "find_field":
        return None
    name = argument(source.value, 0, "name_or_id")
    text = program.words(name) if name is not None else None
    return text if text is not None and text.replace(".", "_").isidentifier() else None


def no_such_id(program: Program, source: ast.expr, columns: Columns) -> Said:
    """The message about a source id that is not in the schema."""
    fields = ", ".join(f"{number} ({path})" for number, path in columns.by_id.items())
    message = f"the schema has no field with the id {program.source(source)}"
    return Said(*program.place(source), message, f"write one of its ids: {fields}")


def transform_of(program: Program, value: ast.expr, said: list[Said]) -> tuple[str, str] | None:
    """A transform of pyiceberg: its name in ALTER TABLE, and its number, if any."""
    text = program.words(value)
    if text is not None:
        match = _TEXT.fullmatch(text)
        record = BY_NAME.get(match[1]) if match is not None else None
        number = match[2] if match is not None else None
        if record is not None and record.in_ddl and (number is None) == (record.parameter is None):
            return record.name, number or ""
        known = sorted(BY_PYICEBERG_CLASS.values(), key=lambda t: t.parameter is not None)
        *most, last = (f"`{transform.pyiceberg_text}`" for transform in known)
        names = f"{', '.join(most)} or {last}"
        message = f"pyiceberg has no transform `{text}`".replace("\n", " ")
        said.append(Said(*program.place(value), message, f"write {names}"))
        return "partition_expression", ""
    meant = program.bound(value)
    if not isinstance(meant, ast.Call):
        return None
    record = BY_PYICEBERG_CLASS.get(_pyiceberg(program, meant, "transforms"))
    if record is None:
        return None
    name, key = record.name, record.parameter.keyword if record.parameter is not None else None
    number = argument(meant, 0, key) if key is not None else None
    if number is not None:
        number = program.bound(number)
        sign = "-" if isinstance(number, ast.UnaryOp) and isinstance(number.op, ast.USub) else ""
        if isinstance(number, ast.UnaryOp):
            number = number.operand
        count = number.value if isinstance(number, ast.Constant) else None
        if not isinstance(count, int) or isinstance(count, bool):
            return None
        return name, f"{sign}{count}"
    return (name, "") if key is None and not meant.args else None


def identifier(program: Program, value: ast.expr) -> str | None:
    """A table's name, from a string or a tuple of strings."""
    text = program.words(value)
    meant = program.bound(value)
    if text is None and isinstance(meant, ast.Tuple):
        texts = [program.words(item) for item in meant.elts]
        text = ".".join(t for t in texts if t) if all(texts) else None
    if text is None or not all(text.split(".")) or "`" in text:
        return None
    return ".".join(p if p.isidentifier() and p.isascii() else f"`{p}`" for p in text.split("."))


def _pyiceberg(program: Program, call: ast.Call, module: str) -> str:
    """The name of the called class or function if it belongs to pyiceberg; otherwise empty."""
    found, _, name = (program.imports.full_name(call.func) or "").rpartition(".")
    modules = {f"pyiceberg.{module}", "pyiceberg.schema", "pyiceberg.types"}
    return name if found in modules else ""
