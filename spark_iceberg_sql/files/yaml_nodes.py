"""YAML with the position of each value; mappings after resolving anchors, aliases and merges."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from spark_iceberg_sql.files.source_map import FragmentBuilder, SqlFragment

HELP = "pip install 'spark-iceberg-sql[dbt]'"
_MERGE = "tag:yaml.org,2002:merge"
_NULL = re.compile(r"~|null|Null|NULL|")

YAML_SUFFIXES = frozenset({".yml", ".yaml"})


class YamlError(ValueError):
    """A text that is not valid YAML; `str` gives the line and the reason."""


def is_installed() -> bool:
    """True if YAML can be read: PyYAML is an optional dependency."""
    return find_spec("yaml") is not None


def compose(text: str) -> Any:
    """The root node of a text; None if it is empty. Raises YamlError."""
    import yaml

    return _composed(text, lambda source, loader: yaml.compose(source, Loader=loader))


def compose_all(text: str) -> list[Any]:
    """The root nodes of the documents of a text. Raises YamlError."""
    import yaml

    roots: list[Any] = _composed(text, lambda source, loader: list(yaml.compose_all(source, Loader=loader)))
    return roots


def _composed(text: str, read: Callable[[str, Any], Any]) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return read(text, loader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        problem_mark = getattr(error, "problem_mark", None)
        where = f" (line {problem_mark.line + 1}: {getattr(error, 'problem', '')})" if problem_mark else ""
        raise YamlError(f"the file is not valid YAML{where}") from None


def parse_events(text: str) -> list[object]:
    """The events of a YAML text, without positions and comments, for comparison. Raises YamlError."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events = list(yaml.parse(text, Loader=loader))
    except (yaml.YAMLError, ValueError) as error:
        raise YamlError(str(error)) from None
    return [(type(event), *(getattr(event, key, None) for key in ("value", "anchor", "tag"))) for event in events]


def is_mapping(node: Any) -> bool:
    """True if a node is a mapping."""
    return getattr(node, "id", None) == "mapping"


def items(node: Any) -> dict[str, Any]:
    """A mapping's values by key, merged keys (`<<`) included; empty for any other node."""
    return _items(node, {})


def _items(node: Any, results_by_node: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """As `items`. results_by_node: without it, aliases of aliases would take exponential time."""
    if id(node) in results_by_node:
        return results_by_node[id(node)]
    values: dict[str, Any] = {}
    results_by_node[id(node)] = values  # a mapping may contain itself
    if not is_mapping(node):
        return values
    for key, value in node.value:
        if key.tag == _MERGE:
            for merged in reversed(entries(value) or [value]):  # the first merge wins
                values |= _items(merged, results_by_node)
    # YAML 1.1 merge: own keys override merged ones, and the first merged mapping overrides later ones.
    values |= {key.value: value for key, value in node.value if isinstance(key.value, str)}
    return values


def entries(node: Any) -> list[Any]:
    """A list's values; empty for any other node."""
    return list(node.value) if getattr(node, "id", None) == "sequence" else []


def text_of(node: Any) -> str | None:
    """A scalar as text, without quotes; None for null, a list or a mapping."""
    return str(node.value) if getattr(node, "id", None) == "scalar" and not is_null(node) else None


def is_null(node: Any) -> bool:
    """True if a node is null."""
    return getattr(node, "id", None) == "scalar" and not node.style and _NULL.fullmatch(node.value) is not None


def node_span(node: Any, text: str) -> tuple[int, int]:
    """The offsets at which a node begins and ends, without line breaks after it. text: the file's."""
    start, end = node.start_mark.index, node.end_mark.index
    return start, start + len(text[start:end].rstrip())


def scalar_fragment(node: Any, text: str) -> SqlFragment:
    """A scalar with the position of each character. text: the file's."""
    start, end = node_span(node, text)
    value, quote_length = str(node.value), 1 if node.style in ("'", '"') else 0
    builder = FragmentBuilder()
    if text[start + quote_length : end - quote_length] == value:
        for offset, char in enumerate(value, start + quote_length):
            builder.add(char, offset, offset + 1)
    else:  # folded, or with escapes
        for char in value:
            builder.add(char, start, end)
    return builder.build()
