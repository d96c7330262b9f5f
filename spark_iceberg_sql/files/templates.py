"""Templated SQL (dbt, Jinja, `${}`): the text that does not depend on values, at the same offsets.

In: a fragment with tags. Out: one fragment per variant. Comments and control words become blanks.
Placeholders stay as they are, except for quotes and similar characters that an SQL lexer would interpret. If
`{% if %}` chooses between texts, each choice is a separate variant.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

from spark_iceberg_sql.files.source_map import Arm, Hole, Piece, Stretch
from spark_iceberg_sql.files.template_branches import Way, branches_of, left_out, ways_through
from spark_iceberg_sql.files.template_strings import texts_in
from spark_iceberg_sql.files.template_tags import Tag, is_templated, tags
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import replace

_NO_LINE_END = regex(r"[^\r\n]")
# Characters of a template that would begin a string or a comment for an SQL lexer, or end the statement.
_TREACHEROUS = regex(r"['\"`;\\]|--|/\*|\*/")
_WORDLESS = regex(r"\{\{-?\s*(?:config|log|print)\s*\(")
_BEFORE_SQL = regex(r"[ \t]*\r?\n\s*[^\s;]")
# Tags whose body is not part of the statement: its output is assigned to a variable.
_CAPTURING = {"set": "endset", "macro": "endmacro"}


@lru_cache(maxsize=4)  # each fix in a text asks for them
def template_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The offsets of all tags, expressions and comments of a template."""
    return tuple((part.start, part.end) for part in tags(text)) if is_templated(text) else ()


def choices(piece: Piece) -> tuple[Piece, ...]:
    """The variants of a template: with the first branch of each `{% if %}`, with the second, and so on.

    Near partition DDL, also one for each branch that none of these takes. Each has the length of the
    original. A fragment without a template is its only variant.
    """
    if not is_templated(piece.sql):
        return (piece,)
    parts = tags(piece.sql)
    branches = branches_of(parts)
    ways, _ = ways_through(piece.sql, parts, branches, _stored(parts))
    return tuple(_choice(piece, parts, branches, way) for way in ways)


def untried(piece: Piece) -> list[tuple[int, int]]:
    """The tags of branches near partition DDL that no variant takes, because there are too many."""
    if not is_templated(piece.sql):
        return []
    parts = tags(piece.sql)
    return ways_through(piece.sql, parts, branches_of(parts), _stored(parts))[1]


def barest(piece: Piece) -> Piece:
    """The variant in which no condition holds and no loop has a value; otherwise like `template_variants`."""
    if not is_templated(piece.sql):
        return piece
    parts = tags(piece.sql)
    return _choice(piece, parts, branches_of(parts), Way(None))


def _captured(parts: list[Tag]) -> Iterator[tuple[int, int]]:
    """The ranges whose output is assigned to a variable."""
    opened: dict[str, int] = {}  # the end tag to find, and where the text began
    for part in parts:
        closing = _CAPTURING.get(part.word)
        if closing is not None and not (part.word == "set" and "=" in part.text):
            opened.setdefault(closing, part.end)
        elif part.word in opened:
            yield opened.pop(part.word), part.start


def _stored(parts: list[Tag]) -> list[tuple[int, int]]:
    return list(_outermost(_captured(parts)))


def captured(piece: Piece) -> Iterator[Piece]:
    """The texts that a template stores: its macros and `{% set %}` blocks, and DDL in its strings."""
    if is_templated(piece.sql):
        yield from _bodies(piece)
        for part in tags(piece.sql):
            if part.text.startswith(("{{", "{%")):
                yield from texts_in(piece, part.start, part.end)


def _bodies(piece: Piece) -> Iterator[Piece]:
    if not is_templated(piece.sql):
        return
    for start, end in _outermost(_captured(tags(piece.sql))):
        holes = tuple(
            replace(hole, start=hole.start - start, end=hole.end - start)
            for hole in piece.holes
            if start <= hole.start and hole.end <= end
        )
        inner = Piece(
            piece.sql[start:end],
            piece.starts[start : end + 1],
            piece.ends[start : end + 1],
            holes,
            piece.part,
            literals=_clipped(piece.literals, start, end),
        )
        yield inner
        yield from _bodies(inner)


def _outermost(stretches: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The ranges that are not within another one."""
    reached = -1
    for start, end in sorted(stretches, key=lambda stretch: (stretch[0], -stretch[1])):
        if end > reached:
            yield start, end
            reached = end


def _clipped(
    literals: tuple[tuple[int, int], ...] | None, start: int, end: int
) -> tuple[tuple[int, int], ...] | None:
    """The ranges of literals within the text between two offsets."""
    if literals is None:
        return None
    within = ((max(a, start) - start, min(b, end) - start) for a, b in literals)
    return tuple((a, b) for a, b in within if a < b)


def _joined_up(stretches: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The ranges without their overlaps, in order."""
    reached = 0
    for start, end in sorted(stretches):
        if end > reached:
            yield max(start, reached), end
            reached = end


def _choice(piece: Piece, parts: list[Tag], branches: dict[int, list[int]], way: Way) -> Piece:
    chars = list(piece.sql)
    holes = list(piece.holes)
    # Invariant: every replacement below has the length of the text that it replaces, so `starts` and `ends`
    # of the fragment, and the offsets of all tags, stay valid.
    begins, reached = _reaches(piece.holes)
    for part in parts:
        start, end, words, word = part
        if words.startswith("{{") and _silent(piece.sql, part):
            chars[start:end] = _blank(words)
        elif words.startswith(("{{", "${")):
            chars[start:end] = _TREACHEROUS.sub(lambda found: "_" * len(found.group()), words)
            number_before = bisect_right(begins, start)
            if not number_before or reached[number_before - 1] < end:  # in no placeholder
                holes.append(Hole(start, end, words))
        elif word == "raw" and words.rindex("{%"):
            opening = words.index("%}") + 2
            closing = words.rindex("{%")
            chars[start:end] = (
                _blank(words[:opening]) + words[opening:closing] + _blank(words[closing:])
            )
        else:
            chars[start:end] = _blank(words)
    # Omitted branches nest and may be in stored text; merged, each character is blanked once (linear time).
    for start, end in _joined_up([*left_out(parts, branches, way), *_captured(parts)]):
        chars[start:end] = _blank("".join(chars[start:end]))
    # A placeholder in an omitted branch has been blanked with it.
    kept = [hole for hole in holes if not chars[hole.start].isspace()]
    kept.sort(key=lambda hole: hole.start)
    arms = (*piece.arms, *_arms(piece, parts, branches))
    return replace(piece, sql="".join(chars), holes=tuple(kept), arms=arms)


def _reaches(holes: Sequence[Hole]) -> tuple[list[int], list[int]]:
    """The starts of placeholders, in order, and for each the largest end of it and those before it."""
    ordered = sorted((hole.start, hole.end) for hole in holes)
    return [start for start, _ in ordered], list(accumulate((end for _, end in ordered), max))


def _arms(piece: Piece, parts: list[Tag], branches: dict[int, list[int]]) -> Iterator[Stretch]:
    """The ranges between `{% if %}` and `{% endif %}`, of which a variant takes one branch."""
    for first, marks in sorted(branches.items()):
        start, end = parts[first].end, parts[marks[-1]].start
        # Only an `if` chooses between texts.
        if parts[first].word == "if":
            yield start, end, Arm(piece.part, piece.starts[start], piece.starts[end])


def _silent(text: str, part: Tag) -> bool:
    """True if a `{{ }}` produces no text: `{{ config(...) }}`, or one on its own lines before SQL."""
    if _WORDLESS.match(part.text):
        return True
    start = part.start
    while start and text[start - 1].isspace():
        start -= 1
    first = not start or text[start - 1] == ";" or text[start - 2 : start] in ("}}", "%}", "#}")
    return first and _BEFORE_SQL.match(text, part.end) is not None


def with_names(piece: Piece) -> Piece:
    """The fragment with an invented name of the same length for each placeholder, so that it can be parsed."""
    chars = list(piece.sql)
    for number, hole in enumerate(piece.holes):
        length = hole.end - hole.start
        chars[hole.start : hole.end] = f"t{number}".ljust(length, "_")[:length]
    return replace(piece, sql="".join(chars))


def _blank(text: str) -> str:
    return _NO_LINE_END.sub(" ", text)
