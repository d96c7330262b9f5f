"""Random queries over a table: orders, limits, groups, joins, windows, set operations, subqueries, metadata columns.

`{t}` is the table and `{v}` the copy of its rows, which may stand beside the table; for the expected rows both are the
copy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from adversary.nodes import Node
from adversary.truth.columns import Column, shown

_SORTABLE_AGGREGATES = ("count({c})", "min({c})", "max({c})", "count(DISTINCT {c})")


@dataclass(frozen=True)
class Query:
    """limit: of a query whose rows are any of those without it. over_copy: the text for the copy, if another one."""

    kind: str
    text: str
    ordered: bool = False
    limit: tuple[int, int] | None = None
    over_copy: str = ""


class Queries:
    """Draws queries over a table's columns, with the conditions."""

    def __init__(
        self,
        rng: Random,
        columns: Sequence[Column],
        sources: Sequence[str],
        spec: Sequence[str],
        conditions: Sequence[Node],
    ) -> None:
        self.rng = rng
        self.columns = [leaf for c in columns for leaf in c.leaves]
        self.sources = [c for c in self.columns if c.name in sources]
        self.fields = [c for c in self.columns if c.name in spec]  # partitioned by identity
        self.conditions = conditions

    def next(self) -> Query:
        kinds: tuple[Callable[[], Query], ...] = (
            *(
                self.top,
                self.top,
                self.limited,
                self.grouped,
                self.grouped,
                self.total,
                self.total,
                self.joined,
                self.joined,
            ),
            *(
                self.window,
                self.set_operation,
                self.set_operation,
                self.distinct,
                self.subquery,
                self.metadata,
                self.union,
            ),
        )
        return self.rng.choice(kinds)()

    def key(self) -> Column:
        if self.sources and self.rng.random() < 0.4:
            return self.rng.choice(self.sources)
        return self.rng.choice(self.columns)

    def where(self, share: float = 0.6) -> str:
        if self.rng.random() > share:
            return ""
        if self.rng.random() < 0.15:
            return f" WHERE {self.key().name} IS {self.rng.choice(('', 'NOT '))}NULL"
        return f" WHERE {self.rng.choice(self.conditions).sql()}"

    def aggregates(self) -> list[str]:
        chosen = ["count(*)"] if self.rng.random() < 0.7 else []
        for column in self.rng.sample(self.columns, self.rng.choice((1, 1, 2))):
            call = self.rng.choice(_SORTABLE_AGGREGATES).format(c=column.name)
            chosen.append(call if call.startswith("count") else shown(column.type, call))
        return chosen

    def order(self) -> str:
        keys = []
        for _ in range(self.rng.choice((1, 1, 2))):
            direction, nulls = (
                self.rng.choice(("", "ASC", "DESC")),
                self.rng.choice(("", "", "NULLS FIRST", "NULLS LAST")),
            )
            keys.append(f"{self.key().name} {direction} {nulls}")
        return f"ORDER BY {', '.join(keys)}, r"

    def top(self) -> Query:
        offset = f" OFFSET {self.rng.randint(1, 4)}" if self.rng.random() < 0.25 else ""
        column = self.key()
        rows = f"SELECT r, {shown(column.type, column.name)} FROM {{t}}{self.where()} {self.order()}"
        return Query("order", f"{rows} LIMIT {self.rng.randint(1, 9)}{offset}", ordered=True)

    def limited(self) -> Query:
        return Query(
            "limit", f"SELECT r FROM {{t}}{self.where(0.9)}", limit=(self.rng.randint(1, 9), self.rng.choice((0, 0, 2)))
        )

    def grouped(self) -> Query:
        rng = self.rng
        keys = list(dict.fromkeys(self.key() for _ in range(rng.choice((1, 1, 2)))))
        names = ", ".join(k.name for k in keys)
        columns = ", ".join([*(shown(k.type, k.name) for k in keys), *self.aggregates()])
        having = rng.choice(("", "", "", " HAVING count(*) > 1"))
        by = rng.choice((names, names, names, f"ROLLUP({names})", f"CUBE({names})"))
        return Query("group", f"SELECT {columns} FROM {{t}}{self.where(0.4)} GROUP BY {by}{having}")

    def total(self) -> Query:
        return Query("total", f"SELECT {', '.join(self.aggregates())} FROM {{t}}{self.where(0.5)}")

    def distinct(self) -> Query:
        keys = list(dict.fromkeys(self.key() for _ in range(2)))
        inner = (
            f"SELECT DISTINCT {', '.join(f'{k.name} AS d{n}' for n, k in enumerate(keys))} FROM {{t}}{self.where(0.4)}"
        )
        return Query(
            "distinct", f"SELECT {', '.join(shown(k.type, f'd{n}') for n, k in enumerate(keys))} FROM ({inner})"
        )

    def joined(self) -> Query:
        rng, key = self.rng, self.key()
        small = f"(SELECT DISTINCT {key.name} AS j FROM {{v}} WHERE r % {rng.randint(2, 9)} = 1)"
        if rng.random() < 0.3:
            small = f"(SELECT DISTINCT {key.name} AS j FROM {{t}}{self.where(1)})"
        hint = rng.choice(("", "", "/*+ BROADCAST(q) */ ", "/*+ MERGE(q) */ "))
        kind = rng.choice(("JOIN", "JOIN", "LEFT SEMI JOIN", "LEFT JOIN", "RIGHT JOIN", "LEFT ANTI JOIN", "FULL JOIN"))
        operator = rng.choice(("=", "=", "=", "<=>", "<", ">="))
        left = f"(SELECT * FROM {{t}}{self.where(0.3)}) o"
        return Query("join", f"SELECT {hint}o.r FROM {left} {kind} {small} q ON o.{key.name} {operator} q.j")

    def window(self) -> Query:
        rng, part, key = self.rng, self.key(), self.key()
        call = rng.choice(("row_number()", "rank()", "count({c})", "lag(r)", "max(r)", "dense_rank()")).format(
            c=key.name
        )
        order = f"{key.name} {rng.choice(('', 'DESC'))}, r" if call != "count({c})" else "r"
        inner = f"SELECT *, {call} OVER (PARTITION BY {part.name} ORDER BY {order}) AS w FROM {{t}}{self.where(0.3)}"
        outer = rng.choice(("w <= 2", "w = 1", "w IS NOT NULL", f"{part.name} IS NOT NULL", "r > 2"))
        also = f" AND {rng.choice(self.conditions).sql()}" if rng.random() < 0.4 else ""
        return Query("window", f"SELECT r, w FROM ({inner}) WHERE {outer}{also}")

    def set_operation(self) -> Query:
        keys = list(dict.fromkeys(self.key() for _ in range(self.rng.choice((1, 1, 2)))))
        columns = ", ".join(f"{k.name} AS d{n}" for n, k in enumerate(keys))
        word = self.rng.choice(("UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"))
        both = f"SELECT {columns} FROM {{t}}{self.where(0.8)} {word} SELECT {columns} FROM {{t}}{self.where(0.8)}"
        return Query("set", f"SELECT {', '.join(shown(k.type, f'd{n}') for n, k in enumerate(keys))} FROM ({both})")

    def union(self) -> Query:
        inner = f"SELECT * FROM {{t}}{self.where(0.8)} UNION ALL SELECT * FROM {{t}}{self.where(0.8)}"
        return Query("union", f"SELECT r, count(*) FROM ({inner}){self.where(0.5)} GROUP BY r")

    def subquery(self) -> Query:
        rng, key = self.rng, self.key()
        name = key.name
        aggregate = rng.choice(("min", "max"))
        condition = rng.choice(
            (
                f"{name} {rng.choice(('=', '<', '>=', '<>'))} (SELECT {aggregate}({name}) FROM {{t}}{self.where(0.5)})",
                f"{name} IN (SELECT {name} FROM {{t}}{self.where(1)})",
                f"{name} NOT IN (SELECT {name} FROM {{t}}{self.where(1)})",
                f"{name} IN (SELECT {name} FROM {{v}} WHERE r % 3 = 1)",
                f"EXISTS (SELECT 1 FROM {{t}} i WHERE i.{name} = o.{name} AND i.r < o.r)",
                f"NOT EXISTS (SELECT 1 FROM {{v}} i WHERE i.{name} = o.{name} AND i.r < o.r)",
            )
        )
        return Query("subquery", f"SELECT r FROM {{t}} o WHERE {condition}")

    def metadata(self) -> Query:
        """Columns that Iceberg adds: what is known of them outside of it is that they have values."""
        rng, where = self.rng, self.where(0.4)
        column = rng.choice(("_file", "_pos", "_spec_id", "_file"))
        if self.fields and rng.random() < 0.3:
            key = rng.choice(self.fields)
            if "." not in key.name:
                call = rng.choice(("min", "max", "count"))
                texts = [
                    shown(key.type if call != "count" else "bigint", f"{call}({c})")
                    for c in (f"_partition.{key.name}", key.name)
                ]
                return Query(
                    "metadata", f"SELECT {texts[0]} FROM {{t}}{where}", over_copy=f"SELECT {texts[1]} FROM {{v}}{where}"
                )
        call = rng.choice(("count({})", "max({}) IS NOT NULL", "min({}) IS NOT NULL", "count(*)"))
        group = rng.choice(("", " GROUP BY r"))
        also = f"{where} {'AND' if where else 'WHERE'} {rng.choice((f'{column} IS NOT NULL', 'r > 0'))}"
        over = f"SELECT {call.format('r')} FROM {{v}}{where}{' AND' if where else ' WHERE'} r > 0{group}"
        return Query("metadata", f"SELECT {call.format(column)} FROM {{t}}{also}{group}", over_copy=over)
