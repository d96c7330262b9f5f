"""The columns of a DataFrame, as a query with the same columns, if the program defines them.

In: the expression of a DataFrame. Out: a query such as `SELECT CAST(NULL AS BIGINT) AS `id``, or None.
"""

from __future__ import annotations

import ast
import re

from spark_iceberg_sql.files.python.program import Program

# Methods that leave a DataFrame's columns as they are.
_COLUMN_PRESERVING = frozenset({
    "filter", "where", "orderBy", "sort", "sortWithinPartitions", "limit", "distinct",
    "dropDuplicates", "drop_duplicates", "repartition", "repartitionByRange", "coalesce", "cache",
    "persist", "checkpoint", "localCheckpoint", "sample", "hint", "offset",
})  # fmt: skip
_TYPES = {
    "BooleanType": "BOOLEAN", "ByteType": "TINYINT", "ShortType": "SMALLINT", "IntegerType": "INT",
    "LongType": "BIGINT", "FloatType": "FLOAT", "DoubleType": "DOUBLE", "StringType": "STRING",
    "BinaryType": "BINARY", "DateType": "DATE", "TimestampType": "TIMESTAMP",
    "TimestampNTZType": "TIMESTAMP_NTZ",
}  # fmt: skip
# A primitive type of Spark.
PLAIN_TYPE = re.compile(
    r"(?i)boolean|tinyint|byte|smallint|short|int|integer|bigint|long|float|real|double|date|timestamp"
    r"|timestamp_ltz|timestamp_ntz|string|binary|(?:decimal|dec|numeric)(?:\s*\(\s*\d+\s*(?:,\s*\d+\s*)?\))?"
)
_COLUMN = re.compile(r"\s*(\w+|`[^`]+`)(?:\s*:\s*|\s+)(.+?)(?:\s+not\s+null)?\s*", re.IGNORECASE | re.DOTALL)
_QUERY = re.compile(r"\s*(?:select|with)\b[^;{}$]*;?\s*", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_MAX_DEPTH = 40


def dataframe_query(program: Program, frame: ast.expr, depth: int = 0) -> str | None:
    """A query with the columns of a DataFrame; None if they are unknown. frame: the expression."""
    definition = program.definition(frame)
    if depth > _MAX_DEPTH or not isinstance(definition, ast.Call) or not isinstance(definition.func, ast.Attribute):
        return None
    method, owner = definition.func.attr, definition.func.value
    texts = [program.string_value(argument) for argument in definition.args]
    if method == "createDataFrame":
        return _created_query(program, definition)
    if method == "table" and len(texts) == 1 and texts[0] and _NAME.fullmatch(texts[0]):
        return f"SELECT * FROM {texts[0]}"
    if method == "sql" and len(definition.args) == 1 and not definition.keywords and texts[0]:
        query = texts[0].strip().removesuffix(";")
        return query if _QUERY.fullmatch(query) and "--" not in query else None
    if method in _COLUMN_PRESERVING:
        return dataframe_query(program, owner, depth + 1)
    inner = dataframe_query(program, owner, depth + 1) if method in ("select", "withColumn") else None
    if inner is None:
        return None
    if method == "withColumn" and len(definition.args) == 2 and texts[0] and "`" not in texts[0]:
        return f"SELECT *, f() AS `{texts[0]}` FROM ({inner})"
    if method == "select" and texts and all(text and _NAME.fullmatch(text) for text in texts):
        return f"SELECT {', '.join(text for text in texts if text)} FROM ({inner})"
    return None


def _created_query(program: Program, call: ast.Call) -> str | None:
    """The query for `createDataFrame(data, schema)`."""
    keywords = {k.arg: k.value for k in call.keywords}
    schema = call.args[1] if len(call.args) > 1 else keywords.get("schema")
    if schema is None or None in keywords:
        return None
    text = program.string_value(schema)
    if isinstance(schema, ast.Name) and f"{schema.id}.add" in program.full_text:
        return None
    columns = _ddl_columns(text) if text is not None else _struct_columns(program, program.definition(schema))
    casts = ", ".join(f"CAST(NULL AS {data_type}) AS `{name}`" for name, data_type in columns or ())
    return f"SELECT {casts}" if casts else None


def _ddl_columns(text: str) -> list[tuple[str, str]] | None:
    """The columns of `id BIGINT, ts: timestamp`, if all types are primitive."""
    columns = []
    for item in re.split(r",(?![^(]*\))", text):
        column = _COLUMN.fullmatch(item)
        if column is None or not PLAIN_TYPE.fullmatch(column[2]):
            return None
        columns.append((column[1].strip("`"), column[2]))
    return columns


def _struct_columns(program: Program, value: ast.expr | None) -> list[tuple[str, str]] | None:
    """The columns of `StructType([StructField("id", LongType()), ...])`, if all types are primitive."""
    if not isinstance(value, ast.Call) or _type_class(program, value) != "StructType":
        return None
    fields = value.args[0] if len(value.args) == 1 and not value.keywords else None
    if not isinstance(fields, ast.List | ast.Tuple):
        return None
    columns = []
    for field in fields.elts:
        if not isinstance(field, ast.Call) or _type_class(program, field) != "StructField" or len(field.args) < 2:
            return None
        name, data_type = program.string_value(field.args[0]), _sql_type(program, field.args[1])
        if name is None or data_type is None or "`" in name or not name:
            return None
        columns.append((name, data_type))
    return columns


def _sql_type(program: Program, value: ast.expr) -> str | None:
    name = _type_class(program, value)
    arguments = value.args if isinstance(value, ast.Call) else []
    if isinstance(value, ast.Call) and value.keywords:
        return None
    if name == "DecimalType" and all(isinstance(a, ast.Constant) and isinstance(a.value, int) for a in arguments):
        sizes = ", ".join(str(a.value) for a in arguments if isinstance(a, ast.Constant))
        return f"DECIMAL({sizes})" if sizes else "DECIMAL"
    return _TYPES.get(name) if not arguments else None


def _type_class(program: Program, value: ast.expr) -> str:
    """The name of the called class of `pyspark.sql.types`; empty for other expressions."""
    name = program.imports.full_name(value.func) if isinstance(value, ast.Call) else None
    module, _, name = (name or "").rpartition(".")
    return name if module == "pyspark.sql.types" else ""
