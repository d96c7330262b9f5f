"""Maps the fixes of a script to the file that contains its SQL; None if a fix would change more than that SQL."""

from __future__ import annotations

from collections.abc import Iterable

from spark_iceberg_sql.diagnostics import Edit, Fix
from spark_iceberg_sql.files.source_map import JoinedScript, Offsets, SqlFragment
from spark_iceberg_sql.files.templates import template_spans
from spark_iceberg_sql.records import replace

# Characters that need an escape in a program's literal.
_ESCAPED_CHARACTERS = frozenset("\\'\"{}%\r\n")


def hull(edits: Iterable[Edit]) -> Offsets:
    """The range from the first edit to the last; there is at least one."""
    spans = [(edit.start, edit.end) for edit in edits]
    return min(start for start, _ in spans), max(end for _, end in spans)


def map_fix(fix: Fix | None, script: JoinedScript, variant: JoinedScript) -> Fix | None:
    """The fix in offsets of the file; None if it would change more than the text of this statement.

    script: as written. variant: the variant that the fix is for, of the same length. The file must contain the text
    unchanged, in one literal that nothing else uses, and no template may touch it, since the text between two edits is
    moved, too.
    """
    if fix is None or not fix.edits:
        return None
    first, last = hull(fix.edits)
    fragment, offset = variant.fragment_at(first)
    start, end = first - offset, last - offset
    if end > len(fragment.sql) or _touches_template(script.fragment_at(first)[0], start, end):
        return None
    edits = []
    for edit in fix.edits:
        begin, stop = edit.start - offset, edit.end - offset
        inserted = begin if begin == stop else None
        needs_escape = not isinstance(fragment.starts, range) and set(edit.text) & _ESCAPED_CHARACTERS
        is_in_place = fragment.is_verbatim(begin, stop) and _in_one_literal(fragment, start, end, inserted)
        if needs_escape or not is_in_place:
            return None
        edits.append(Edit(*fragment.source_span(begin, stop), edit.text))
    return replace(fix, edits=tuple(edits))


def _touches_template(fragment: SqlFragment, start: int, end: int) -> bool:
    """True if a template, or text that a program fills in, is inside a range or next to it."""
    placeholder_ranges = ((placeholder.start, placeholder.end) for placeholder in fragment.placeholders)
    return any(a <= end and start <= b for a, b in (*template_spans(fragment.sql), *placeholder_ranges))


def _in_one_literal(fragment: SqlFragment, start: int, end: int, inserted: int | None) -> bool:
    """True if a range is inside one literal. inserted: the offset of an insertion, which must be in the same literal.

    An insertion between two literals goes to the end of the first.
    """
    if fragment.literals is None:
        return True
    literal = next(((a, b) for a, b in fragment.literals if a <= start and end <= b and a < b), None)
    return literal is not None and (not inserted or literal[0] < inserted)
