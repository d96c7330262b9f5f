"""Queries that the rules answer with fewer files: order and limit, groups, joins, subqueries.

Each is written over `{t}`: its rows on the table must be those that it has over the copy of the table's rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from adversary.harness import FAILS, Harness, Made, first_line
from adversary.nodes import Node
from adversary.predicates import Valued, shown

_ORDERED = ("int", "bigint", "smallint", "tinyint", "date", "timestamp", "timestamp_ntz", "boolean", "string")
_AGGREGATES = ("count({c})", "min({c})", "max({c})", "count(DISTINCT {c})")


@dataclass(frozen=True)
class Query:
    """A query over `{t}` whose rows are determined.

    limit: of a query whose rows are any of those that it has without it; the offset is then subtracted. ordered: the
    order of the rows is determined, too.
    """

    text: str
    ordered: bool = False
    limit: tuple[int, int] | None = None
    adaptive: bool = False


def draw(rng: Random, iceberg_table: Made, pool: Sequence[Valued], predicates: Sequence[Node]) -> Query:
    """A random query."""
    kinds: tuple[Callable[..., Query], ...] = (_top, _top, _limited, _grouped, _grouped, _total, _joined, _compared)
    return rng.choice(kinds)(rng, _Parts(rng, iceberg_table, pool, predicates))


class _Parts:
    """Columns, expressions and filters of one table."""

    def __init__(self, rng: Random, iceberg_table: Made, pool: Sequence[Valued], predicates: Sequence[Node]) -> None:
        self.rng = rng
        self.sources = [c for c in iceberg_table.table.sources if c.split(".")[0] in iceberg_table.types]
        columns = [(c, t) for c, t in iceberg_table.types.items() if not t.startswith("struct")]
        self.columns = [(c, t) for c, t in columns if t.startswith(_ORDERED) or t.startswith("decimal")]
        self.expressions = [(v.node.sql(), v.type) for v in pool if v.type.startswith(_ORDERED)]
        self.partitions = [(c, t) for c, t in self.columns if c in self.sources]
        self.predicates = predicates

    def key(self) -> tuple[str, str]:
        """A column, most often one that the table is partitioned by, or an expression, and its type."""
        chance = self.rng.random()
        if self.partitions and chance < 0.4:
            return self.rng.choice(self.partitions)
        if self.expressions and chance < 0.7:
            return self.rng.choice(self.expressions)
        return self.rng.choice(self.columns)

    def where(self, share: float = 0.6) -> str:
        if self.rng.random() > share:
            return ""
        if self.rng.random() < 0.4:
            return f" WHERE {self.key()[0]} IS NOT NULL"
        return f" WHERE {self.rng.choice(self.predicates).sql()}" if self.predicates else ""

    def aggregates(self) -> list[str]:
        columns = self.rng.sample(self.columns, min(len(self.columns), self.rng.choice((1, 1, 2))))
        chosen = ["count(*)"]
        for column, kind in columns:
            call = self.rng.choice(_AGGREGATES).format(c=column)
            chosen.append(call if call.startswith("count") else shown(kind, call))
        return chosen


def _top(rng: Random, parts: _Parts) -> Query:
    keys = []
    for _ in range(rng.choice((1, 1, 2))):
        direction, nulls = rng.choice(("", "ASC", "DESC")), rng.choice(("", "", "NULLS FIRST", "NULLS LAST"))
        keys.append(f"{parts.key()[0]} {direction} {nulls}")
    offset = f" OFFSET {rng.randint(1, 4)}" if rng.random() < 0.25 else ""
    text = f"SELECT r FROM {{t}}{parts.where()} ORDER BY {', '.join(keys)}, r LIMIT {rng.randint(1, 9)}{offset}"
    if rng.random() < 0.2:
        return Query(f"SELECT r FROM ({text}) UNION ALL (SELECT r FROM {{t}}{parts.where()})")
    return Query(text, ordered=True)


def _limited(rng: Random, parts: _Parts) -> Query:
    limit, offset = rng.randint(1, 9), rng.choice((0, 0, 2))
    return Query(f"SELECT r FROM {{t}}{parts.where(1)}", limit=(limit, offset))


def _grouped(rng: Random, parts: _Parts) -> Query:
    keys = dict(parts.key() for _ in range(rng.choice((1, 1, 2))))
    shown_keys = [shown(kind, f"({key})") for key, kind in keys.items()]
    if rng.random() < 0.2:
        return Query(f"SELECT DISTINCT {', '.join(shown_keys)} FROM {{t}}{parts.where(0.4)}")
    having = " HAVING count(*) > 1" if rng.random() < 0.2 else ""
    columns = ", ".join([*shown_keys, *parts.aggregates()])
    return Query(f"SELECT {columns} FROM {{t}}{parts.where(0.4)} GROUP BY {', '.join(keys)}{having}")


def _total(rng: Random, parts: _Parts) -> Query:
    return Query(f"SELECT {', '.join(parts.aggregates())} FROM {{t}}{parts.where()}")


def _joined(rng: Random, parts: _Parts) -> Query:
    key, _ = parts.key()
    small = f"(SELECT DISTINCT {key} AS k FROM {{v}} WHERE r % {rng.randint(3, 9)} = 1)"
    hint = rng.choice(("", "/*+ BROADCAST(q) */ "))
    kind = rng.choice(("JOIN", "JOIN", "LEFT SEMI JOIN", "LEFT JOIN", "RIGHT JOIN", "LEFT ANTI JOIN"))
    text = f"SELECT {hint}o.r FROM {{t}} o {kind} {small} q ON {key} = q.k"
    if rng.random() < 0.25:
        text = f"SELECT o.r FROM {{t}} o WHERE {key} IN (SELECT k FROM {small})"
    if rng.random() < 0.3:
        text += " UNION ALL SELECT r FROM {t}"
    return Query(text, adaptive=True)


def _compared(rng: Random, parts: _Parts) -> Query:
    column, _ = parts.key()
    operator, aggregate = rng.choice(("=", "<", ">=", "<>")), rng.choice(("min", "max"))
    inner = f"SELECT {aggregate}({column}) FROM {{t}}{parts.where(0.3)}"
    return Query(f"SELECT r FROM {{t}} WHERE {column} {operator} ({inner})", adaptive=rng.random() < 0.5)


def fault(harness: Harness, iceberg_table: Made, query: Query, settings: dict[str, str]) -> str | None:
    """How the answer differs from that of the same query over the copy; None if it does not, or if that one fails."""
    if query.adaptive:
        settings = {**settings, "spark.sql.adaptive.enabled": "true"}
    with harness.conf(settings):
        with harness.off():
            expected = _rows(harness, query.text.format(t=iceberg_table.view, v=iceberg_table.view))
        if isinstance(expected, Exception):
            return None
        return _difference(query, expected, _answer(harness, iceberg_table, query))


def _answer(harness: Harness, iceberg_table: Made, query: Query) -> Any:
    text = query.text.format(t=iceberg_table.name, v=iceberg_table.view)
    if query.limit:
        text += f" LIMIT {query.limit[0]} OFFSET {query.limit[1]}"
    return _rows(harness, text)


def _rows(harness: Harness, text: str) -> Any:
    try:
        return [tuple(row) for row in harness.sql(text).collect()]
    except FAILS as error:
        return error


def _difference(query: Query, expected: list[Any], actual: Any) -> str | None:
    if isinstance(actual, Exception):
        return f"it fails: {first_line(actual)}"
    if query.limit:
        limit, offset = query.limit
        count = min(limit, max(0, len(expected) - offset))
        right = len(actual) == count and not Counter(actual) - Counter(expected)
    else:
        right = actual == expected if query.ordered else Counter(actual) == Counter(expected)
    return None if right else f"{actual[:12]} is not {expected[:12]} ({len(actual)} and {len(expected)} rows)"
