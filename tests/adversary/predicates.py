"""Random predicates: comparisons with literals equal or next to the values of rows, and trees of these."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from random import Random

from adversary import zones
from adversary.nodes import Node, leaf, make
from adversary.rows import extreme
from adversary.tables import Table
from adversary.zones import DAY, HOUR, MINUTE, SECOND

OPERATORS = ("=", "=", "=", "=", "<", "<=", ">", ">=", "<>", "<=>")
BESIDE = (1, SECOND, 15 * SECOND, 30 * SECOND, MINUTE, 10 * MINUTE, HOUR // 2, HOUR, 3 * HOUR, DAY)


@dataclass(frozen=True)
class Valued:
    """An expression, its SQL type, and its value for each row of the table as text; None is NULL."""

    node: Node
    type: str
    values: dict[int, str | None]


def shown(type: str, sql: str) -> str:
    """SQL for an expression's value as text that `literal` can read."""
    if type == "timestamp":
        return f"CAST(unix_micros({sql}) AS string)"
    if type == "date":
        return f"CAST(unix_date({sql}) AS string)"
    if type == "binary":
        return f"hex({sql})"
    return f"CAST({sql} AS string)"


def literal(rng: Random, type: str, text: str) -> str:
    """A value as a literal of its type."""
    if type == "timestamp":
        micros = int(text)
        if rng.random() < 0.4 and abs(micros) < 50 * 366 * DAY:
            return f"TIMESTAMP'{zones.EPOCH + timedelta(microseconds=micros)}Z'"
        return f"timestamp_micros({text})"
    if type == "date":
        days = int(text)
        if rng.random() < 0.5 and abs(days) < 50 * 366:
            return f"DATE'{(zones.EPOCH + timedelta(days=days)).date()}'"
        return f"date_from_unix_date({text})"
    if type == "timestamp_ntz":
        return f"TIMESTAMP_NTZ'{text}'"
    if type == "binary":
        return f"X'{text}'"
    if type.startswith("string"):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if type.startswith("decimal"):
        return f"CAST('{text}' AS {type})" if rng.random() < 0.5 else f"{text}BD"
    if type == "bigint":
        return f"{text}L" if rng.random() < 0.5 else text
    return text  # numbers, booleans and intervals are written as displayed


def beside(rng: Random, type: str, text: str) -> str:
    """An adjacent value, for types that have one."""
    if type in ("int", "bigint", "smallint", "tinyint", "date"):
        return str(int(text) + rng.choice((1, -1)))
    if type == "timestamp":
        moved = int(text) + rng.choice((1, -1)) * rng.choice(BESIDE)
        return str(max(-(2**63), min(2**63 - 1, moved)))
    if type.startswith("string") and text:
        return rng.choice((text[:-1], text + "a", text[: len(text) // 2], text.upper()))
    return text


class Predicates:
    """Trees of comparisons; all literals of a tree come from rows near one row, its focus."""

    def __init__(self, rng: Random, table: Table) -> None:
        self.rng = rng
        self.by_time = sorted(
            (r for r in range(len(table.rows)) if table.rows[r][1] is not None), key=lambda r: table.rows[r][1]
        )
        self.table = table
        self.rows = list(range(len(table.rows)))
        self.changed = [  # rows within about an hour of a time-zone transition
            r for r in self.by_time if any(abs(table.rows[r][1] - at) < 75 * MINUTE for at in table.changes)
        ]
        self.brink = [r for r in self.changed if any(abs(table.rows[r][1] - at) <= 75 * SECOND for at in table.changes)]
        self.least = [r for r in self.rows if extreme(table.rows[r])]

    def near(self, focus: int) -> int:
        """A row close in time, or any row."""
        if focus in self._place and self.rng.random() < 0.75:
            at = self._place[focus] + self.rng.choice((0, 1, -1, 2, -2, 5, -5))
            return self.by_time[max(0, min(len(self.by_time) - 1, at))]
        return self.rng.choice(self.rows)

    @property
    def _place(self) -> dict[int, int]:
        if not hasattr(self, "_places"):
            self._places = {r: at for at, r in enumerate(self.by_time)}
        return self._places

    def value(self, of: Valued, focus: int, exact: float = 0.7) -> str:
        """A literal: the value of the focus or of a row near it, or an adjacent value."""
        rng = self.rng
        row = focus if rng.random() < 0.6 else self.near(focus)
        text = of.values.get(row)
        if text is None:
            non_nulls = [v for v in of.values.values() if v is not None]
            if not non_nulls:
                return "NULL"
            text = rng.choice(non_nulls)
        if rng.random() > exact:
            text = beside(rng, of.type, text)
        return literal(rng, of.type, text)

    def compare(self, of: Valued, focus: int) -> Node:
        """A comparison of an expression with literals."""
        rng, e = self.rng, of.node
        kind = rng.random()
        text = of.type.startswith("string")
        if text and kind < 0.2:
            full_text = (of.values.get(focus) or "a").replace("\\", "").replace("'", "")
            start = full_text[: rng.randint(0, min(19, len(full_text)))]
            wildcard = self.rng.choice(("%", "%", "", "_%", "%5"))
            return make(
                "bool", f"({{}} {rng.choice(('', '', 'NOT '))}LIKE {{}})", e, leaf("like", f"'{start}{wildcard}'")
            )
        if of.type == "boolean" and kind < 0.3:
            return e

        def lit() -> Node:
            return leaf("literal", self.value(of, focus))

        if kind < 0.22:
            count = rng.choice((1, 2, 2, 3, 12))
            items = [lit() for _ in range(count)]
            if rng.random() < 0.03:
                items.append(leaf("literal", "NULL"))
            word = "NOT IN" if rng.random() < 0.2 else "IN"
            return make("bool", f"({{}} {word} ({{}}))", e, Node("list", "", tuple(items)))
        if kind < 0.3:
            word = rng.choice(("BETWEEN", "BETWEEN", "NOT BETWEEN"))
            return make("bool", f"({{}} {word} {{}} AND {{}})", e, lit(), lit())
        if kind < 0.34:
            return make("bool", f"({{}} IS {rng.choice(('', 'NOT '))}NULL)", e)
        if kind < 0.36:
            return make("bool", f"({{}} {rng.choice(OPERATORS)} {{}})", e, e)
        op = rng.choice(OPERATORS)
        if rng.random() < 0.2:
            return make("bool", f"({{}} {op} {{}})", lit(), e)
        return make("bool", f"({{}} {op} {{}})", e, lit())

    def window(self, focus: int, days: Valued) -> Node:
        """A predicate that is true in a time range around the focus."""
        rng = self.rng
        micros = self.table.rows[focus][1]
        if rng.random() < 0.4 or micros is None:
            return make("bool", "({} = {})", days.node, leaf("literal", self.value(days, focus, 0.95)))
        reach = rng.choice((0, SECOND, 15 * SECOND, 10 * MINUTE, HOUR, 3 * HOUR, 30 * HOUR, 30 * DAY))
        start = micros - reach
        end = micros + rng.choice((1, SECOND, 15 * SECOND, 10 * MINUTE, HOUR, 30 * HOUR, 30 * DAY))
        close = [at for at in self.table.changes if abs(at - micros) < 4 * HOUR]
        if close and rng.random() < 0.5:  # a bound within the hour that is repeated or skipped
            edge = rng.choice(close) + rng.choice((-15 * SECOND, 15 * SECOND, -20 * MINUTE, 20 * MINUTE, 50 * MINUTE))
            start, end = (edge, end) if rng.random() < 0.5 else (start, edge)
        ends = [leaf("literal", literal(rng, "timestamp", str(t))) for t in (start, end)]
        if rng.random() < 0.8:
            column = leaf("ts", "ts")
            return make(
                "bool",
                "({} AND {})",
                make("bool", f"({{}} {rng.choice(('>=', '>'))} {{}})", column, ends[0]),
                make("bool", f"({{}} {rng.choice(('<', '<='))} {{}})", column, ends[1]),
            )
        return make("bool", "({} BETWEEN {} AND {})", leaf("ts", "ts"), *ends)

    def recurring(self, focus: int, part: Valued, days: Valued) -> Node:
        """A window and a cyclic part of the date or time: hour(ts) IN (..) AND to_date(ts) = .."""
        rng = self.rng
        rows = [focus, *(rng.choice(self.rows) for _ in range(rng.choice((0, 1, 1, 2))))]
        part_values = {part.values.get(r) for r in rows} - {None}
        items = [leaf("literal", text) for text in sorted(map(str, part_values))] or [leaf("literal", "1")]
        held = make("bool", "({} IN ({}))", part.node, Node("list", "", tuple(items)))
        if len(items) == 1:
            held = make("bool", "({} = {})", part.node, items[0])
        both = [self.window(focus, days), held]
        rng.shuffle(both)
        return make("bool", "({} AND {})", *both)

    def tree(self, atoms: list[Node]) -> Node:
        """Several predicates (of one focus) combined."""
        rng, first = self.rng, atoms[0]
        if len(atoms) == 1:
            form = rng.choice(
                (
                    *("NOT {}", "({} IS TRUE)", "({} = true)", "({} <=> true)", "coalesce({}, false)"),
                    *("nvl({}, false)", "if({}, true, false)", "({} OR r = 0)", "({} IS NOT FALSE)"),
                    *("CASE WHEN {} THEN true ELSE false END", "(NOT (NOT {}))", "({} OR i IS NULL)"),
                )
            )
            return make("bool", form, first)
        second = self.tree(atoms[1:]) if len(atoms) > 2 else atoms[1]
        form = rng.choice(
            (
                *("({} AND {})", "({} AND {})", "({} AND {})", "({} OR {})", "({} OR {})", "(NOT ({} OR {}))"),
                *("(NOT ({} AND {}))", "({} AND NOT {})", "({} OR NOT {})", "if({}, {}, false)"),
                *("CASE WHEN {} THEN {} ELSE r > 3 END", "(coalesce({}, false) AND {})", "({} = {})"),
            )
        )
        return make("bool", form, first, second)

    def next(self, pool: list[Valued], parts: list[Valued], days: list[Valued]) -> Node:
        """A predicate over the expressions of a pool."""
        rng = self.rng
        focus = rng.choice(self.rows)
        if self.least and rng.random() < 0.12:
            focus = rng.choice(self.least)
        elif self.changed and rng.random() < 0.5:
            focus = rng.choice(self.brink if self.brink and rng.random() < 0.4 else self.changed)
        kind = rng.random()
        if kind < 0.3 and parts and days:
            predicate = self.recurring(focus, rng.choice(parts), rng.choice(days))
            return predicate if rng.random() < 0.85 else self.tree([predicate, self.compare(rng.choice(pool), focus)])
        if kind < 0.68:
            return self.compare(rng.choice(pool), focus)
        count = rng.choice((1, 2, 2, 2, 3))
        return self.tree([self.compare(rng.choice(pool), focus) for _ in range(count)])
