"""The query that dbt compiled from a model, with the position of each character in the model's file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_iceberg_sql.files.source_map import FragmentBuilder, Offsets, SqlFragment
from spark_iceberg_sql.files.templates import template_spans

_TAG = re.compile(r"\{%[-+]?\s*(\w+)([^=]*)")
_BLOCKS = frozenset({"if", "for", "macro", "call", "filter", "snapshot", "set"})


def compiled_query(text: str, compiled: str, fallback_span: Offsets) -> SqlFragment:
    """The compiled query. Text outside of templates has its own position, values have that of their template.

    text: the model's file. compiled: the query that dbt made from it. fallback_span: the position of all characters if
    the two do not match, for example because dbt puts common table expressions of ephemeral models before the query.
    """
    builder = FragmentBuilder()
    builder.begin_literal(is_exclusive=False)
    compiled_offset = 0
    for template_span, (start, end), begin in _literal_positions(text, compiled) or ():
        for char in compiled[compiled_offset:begin]:
            builder.add(char, *template_span)
        for char_offset, char in enumerate(text[start:end], start):
            builder.add(char, char_offset, char_offset + 1)
        compiled_offset = begin + end - start
    for char in compiled[compiled_offset:]:
        builder.add(char, *fallback_span)
    return builder.build()


def _literal_positions(text: str, compiled: str) -> list[tuple[Offsets, Offsets, int]] | None:
    """For each text between templates: the template before it, its offsets, its offset in the query.

    None if not all texts occur in this order.
    """
    literals = list(_literals_between(text))
    positions: list[tuple[Offsets, Offsets, int]] = []
    compiled_offset = 0
    for number, (template_span, (start, end)) in enumerate(literals):
        literal = text[start:end]
        begin = compiled.find(literal, compiled_offset)
        # The last text ends the query: its last occurrence counts, not its first.
        if number == len(literals) - 1:
            begin = len(compiled) - len(literal)
        if begin < compiled_offset or (number == 0 and begin) or not compiled.startswith(literal, begin):
            return None
        positions.append((template_span, (start, end), begin))
        compiled_offset = begin + len(literal)
    return positions


def _literals_between(text: str) -> Iterator[tuple[Offsets, Offsets]]:
    """The template before each text that is outside of templates, and this text, as Jinja leaves it."""
    stop = len(text.rstrip())
    offset = len(text) - len(text.lstrip().lstrip("\ufeff"))
    template_span = (offset, offset)
    for start, end in _regions(text):
        literal = text[offset:start].rstrip() if text[start + 2] == "-" else text[offset:start]
        yield template_span, (offset, offset + len(literal))
        template_span, offset = (start, end), end
        if text[end - 3] == "-":
            offset += len(text[end:stop]) - len(text[end:stop].lstrip())
    yield template_span, (offset, max(offset, stop))


def _regions(text: str) -> Iterator[Offsets]:
    """The templates, of which a block with its body is one."""
    depth, opened = 0, 0
    for start, end in template_spans(text):
        tag = _TAG.match(text, start, end)
        word = tag[1] if tag is not None else ""
        if word == "set" and "=" in text[start:end]:
            word = ""
        if depth == 0:
            opened = start
        if word in _BLOCKS:
            depth += 1
        elif depth and word.startswith("end") and word[3:] in _BLOCKS:
            depth -= 1
        if depth == 0:
            yield opened, end
