"""Values of a dbt configuration, from `config(...)` or YAML, with their positions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source_map import FragmentBuilder, Offsets, SqlFragment

# The keys that the checker uses.
KEYS = frozenset({
    "partition_by", "clustered_by", "buckets", "file_format", "materialized", "enabled", "contract", "column_types",
    "alias",
})  # fmt: skip
_TEMPLATE = re.compile(r"\{[{%]")
_YES, _NO = frozenset({"true", "yes", "on"}), frozenset({"false", "no", "off"})


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """The value of a key.

    span: its offsets. source_text: its text. scalars: one, or those of a list; None if it is not a literal.
    is_null: True for none. fields: those of a mapping. has_mappings: True for a list with a mapping in it.
    """

    span: Offsets
    source_text: str
    scalars: tuple[SqlFragment, ...] | None = None
    is_null: bool = False
    fields: Mapping[str, ConfigValue] | None = None
    has_mappings: bool = False

    @property
    def text(self) -> str | None:
        """The scalar; None if the value is not a literal, or is a list."""
        return self.scalars[0].sql if self.scalars is not None and len(self.scalars) == 1 else None

    @property
    def flag(self) -> bool | None:
        """True or false; None if it is neither."""
        word = (self.text or "").lower()
        return True if word in _YES else False if word in _NO else None


Config = dict[str, ConfigValue]


def value_of_node(node: Any, text: str, depth: int = 0) -> ConfigValue:
    """The value of a YAML node; text: the file's."""
    span = yaml_nodes.node_span(node, text)
    value = ConfigValue(span, text[span[0] : span[1]], is_null=yaml_nodes.is_null(node))
    if yaml_nodes.is_mapping(node):
        if depth > 3:
            return value
        fields = {key: value_of_node(item, text, depth + 1) for key, item in yaml_nodes.items(node).items()}
        return replace(value, fields=fields)
    nodes = yaml_nodes.entries(node) if getattr(node, "id", "") == "sequence" else [node]
    if value.is_null or any(yaml_nodes.text_of(item) is None for item in nodes):
        return replace(value, has_mappings=any(map(yaml_nodes.is_mapping, nodes)))
    return replace(value, scalars=tuple(yaml_nodes.scalar_fragment(item, text) for item in nodes))


def value_of_expression(program: Program, node: ast.expr) -> ConfigValue:
    """The value of an argument of `config(...)`, whose expressions are valid Python, too."""
    value = ConfigValue(program.span(node), program.source(node))
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        texts = [(program.string_value(k) if k is not None else None, v) for k, v in pairs]
        fields = {k: value_of_expression(program, v) for k, v in texts if k is not None}
        return replace(value, fields=fields)
    nodes = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    yaml_texts = [_yaml_text(item) for item in nodes]
    if yaml_texts == ["none"] and nodes == [node]:
        return replace(value, is_null=True)
    if None in yaml_texts:
        return replace(value, has_mappings=any(isinstance(item, ast.Dict) for item in nodes))
    return replace(value, scalars=tuple(_scalar_fragment(program, item) for item in nodes))


def _yaml_text(node: ast.expr) -> str | None:
    """A constant, as YAML would write it."""
    if isinstance(node, ast.Constant):
        return str(node.value).lower() if isinstance(node.value, str | bool | int | None) else None
    return node.id if isinstance(node, ast.Name) and node.id in ("true", "false", "none") else None


def _scalar_fragment(program: Program, node: ast.expr) -> SqlFragment:
    builder = FragmentBuilder(program.part)
    start, end = program.span(node)
    if program.string_value(node) is not None:
        program.add(node, builder, "", is_exclusive=True)
    else:
        builder.add(program.source(node), start, end)
    return builder.build()


def computed_value(value: object, span: Offsets) -> ConfigValue:
    """A value that dbt has computed. value: as in JSON. span: of the text that it was computed from."""
    result = ConfigValue(span, "", is_null=value is None)
    if isinstance(value, dict):
        fields = {str(name): computed_value(inner, span) for name, inner in value.items()}
        return replace(result, fields=fields)
    items = value if isinstance(value, list) else [value]
    if value is None or not all(isinstance(item, str | bool | int) for item in items):
        return replace(result, has_mappings=any(isinstance(item, dict) for item in items))
    texts = [item if isinstance(item, str) else str(item).lower() for item in items]
    return replace(result, source_text=" ".join(texts), scalars=tuple(_fragment_at(text, span) for text in texts))


def _fragment_at(text: str, span: Offsets) -> SqlFragment:
    """A text of which each character is at the same place."""
    builder = FragmentBuilder()
    for char in text:
        builder.add(char, *span)
    return builder.build()


def is_templated(value: ConfigValue) -> bool:
    """True if a program or a template computes the value."""
    is_literal = value.scalars is not None and not any(_TEMPLATE.search(scalar.sql) for scalar in value.scalars)
    return not is_literal and not value.is_null


def first_value(configs: Iterable[Config], key: str) -> ConfigValue | None:
    """The value of a key in the first of the configurations that has it."""
    return next((config[key] for config in configs if key in config), None)
