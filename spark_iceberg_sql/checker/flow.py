"""Control flow of a program: the catalog state before each statement.

Inside a function, tables that another function or later code changes are unknown. Inside a branch of a condition,
tables that an earlier branch changed are unknown, since only one of them runs. Code after a condition follows all of
its branches, except those that exit.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.facts.replay import changed_names
from spark_iceberg_sql.files.source_map import Branch, BranchRange, Offsets, branch_paths
from spark_iceberg_sql.model.table import Name
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.syntax import parser
from spark_iceberg_sql.syntax.script import Statement

# A step that changes more tables than this counts as changing any table: otherwise the time is quadratic.
_MAX_TABLES = 200
# A change of tables by a program without SQL: its offset and the tables; None for any table.
SideEffect = tuple[int, tuple[Name, ...] | None]
ScriptStep = Statement | SideEffect
BranchPath = tuple[Branch, ...]


@record(slots=True)
class SideEffects:
    """Tables that may have been changed. names: as written. any_table: any other table may be among them."""

    names: set[Name] = field(default_factory=set)
    any_table: bool = False

    def add(self, other: SideEffects) -> None:
        """The union with another one."""
        self.names |= other.names
        self.any_table = self.any_table or other.any_table or len(self.names) > _MAX_TABLES

    def invalidate(self, catalog: Tables) -> None:
        """Mark these tables as unknown."""
        if self.any_table:
            catalog.unsettle_below(())
        else:
            catalog.unsettle(*self.names)


@record(slots=True)
class _OpenBranch:
    """A branch that the walk is in. effects: of its statements. catalog_before, pending_before: for a function, the
    state before it.
    """

    branch: Branch
    effects: SideEffects = field(default_factory=SideEffects)
    catalog_before: Tables | None = None
    pending_before: SideEffects = field(default_factory=SideEffects)


class ControlFlow:
    """A walk through the statements of a program. catalog: the catalog state at the current statement.

    script_steps: the branches of each statement or side effect, and the tables it changes, in order.
    """

    def __init__(self, catalog: Tables, script_steps: Sequence[tuple[BranchPath, SideEffects]]) -> None:
        self.catalog = catalog
        self._script_steps = script_steps
        self._number = 0
        self._open_branches: list[_OpenBranch] = []
        self._pending = SideEffects()  # tables that finished branches changed, unknown from the next branch on

    def advance(self) -> None:
        """Move to the next statement: leave the branches that do not contain it, enter those that do."""
        path, effects = self._script_steps[self._number]
        self._leave(path)
        for depth in range(len(self._open_branches), len(path)):
            self._enter(path[: depth + 1])
        for open_branch in self._open_branches:
            open_branch.effects.add(effects)
        self._number += 1

    def end(self) -> None:
        """Leave all branches."""
        self._leave(())

    def _leave(self, path: BranchPath) -> None:
        while (
            self._open_branches
            and tuple(open_branch.branch for open_branch in self._open_branches) != path[: len(self._open_branches)]
        ):
            closed = self._open_branches.pop()
            if closed.catalog_before is not None:
                inner_catalog, self.catalog, self._pending = (
                    self.catalog,
                    closed.catalog_before,
                    closed.pending_before,
                )
                # Session settings, and whether tables may have rows, are never reverted.
                self.catalog.others, self.catalog.time_zone = (inner_catalog.others, inner_catalog.time_zone)
                self.catalog.case_sensitive = inner_catalog.case_sensitive
            if closed.branch.is_function or closed.branch.always_exits:
                closed.effects.invalidate(self.catalog)
            else:
                self._pending.add(closed.effects)

    def _enter(self, path: BranchPath) -> None:
        open_branch = _OpenBranch(path[-1])
        if path[-1].is_function:
            open_branch.catalog_before, open_branch.pending_before = self.catalog, self._pending
            self.catalog = self.catalog.copy()
            self._outside_effects(path).invalidate(self.catalog)
        # Of the branches of one condition only one runs: tables that the earlier ones changed are unknown here.
        self._pending.invalidate(self.catalog)
        self._pending = SideEffects()
        self._open_branches.append(open_branch)

    def _outside_effects(self, path: BranchPath) -> SideEffects:
        """The tables changed outside a function, except by the statements before it."""
        outside = SideEffects()
        for number, (other_path, effects) in enumerate(self._script_steps):
            runs_before = number < self._number and other_path == path[: len(other_path)]
            if not runs_before and other_path[: len(path)] != path:
                outside.add(effects)
            if outside.any_table:
                break
        return outside


def ordered_steps(statements: Sequence[Statement], side_effects: Sequence[SideEffect]) -> list[ScriptStep]:
    """Statements and side effects, in text order."""
    return sorted([*side_effects, *statements], key=lambda script_step: _step_span(script_step)[0])


def control_flow(
    catalog: Tables, script_steps: Sequence[ScriptStep], branch_ranges: Sequence[BranchRange]
) -> ControlFlow:
    """The walk through statements and side effects. branch_ranges: an outer branch comes before those inside it."""
    step_paths = branch_paths([_step_span(script_step) for script_step in script_steps], branch_ranges)
    return ControlFlow(catalog, list(zip(step_paths, map(_step_effects, script_steps), strict=True)))


def _step_span(script_step: ScriptStep) -> Offsets:
    return (
        (script_step.start, script_step.end) if isinstance(script_step, Statement) else (script_step[0], script_step[0])
    )


def _step_effects(script_step: ScriptStep) -> SideEffects:
    try:
        names = changed_names(parser.parse(script_step)) if isinstance(script_step, Statement) else script_step[1]
    except Exception:
        names = ()  # the check parses it, too, and reports the error
    return SideEffects(set(names or ()), names is None)
