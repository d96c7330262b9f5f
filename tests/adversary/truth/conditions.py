"""Random conditions on the columns of a table: comparisons with its values, their neighbours and the ends of types."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from adversary.nodes import Node, leaf, make
from adversary.truth import columns
from adversary.truth.columns import DAY, Column

OPERATORS = ("=", "=", "=", "<", "<=", ">", ">=", "<>", "<=>")
_WHOLE = ("int", "bigint")


class Conditions:
    """Trees of comparisons over a table's columns; literals come from its rows."""

    def __init__(
        self, rng: Random, table: Sequence[Column], rows: Sequence[dict[str, Any]], partitioned: Sequence[str]
    ) -> None:
        self.rng = rng
        self.leaves: list[Column] = [leaf_ for c in table for leaf_ in c.leaves]
        self.partitioned = [c for c in self.leaves if c.name in partitioned]
        self.rows = rows

    def column(self) -> Column:
        if self.partitioned and self.rng.random() < 0.35:
            return self.rng.choice(self.partitioned)
        return self.rng.choice(self.leaves)

    def value(self, of: Column) -> Any:
        """A value of a row, one next to it, or any of the type; sometimes None."""
        rng = self.rng
        if rng.random() < 0.02:
            return None
        if self.rows and rng.random() < 0.8:
            name, _, part = of.name.partition(".")
            held = rng.choice(self.rows).get(name)
            held = held.get(part) if part and held is not None else held
            if held is not None:
                near = columns.edge(rng, of, held) if rng.random() < 0.15 else held
                return near if rng.random() < 0.7 else columns.beside(rng, of, near)
        return columns.value(rng, of)

    def literal(self, of: Column) -> Node:
        """A literal of the column's type, or of another one with which SQL compares it."""
        rng, value = self.rng, self.value(of)
        text = columns.literal(of, value)
        if value is None or rng.random() < 0.6:
            return leaf("literal", text)
        if of.family in _WHOLE:
            text = rng.choice((str(value), f"{value}.5BD", f"{value}D", f"{value}.0BD", str(2**31), str(-(2**31) - 1)))
        elif of.family == "decimal":
            text = rng.choice((f"{value}BD" if "E" not in str(value) else text, "0", "100", "1D"))
        elif of.family in ("float", "double"):
            exact = [f"CAST('{value!r}' AS double)"] if math.isfinite(value) else []
            text = rng.choice(
                (*exact, "0", "0.0BD", "0.0D", "-0.0D", "0.0F", "2", "0.1D", "CAST('NaN' AS double)", "1e40D")
            )
        elif of.family == "date" and abs(value) < 100_000:
            text = rng.choice(
                (
                    f"timestamp_micros({value * DAY + rng.choice((0, 1))})",
                    f"TIMESTAMP_NTZ'2024-01-0{rng.randint(1, 9)}'",
                )
            )
        elif of.family == "timestamp":
            text = rng.choice(("DATE'2024-01-01'", "DATE'1970-01-01'", f"DATE'2023-12-{rng.randint(10, 31)}'"))
        return leaf("literal", text)

    def atom(self) -> Node:
        """A condition on one column."""
        of = self.column()
        return (
            self.pattern(of)
            if of.family == "string" and self.rng.random() < 0.3
            else self.compared(of, leaf("column", of.name))
        )

    def compared(self, of: Column, e: Node) -> Node:
        rng = self.rng
        kind = rng.random()
        if of.family == "boolean" and kind < 0.3:
            return make("bool", rng.choice(("(({}))", "(NOT {})", "({} IS TRUE)", "({} IS NOT FALSE)")), e)
        if of.family in ("float", "double") and kind < 0.1:
            return make("bool", rng.choice(("isnan({})", "(NOT isnan({}))", "({0} = {0})", "(nanvl({}, 0.0D) = 0)")), e)
        if kind < 0.2:
            items = tuple(self.literal(of) for _ in range(rng.choice((1, 2, 2, 3, 12))))
            word = rng.choice(("IN", "IN", "IN", "NOT IN"))
            return make("bool", f"({{}} {word} ({{}}))", e, Node("list", "", items))
        if kind < 0.28:
            word = rng.choice(("BETWEEN", "NOT BETWEEN"))
            return make("bool", f"({{}} {word} {{}} AND {{}})", e, self.literal(of), self.literal(of))
        if kind < 0.36:
            return make("bool", f"({{}} IS {rng.choice(('', 'NOT '))}NULL)", e)
        if kind < 0.4 and (same := [c for c in self.leaves if c.type == of.type and c.name != of.name]):
            return make("bool", f"({{}} {rng.choice(OPERATORS)} {{}})", e, leaf("column", rng.choice(same).name))
        if kind < 0.52:
            return self.called(of, e)
        operator = rng.choice(OPERATORS)
        if rng.random() < 0.15:
            return make("bool", f"({{}} {operator} {{}})", self.literal(of), e)
        return make("bool", f"({{}} {operator} {{}})", e, self.literal(of))

    def pattern(self, of: Column) -> Node:
        rng = self.rng
        full_text = str(self.value(of) or "a").replace("\\", "").replace("'", "")
        start = full_text[: rng.randint(0, min(18, len(full_text)))]
        name = leaf("column", of.name)
        if rng.random() < 0.3:
            call = rng.choice(("startswith", "endswith", "contains"))
            return make(
                "bool",
                rng.choice((f"{call}({{}}, {{}})", f"(NOT {call}({{}}, {{}}))")),
                name,
                leaf("text", f"'{start}'"),
            )
        wildcard = rng.choice(("%", "%", "%", "", "_%", "%a"))
        return make(
            "bool",
            rng.choice(("({} LIKE {})", "({} LIKE {})", "({} NOT LIKE {})")),
            name,
            leaf("text", f"'{start}{wildcard}'"),
        )

    def called(self, of: Column, e: Node) -> Node:
        """A comparison of a function of the column with its value for a literal."""
        rng = self.rng
        forms: dict[str, Callable[[], str]] = {
            "date": lambda: rng.choice(
                ("year({})", "month({})", "iceberg_months({})", "trunc({}, 'MM')", "iceberg_days({})")
            ),
            "timestamp": lambda: rng.choice(
                ("year({})", "to_date({})", "date_trunc('day', {})", "iceberg_hours({})", "hour({})")
            ),
            "timestamp_ntz": lambda: rng.choice(
                ("year({})", "CAST({} AS date)", "iceberg_days({})", "iceberg_months({})")
            ),
            "string": lambda: rng.choice(
                ("iceberg_truncate(2, {})", "iceberg_bucket(4, {})", "substr({}, 1, 2)", "upper({})")
            ),
            "decimal": lambda: rng.choice(("iceberg_truncate(50, {})", "iceberg_bucket(4, {})", "abs({})")),
            "float": lambda: rng.choice(("CAST({} AS double)", "CAST({} AS string)", "abs({})", "({} + 0)")),
            "double": lambda: rng.choice(("CAST({} AS float)", "CAST({} AS string)", "abs({})", "(- {})")),
            "binary": lambda: rng.choice(("iceberg_bucket(4, {})", "hex({})", "iceberg_truncate(1, {})")),
            "boolean": lambda: "CAST({} AS int)",
        }
        form = forms.get(
            of.family, lambda: rng.choice(("iceberg_truncate(10, {})", "iceberg_bucket(4, {})", "CAST({} AS bigint)"))
        )()
        operator = rng.choice(OPERATORS)
        value = leaf("literal", columns.literal(of, self.value(of)))
        return make("bool", f"({{}} {operator} {{}})", make("value", form, e), make("value", form, value))

    def tree(self, atoms: list[Node]) -> Node:
        rng, first = self.rng, atoms[0]
        if len(atoms) == 1:
            form = rng.choice(
                (
                    *(
                        "(NOT {})",
                        "({} IS TRUE)",
                        "({} IS NOT TRUE)",
                        "coalesce({}, false)",
                        "({} OR r % 4 = 0)",
                        "({} AND r % 2 = 1)",
                    ),
                    *(
                        "CASE WHEN {} THEN true ELSE r = 3 END",
                        "(NOT (NOT {}))",
                        "({} <=> true)",
                        "if({}, r > 2, r < 2)",
                    ),
                )
            )
            return make("bool", form, first)
        second = self.tree(atoms[1:]) if len(atoms) > 2 else atoms[1]
        form = rng.choice(
            (
                *("({} AND {})", "({} AND {})", "({} OR {})", "({} OR {})", "(NOT ({} OR {}))", "(NOT ({} AND {}))"),
                *(
                    "({} AND NOT {})",
                    "({} OR NOT {})",
                    "(({} AND r % 2 = 1) OR {})",
                    "if({}, {}, false)",
                    "({} <=> {})",
                ),
            )
        )
        return make("bool", form, first, second)

    def of_partitions(self) -> Node:
        """A condition on the columns of partition fields alone, by which whole files may be removed."""
        only = Conditions(self.rng, self.partitioned or self.leaves, self.rows, ())
        # As leaves, they have their names within their structs already.
        atoms = [only.atom() for _ in range(self.rng.choice((1, 1, 1, 2)))]
        if len(atoms) == 1:
            return atoms[0] if self.rng.random() < 0.8 else make("bool", "(NOT {})", atoms[0])
        return make("bool", self.rng.choice(("({} AND {})", "({} OR {})", "({} AND NOT {})")), *atoms)

    def next(self) -> Node:
        """A condition."""
        if self.rng.random() < 0.5:
            return self.atom()
        return self.tree([self.atom() for _ in range(self.rng.choice((1, 2, 2, 3)))])
