"""The branches of a template's `{% if %}` and `{% for %}`, and the selections of branches to check.

In: the tags of a text. Out: the branches by the index of their `if`, and for each variant the ranges to blank. A
selection takes branch n of every `if`; branches near partition DDL that none of these takes get their own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import NamedTuple

from spark_iceberg_sql.files.template_tags import Tag
from spark_iceberg_sql.lazy import regex

_NOT_LAST = regex(r"\bnot\s+loop\.last\b")
_CONDITION = regex(r"\{%[-+]?\s*\w+\s*(.*?)\s*[-+]?%\}", re.DOTALL)
# In a text without these words, no branch has partition DDL.
_DDL_WORDS = regex(r"\btable\b|\bpartition(?:ed\b|\s+field)", re.IGNORECASE)
_TEXT = regex(r"\S")
_MAX_VARIANTS = 8
_MAX_EXTRA_VARIANTS = 8  # for single branches that the others do not take


class BranchSelection(NamedTuple):
    """A selection of branches, which determines one variant.

    number: of the branch of each `if`, or the last; None: no condition holds, so only `else`.
    selected_numbers: for some, by their index among the tags, the number of the branch instead; -1 for none.
    """

    number: int | None
    selected_numbers: Mapping[int, int] = {}


_Branch = tuple[int, int]  # the index of its `if` among the tags, and its number in it


def find_branches(tag_list: list[Tag]) -> dict[int, list[int]]:
    """For each `if` or `for`, by its index among the tags: the indices of its if, elif, else and end tag."""
    branches: dict[int, list[int]] = {}
    open_ifs: list[int] = []
    for number, tag in enumerate(tag_list):
        if tag.keyword in ("if", "for"):
            open_ifs.append(number)
            branches[number] = [number]
        elif tag.keyword in ("elif", "else", "endif", "endfor") and open_ifs:
            branches[open_ifs[-1]].append(number)
            if tag.keyword in ("endif", "endfor"):
                open_ifs.pop()
    # Tag n to tag n + 1 is branch n, so an unclosed `if` without a second tag has none. A `for` is treated as an `if`
    # whose first branch is one round of the loop.
    return {if_index: tag_indices for if_index, tag_indices in branches.items() if len(tag_indices) > 1}


def omitted_ranges(
    tag_list: list[Tag], branches: dict[int, list[int]], selection: BranchSelection
) -> Iterator[tuple[int, int]]:
    """The ranges that a selection omits."""
    for if_index, tag_indices in branches.items():
        selected = _selected_branch(tag_list, if_index, tag_indices, selection)
        for branch in range(len(tag_indices) - 1):
            if branch != selected:
                yield tag_list[tag_indices[branch]].end, tag_list[tag_indices[branch + 1]].start


def _selected_branch(tag_list: list[Tag], if_index: int, tag_indices: list[int], selection: BranchSelection) -> int:
    """The number of the branch that a selection takes; -1 for none."""
    if if_index in selection.selected_numbers:
        return selection.selected_numbers[if_index]
    if _NOT_LAST.search(tag_list[if_index].text):
        # `if not loop.last`: branch 0 is the text between two rounds.
        return 1  # a loop is assumed to run once
    last_number = len(tag_indices) - 2
    if selection.number is not None:
        return min(selection.number, last_number)
    return last_number if tag_list[tag_indices[last_number]].keyword == "else" else -1


def branch_selections(
    text: str, tag_list: list[Tag], branches: dict[int, list[int]], stored: list[tuple[int, int]]
) -> tuple[list[BranchSelection], list[tuple[int, int]]]:
    """The selections to check, and the tags of branches that none of them takes, one tag for each `if`.

    stored: ranges whose branches do not matter, in order.
    """
    longest = max((len(tag_indices) - 1 for tag_indices in branches.values()), default=1)
    selections = [BranchSelection(number) for number in range(min(_MAX_VARIANTS, longest))]
    ddl_branches = _ddl_branches(text, tag_list, branches, stored)
    if not ddl_branches:
        return selections, []
    parents = _parents(branches)
    covered = {
        branch for selection in selections for branch in _covered_branches(tag_list, branches, parents, selection)
    }
    skipped_tags: dict[int, tuple[int, int]] = {}
    maximum = len(selections) + _MAX_EXTRA_VARIANTS
    for if_index, number in ddl_branches:
        if (if_index, number) in covered:
            continue
        if len(selections) < maximum:
            selections.append(_selection_for((if_index, number), tag_list, branches, parents))
            covered |= _covered_branches(tag_list, branches, parents, selections[-1])
        else:
            tag = tag_list[branches[if_index][number]]
            skipped_tags.setdefault(if_index, (tag.start, tag.end))
    return selections, list(skipped_tags.values())


def _ddl_branches(
    text: str, tag_list: list[Tag], branches: dict[int, list[int]], stored: list[tuple[int, int]]
) -> list[_Branch]:
    """The branches with text that may be part of partition DDL."""
    ends = (0, *(tag.end for tag in tag_list))
    starts = (*(tag.start for tag in tag_list), len(text))
    outside = "".join(text[end:start] + " " for end, start in zip(ends, starts, strict=True))
    if _DDL_WORDS.search(outside) is None:
        return []
    ddl_branches = []
    for if_index, tag_indices in branches.items():
        number = bisect_right(stored, tag_list[if_index].start, key=itemgetter(0)) - 1
        if number >= 0 and tag_list[if_index].start < stored[number][1]:
            continue
        # The text between two rounds of a loop is mostly a comma, and a list of one item has none.
        pattern = _DDL_WORDS if _NOT_LAST.search(tag_list[if_index].text) is not None else _TEXT
        for branch in range(len(tag_indices) - 1):
            start, end = tag_list[tag_indices[branch]].end, tag_list[tag_indices[branch + 1]].start
            if pattern.search(text, start, end):
                ddl_branches.append((if_index, branch))
    return ddl_branches


def _parents(branches: dict[int, list[int]]) -> dict[int, _Branch]:
    """The branch that each `if` is directly in, if any."""
    parents: dict[int, _Branch] = {}
    enclosing: list[int] = []
    for if_index in sorted(branches):
        # A stack of open blocks: the indices of tags are in the order of the text, and blocks nest.
        while enclosing and branches[enclosing[-1]][-1] < if_index:
            enclosing.pop()
        if enclosing:
            parents[if_index] = enclosing[-1], bisect_right(branches[enclosing[-1]], if_index) - 1
        enclosing.append(if_index)
    return parents


def _covered_branches(
    tag_list: list[Tag], branches: dict[int, list[int]], parents: dict[int, _Branch], selection: BranchSelection
) -> set[_Branch]:
    """The branches that a selection takes, if it also takes the branches around them."""
    covered: set[_Branch] = set()
    for if_index in sorted(branches):
        if if_index not in parents or parents[if_index] in covered:
            covered.add((if_index, _selected_branch(tag_list, if_index, branches[if_index], selection)))
    return covered


def _selection_for(
    branch: _Branch, tag_list: list[Tag], branches: dict[int, list[int]], parents: dict[int, _Branch]
) -> BranchSelection:
    """The selection that reaches a branch through those around it.

    Each other `if` with the same condition takes the same branch; all others take their first.
    """
    selected_numbers: dict[int, int] = {}
    enclosing: _Branch | None = branch
    while enclosing is not None:
        selected_numbers.setdefault(*enclosing)
        enclosing = parents.get(enclosing[0])
    # Equal conditions have equal values in one rendering. Combinations that no rendering has would give false findings.
    conditions = {
        _condition_text(tag_list[if_index]): (if_index, number) for if_index, number in selected_numbers.items()
    }
    for other, tag_indices in branches.items():
        if_index, number = conditions.get(_condition_text(tag_list[other]), (other, 0))
        if other in selected_numbers or if_index == other:
            continue
        if number and len(tag_indices) != len(branches[if_index]):
            last_number = len(tag_indices) - 2
            number = last_number if tag_list[tag_indices[last_number]].keyword == "else" else -1
        selected_numbers[other] = number
    return BranchSelection(0, selected_numbers)


def _condition_text(tag: Tag) -> str:
    condition = _CONDITION.match(tag.text)
    return condition[1] if condition is not None and tag.keyword == "if" else tag.text
