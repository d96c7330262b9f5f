"""Values of a dbt configuration, from `config(...)` or YAML, with their positions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source_map import Offsets, Piece, PieceMaker

# The keys that the checker uses.
KEYS = frozenset(
    {"partition_by", "file_format", "materialized", "enabled", "contract", "column_types", "alias"}
)
_TEMPLATE = re.compile(r"\{[{%]")
_YES, _NO = frozenset({"true", "yes", "on"}), frozenset({"false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a key.

    span: its offsets. source_text: its text. scalars: one, or those of a list; None if it is not a literal.
    is_null: True for none. fields: those of a mapping. has_mappings: True for a list with a mapping in it.
    """

    place: Offsets
    source: str
    texts: tuple[Piece, ...] | None = None
    null: bool = False
    fields: Mapping[str, Value] | None = None
    mappings: bool = False

    @property
    def text(self) -> str | None:
        """The scalar; None if the value is not a literal, or is a list."""
        return self.texts[0].sql if self.texts is not None and len(self.texts) == 1 else None

    @property
    def flag(self) -> bool | None:
        """True or false; None if it is neither."""
        word = (self.text or "").lower()
        return True if word in _YES else False if word in _NO else None


Config = dict[str, Value]


def of_node(node: Any, text: str, depth: int = 0) -> Value:
    """The value of a YAML node; text: the file's."""
    at = yaml_nodes.place(node, text)
    value = Value(at, text[at[0] : at[1]], null=yaml_nodes.is_null(node))
    if yaml_nodes.is_mapping(node):
        if depth > 3:
            return value
        inner = yaml_nodes.items(node)
        return replace(value, fields={k: of_node(v, text, depth + 1) for k, v in inner.items()})
    nodes = yaml_nodes.entries(node) if getattr(node, "id", "") == "sequence" else [node]
    if value.null or any(yaml_nodes.text_of(each) is None for each in nodes):
        return replace(value, mappings=any(map(yaml_nodes.is_mapping, nodes)))
    return replace(value, texts=tuple(yaml_nodes.piece_of(each, text) for each in nodes))


def of_expression(program: Program, node: ast.expr) -> Value:
    """The value of an argument of `config(...)`, whose expressions are valid Python, too."""
    value = Value(program.place(node), program.source(node))
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        texts = [(program.words(k) if k is not None else None, v) for k, v in pairs]
        fields = {k: of_expression(program, v) for k, v in texts if k is not None}
        return replace(value, fields=fields)
    nodes = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    plain = [_plain(each) for each in nodes]
    if plain == ["none"] and nodes == [node]:
        return replace(value, null=True)
    if None in plain:
        return replace(value, mappings=any(isinstance(each, ast.Dict) for each in nodes))
    return replace(value, texts=tuple(_piece(program, each) for each in nodes))


def _plain(node: ast.expr) -> str | None:
    """A constant, as YAML would write it."""
    if isinstance(node, ast.Constant):
        constant = isinstance(node.value, str | bool | int | None)
        return str(node.value).lower() if constant else None
    return node.id if isinstance(node, ast.Name) and node.id in ("true", "false", "none") else None


def _piece(program: Program, node: ast.expr) -> Piece:
    maker = PieceMaker(program.part)
    start, end = program.place(node)
    if program.words(node) is not None:
        program.add(node, maker, "", own=True)
    else:
        maker.add(program.source(node), start, end)
    return maker.piece()


def rendered(value: object, place: Offsets) -> Value:
    """A value that dbt has computed. value: as in JSON. span: of the text that it was computed from."""
    found = Value(place, "", null=value is None)
    if isinstance(value, dict):
        fields = {str(name): rendered(inner, place) for name, inner in value.items()}
        return replace(found, fields=fields)
    every = value if isinstance(value, list) else [value]
    if value is None or not all(isinstance(each, str | bool | int) for each in every):
        return replace(found, mappings=any(isinstance(each, dict) for each in every))
    texts = [each if isinstance(each, str) else str(each).lower() for each in every]
    return replace(found, source=" ".join(texts), texts=tuple(_at(text, place) for text in texts))


def _at(text: str, place: Offsets) -> Piece:
    """A text of which each character is at the same place."""
    maker = PieceMaker()
    for char in text:
        maker.add(char, *place)
    return maker.piece()


def is_templated(value: Value) -> bool:
    """True if a program or a template computes the value."""
    if value.null:
        return False
    return value.texts is None or any(_TEMPLATE.search(each.sql) for each in value.texts)


def first(layers: Iterable[Config], key: str) -> Value | None:
    """The value of a key in the first of the configurations that has it."""
    return next((layer[key] for layer in layers if key in layer), None)
