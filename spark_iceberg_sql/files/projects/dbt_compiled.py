"""The query that dbt compiled from a model, with the position of each character in the model's file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_iceberg_sql.files.source_map import Offsets, Piece, PieceMaker
from spark_iceberg_sql.files.templates import template_spans

_TAG = re.compile(r"\{%[-+]?\s*(\w+)([^=]*)")
_BLOCKS = frozenset({"if", "for", "macro", "call", "filter", "snapshot", "set"})


def compiled_query(text: str, compiled: str, place: Offsets) -> Piece:
    """The compiled query. Text outside of templates has its own position, values have that of their template.

    text: the model's file. compiled: the query that dbt made from it. fallback_span: the position of all
    characters if the two do not match, for example because dbt puts common table expressions of ephemeral
    models before the query.
    """
    maker = PieceMaker()
    maker.literal(own=False)
    at = 0
    for opaque, (start, end), begin in _matches(text, compiled) or ():
        for char in compiled[at:begin]:
            maker.add(char, *opaque)
        for offset, char in enumerate(text[start:end], start):
            maker.add(char, offset, offset + 1)
        at = begin + end - start
    for char in compiled[at:]:
        maker.add(char, *place)
    return maker.piece()


def _matches(text: str, compiled: str) -> list[tuple[Offsets, Offsets, int]] | None:
    """For each text between templates: the template before it, its offsets, its offset in the query.

    None if not all texts occur in this order.
    """
    stretches = list(_between(text))
    found: list[tuple[Offsets, Offsets, int]] = []
    at = 0
    for number, (opaque, (start, end)) in enumerate(stretches):
        literal = text[start:end]
        begin = compiled.find(literal, at)
        # The last text ends the query: its last occurrence counts, not its first.
        if number == len(stretches) - 1:
            begin = len(compiled) - len(literal)
        if begin < at or (number == 0 and begin) or not compiled.startswith(literal, begin):
            return None
        found.append((opaque, (start, end), begin))
        at = begin + len(literal)
    return found


def _between(text: str) -> Iterator[tuple[Offsets, Offsets]]:
    """The template before each text that is outside of templates, and this text, as Jinja leaves it."""
    stop = len(text.rstrip())
    at = len(text) - len(text.lstrip().lstrip("\ufeff"))
    opaque = (at, at)
    for start, end in _regions(text):
        literal = text[at:start].rstrip() if text[start + 2] == "-" else text[at:start]
        yield opaque, (at, at + len(literal))
        opaque, at = (start, end), end
        if text[end - 3] == "-":
            at += len(text[end:stop]) - len(text[end:stop].lstrip())
    yield opaque, (at, max(at, stop))


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
