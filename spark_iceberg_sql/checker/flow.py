"""Control flow of a program: the catalog state before each statement.

Inside a function, tables that another function or later code changes are unknown. Inside a branch of a
condition, tables that an earlier branch changed are unknown, since only one of them runs. Code after a
condition follows all of its branches, except those that exit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.facts.replay import changed
from spark_iceberg_sql.files.source_map import Arm, Offsets, Stretch
from spark_iceberg_sql.model.table import Name
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.syntax import parser
from spark_iceberg_sql.syntax.script import Statement

# A step that changes more tables than this counts as changing any table: otherwise the time is quadratic.
_MANY = 200
# A change of tables by a program without SQL: its offset and the tables; None for any table.
Made = tuple[int, tuple[Name, ...] | None]
Step = Statement | Made
Path = tuple[Arm, ...]


@record(slots=True)
class Changes:
    """Tables that may have been changed. names: as written. any_table: any other table may be among them."""

    names: set[Name] = field(default_factory=set)
    anything: bool = False

    def add(self, other: Changes) -> None:
        """The union with another one."""
        self.names |= other.names
        self.anything = self.anything or other.anything or len(self.names) > _MANY

    def forgotten(self, known: Tables) -> None:
        """Mark these tables as unknown."""
        if self.anything:
            known.unsettle_below(())
        else:
            known.unsettle(*self.names)


def paths(places: Sequence[Offsets], stretches: Sequence[Stretch]) -> Iterator[Path]:
    """The branches that contain each span, from the outermost to the innermost. spans, branch_ranges: in order."""
    coming = iter(stretches)
    following = next(coming, None)
    around: list[Stretch] = []
    for start, end in places:
        while following is not None and following[0] <= start:
            around = [each for each in around if each[1] >= following[1]]
            around.append(following)
            following = next(coming, None)
        around = [each for each in around if each[1] >= start]
        yield tuple(arm for _, stop, arm in around if end <= stop)


@record(slots=True)
class _Open:
    """A branch that the walk is in. effects: of its statements. catalog_before, pending_before: for a function,
    the state before it.
    """

    arm: Arm
    own: Changes = field(default_factory=Changes)
    known: Tables | None = None
    left: Changes = field(default_factory=Changes)


class Flow:
    """A walk through the statements of a program. catalog: the catalog state at the current statement.

    script_steps: the branches of each statement or side effect, and the tables it changes, in order.
    """

    def __init__(self, known: Tables, steps: Sequence[tuple[Path, Changes]]) -> None:
        self.known = known
        self._steps = steps
        self._number = 0
        self._open: list[_Open] = []
        self._left = (
            Changes()
        )  # tables that finished branches changed, unknown from the next branch on

    def step(self) -> None:
        """Move to the next statement: leave the branches that do not contain it, enter those that do."""
        path, changes = self._steps[self._number]
        self._leave(path)
        for depth in range(len(self._open), len(path)):
            self._enter(path[: depth + 1])
        for each in self._open:
            each.own.add(changes)
        self._number += 1

    def end(self) -> None:
        """Leave all branches."""
        self._leave(())

    def _leave(self, path: Path) -> None:
        while self._open and tuple(each.arm for each in self._open) != path[: len(self._open)]:
            ended = self._open.pop()
            if ended.known is not None:
                inner, self.known, self._left = self.known, ended.known, ended.left
                # Session settings, and whether tables may have rows, are never reverted.
                self.known.others, self.known.time_zone = inner.others, inner.time_zone
                self.known.case_sensitive = inner.case_sensitive
            if ended.arm.function or ended.arm.leaves:
                ended.own.forgotten(self.known)
            else:
                self._left.add(ended.own)

    def _enter(self, path: Path) -> None:
        entered = _Open(path[-1])
        if path[-1].function:
            entered.known, entered.left = self.known, self._left
            self.known = self.known.copy()
            self._elsewhere(path).forgotten(self.known)
        # Of the branches of one condition only one runs: tables that the earlier ones changed are unknown here.
        self._left.forgotten(self.known)
        self._left = Changes()
        self._open.append(entered)

    def _elsewhere(self, path: Path) -> Changes:
        """The tables changed outside a function, except by the statements before it."""
        found = Changes()
        for number, (other, changes) in enumerate(self._steps):
            before = number < self._number and other == path[: len(other)]
            if not before and other[: len(path)] != path:
                found.add(changes)
            if found.anything:
                break
        return found


def in_order(statements: Sequence[Statement], made: Sequence[Made]) -> list[Step]:
    """Statements and side effects, in text order."""
    return sorted([*made, *statements], key=lambda step: _place(step)[0])


def flow_through(known: Tables, steps: Sequence[Step], stretches: Sequence[Stretch]) -> Flow:
    """The walk through these statements and side effects. branch_ranges: an outer branch comes before
    those inside it.
    """
    around = paths([_place(step) for step in steps], stretches)
    return Flow(known, list(zip(around, map(_changes, steps), strict=True)))


def _place(step: Step) -> Offsets:
    return (step.start, step.end) if isinstance(step, Statement) else (step[0], step[0])


def _changes(step: Step) -> Changes:
    names: Sequence[Name] | None
    if isinstance(step, Statement):
        try:
            names = changed(parser.read(step))
        except Exception:
            names = ()  # the check parses it, too, and reports the error
    else:
        names = step[1]
    return Changes(set(names or ()), names is None)
