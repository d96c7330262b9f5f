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
from spark_iceberg_sql.files.inside import is_file_inside, repository
from spark_iceberg_sql.files.projects.dbt_config import parsed
from spark_iceberg_sql.files.projects.dbt_values import Config, of_expression
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source import Unread
from spark_iceberg_sql.files.source_map import Offsets, Piece, PieceMaker, stretch
from spark_iceberg_sql.files.yaml_nodes import YamlError

API = "sqlmesh"
_TRIVIA = r"(?:\s|--[^\r\n]*(?:[\r\n]|$)|/\*(?:[^*]|\*(?!/))*\*/)*"
_MODEL = re.compile(rf"({_TRIVIA})MODEL{_TRIVIA}\(", re.IGNORECASE | re.DOTALL)
_STEP = re.compile(
    r"--[^\r\n]*|/\*.*?\*/|'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|[(\[{,)\]}]", re.DOTALL
)
_DEEPER = {
    "(": 1,
    "[": 1,
    "{": 1,
    ")": -1,
    "]": -1,
    "}": -1,
}  # brackets, and how they change the depth
_PROPERTY = re.compile(rf"{_TRIVIA}(\w+){_TRIVIA}", re.DOTALL)
_QUERY = re.compile(rf"{_TRIVIA};{_TRIVIA}(?=(?:SELECT|WITH)\b)", re.IGNORECASE | re.DOTALL)
_NO_LINE_END = re.compile(r"[^\r\n]")
_NO_TABLE = frozenset({"view", "embedded", "external"})
_REFUSED = "SQLMesh gives Spark columns to partition by, and raises an error for a transform"
_INSTEAD = "partition by columns, or create the table before SQLMesh does"


class _Defaults(NamedTuple):
    """The defaults of a project for its models."""

    dialect: str = ""
    table_format: str = ""
    kind: str = "view"


def sqlmesh_sql(path: Path, text: str) -> Iterator[Piece | Unread]:
    """The clause of a model in SQL, as a fragment that replaces the whole file, and problems with it."""
    opening = _MODEL.match(text)
    if opening is None:
        return
    properties, end = _properties(text, opening.end())
    words = {key: text[slice(*at)].strip("'\" \t\r\n").lower() for key, at in properties.items()}
    by = properties.get("partitioned_by")
    if by is None or "name" not in properties or not _is_iceberg(path, words):
        return
    by = _inside(text, by) or by
    columns = properties.get("columns")
    query = _QUERY.match(text, end)
    maker = PieceMaker()
    maker.literal(own=True)
    first = opening.end(1)
    maker.extend(stretch(text, 0, first))  # comments
    for char in _NO_LINE_END.sub("", text[first:end]):
        maker.add(char, first, first)
    maker.add("CREATE TABLE ", *by)
    maker.extend(stretch(text, *properties["name"]))
    maker.add(" ", by[0], by[0])
    if columns is not None:
        maker.extend(stretch(text, *columns))
    maker.add(" USING iceberg PARTITIONED BY (", by[0], by[0])
    maker.extend(stretch(text, *by))
    maker.add(")", by[1], by[1])
    if columns is None:
        maker.add(" AS " if query else " AS SELECT f()\n", by[1], by[1])
    rest = query.end() if query is not None and columns is None else end
    maker.extend(stretch(text, rest, len(text)))
    yield replace(maker.piece(), literals=None, api=API)
    if "(" in text[slice(*by)]:
        yield Unread(0, *by, _REFUSED, _INSTEAD)


def sqlmesh_python(path: Path, text: str) -> Iterator[Piece | Unread]:
    """The clause of each model in Python: `@model("db.t", partitioned_by=[...], columns={...})`."""
    tree = parsed(text)
    program = Program(text, 0, tree, "") if tree is not None else None
    if tree is None or program is None:
        return
    for node in tree.body:
        for call in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if isinstance(call, ast.Call) and program.imports.full_name(call.func) in (
                "sqlmesh.model",
                "sqlmesh.core.model.model",
            ):
                given = {k.arg: of_expression(program, k.value) for k in call.keywords if k.arg}
                name = of_expression(program, call.args[0]) if call.args else given.get("name")
                if name is not None:
                    yield from _of_call(path, {**given, "name": name})


def _of_call(path: Path, given: Config) -> Iterator[Piece | Unread]:
    by, name, kind = given.get("partitioned_by"), given["name"], given.get("kind")
    words = {key: (value.text or "?").lower() for key, value in given.items()}
    words["kind"] = "full" if kind is None or kind.fields is not None else words["kind"]
    if by is None or by.texts is None or name.texts is None or not _is_iceberg(path, words):
        return
    columns = given["columns"].fields if "columns" in given else None
    listed = [(column, kind.text) for column, kind in (columns or {}).items()]
    maker = PieceMaker()
    maker.literal(own=False)
    maker.add("CREATE TABLE ", *by.place)
    maker.extend(name.texts[0])
    if listed and all(kind is not None for _, kind in listed):
        spelt = ", ".join(f"`{column}` {kind}" for column, kind in listed)
        maker.add(f" ({spelt})", by.place[0], by.place[0])
    maker.add(" USING iceberg PARTITIONED BY (", by.place[0], by.place[0])
    for number, text in enumerate(by.texts):
        if number:
            maker.add(", ", text.starts[0], text.starts[0])
        maker.literal(own=True)
        maker.extend(text)
        maker.literal(own=False)
    maker.add(")", by.place[1], by.place[1])
    if not listed:
        maker.add(" AS SELECT f()", by.place[1], by.place[1])
    yield replace(maker.piece(), api=API)
    if any("(" in text.sql for text in by.texts):
        yield Unread(0, *by.place, _REFUSED, _INSTEAD)


def _properties(text: str, at: int) -> tuple[dict[str, Offsets], int]:
    """The properties of MODEL by name, and the offset after its closing bracket."""
    found: dict[str, Offsets] = {}
    depth, start = 0, at
    for step in _STEP.finditer(text, at):
        mark = step.group()
        closes = _DEEPER.get(mark) == -1
        if not depth and (closes or mark == ","):
            key = _PROPERTY.match(text, start, step.start())
            if key is not None:
                stop = len(text[: step.start()].rstrip())
                found[key[1].lower()] = key.end(), max(key.end(), stop)
            start = step.end()
            if closes:
                return found, step.end()
        depth += _DEEPER.get(mark, 0)
    return {}, len(text)


def _inside(text: str, at: Offsets) -> Offsets | None:
    """The text between the brackets that enclose a value; None if there are none."""
    if not text.startswith(("(", "["), at[0]):
        return None
    depth = 0
    for step in _STEP.finditer(text, *at):
        depth += _DEEPER.get(step.group(), 0)
        if not depth and step.group() in (")", "]"):
            return (at[0] + 1, step.start()) if step.end() == at[1] else None
    return None


def _is_iceberg(path: Path, words: dict[str, str]) -> bool:
    """True if a model with these properties becomes an Iceberg table of Spark."""
    defaults = _defaults(path)
    kind = re.match(r"\w*", words.get("kind", defaults.kind))
    format_ = words.get("table_format") or words.get("storage_format") or defaults.table_format
    dialect = words.get("dialect", defaults.dialect).partition(",")[0]
    if words.get("enabled") == "false" or (kind is not None and kind.group() in _NO_TABLE):
        return False
    return dialect.strip() == "spark" and format_ == "iceberg"


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
                        given = yaml_nodes.items(top.get("model_defaults"))
                        texts = {k: (yaml_nodes.text_of(v) or "").lower() for k, v in given.items()}
                        return _Defaults(**{k: texts[k] for k in _Defaults._fields if k in texts})
    return _Defaults()
