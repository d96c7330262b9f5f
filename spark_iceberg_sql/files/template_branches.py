"""The branches of a template's `{% if %}` and `{% for %}`, and the selections of branches to check.

In: the tags of a text. Out: the branches by the index of their `if`, and for each variant the ranges to
blank. A selection takes branch n of every `if`; branches near partition DDL that none of these takes get
their own.
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
_MOST_CHOICES = 8
_MOST_ADDED = 8  # for single branches that the others do not take


class Way(NamedTuple):
    """A selection of branches, which determines one variant.

    number: of the branch of each `if`, or the last; None: no condition holds, so only `else`.
    selected_numbers: for some, by their index among the tags, the number of the branch instead; -1 for none.
    """

    number: int | None
    given: Mapping[int, int] = {}


_Branch = tuple[int, int]  # the index of its `if` among the tags, and its number in it


def branches_of(parts: list[Tag]) -> dict[int, list[int]]:
    """For each `if` or `for`, by its index among the tags: the indices of its if, elif, else and end tag."""
    found: dict[int, list[int]] = {}
    open_ifs: list[int] = []
    for number, part in enumerate(parts):
        word = part.word
        if word == "if":
            open_ifs.append(number)
            found[number] = [number]
        elif word in ("elif", "else", "endif") and open_ifs:
            found[open_ifs[-1]].append(number)
            if word == "endif":
                open_ifs.pop()
        elif word == "for":
            open_ifs.append(number)
            found[number] = [number]
        elif word == "endfor" and open_ifs:
            found[open_ifs[-1]].append(number)
            open_ifs.pop()
    # Tag n to tag n + 1 is branch n, so an unclosed `if` without a second tag has none. A `for` is treated as
    # an `if` whose first branch is one round of the loop.
    return {first: marks for first, marks in found.items() if len(marks) > 1}


def left_out(
    parts: list[Tag], branches: dict[int, list[int]], way: Way
) -> Iterator[tuple[int, int]]:
    """The ranges that a selection omits."""
    for first, marks in branches.items():
        taken = _taken(parts, first, marks, way)
        for branch in range(len(marks) - 1):
            if branch != taken:
                yield parts[marks[branch]].end, parts[marks[branch + 1]].start


def _taken(parts: list[Tag], first: int, marks: list[int], way: Way) -> int:
    """The number of the branch that a selection takes; -1 for none."""
    if first in way.given:
        return way.given[first]
    if _NOT_LAST.search(parts[first].text):
        # `if not loop.last`: branch 0 is the text between two rounds.
        return 1  # a loop is assumed to run once
    last = len(marks) - 2
    if way.number is not None:
        return min(way.number, last)
    return last if parts[marks[last]].word == "else" else -1


def ways_through(
    text: str,
    parts: list[Tag],
    branches: dict[int, list[int]],
    stored: list[tuple[int, int]],
) -> tuple[list[Way], list[tuple[int, int]]]:
    """The selections to check, and the tags of branches that none of them takes, one tag for each `if`.

    stored: ranges whose branches do not matter, in order.
    """
    longest = max((len(marks) - 1 for marks in branches.values()), default=1)
    ways = [Way(number) for number in range(min(_MOST_CHOICES, longest))]
    wanted = _wanted(text, parts, branches, stored)
    if not wanted:
        return ways, []
    parents = _parents(branches)
    tried = {branch for way in ways for branch in _tried(parts, branches, parents, way)}
    left: dict[int, tuple[int, int]] = {}
    most = len(ways) + _MOST_ADDED
    for first, number in wanted:
        if (first, number) in tried:
            continue
        if len(ways) < most:
            ways.append(_way_to((first, number), parts, branches, parents))
            tried |= _tried(parts, branches, parents, ways[-1])
        else:
            tag = parts[branches[first][number]]
            left.setdefault(first, (tag.start, tag.end))
    return ways, list(left.values())


def _wanted(
    text: str, parts: list[Tag], branches: dict[int, list[int]], stored: list[tuple[int, int]]
) -> list[_Branch]:
    """The branches with text that may be part of partition DDL."""
    ends = (0, *(part.end for part in parts))
    starts = (*(part.start for part in parts), len(text))
    outside = "".join(text[end:start] + " " for end, start in zip(ends, starts, strict=True))
    if _DDL_WORDS.search(outside) is None:
        return []
    wanted = []
    for first, marks in branches.items():
        number = bisect_right(stored, parts[first].start, key=itemgetter(0)) - 1
        if number >= 0 and parts[first].start < stored[number][1]:
            continue
        # The text between two rounds of a loop is mostly a comma, and a list of one item has none.
        between = _NOT_LAST.search(parts[first].text) is not None
        for branch in range(len(marks) - 1):
            start, end = parts[marks[branch]].end, parts[marks[branch + 1]].start
            if _DDL_WORDS.search(text, start, end) if between else _has_text(text, start, end):
                wanted.append((first, branch))
    return wanted


def _has_text(text: str, start: int, end: int) -> bool:
    while start < end and text[start].isspace():
        start += 1
    return start < end


def _parents(branches: dict[int, list[int]]) -> dict[int, _Branch]:
    """The branch that each `if` is directly in, if any."""
    parents: dict[int, _Branch] = {}
    around: list[int] = []
    for first in sorted(branches):
        # A stack of open blocks: the indices of tags are in the order of the text, and blocks nest.
        while around and branches[around[-1]][-1] < first:
            around.pop()
        if around:
            parents[first] = around[-1], bisect_right(branches[around[-1]], first) - 1
        around.append(first)
    return parents


def _tried(
    parts: list[Tag], branches: dict[int, list[int]], parents: dict[int, _Branch], way: Way
) -> set[_Branch]:
    """The branches that a selection takes, if it also takes the branches around them."""
    tried: set[_Branch] = set()
    for first in sorted(branches):
        if first not in parents or parents[first] in tried:
            tried.add((first, _taken(parts, first, branches[first], way)))
    return tried


def _way_to(
    branch: _Branch,
    parts: list[Tag],
    branches: dict[int, list[int]],
    parents: dict[int, _Branch],
) -> Way:
    """The selection that reaches a branch through those around it.

    Each other `if` with the same condition takes the same branch; all others take their first.
    """
    given: dict[int, int] = {}
    inner: _Branch | None = branch
    while inner is not None:
        given.setdefault(*inner)
        inner = parents.get(inner[0])
    # Equal conditions have equal values in one rendering. Combinations that no rendering has would give
    # false findings.
    conditions = {_condition(parts[first]): (first, number) for first, number in given.items()}
    for other, marks in branches.items():
        first, number = conditions.get(_condition(parts[other]), (other, 0))
        if other in given or first == other:
            continue
        if number and len(marks) != len(branches[first]):
            last = len(marks) - 2
            number = last if parts[marks[last]].word == "else" else -1
        given[other] = number
    return Way(0, given)


def _condition(part: Tag) -> str:
    condition = _CONDITION.match(part.text)
    return condition[1] if condition is not None and part.word == "if" else part.text
