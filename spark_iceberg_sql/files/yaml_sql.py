"""SQL that is a value in a YAML file, as Airflow's, SQLMesh's and Soda's are: `sql: |`, `fail query: ...`.

In: the text of a YAML file. Out: a fragment for each value, by its key and by its first words. The values run in an
order that another program decides, so no table of one is known in another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.source_map import Branch, FragmentBuilder, SqlFragment
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import replace

# The last word of a key whose values are SQL, and other names of such keys.
_KEY = regex(
    r"(?:.*[\s_.-])?(?:sql|hql|query|statement|quer(?:y|ies)|statements)|(?:before|after)_all"
    r"|(?:pre|post)[-_]?(?:hook|statement)s?|on[-_]run[-_](?:start|end)|on_virtual_update",
    re.IGNORECASE,
)
_STATEMENT = regex(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/|\{[%#].*?[%#]\})*(?:create\s+(?:or\s+replace\s+)?(?:table|temp|view|namespace|schema|database)"
    r"|alter\s+(?:table|view)|insert\s+(?:into|overwrite)|merge\s+into|delete\s+from|update\s+[\w.`{]|drop\s+(?:table|view)"
    r"|replace\s+table|call\s+[\w.`{]+\s*\(|truncate\s+table|with\s+\w+\s+as\s*\(|select\b.*\bfrom\b|explain\s)",
    re.IGNORECASE | re.DOTALL,
)
# Of the engines whose SQL is checked: other files are left alone.
_ENGINES = (b"iceberg", b"spark")
_KEY_IN_FILE = re.compile(
    rb"(?:sql|hql|query|queries|statements?|_all|hooks?|run[-_](?:start|end)|virtual_update)['\"]?[ \t]*:",
    re.IGNORECASE,
)
_MAX_BYTES = 2_000_000
_HEADER = regex(r"\|[-+0-9]*[ \t]*(?:#[^\n]*)?\r?\n")


def may_have_sql_values(content: bytes) -> bool:
    """False if a YAML file certainly has no SQL that is read."""
    if len(content) > _MAX_BYTES:
        return False
    lower = content.lower()
    return any(engine in lower for engine in _ENGINES) and _KEY_IN_FILE.search(content) is not None


def file_may_have_sql_values(path: str) -> bool:
    """False if a file certainly has no SQL that is read, or cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return may_have_sql_values(file.read(_MAX_BYTES + 1))
    except OSError:
        return False


def sql_values(text: str) -> list[SqlFragment]:
    """The SQL values of a YAML text, in its order; none if it is not valid YAML, as a template is not."""
    if not yaml_nodes.is_installed():
        return []
    try:
        documents = yaml_nodes.compose_all(text)
    except yaml_nodes.YamlError:
        return []
    visited: set[int] = set()
    fragments = [fragment for root in documents for fragment in _values(root, text, visited, is_sql=False)]
    return sorted(fragments, key=lambda fragment: fragment.starts[0])


def _values(node: Any, text: str, visited: set[int], *, is_sql: bool) -> Iterator[SqlFragment]:
    """The SQL in a node. visited: nodes of anchors, which aliases repeat. is_sql: its key is one of SQL."""
    if id(node) in visited:
        return
    visited.add(id(node))
    if yaml_nodes.is_mapping(node):
        for key, value in node.value:
            is_key = _KEY.fullmatch(str(key.value)) is not None
            is_plain = yaml_nodes.text_of(value) is not None or yaml_nodes.entries(value)
            yield from _values(value, text, visited, is_sql=is_key and bool(is_plain))
    elif entries := yaml_nodes.entries(node):
        for entry in entries:
            yield from _values(entry, text, visited, is_sql=is_sql and yaml_nodes.text_of(entry) is not None)
    elif is_sql and (value := yaml_nodes.text_of(node)) is not None and _STATEMENT.match(value) is not None:
        fragment = _block_fragment(node, text) or yaml_nodes.scalar_fragment(node, text)
        branch = Branch(0, *yaml_nodes.node_span(node, text), is_function=True)
        yield replace(fragment, branch_ranges=((0, len(fragment.sql), branch),))


def _block_fragment(node: Any, text: str) -> SqlFragment | None:
    """A value behind `|` with the position of each character; None for another style."""
    start, end = yaml_nodes.node_span(node, text)
    header = _HEADER.match(text, start, end) if node.style == "|" else None
    if header is None:
        return None
    value, offset = str(node.value), header.end()
    builder = FragmentBuilder()
    for line in value.splitlines(keepends=True):
        stop = text.find("\n", offset) + 1 or len(text)
        content = line.rstrip("\n")
        begin = text.find(content, offset, stop) if content else offset
        if begin < 0 or text[offset:begin].strip(" "):
            return None
        for index in range(begin, begin + len(content)):
            builder.add(text[index], index, index + 1)
        if line.endswith("\n"):
            line_end = min(begin + len(content), len(text))
            builder.add("\n", line_end, max(line_end, stop))
        offset = stop
    return builder.build()
