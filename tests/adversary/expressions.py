"""The base of all generators of random SQL expressions: columns, constants, and values wrapped in conditionals."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from adversary.nodes import Node, leaf, make
from adversary.tables import Table

KINDS = ("ts", "ntz", "date", "int", "long", "dec", "text", "bytes", "span", "bool")
CALLS = ("iceberg_", "iceberg_", "local.system.")


class Base:
    """Generates expressions; `kind` is ts, ntz, date, int, long, dec, text, bytes, span (an interval) or bool."""

    def __init__(self, rng: Random, table: Table, ansi: bool) -> None:
        self.rng = rng
        self.table = table
        self.calls = CALLS
        self.careful = ansi and not table.tame  # arithmetic on such numbers usually overflows
        self.depths = (0, 1, 1) if table.ends else (1, 2, 2, 3)
        self.moments = [row[1] for row in table.rows if row[1] is not None]

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def make(self, kind: str, depth: int) -> Node:
        if self.rng.random() < 0.06 and depth > 0:
            return self.wrapped(kind, depth - 1)
        methods: dict[str, Callable[[int], Node]] = {name: getattr(self, name) for name in KINDS}
        return methods[kind](depth)

    def wrapped(self, kind: str, depth: int) -> Node:
        """A conditional that returns the value, or another one of the same kind."""
        forms = (
            "coalesce({}, {})",
            "nvl({}, {})",
            "if(r % 2 = 0, {}, {})",
            "CASE WHEN r > 5 THEN {} ELSE {} END",
            "greatest({}, {})",
            "least({}, {})",
            "CASE WHEN {0} IS NULL THEN NULL ELSE {1} END",
            "ifnull({}, {})",
        )
        first = self.make(kind, depth)
        return make(kind, self.rng.choice(forms), first, first if self.rng.random() < 0.5 else self.make(kind, 0))

    def column(self, name: str) -> Node:
        kinds = {"ts": "ts", "n": "ntz", "d": "date", "i": "int", "sm": "int", "ty": "int", "l": "long"}
        kinds |= {"dec": "dec", "dec2": "dec", "s": "text", "b": "bytes", "bo": "bool"}
        return leaf(kinds[name.removeprefix("st.")], name)

    def call(self) -> str:
        return self.rng.choice(self.calls)

    def moment(self) -> str:
        """A constant time in the data, or a common epoch."""
        if not self.moments or self.rng.random() < 0.3:
            return self.pick("timestamp'1970-01-01'", "timestamp'2000-01-01 00:00:00'", "timestamp_micros(0)")
        return f"timestamp_micros({self.rng.choice(self.moments)})"

    def when(self, depth: int) -> Node:
        """A date, timestamp or timestamp without zone."""
        return self.make(self.pick("ts", "ts", "ts", "ntz", "date"), depth)
