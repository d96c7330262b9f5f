"""SQL fragments of a file: their text, and the offset of each character in the file.

A fragment is built from literals, placeholders and invented words; each keeps the position of its source, so
that findings and fixes refer to the user's own text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spark_iceberg_sql.records import record, replace

Offsets = tuple[int, int]
APPEND = "DataFrameWriter, append"  # the API of a DataFrameWriter with the save mode `append`
COMPILED = "dbt, compiled"  # that of a dbt model with the query that dbt compiled
MODELS = ("dbt", COMPILED, "sqlmesh")  # the APIs of models, by the tool that makes their tables


class Arm(NamedTuple):
    """A branch: a range of the program whose statements all run or none does, such as a function or an `if`.

    unit_index, start, end: its position in the file. is_function: it is a function, which runs when it is
    called. always_exits: the code after it does not run if it does.
    """

    part: int
    start: int
    end: int
    function: bool = False
    leaves: bool = False


Stretch = tuple[int, int, Arm]


class Said(NamedTuple):
    """A message and a help from the reader of a program that replace those of a finding at the same position.

    start, end: offsets in the source text. message, help: those of a diagnostic.
    """

    start: int
    end: int
    message: str
    help: str


@record(frozen=True, slots=True)
class Hole:
    """A part of the SQL that a template or a program fills in later; written as `{{ }}` in the fragment.

    start, end: offsets in the fragment's SQL. text: the source, such as `{{ ref('events') }}`.
    """

    start: int
    end: int
    text: str


@record(frozen=True, slots=True)
class Piece:
    """A SQL text and its position in a file.

    sql: the text to check. starts: for each character, and for the end, its offset in the source text; ends:
    for each boundary between characters, the offset at which the character before it ends. placeholders: the
    parts filled in later. unit_index: the index of the text unit in the file. side_effects: the tables that
    the program creates, changes or drops without SQL before the fragment; None: any table. literals: if the
    SQL is composed of several literals, the ranges that come from a literal that nothing else uses; None: it
    is one text. branch_ranges: the branches that ranges of the SQL are in, outer ones first. api: if the SQL
    stands for calls, their API: `DataFrameWriterV2`, `DataFrameWriter` (APPEND), `pyiceberg`. overrides:
    messages about positions in it.
    """

    sql: str
    starts: Sequence[int]
    ends: Sequence[int]
    holes: tuple[Hole, ...] = ()
    part: int = 0
    made: tuple[str, ...] | None = ()
    literals: tuple[Offsets, ...] | None = None
    arms: tuple[Stretch, ...] = ()
    api: str = ""
    said: tuple[Said, ...] = ()

    def place(self, start: int, end: int) -> Offsets:
        """The position of a range of the SQL in the source text."""
        # An empty range is at the end of the character before it: the next one may be in another literal.
        begin = self.starts[start] if end > start or start == 0 else self.ends[start]
        return begin, max(begin, self.ends[end])

    def verbatim(self, start: int, end: int) -> bool:
        """True if the range is contiguous and literally the same in the source text, without a placeholder."""
        if any(hole.start < end and start < hole.end for hole in self.holes):
            return False
        return all(
            self.ends[i + 1] - self.starts[i] == 1
            and (i == start or self.starts[i] == self.ends[i])
            for i in range(start, end)
        )


def whole(text: str, part: int = 0) -> Piece:
    """A source text that is SQL as a whole."""
    places = range(len(text) + 1)
    return Piece(text, places, places, part=part)


def anything(at: int, part: int = 0, made: tuple[str, ...] | None = None) -> Piece:
    """An empty fragment for a call that changes tables without SQL. table_names: these; None: any table."""
    return Piece("", (at,), (at,), part=part, made=made)


def stretch(text: str, start: int, end: int, part: int = 0) -> Piece:
    """The SQL between two offsets of a source text, unchanged."""
    places = range(start, end + 1)
    return Piece(text[start:end], places, places, part=part)


class PieceMaker:
    """Builds a fragment from the literals of a program."""

    def __init__(self, part: int = 0) -> None:
        self._part = part
        self._chars: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._holes: list[Hole] = []
        self._length = 0
        self._literals: list[tuple[int, bool]] = []

    @property
    def length(self) -> int:
        """The number of characters added so far."""
        return self._length

    def literal(self, *, own: bool) -> None:
        """Begin a literal. is_exclusive: True if only this fragment uses it."""
        self._literals.append((self._length, own))

    def add(self, value: str, start: int, end: int) -> None:
        """Add a value that the source text writes between two offsets, for example as an escape."""
        self._chars.append(value)
        self._length += len(value)
        # All characters of one value start at its start, and all but the last end there, so that
        # `is_verbatim` sees that the source differs.
        self._starts += [start] * len(value)
        if value:
            self._ends += [start] * (len(value) - 1) + [end]

    def hole(self, start: int, end: int, text: str) -> None:
        """Add a placeholder for the text between two offsets of the source text."""
        word = "{{" + re.sub(r"\W", "_", text) + "}}"
        self._holes.append(Hole(self._length, self._length + len(word), text))
        self.add(word, start, end)

    def extend(self, piece: Piece) -> None:
        """Add another fragment, with its positions."""
        shift = self._length
        self._holes += [
            replace(hole, start=hole.start + shift, end=hole.end + shift) for hole in piece.holes
        ]
        self._chars.append(piece.sql)
        self._length += len(piece.sql)
        self._starts += piece.starts[:-1]
        self._ends += piece.ends[1:]

    def piece(self) -> Piece:
        """The finished fragment."""
        first = self._starts[0] if self._starts else 0
        last = self._ends[-1] if self._ends else 0
        stops = [*(start for start, _ in self._literals[1:]), self._length]
        literals = zip(self._literals, stops, strict=False)
        # Both lists have one entry more than the text: `starts` for its end, `ends` for its beginning.
        return Piece(
            "".join(self._chars),
            [*self._starts, last],
            [first, *self._ends],
            tuple(self._holes),
            self._part,
            literals=tuple((start, stop) for (start, own), stop in literals if own)
            if self._literals
            else None,
        )


# Ends a line comment, even one continued by a backslash, and then the statement.
_BETWEEN = "\n\n;\n"


@record(frozen=True, slots=True)
class Joined:
    """Fragments as one script, so that each is checked against the tables that earlier ones created."""

    sql: str
    pieces: tuple[Piece, ...]
    offsets: tuple[int, ...]

    @property
    def made(self) -> tuple[tuple[int, tuple[str, ...] | None], ...]:
        """The offsets at which the program creates tables without SQL, and these tables."""
        both = zip(self.pieces, self.offsets, strict=True)
        return tuple((offset, piece.made) for piece, offset in both if piece.made != ())

    @property
    def arms(self) -> tuple[Stretch, ...]:
        """The ranges that are in a branch, outer branches first."""
        return tuple(
            (start + offset, end + offset, arm)
            for piece, offset in zip(self.pieces, self.offsets, strict=True)
            for start, end, arm in piece.arms
        )

    def piece_at(self, offset: int) -> tuple[Piece, int]:
        """The fragment at an offset of the script, and the offset at which it begins."""
        found = bisect_right(self.offsets, offset) - 1
        return self.pieces[found], self.offsets[found]


def join(pieces: Iterable[Piece]) -> Joined:
    """Fragments as one script, in order."""
    kept = tuple(pieces)
    offsets, length = [], 0
    for piece in kept:
        offsets.append(length)
        length += len(piece.sql) + len(_BETWEEN)
    return Joined(_BETWEEN.join(piece.sql for piece in kept), kept, tuple(offsets))
