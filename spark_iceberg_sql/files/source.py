"""A file as the checker sees it: its parts, the SQL found in them, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql.files.source_map import Piece


@dataclass(frozen=True, slots=True)
class Part:
    """A text that has lines of its own: a file, or a notebook's cell (its number from 1)."""

    text: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """SQL that is there but cannot be read. part: where; start, end: offsets in it; why, help: for the user."""

    part: int
    start: int
    end: int
    why: str
    help: str = (
        "write the SQL as a string in the call, or check the program's statements at run time"
    )


@dataclass(frozen=True, slots=True)
class Source:
    """A file. name: as shown to the user. pieces: in the order of the text.

    program: whether the SQL is inside a program. spark: whether the program uses Spark.
    """

    name: str
    parts: tuple[Part, ...]
    pieces: tuple[Piece, ...]
    unread: tuple[Unread, ...] = ()
    program: bool = False
    spark: bool = False
