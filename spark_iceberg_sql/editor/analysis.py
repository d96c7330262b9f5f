"""The analysis of one version of a file or notebook: its findings, and the catalog state at each offset."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from spark_iceberg_sql.checker.engine import Around, follow
from spark_iceberg_sql.checker.memo import Memo
from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.files.source import Source
from spark_iceberg_sql.files.source_map import Joined, Piece
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.syntax.script import Statement


@dataclass(frozen=True, slots=True)
class Script:
    """SQL that is checked as one text: a file, or a program's and a notebook's strings and cells."""

    joined: Joined
    around: Around

    def offset(self, part: int, host: int) -> int | None:
        """The offset in the SQL of an offset in a part of the file; None if it is not in the SQL."""
        for piece, start in zip(self.joined.pieces, self.joined.offsets, strict=True):
            if piece.part == part and piece.starts[0] <= host <= piece.ends[-1]:
                return start + _within(piece, host)
        return None

    def host(self, start: int, end: int) -> tuple[int, int, int]:
        """The part of the file, and the offsets in it, of a range of the SQL."""
        piece, offset = self.joined.piece_at(start)
        return piece.part, *piece.place(start - offset, min(end - offset, len(piece.sql)))


def _within(piece: Piece, host: int) -> int:
    return min(max(bisect_right(piece.starts, host) - 1, 0), len(piece.sql))


@dataclass(slots=True)
class Analysis:
    """The analysis of one version.

    source: the file. reports: one for each part: a file has one, a notebook one for each code cell. scripts: its SQL.
    catalog: the state before it. statement_cache: results of earlier versions.
    """

    source: Source
    reports: list[Report]
    scripts: list[Script]
    known: Tables
    memo: Memo

    def place(self, part: int, host: int) -> tuple[Script, int] | None:
        """The SQL at an offset of a part of the file, and the offset in it."""
        for script in self.scripts:
            offset = script.offset(part, host)
            if offset is not None:
                return script, offset
        return None

    def visit(
        self, script: Script, start: int, end: int, see: Callable[[Statement, Tables], None]
    ) -> None:
        """Call a function with each statement between two offsets of a script, and the catalog state before it.

        callback: must not change the catalog state.
        """

        def visited(statement: Statement, known: Tables) -> None:
            if statement.head <= end and statement.tail >= start:
                see(statement, known)

        follow(
            script.joined.sql,
            self.known.copy(),
            around=script.around,
            memo=self.memo,
            visit=visited,
        )

    def known_at(self, script: Script, offset: int) -> tuple[Statement | None, Tables]:
        """The statement that contains an offset, or ends at it, and the catalog state before it."""
        found: list[tuple[Statement | None, Tables]] = []

        def see(statement: Statement, known: Tables) -> None:
            if statement.head <= offset <= statement.tail:
                found.append((statement, known.copy()))

        self.visit(script, offset, offset, see)
        # Two statements meet at the terminator: a cursor after it is in the second.
        return found[-1] if found else (None, self.known.copy())
