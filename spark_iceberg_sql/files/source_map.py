"""SQL found in a file: its text, and where each of its characters stands in the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Offsets = tuple[int, int]


class Arm(NamedTuple):
    """A stretch whose statements run together or not at all: a function's, or what a condition decides on.

    part, start, end: its place in the file. function: whether it is a function's, which runs when it is
    called. leaves: whether what stands behind it does not run after it.
    """

    part: int
    start: int
    end: int
    function: bool = False
    leaves: bool = False


Stretch = tuple[int, int, Arm]


class Said(NamedTuple):
    """What a program's reader knows of a place better than the rules do, for the finding that is there.

    start, end: offsets in the host text. message, help: as of a diagnostic.
    """

    start: int
    end: int
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class Hole:
    """A stretch of SQL that is filled in later, by a template or a program; in `{{ }}` in the piece.

    start, end: offsets in the piece's SQL. text: as the author wrote it, `{{ ref('events') }}`.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A SQL text and its place.

    sql: what is checked. starts: for each character, and for the end, the offset in the host text at
    which it begins; ends: for each place between characters, the offset at which the character before
    it ends. holes: what is filled in later. part: the host text's number among the file's parts. made: the
    tables that the program makes, changes or drops here without SQL, before the piece; None: any.
    literals: if the program writes it in several, the stretches that are each in one that nothing else
    uses; None: it is one text. arms: the stretches of the SQL that are in an arm, outer arms before inner ones.
    api: if the program says in calls what the SQL says, whose: `DataFrameWriterV2`, `DataFrameWriter`, `pyiceberg`.
    said: what is to be told of places in it.
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
        """Where a stretch of the SQL stands in the host text."""
        begin = self.starts[start] if end > start or start == 0 else self.ends[start]
        return begin, max(begin, self.ends[end])

    def verbatim(self, start: int, end: int) -> bool:
        """Whether the host has the stretch character by character, in one go, and no hole in it."""
        if any(hole.start < end and start < hole.end for hole in self.holes):
            return False
        return all(
            self.ends[i + 1] - self.starts[i] == 1
            and (i == start or self.starts[i] == self.ends[i])
            for i in range(start, end)
        )


def whole(text: str, part: int = 0) -> Piece:
    """A host that is SQL from its first character to its last."""
    places = range(len(text) + 1)
    return Piece(text, places, places, part=part)


def anything(at: int, part: int = 0, made: tuple[str, ...] | None = None) -> Piece:
    """A place of a host text at which its program makes tables, and no SQL stands; made: as of Piece."""
    return Piece("", (at,), (at,), part=part, made=made)


def stretch(text: str, start: int, end: int, part: int = 0) -> Piece:
    """The SQL that stands as it is between two offsets of a host text."""
    places = range(start, end + 1)
    return Piece(text[start:end], places, places, part=part)


class PieceMaker:
    """Builds a piece from what a program's literals say."""

    def __init__(self, part: int = 0) -> None:
        self._part = part
        self._chars: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._holes: list[Hole] = []
        self._length = 0
        self._literals: list[tuple[int, bool]] = []

    def literal(self, *, own: bool) -> None:
        """Another literal of the program begins. own: whether nothing but this piece uses it."""
        self._literals.append((self._length, own))

    def add(self, value: str, start: int, end: int) -> None:
        """A value (of an escape, say) that the host writes between two offsets."""
        self._chars.append(value)
        self._length += len(value)
        self._starts += [start] * len(value)
        self._ends += [start] * (len(value) - 1) + [end] * bool(value)

    def hole(self, start: int, end: int, text: str) -> None:
        """Something that the program fills in, written in the host between two offsets."""
        word = "{{" + re.sub(r"\W", "_", text) + "}}"
        self._holes.append(Hole(self._length, self._length + len(word), text))
        self.add(word, start, end)

    def piece(self) -> Piece:
        """What was added, as one piece."""
        first = self._starts[0] if self._starts else 0
        last = self._ends[-1] if self._ends else 0
        stops = [*(start for start, _ in self._literals[1:]), self._length]
        literals = zip(self._literals, stops, strict=False)
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


_BETWEEN = "\n;\n"  # ends a line comment, then the statement


@dataclass(frozen=True, slots=True)
class Joined:
    """Pieces as one script, so that each is checked on the tables that those before it made."""

    sql: str
    pieces: tuple[Piece, ...]
    offsets: tuple[int, ...]

    @property
    def made(self) -> tuple[tuple[int, tuple[str, ...] | None], ...]:
        """Where the program makes tables without SQL, and which."""
        both = zip(self.pieces, self.offsets, strict=True)
        return tuple((offset, piece.made) for piece, offset in both if piece.made != ())

    @property
    def arms(self) -> tuple[Stretch, ...]:
        """The stretches that are in an arm, an outer one before those in it."""
        return tuple(
            (start + offset, end + offset, arm)
            for piece, offset in zip(self.pieces, self.offsets, strict=True)
            for start, end, arm in piece.arms
        )

    def piece_at(self, offset: int) -> tuple[Piece, int]:
        """The piece that an offset of the script lies in, and where the piece begins."""
        found = bisect_right(self.offsets, offset) - 1
        return self.pieces[found], self.offsets[found]


def join(pieces: Iterable[Piece]) -> Joined:
    """Pieces as one script, in order."""
    kept = tuple(pieces)
    offsets, length = [], 0
    for piece in kept:
        offsets.append(length)
        length += len(piece.sql) + len(_BETWEEN)
    return Joined(_BETWEEN.join(piece.sql for piece in kept), kept, tuple(offsets))
