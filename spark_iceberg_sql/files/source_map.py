"""SQL fragments of a file: their text, and the offset of each character in the file.

A fragment is built from literals, placeholders and invented words; each keeps the position of its source, so that
findings and fixes refer to the user's own text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spark_iceberg_sql.records import record, replace

Offsets = tuple[int, int]
APPEND = "DataFrameWriter, append"  # the API of a DataFrameWriter with the save mode `append`
COMPILED = "dbt, compiled"  # that of a dbt model with the query that dbt compiled
MODELS = ("dbt", COMPILED, "sqlmesh")  # the APIs of models, by the tool that makes their tables


class Branch(NamedTuple):
    """A branch: a range of the program whose statements all run or none does, such as a function or an `if`.

    unit_index, start, end: its position in the file. is_function: it is a function, which runs when it is called.
    always_exits: the code after it does not run if it does.
    """

    unit_index: int
    start: int
    end: int
    is_function: bool = False
    always_exits: bool = False


BranchRange = tuple[int, int, Branch]


class MessageOverride(NamedTuple):
    """A message and a help from the reader of a program that replace those of a finding at the same position.

    start, end: offsets in the source text. message, help: those of a diagnostic.
    """

    start: int
    end: int
    message: str
    help: str


@record(frozen=True, slots=True)
class Placeholder:
    """A part of the SQL that a template or a program fills in later; written as `{{ }}` in the fragment.

    start, end: offsets in the fragment's SQL. text: the source, such as `{{ ref('events') }}`.
    """

    start: int
    end: int
    text: str


@record(frozen=True, slots=True)
class SqlFragment:
    """A SQL text and its position in a file.

    sql: the text to check. starts: for each character, and for the end, its offset in the source text; ends: for each
    boundary between characters, the offset at which the character before it ends. placeholders: the parts filled in
    later. unit_index: the index of the text unit in the file. side_effects: the tables that the program creates,
    changes or drops without SQL before the fragment; None: any table. literals: if the SQL is composed of several
    literals, the ranges that come from a literal that nothing else uses; None: it is one text. branch_ranges: the
    branches that ranges of the SQL are in, outer ones first. api: if the SQL stands for calls, their API:
    `DataFrameWriterV2`, `DataFrameWriter` (APPEND), `pyiceberg`. overrides: messages about positions in it.
    """

    sql: str
    starts: Sequence[int]
    ends: Sequence[int]
    placeholders: tuple[Placeholder, ...] = ()
    unit_index: int = 0
    side_effects: tuple[str, ...] | None = ()
    literals: tuple[Offsets, ...] | None = None
    branch_ranges: tuple[BranchRange, ...] = ()
    api: str = ""
    overrides: tuple[MessageOverride, ...] = ()

    def source_span(self, start: int, end: int) -> Offsets:
        """The position of a range of the SQL in the source text."""
        # An empty range is at the end of the character before it: the next one may be in another literal.
        begin = self.starts[start] if end > start or start == 0 else self.ends[start]
        return begin, max(begin, self.ends[end])

    def is_verbatim(self, start: int, end: int) -> bool:
        """True if the range is contiguous and literally the same in the source text, without a placeholder."""
        has_placeholder = any(placeholder.start < end and start < placeholder.end for placeholder in self.placeholders)
        return not has_placeholder and all(
            self.ends[i + 1] - self.starts[i] == 1 and (i == start or self.starts[i] == self.ends[i])
            for i in range(start, end)
        )


def branch_paths(spans: Sequence[Offsets], branch_ranges: Sequence[BranchRange]) -> Iterator[tuple[Branch, ...]]:
    """The branches that contain each span, from the outermost to the innermost. spans, branch_ranges: in order."""
    range_iterator = iter(branch_ranges)
    next_range = next(range_iterator, None)
    enclosing: list[BranchRange] = []
    for start, end in spans:
        while next_range is not None and next_range[0] <= start:
            enclosing = [branch_range for branch_range in enclosing if branch_range[1] >= next_range[1]]
            enclosing.append(next_range)
            next_range = next(range_iterator, None)
        enclosing = [branch_range for branch_range in enclosing if branch_range[1] >= start]
        yield tuple(branch for _, stop, branch in enclosing if end <= stop)


def side_effect_marker(offset: int, unit_index: int = 0, table_names: tuple[str, ...] | None = None) -> SqlFragment:
    """An empty fragment for a call that changes tables without SQL. table_names: these; None: any table."""
    return SqlFragment("", (offset,), (offset,), unit_index=unit_index, side_effects=table_names)


def range_fragment(text: str, start: int, end: int, unit_index: int = 0) -> SqlFragment:
    """The SQL between two offsets of a source text, unchanged."""
    offsets = range(start, end + 1)
    return SqlFragment(text[start:end], offsets, offsets, unit_index=unit_index)


class FragmentBuilder:
    """Builds a fragment from the literals of a program. length: the number of characters added so far."""

    def __init__(self, unit_index: int = 0) -> None:
        self._unit_index = unit_index
        self._chars: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._placeholders: list[Placeholder] = []
        self.length = 0
        self._literals: list[tuple[int, bool]] = []

    def begin_literal(self, *, is_exclusive: bool) -> None:
        """Begin a literal. is_exclusive: True if only this fragment uses it."""
        self._literals.append((self.length, is_exclusive))

    def add(self, value: str, start: int, end: int) -> None:
        """Add a value that the source text writes between two offsets, for example as an escape."""
        self._chars.append(value)
        self.length += len(value)
        # All characters of one value start at its start, and all but the last end there, so that `is_verbatim` sees
        # that the source differs.
        self._starts += [start] * len(value)
        if value:
            self._ends += [start] * (len(value) - 1) + [end]

    def add_placeholder(self, start: int, end: int, text: str) -> None:
        """Add a placeholder for the text between two offsets of the source text."""
        placeholder_text = "{{" + re.sub(r"\W", "_", text) + "}}"
        self._placeholders.append(Placeholder(self.length, self.length + len(placeholder_text), text))
        self.add(placeholder_text, start, end)

    def extend(self, fragment: SqlFragment) -> None:
        """Add another fragment, with its positions."""
        shift = self.length
        self._placeholders += [
            replace(placeholder, start=placeholder.start + shift, end=placeholder.end + shift)
            for placeholder in fragment.placeholders
        ]
        self._chars.append(fragment.sql)
        self.length += len(fragment.sql)
        self._starts += fragment.starts[:-1]
        self._ends += fragment.ends[1:]

    def build(self) -> SqlFragment:
        """The finished fragment."""
        first_start = self._starts[0] if self._starts else 0
        last_end = self._ends[-1] if self._ends else 0
        stops = [*(start for start, _ in self._literals[1:]), self.length]
        literals = zip(self._literals, stops, strict=False)
        # Both lists have one entry more than the text: `starts` for its end, `ends` for its beginning.
        return SqlFragment(
            "".join(self._chars),
            [*self._starts, last_end],
            [first_start, *self._ends],
            tuple(self._placeholders),
            self._unit_index,
            literals=tuple((start, stop) for (start, is_exclusive), stop in literals if is_exclusive)
            if self._literals
            else None,
        )


# Ends a line comment, even one continued by a backslash, and then the statement.
_SEPARATOR = "\n\n;\n"


@record(frozen=True, slots=True)
class JoinedScript:
    """Fragments as one script, so that each is checked against the tables that earlier ones created."""

    sql: str
    fragments: tuple[SqlFragment, ...]
    offsets: tuple[int, ...]

    @property
    def side_effects(self) -> tuple[tuple[int, tuple[str, ...] | None], ...]:
        """The offsets at which the program creates tables without SQL, and these tables."""
        return tuple(
            (offset, fragment.side_effects)
            for fragment, offset in zip(self.fragments, self.offsets, strict=True)
            if fragment.side_effects != ()
        )

    @property
    def branch_ranges(self) -> tuple[BranchRange, ...]:
        """The ranges that are in a branch, outer branches first."""
        return tuple(
            (start + offset, end + offset, branch)
            for fragment, offset in zip(self.fragments, self.offsets, strict=True)
            for start, end, branch in fragment.branch_ranges
        )

    def fragment_at(self, offset: int) -> tuple[SqlFragment, int]:
        """The fragment at an offset of the script, and the offset at which it begins."""
        index = bisect_right(self.offsets, offset) - 1
        return self.fragments[index], self.offsets[index]


def join_fragments(fragments: Iterable[SqlFragment]) -> JoinedScript:
    """Fragments as one script, in order."""
    joined = tuple(fragments)
    offsets, length = [], 0
    for fragment in joined:
        offsets.append(length)
        length += len(fragment.sql) + len(_SEPARATOR)
    return JoinedScript(_SEPARATOR.join(fragment.sql for fragment in joined), joined, tuple(offsets))
