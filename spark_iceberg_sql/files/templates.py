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

from spark_iceberg_sql.files.source_map import Branch, BranchRange, Placeholder, SqlFragment
from spark_iceberg_sql.files.template_branches import BranchSelection, branch_selections, find_branches, omitted_ranges
from spark_iceberg_sql.files.template_strings import ddl_in_strings
from spark_iceberg_sql.files.template_tags import Tag, find_tags, is_templated
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import replace

_NO_LINE_END = regex(r"[^\r\n]")
# Characters of a template that would begin a string or a comment for an SQL lexer, or end the statement.
_SQL_SPECIAL = regex(r"['\"`;\\]|--|/\*|\*/")
_SILENT_CALL = regex(r"\{\{-?\s*(?:config|log|print)\s*\(")
_BEFORE_SQL = regex(r"[ \t]*\r?\n\s*[^\s;]")
# Tags whose body is not part of the statement: its output is assigned to a variable.
_CAPTURING = {"set": "endset", "macro": "endmacro"}


@lru_cache(maxsize=4)  # each fix in a text asks for them
def template_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The offsets of all tags, expressions and comments of a template."""
    return tuple((tag.start, tag.end) for tag in find_tags(text)) if is_templated(text) else ()


def template_variants(fragment: SqlFragment) -> tuple[SqlFragment, ...]:
    """The variants of a template: with the first branch of each `{% if %}`, with the second, and so on.

    Near partition DDL, also one for each branch that none of these takes. Each has the length of the original. A
    fragment without a template is its only variant.
    """
    if not is_templated(fragment.sql):
        return (fragment,)
    tag_list = find_tags(fragment.sql)
    branches = find_branches(tag_list)
    selections, _ = branch_selections(fragment.sql, tag_list, branches, _stored_ranges(tag_list))
    return tuple(_variant(fragment, tag_list, branches, selection) for selection in selections)


def skipped_branches(fragment: SqlFragment) -> list[tuple[int, int]]:
    """The tags of branches near partition DDL that no variant takes, because there are too many."""
    if not is_templated(fragment.sql):
        return []
    tag_list = find_tags(fragment.sql)
    return branch_selections(fragment.sql, tag_list, find_branches(tag_list), _stored_ranges(tag_list))[1]


def minimal_variant(fragment: SqlFragment) -> SqlFragment:
    """The variant in which no condition holds and no loop has a value; otherwise like `template_variants`."""
    if not is_templated(fragment.sql):
        return fragment
    tag_list = find_tags(fragment.sql)
    return _variant(fragment, tag_list, find_branches(tag_list), BranchSelection(None))


def _captured_ranges(tag_list: list[Tag]) -> Iterator[tuple[int, int]]:
    """The ranges whose output is assigned to a variable."""
    open_ranges: dict[str, int] = {}  # the end tag to find, and where the text began
    for tag in tag_list:
        closing = _CAPTURING.get(tag.keyword)
        if closing is not None and not (tag.keyword == "set" and "=" in tag.text):
            open_ranges.setdefault(closing, tag.end)
        elif tag.keyword in open_ranges:
            yield open_ranges.pop(tag.keyword), tag.start


def _stored_ranges(tag_list: list[Tag]) -> list[tuple[int, int]]:
    return list(_outermost_ranges(_captured_ranges(tag_list)))


def stored_fragments(fragment: SqlFragment) -> Iterator[SqlFragment]:
    """The texts that a template stores: its macros and `{% set %}` blocks, and DDL in its strings."""
    if is_templated(fragment.sql):
        yield from _stored_bodies(fragment)
        for tag in find_tags(fragment.sql):
            if tag.text.startswith(("{{", "{%")):
                yield from ddl_in_strings(fragment, tag.start, tag.end)


def _stored_bodies(fragment: SqlFragment) -> Iterator[SqlFragment]:
    if not is_templated(fragment.sql):
        return
    for start, end in _stored_ranges(find_tags(fragment.sql)):
        placeholders = tuple(
            replace(placeholder, start=placeholder.start - start, end=placeholder.end - start)
            for placeholder in fragment.placeholders
            if start <= placeholder.start and placeholder.end <= end
        )
        inner = SqlFragment(
            fragment.sql[start:end],
            fragment.starts[start : end + 1],
            fragment.ends[start : end + 1],
            placeholders,
            fragment.unit_index,
            literals=_clip_literals(fragment.literals, start, end),
        )
        yield inner
        yield from _stored_bodies(inner)


def _outermost_ranges(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The ranges that are not within another one."""
    covered_end = -1
    for start, end in sorted(ranges, key=lambda text_range: (text_range[0], -text_range[1])):
        if end > covered_end:
            yield start, end
            covered_end = end


def _clip_literals(
    literals: tuple[tuple[int, int], ...] | None, start: int, end: int
) -> tuple[tuple[int, int], ...] | None:
    """The ranges of literals within the text between two offsets."""
    if literals is None:
        return None
    shifted_ranges = ((max(a, start) - start, min(b, end) - start) for a, b in literals)
    return tuple((a, b) for a, b in shifted_ranges if a < b)


def _merged_ranges(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The ranges without their overlaps, in order."""
    covered_end = 0
    for start, end in sorted(ranges):
        if end > covered_end:
            yield max(start, covered_end), end
            covered_end = end


def _variant(
    fragment: SqlFragment, tag_list: list[Tag], branches: dict[int, list[int]], selection: BranchSelection
) -> SqlFragment:
    chars = list(fragment.sql)
    placeholders = list(fragment.placeholders)
    # Invariant: every replacement below has the length of the text that it replaces, so `starts` and `ends` of the
    # fragment, and the offsets of all tags, stay valid.
    starts, covered_ends = _covered_ends(fragment.placeholders)
    for tag in tag_list:
        start, end, tag_text, keyword = tag
        if tag_text.startswith("{{") and _is_silent(fragment.sql, tag):
            chars[start:end] = _blank(tag_text)
        elif tag_text.startswith(("{{", "${")):
            chars[start:end] = _SQL_SPECIAL.sub(lambda match: "_" * len(match.group()), tag_text)
            count_before = bisect_right(starts, start)
            if not count_before or covered_ends[count_before - 1] < end:  # in no placeholder
                placeholders.append(Placeholder(start, end, tag_text))
        elif keyword == "raw" and tag_text.rindex("{%"):
            opening = tag_text.index("%}") + 2
            closing = tag_text.rindex("{%")
            chars[start:end] = _blank(tag_text[:opening]) + tag_text[opening:closing] + _blank(tag_text[closing:])
        else:
            chars[start:end] = _blank(tag_text)
    # Omitted branches nest and may be in stored text; merged, each character is blanked once (linear time).
    for start, end in _merged_ranges([*omitted_ranges(tag_list, branches, selection), *_captured_ranges(tag_list)]):
        chars[start:end] = _blank("".join(chars[start:end]))
    # A placeholder in an omitted branch has been blanked with it.
    kept_placeholders = [placeholder for placeholder in placeholders if not chars[placeholder.start].isspace()]
    kept_placeholders.sort(key=lambda placeholder: placeholder.start)
    branch_ranges = (*fragment.branch_ranges, *_branch_ranges(fragment, tag_list, branches))
    return replace(fragment, sql="".join(chars), placeholders=tuple(kept_placeholders), branch_ranges=branch_ranges)


def _covered_ends(placeholders: Sequence[Placeholder]) -> tuple[list[int], list[int]]:
    """The starts of placeholders, in order, and for each the largest end of it and those before it."""
    ranges = sorted((placeholder.start, placeholder.end) for placeholder in placeholders)
    return [start for start, _ in ranges], list(accumulate((end for _, end in ranges), max))


def _branch_ranges(fragment: SqlFragment, tag_list: list[Tag], branches: dict[int, list[int]]) -> Iterator[BranchRange]:
    """The ranges between `{% if %}` and `{% endif %}`, of which a variant takes one branch."""
    for if_index, tag_indices in sorted(branches.items()):
        start, end = tag_list[if_index].end, tag_list[tag_indices[-1]].start
        # Only an `if` chooses between texts.
        if tag_list[if_index].keyword == "if":
            yield (start, end, Branch(fragment.unit_index, fragment.starts[start], fragment.starts[end]))


def _is_silent(text: str, tag: Tag) -> bool:
    """True if a `{{ }}` produces no text: `{{ config(...) }}`, or one on its own lines before SQL."""
    if _SILENT_CALL.match(tag.text):
        return True
    start = tag.start
    while start and text[start - 1].isspace():
        start -= 1
    is_first = not start or text[start - 1] == ";" or text[start - 2 : start] in ("}}", "%}", "#}")
    return is_first and _BEFORE_SQL.match(text, tag.end) is not None


def with_invented_names(fragment: SqlFragment) -> SqlFragment:
    """The fragment with an invented name of the same length for each placeholder, so that it can be parsed."""
    chars = list(fragment.sql)
    for number, placeholder in enumerate(fragment.placeholders):
        length = placeholder.end - placeholder.start
        chars[placeholder.start : placeholder.end] = f"t{number}".ljust(length, "_")[:length]
    return replace(fragment, sql="".join(chars))


def _blank(text: str) -> str:
    return _NO_LINE_END.sub(" ", text)
