"""SQLMesh's `MODEL (... partitioned_by (...) ...)` and `@model(...)` as the CREATE TABLE that SQLMesh runs.

A model is read if its dialect is Spark's and its table an Iceberg table, by its own properties or by the project's
`config.yaml`; if that is unknown, it is not read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.projects.dbt_values import Config, value_of_expression
from spark_iceberg_sql.files.python.parsing import parse_python
from spark_iceberg_sql.files.python.prefilter import normalized_names
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.repository_paths import is_file_inside, repository
from spark_iceberg_sql.files.source import ExtractionProblem
from spark_iceberg_sql.files.source_map import FragmentBuilder, Offsets, SqlFragment, range_fragment
from spark_iceberg_sql.files.yaml_nodes import YamlError

API = "sqlmesh"
_TRIVIA = r"(?:\s|--[^\r\n]*(?:[\r\n]|$)|/\*(?:[^*]|\*(?!/))*\*/)*"
_MODEL = re.compile(rf"({_TRIVIA})MODEL{_TRIVIA}\(", re.IGNORECASE | re.DOTALL)
_TOKEN = re.compile(r"--[^\r\n]*|/\*.*?\*/|'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|[(\[{,)\]}]", re.DOTALL)
_DEEPER = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}  # brackets, and how they change the depth
_PROPERTY = re.compile(rf"{_TRIVIA}(\w+){_TRIVIA}", re.DOTALL)
_QUERY = re.compile(rf"{_TRIVIA};{_TRIVIA}(?=(?:SELECT|WITH)\b)", re.IGNORECASE | re.DOTALL)
_NO_LINE_END = re.compile(r"[^\r\n]")
_NON_TABLE_KINDS = frozenset({"view", "embedded", "external"})
# A decorator of a function that is in no other one, and that may be `model`, under its name or another one. A pattern
# that begins with a certain character is fast.
_MODEL_DECORATOR = re.compile(r"@(?:(?<=[\n\r\f\\]@)|(?<=\A@))[\s\\]*(?:\w+[\s\\]*\.[\s\\]*)*model[\s\\]*\(")
_RENAMED_MODEL = re.compile(r"model[\s\\]+as\b")
_TRANSFORM_REFUSED = "SQLMesh gives Spark columns to partition by, and raises an error for a transform"
_TRANSFORM_HELP = "partition by columns, or create the table before SQLMesh does"


class _Defaults(NamedTuple):
    """The defaults of a project for its models."""

    dialect: str = ""
    table_format: str = ""
    kind: str = "view"


def sqlmesh_sql(path: Path, text: str) -> Iterator[SqlFragment | ExtractionProblem]:
    """The clause of a model in SQL, as a fragment that replaces the whole file, and problems with it."""
    opening = _MODEL.match(text)
    if opening is None:
        return
    properties, end = _properties(text, opening.end())
    property_texts = {key: text[slice(*span)].strip("'\" \t\r\n").lower() for key, span in properties.items()}
    partition_span = properties.get("partitioned_by")
    if partition_span is None or "name" not in properties or not _is_iceberg(path, property_texts):
        return
    partition_span = _inner_span(text, partition_span) or partition_span
    columns = properties.get("columns")
    query = _QUERY.match(text, end)
    builder = FragmentBuilder()
    builder.begin_literal(is_exclusive=True)
    model_start = opening.end(1)
    builder.extend(range_fragment(text, 0, model_start))  # comments
    for char in _NO_LINE_END.sub("", text[model_start:end]):
        builder.add(char, model_start, model_start)
    builder.add("CREATE TABLE ", *partition_span)
    builder.extend(range_fragment(text, *properties["name"]))
    builder.add(" ", partition_span[0], partition_span[0])
    if columns is not None:
        builder.extend(range_fragment(text, *columns))
    builder.add(" USING iceberg PARTITIONED BY (", partition_span[0], partition_span[0])
    builder.extend(range_fragment(text, *partition_span))
    builder.add(")", partition_span[1], partition_span[1])
    if columns is None:
        builder.add(" AS " if query else " AS SELECT f()\n", partition_span[1], partition_span[1])
    remaining_start = query.end() if query is not None and columns is None else end
    builder.extend(range_fragment(text, remaining_start, len(text)))
    yield replace(builder.build(), literals=None, api=API)
    if "(" in text[slice(*partition_span)]:
        yield ExtractionProblem(0, *partition_span, _TRANSFORM_REFUSED, _TRANSFORM_HELP)


def sqlmesh_python(path: Path, text: str) -> Iterator[SqlFragment | ExtractionProblem]:
    """The clause of each model in Python: `@model("db.t", partitioned_by=[...], columns={...})`."""
    tree = parse_python(text) if _may_have_model(text) else None
    if tree is None:
        return
    program = Program(text, 0, tree, "")
    for node in tree.body:
        for call in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if isinstance(call, ast.Call) and program.imports.full_name(call.func) in (
                "sqlmesh.model",
                "sqlmesh.core.model.model",
            ):
                config = {k.arg: value_of_expression(program, k.value) for k in call.keywords if k.arg}
                name = value_of_expression(program, call.args[0]) if call.args else config.get("name")
                if name is not None:
                    yield from _call_statement(path, {**config, "name": name})


def _may_have_model(text: str) -> bool:
    """False if a program certainly has no `@model(...)`."""
    names = normalized_names(text)
    return API in names and (_RENAMED_MODEL.search(names) is not None or _MODEL_DECORATOR.search(names) is not None)


def _call_statement(path: Path, config: Config) -> Iterator[SqlFragment | ExtractionProblem]:
    partition_value, name, kind = config.get("partitioned_by"), config["name"], config.get("kind")
    property_texts = {key: (value.text or "?").lower() for key, value in config.items()}
    property_texts["kind"] = "full" if kind is None or kind.fields is not None else property_texts["kind"]
    if (
        partition_value is None
        or partition_value.scalars is None
        or name.scalars is None
        or not _is_iceberg(path, property_texts)
    ):
        return
    columns = config["columns"].fields if "columns" in config else None
    typed_columns = [(column, kind.text) for column, kind in (columns or {}).items()]
    builder = FragmentBuilder()
    builder.begin_literal(is_exclusive=False)
    builder.add("CREATE TABLE ", *partition_value.span)
    builder.extend(name.scalars[0])
    if typed_columns and all(kind is not None for _, kind in typed_columns):
        column_list = ", ".join(f"`{column}` {kind}" for column, kind in typed_columns)
        builder.add(f" ({column_list})", partition_value.span[0], partition_value.span[0])
    builder.add(" USING iceberg PARTITIONED BY (", partition_value.span[0], partition_value.span[0])
    for number, text in enumerate(partition_value.scalars):
        if number:
            builder.add(", ", text.starts[0], text.starts[0])
        builder.begin_literal(is_exclusive=True)
        builder.extend(text)
        builder.begin_literal(is_exclusive=False)
    builder.add(")", partition_value.span[1], partition_value.span[1])
    if not typed_columns:
        builder.add(" AS SELECT f()", partition_value.span[1], partition_value.span[1])
    yield replace(builder.build(), api=API)
    if any("(" in text.sql for text in partition_value.scalars):
        yield ExtractionProblem(0, *partition_value.span, _TRANSFORM_REFUSED, _TRANSFORM_HELP)


def _properties(text: str, offset: int) -> tuple[dict[str, Offsets], int]:
    """The properties of MODEL by name, and the offset after its closing bracket."""
    properties: dict[str, Offsets] = {}
    depth, start = 0, offset
    for token in _TOKEN.finditer(text, offset):
        token_text = token.group()
        is_closing = _DEEPER.get(token_text) == -1
        if not depth and (is_closing or token_text == ","):
            key = _PROPERTY.match(text, start, token.start())
            if key is not None:
                stop = len(text[: token.start()].rstrip())
                properties[key[1].lower()] = key.end(), max(key.end(), stop)
            start = token.end()
            if is_closing:
                return properties, token.end()
        depth += _DEEPER.get(token_text, 0)
    return {}, len(text)


def _inner_span(text: str, span: Offsets) -> Offsets | None:
    """The text between the brackets that enclose a value; None if there are none."""
    if not text.startswith(("(", "["), span[0]):
        return None
    depth = 0
    for token in _TOKEN.finditer(text, *span):
        depth += _DEEPER.get(token.group(), 0)
        if not depth and token.group() in (")", "]"):
            return (span[0] + 1, token.start()) if token.end() == span[1] else None
    return None


def _is_iceberg(path: Path, properties: dict[str, str]) -> bool:
    """True if a model with these properties becomes an Iceberg table of Spark."""
    defaults = _defaults(path)
    model_kind = re.match(r"\w*", properties.get("kind", defaults.kind))
    format_ = properties.get("table_format") or properties.get("storage_format") or defaults.table_format
    dialect = properties.get("dialect", defaults.dialect).partition(",")[0]
    creates_table = model_kind is None or model_kind.group() not in _NON_TABLE_KINDS
    is_enabled = properties.get("enabled") != "false"
    return is_enabled and creates_table and dialect.strip() == "spark" and format_ == "iceberg"


def _defaults(path: Path) -> _Defaults:
    """The `model_defaults` of a file's project."""
    tree = repository(path.parent)
    for folder in list(path.parents)[:8]:
        for name in ("config.yaml", "config.yml"):
            file = folder / name
            if is_file_inside(file, tree or folder) and yaml_nodes.is_installed():
                with suppress(OSError, UnicodeError, YamlError):
                    top = yaml_nodes.items(yaml_nodes.compose(file.read_text("utf-8-sig")))
                    if "model_defaults" in top or "gateways" in top:
                        model_defaults = yaml_nodes.items(top.get("model_defaults"))
                        texts = {k: (yaml_nodes.text_of(v) or "").lower() for k, v in model_defaults.items()}
                        return _Defaults(**{k: texts[k] for k in _Defaults._fields if k in texts})
    return _Defaults()
