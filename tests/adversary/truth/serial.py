"""What a table may hold after statements of several writers: a model in Python of rows (r, k, v), without Spark.

Serializable: the rows of some serial order of the statements that succeeded. Snapshot isolation: each statement reads
a version that is no older than its writer's last commit, and replaces rows of the current one: all those that it read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Row = tuple[int | None, ...]
State = tuple[Row, ...]
Effect = tuple[list[Row], list[Row]]  # rows taken out, rows put in


@dataclass(frozen=True)
class Statement:
    """A statement over `{t}`, and the rows that it takes out and puts in when it reads a state."""

    text: str
    effect: Callable[[State], Effect]


@dataclass(frozen=True)
class Outcome:
    """A statement that succeeded, with the time of its start and end."""

    statement: Statement
    start: float
    end: float


def after(state: State, effect: Effect) -> State | None:
    """The state with an effect; None if a row to be taken out is not there, which has to be a conflict."""
    left = Counter(state)
    for row in effect[0]:
        if not left[row]:
            return None
        left[row] -= 1
    return canonical([*left.elements(), *effect[1]])


def canonical(rows: Sequence[Row]) -> State:
    return tuple(sorted(rows, key=repr))


def serial(start: State, writers: Sequence[Sequence[Outcome]], final: State) -> bool:
    """Whether some order gives the final rows; it keeps that of each writer, and that of statements apart in time."""
    visited: set[tuple[tuple[int, ...], State]] = set()

    def search(done: tuple[int, ...], state: State) -> bool:
        if (done, state) in visited:
            return False
        visited.add((done, state))
        if all(n == len(w) for n, w in zip(done, writers, strict=True)):
            return state == final
        for at in _next(done, writers):
            then = after(state, writers[at][done[at]].statement.effect(state))
            if then is not None and search(_step(done, at), then):
                return True
        return False

    return search((0,) * len(writers), start)


def snapshot(starts: Sequence[State], read: Sequence[int], writers: Sequence[Sequence[Outcome]], final: State) -> bool:
    """The same under snapshot isolation: a statement may have read an earlier version.

    starts: the versions before all statements, each the one before with rows put in. read: for each writer, the number
    of the version that its session holds. A statement that only takes rows out may find them taken out by another such
    one, which is no conflict.
    """

    def search(
        done: tuple[int, ...], versions: tuple[State, ...], deleted: tuple[Counter[Row], ...], last: tuple[int, ...]
    ) -> bool:
        """deleted: the rows that led from each version to the next, if none was put in."""
        if all(n == len(w) for n, w in zip(done, writers, strict=True)):
            return versions[-1] == final
        for at in _next(done, writers):
            statement = writers[at][done[at]].statement
            for version in range(last[at], len(versions)):
                out, put = statement.effect(versions[version])
                if not put:
                    deleted_rows = sum(deleted[version:], Counter[Row]())
                    out = [*(Counter(out) - (deleted_rows - Counter(versions[-1]))).elements()]
                then = after(versions[-1], (out, put))
                if then is None:
                    continue
                newest = tuple(len(versions) if n == at else v for n, v in enumerate(last))
                step = Counter[Row]() if put else Counter(out)
                if search(_step(done, at), (*versions, then), (*deleted, step), newest):
                    return True
        return False

    return search((0,) * len(writers), tuple(starts), (Counter[Row](),) * (len(starts) - 1), tuple(read))


def _next(done: tuple[int, ...], writers: Sequence[Sequence[Outcome]]) -> list[int]:
    """The writers whose next statement may be the next of all: no other one ended before it began."""
    open_ = [(at, w[n]) for at, (n, w) in enumerate(zip(done, writers, strict=True)) if n < len(w)]
    return [at for at, outcome in open_ if not any(o.end < outcome.start for other, o in open_ if other != at)]


def _step(done: tuple[int, ...], at: int) -> tuple[int, ...]:
    return tuple(n + (number == at) for number, n in enumerate(done))
