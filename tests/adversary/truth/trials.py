"""Trials: a query, filter or statement on a table and on its copy, and how the two differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from adversary import arrow
from adversary.harness import FAILS, Harness
from adversary.harness import first_line as _first_line
from adversary.nodes import Node
from adversary.statements import SHAPES
from adversary.truth import twin
from adversary.truth.changes import Change
from adversary.truth.live import Inserted, Live, Reading
from adversary.truth.queries import Query

Rows = list[tuple[Any, ...]]
GENERIC = (
    "Exception thrown in awaitResult",
    "INTERNAL_ERROR",
    "Job aborted",
    "Task failed",
    "AppendWriteException",
    "Writing job",
)
# Spark computes constants of MERGE's WHEN clauses although no row asks for them, and casts dates in the condition of an
# UPDATE where it compares them as they are in a query.
OVERFLOWS = ("numeric_value_out_of_range", "long overflow", "arithmetic_overflow")
# A partition value of truncate below the least decimal: refused, since Iceberg cannot store it.
UNSTORABLE = ("cannot write value as decimal",)
_NULLS = re.compile(r"\{('\w+': None(, )?)+\}")
Ask = Callable[[str], Rows]


def first_line(error: BaseException) -> str:
    """An error's message; with its first cause, if it says nothing itself."""
    line = _first_line(error)
    cause = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    if cause is None or not any(word in line for word in GENERIC):
        return line
    while cause.getCause() is not None:
        cause = cause.getCause()
    trace = list(cause.getStackTrace())[:2]
    return f"{cause.toString()[:120]} at {' from '.join(str(frame) for frame in trace)}"


class Asker:
    """Runs a query's text in the installed session."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness

    def __call__(self, text: str) -> Rows:
        data = arrow.table(self.harness.sql(text))
        return list(zip(*(column.to_pylist() for column in data.columns), strict=True))


@dataclass(frozen=True)
class Filter:
    """A condition in a query of some shape."""

    shape: str
    node: Node
    kind: str = "filter"

    @property
    def conditions(self) -> tuple[Node, ...]:
        return (self.node,)

    def replaced(self, old: Node, new: Node) -> Filter:
        return replace(self, node=new) if self.node == old else self

    def text(self, relation: str, view: str, number: int = 0) -> str:
        return SHAPES[self.shape].format(t=relation, v=view, p=self.node.sql(), k=number)

    def expected(self, true: Sequence[int]) -> list[int]:
        return [len(true)] if self.shape == "count" else sorted(true)

    def fault(self, harness: Harness, ask: Ask, reading: Reading) -> str | None:
        true = harness.truth(reading.view, [self.node.sql()])[0]
        if not isinstance(true, frozenset):
            return None
        try:
            rows = ask(self.text(reading.relation, reading.view))
        except FAILS as error:
            return f"it fails: {first_line(error)}"
        return differing(self.expected(list(true)), sorted(r for _, r in rows if r is not None))

    def fault_of_spark(self, harness: Harness, ask: Ask, reading: Reading) -> str | None:
        """The same filter over the copy."""
        return self.fault(harness, ask, replace(reading, relation=reading.view))


def differing(expected: list[Any], actual: list[Any]) -> str | None:
    if expected == actual:
        return None
    lost, extra = Counter(expected) - Counter(actual), Counter(actual) - Counter(expected)
    if not lost and not extra:
        return f"the order is {actual[:12]}, not {expected[:12]}"
    parts = f"lost {list(lost.elements())[:6]}, too many {list(extra.elements())[:6]}"
    return f"{parts} ({len(actual)} rows, not {len(expected)})"


@dataclass(frozen=True)
class Asked:
    """A query; conditions: those that its text contains."""

    query: Query
    conditions: tuple[Node, ...] = ()

    @property
    def kind(self) -> str:
        return self.query.kind

    def replaced(self, old: Node, new: Node) -> Asked:
        texts = [t.replace(old.sql(), new.sql()) for t in (self.query.text, self.query.over_copy)]
        conditions = tuple(new if node == old else node for node in self.conditions)
        return replace(self, query=replace(self.query, text=texts[0], over_copy=texts[1]), conditions=conditions)

    def text(self, relation: str, view: str) -> str:
        text = self.query.text.replace("{t}", relation).replace("{v}", view)
        return f"{text} LIMIT {self.query.limit[0]} OFFSET {self.query.limit[1]}" if self.query.limit else text

    def expected(self, harness: Harness, view: str) -> Rows | None:
        """The rows over the copy; None if Spark refuses."""
        over = (self.query.over_copy or self.query.text).replace("{t}", view).replace("{v}", view)
        try:
            with harness.off():
                return Asker(harness)(over)
        except FAILS:
            return None

    def fault(self, harness: Harness, ask: Ask, reading: Reading) -> str | None:
        return self.fault_beside(self.expected(harness, reading.view), ask, reading)

    def fault_beside(self, expected: Rows | None, ask: Ask, reading: Reading) -> str | None:
        """How the rows differ from these."""
        if expected is None:
            return None
        try:
            actual = ask(self.text(reading.relation, reading.view))
        except FAILS as error:
            return f"it fails: {first_line(error)}"
        if self.query.limit:
            limit, offset = self.query.limit
            count = min(limit, max(0, len(expected) - offset))
            right = len(actual) == count and not Counter(actual) - Counter(expected)
            return None if right else f"{actual} are not {count} of {expected[:12]}"
        if self.query.ordered:
            return differing(expected, actual)
        return differing(_sorted(expected), _sorted(actual))

    def fault_of_spark(self, harness: Harness, ask: Ask, reading: Reading) -> str | None:
        return None


def _sorted(rows: Rows) -> Rows:
    return sorted(rows, key=repr)


@dataclass(frozen=True)
class Changed:
    """A row-level statement."""

    change: Change

    @property
    def kind(self) -> str:
        return self.change.kind

    @property
    def conditions(self) -> tuple[Node, ...]:
        return self.change.conditions

    def replaced(self, old: Node, new: Node) -> Changed:
        texts = [t.replace(old.sql(), new.sql()) for t in (self.change.text, self.change.after)]
        conditions = tuple(new if node == old else node for node in self.conditions)
        return Changed(replace(self.change, text=texts[0], after=texts[1], conditions=conditions))

    def text(self, relation: str, view: str) -> str:
        return self.change.text.replace("{t}", relation).replace("{v}", view)

    def apply(self, live: Live, run: Callable[[str], Any]) -> str | None:
        """Run it on the table and the copy: how the rows differ, `unknown` without an answer, `refused`, or None."""
        change, sources = self.change, [] if self.change.rows is None else [live.copies.write(self.change.rows)]
        view = sources[0] if sources else ""
        try:
            try:
                after = live.copies.select(change.after.replace("{v}", live.view).replace("{q}", view), live.columns)
            except FAILS:
                return "unknown"
            try:
                run(self.text(live.name, live.view).replace("{q}", view))
            except FAILS as error:
                message = first_line(error)
                of_spark = OVERFLOWS if self.kind in ("MERGE", "UPDATE") else ()
                if any(word in message.lower() for word in (*change.may_refuse, *UNSTORABLE, *of_spark)):
                    return stored_fault(live) or "refused"
                return f"it fails: {message}"
            if change.rows is not None:
                rows = change.rows.rename_columns([c.name for c in live.columns])
                live.history.append(Inserted(tuple(live.columns), rows, "-- source, its columns with the prefix q_:"))
            live.history.append(self.text("{t}", "copy").replace("{q}", "source"))
            live.evolved = False
            live.become(after)
            return stored_fault(live)
        finally:
            for source in sources:
                live.copies.drop(source)


def _without_null_structs(row: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("None" if _NULLS.fullmatch(cell) else cell for cell in row)


def _without_signs(row: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(re.sub(r"-0\.0(?!\d)", "0.0", cell) for cell in row)


def stored_fault(live: Live, reading: Reading | None = None) -> str | None:
    """How the rows that Iceberg returns without a filter, by the rules or not, differ from the copy's."""
    reading = reading or live.now
    columns = reading.columns
    names = ", ".join(c.name for c in columns)
    try:
        stored = twin.typed(arrow.table(live.harness.sql(f"SELECT {names} FROM {reading.relation}")), columns)
    except FAILS as error:
        return f"reading it fails: {first_line(error)}"
    expected, actual = twin.multiset(columns, reading.rows), twin.multiset(columns, stored)
    if expected == actual:
        return None
    lost, extra = expected - actual, actual - expected
    if Counter(map(_without_null_structs, lost.elements())) == Counter(map(_without_null_structs, extra.elements())):
        return f"null structs as structs of nulls: {list(extra.elements())[:3]}"
    if Counter(map(_without_signs, lost.elements())) == Counter(map(_without_signs, extra.elements())):
        return f"zeros with another sign: {list(extra.elements())[:3]}"
    return f"lost {list(lost.elements())[:3]}, too many {list(extra.elements())[:3]} of {[c.name for c in columns]}"


def batch(
    harness: Harness, ask: Ask, reading: Reading, filters: Sequence[Filter]
) -> list[tuple[Filter, int, str | None]]:
    """Those filters for which there is a truth, with the number of their rows and how they differ.

    They are one query, unless it fails.
    """
    truths = harness.truth(reading.view, [f.node.sql() for f in filters])
    answered = [(f, t) for f, t in zip(filters, truths, strict=True) if isinstance(t, frozenset)]

    def run(part: list[tuple[Filter, frozenset[int]]]) -> list[Any]:
        texts = [f.text(reading.relation, reading.view, k) for k, (f, _) in enumerate(part)]
        answers: list[list[int]] = [[] for _ in part]
        for k, r in ask("\nUNION ALL ".join(texts)):
            if r is not None:
                answers[k].append(r)
        return answers

    faults: list[str | None] = []
    for (f, true), actual in zip(answered, harness.split(answered, run), strict=True):
        if isinstance(actual, Exception):
            faults.append(f"it fails: {first_line(actual)}")
            continue
        fault = differing(f.expected(list(true)), sorted(actual))
        if fault is not None:  # Spark 4.0 computes `c <> 0.0` wrongly beside some twenty other columns
            alone = harness.truth(reading.view, [f.node.sql()])[0]
            fault = differing(f.expected(list(alone)), sorted(actual)) if isinstance(alone, frozenset) else fault
        faults.append(fault)
    return [(f, len(true), fault) for (f, true), fault in zip(answered, faults, strict=True)]


@dataclass
class Tally:
    """The counts of a run."""

    kinds: Counter[str] = field(default_factory=Counter)  # of trials
    steps: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)  # of differences
    wrong: Counter[str] = field(default_factory=Counter)  # differences by the kind of trial
    failures: Counter[str] = field(default_factory=Counter)  # of right statements, by the issue of Iceberg
    refusals: Counter[str] = field(default_factory=Counter)  # messages, of statements that the tables do not show
    tables: int = 0
    filled: int = 0  # filters that some row satisfies
    unknown: int = 0
    seconds: float = 0.0

    @property
    def differences(self) -> int:
        return sum(self.classes.values())

    @property
    def trials(self) -> int:
        return sum(self.kinds.values())
