"""The analysis of one version of a file or notebook: its findings, and the catalog state at each offset."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from spark_iceberg_sql.checker.engine import TextOrigin, check_and_apply
from spark_iceberg_sql.checker.statement_cache import StatementCache
from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.files.source import SourceFile
from spark_iceberg_sql.files.source_map import JoinedScript
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.syntax.script import Statement


@dataclass(frozen=True, slots=True)
class Script:
    """SQL that is checked as one text: a file, or a program's and a notebook's strings and cells."""

    joined: JoinedScript
    origin: TextOrigin

    def offset(self, part: int, host_offset: int) -> int | None:
        """The offset in the SQL of an offset in a part of the file; None if it is not in the SQL."""
        for fragment, start in zip(self.joined.fragments, self.joined.offsets, strict=True):
            if fragment.unit_index == part and fragment.starts[0] <= host_offset <= fragment.ends[-1]:
                sql_offset = max(bisect_right(fragment.starts, host_offset) - 1, 0)
                return start + min(sql_offset, len(fragment.sql))
        return None

    def to_host(self, start: int, end: int) -> tuple[int, int, int]:
        """The part of the file, and the offsets in it, of a range of the SQL."""
        fragment, offset = self.joined.fragment_at(start)
        return fragment.unit_index, *fragment.source_span(start - offset, min(end - offset, len(fragment.sql)))


@dataclass(slots=True)
class Analysis:
    """The analysis of one version.

    source: the file. reports: one for each part: a file has one, a notebook one for each code cell. scripts: its SQL.
    catalog: the state before it. statement_cache: results of earlier versions.
    """

    source: SourceFile
    reports: list[Report]
    scripts: list[Script]
    catalog: Tables
    statement_cache: StatementCache

    def script_at(self, part: int, host_offset: int) -> tuple[Script, int] | None:
        """The SQL at an offset of a part of the file, and the offset in it."""
        for script in self.scripts:
            if (offset := script.offset(part, host_offset)) is not None:
                return script, offset
        return None

    def visit(self, script: Script, start: int, end: int, callback: Callable[[Statement, Tables], None]) -> None:
        """Call a function with each statement between two offsets of a script, and the catalog state before it.

        callback: must not change the catalog state.
        """

        def visited(statement: Statement, catalog: Tables) -> None:
            if statement.head <= end and statement.tail >= start:
                callback(statement, catalog)

        check_and_apply(
            script.joined.sql,
            self.catalog.copy(),
            origin=script.origin,
            statement_cache=self.statement_cache,
            visit=visited,
        )

    def catalog_at(self, script: Script, offset: int) -> tuple[Statement | None, Tables]:
        """The statement that contains an offset, or ends at it, and the catalog state before it."""
        states: list[tuple[Statement | None, Tables]] = []

        def see(statement: Statement, catalog: Tables) -> None:
            if statement.head <= offset <= statement.tail:
                states.append((statement, catalog.copy()))

        self.visit(script, offset, offset, see)
        # Two statements meet at the terminator: a cursor after it is in the second.
        return states[-1] if states else (None, self.catalog.copy())
