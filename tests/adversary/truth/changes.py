"""Random row-level statements, each with the query over the copy that gives the table's rows after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pyarrow as pa

from adversary.nodes import Node
from adversary.truth import columns
from adversary.truth.columns import Column
from adversary.truth.conditions import Conditions

# What Iceberg rightly refuses of a statement that replaces whole files by a condition.
REFUSED_OVERWRITE = (
    "cannot delete file",
    "cannot convert",
    "cannot translate expression",
    "rows cannot be replaced by a condition",
    "cannot overwrite by filter",
    "unsupported_feature",
    "overwrite_by_expression",
    "overwrite by expression",
    "cannot create expression literal from null",
    "cannot create expression literal from nan",
)


@dataclass(frozen=True)
class Change:
    """A statement over `{t}` and the source `{q}`, whose columns are the table's with the prefix `q_`.

    after: a query over the views `{v}` and `{q}`. may_refuse: what Iceberg's message may contain if it refuses. rows:
    those of the source.
    """

    kind: str
    text: str
    after: str
    may_refuse: tuple[str, ...] = ()
    rows: pa.Table | None = None
    conditions: tuple[Node, ...] = ()


class Changes:
    """Draws statements."""

    def __init__(
        self, rng: Random, table: Sequence[Column], conditions: Conditions, source: pa.Table, offset: int
    ) -> None:
        """source: rows for MERGE. offset: what rows that are inserted again get added to their number."""
        self.rng = rng
        self.columns = table
        self.conditions = conditions
        self.names = ", ".join(c.name for c in table)
        self.source = source.rename_columns([f"q_{c.name}" for c in table])
        self.offset = offset

    def next(self) -> Change:
        kind = self.rng.choices(("DELETE", "UPDATE", "MERGE", "REPLACE WHERE", "INSERT"), (5, 5, 6, 1.5, 0.5))[0]
        return {
            "DELETE": self.delete,
            "UPDATE": self.update,
            "MERGE": self.merge,
            "REPLACE WHERE": self.replace_where,
            "INSERT": self.insert_from,
        }[kind]()

    def delete(self) -> Change:
        node = self.conditions.next()
        p = node.sql()
        if self.rng.random() < 0.2:
            column = self.conditions.column().name
            p = f"{column} {self.rng.choice(('', 'NOT '))}IN (SELECT {column} FROM {{v}} WHERE {p})"
            return Change("DELETE", f"DELETE FROM {{t}} WHERE {p}", self.remaining(p))
        return Change("DELETE", f"DELETE FROM {{t}} WHERE {p}", self.remaining(p), conditions=(node,))

    def remaining(self, p: str) -> str:
        """The query over the copy for the rows that a removal leaves."""
        return f"SELECT {self.names} FROM {{v}} WHERE ({p}) IS NOT TRUE"

    def settings(self, from_source: bool) -> dict[str, str]:
        """Columns with the expressions they are set to."""
        rng = self.rng
        free = [c for c in self.columns if c.name != "r"]
        chosen = {}
        for column in rng.sample(free, min(len(free), rng.choice((1, 1, 2)))):
            if from_source and rng.random() < 0.7:
                chosen[column.name] = f"q_{column.name}"
            elif column.name in ("k", "v") and rng.random() < 0.6:
                chosen[column.name] = rng.choice((f"{column.name} + 1", "k", "v", "r"))
            elif column.fields or rng.random() < 0.15:
                chosen[column.name] = "NULL"
            else:
                chosen[column.name] = columns.literal(column, self.conditions.value(column))
        return chosen

    def update(self) -> Change:
        node = self.conditions.next()
        values = self.settings(False)
        text = f"UPDATE {{t}} SET {', '.join(f'{c} = {e}' for c, e in values.items())} WHERE {node.sql()}"
        names = ", ".join(
            f"CASE WHEN {node.sql()} THEN CAST({values[c.name]} AS {c.type}) ELSE {c.name} END AS {c.name}"
            if c.name in values
            else c.name
            for c in self.columns
        )
        return Change("UPDATE", text, f"SELECT {names} FROM {{v}}", conditions=(node,))

    def merge(self) -> Change:
        """MERGE by r, of which the source has each number once."""
        rng = self.rng
        nodes: list[Node] = []

        def also(share: float) -> str:
            if rng.random() > share:
                return ""
            nodes.append(self.conditions.next())
            return f" AND {nodes[-1].sql()}"

        more = also(0.25)
        on = f"r = q_r{more}"
        number = f"q_r + {self.offset}" if more else "q_r"  # a row whose number is there may be one that does not match
        clauses, cases = [], []  # of the statement; and of the copy: condition, values (None if the row is deleted)
        for last in range(rng.choice((1, 1, 2))):
            condition = also(0.8 if not last else 0.4)
            values = None if rng.random() < 0.4 else self.settings(True)
            clauses.append(f"WHEN MATCHED{condition} THEN {_action(values)}")
            cases.append((f"q_r IS NOT NULL{condition}", values))
            if not condition:
                break
        inserts = rng.random() < 0.6
        condition = rng.choice(("", "", " AND q_k > 0", " AND q_r % 2 = 0")) if inserts else ""
        if inserts:
            inserted_values = ", ".join(number if c.name == "r" else f"q_{c.name}" for c in self.columns)
            clauses.append(f"WHEN NOT MATCHED{condition} THEN INSERT ({self.names}) VALUES ({inserted_values})")
        if rng.random() < 0.25:
            by_source = also(1)
            values = None if rng.random() < 0.5 else self.settings(False)
            clauses.append(f"WHEN NOT MATCHED BY SOURCE{by_source} THEN {_action(values)}")
            cases.append((f"q_r IS NULL{by_source}", values))
        # Of the copy: the number of the clause that takes a row, none if no clause does.
        whens = " ".join(f"WHEN {p} THEN {n}" for n, (p, _) in enumerate(cases))
        joined = f"SELECT *, CASE {whens} END AS fate FROM {{v}} LEFT JOIN {{q}} ON {on}"
        parts = []
        for c in self.columns:
            sets = [(n, values[c.name]) for n, (_, values) in enumerate(cases) if values and c.name in values]
            case_branches = " ".join(f"WHEN {n} THEN CAST({e} AS {c.type})" for n, e in sets)
            parts.append(f"CASE fate {case_branches} ELSE {c.name} END AS {c.name}" if sets else c.name)
        deleted = ", ".join(["-1", *(str(n) for n, (_, values) in enumerate(cases) if values is None)])
        kept = f"SELECT {', '.join(parts)} FROM ({joined}) WHERE coalesce(fate NOT IN ({deleted}), true)"
        unmatched = f"{{q}} LEFT ANTI JOIN {{v}} ON {on} WHERE {'true' if inserts else 'false'}{condition}"
        added = ", ".join(f"{number if c.name == 'r' else f'q_{c.name}'} AS {c.name}" for c in self.columns)
        new = f"SELECT {added} FROM {unmatched}"
        text = f"MERGE INTO {{t}} USING {{q}} ON {on} {' '.join(clauses)}"
        return Change("MERGE", text, f"{kept} UNION ALL {new}", rows=self.source, conditions=tuple(nodes))

    def removal(self) -> Change:
        """A statement that may remove whole files by their partition values."""
        node = self.conditions.of_partitions()
        if self.rng.random() < 0.2:
            return self.replace_where(node)
        p = node.sql()
        return Change("DELETE", f"DELETE FROM {{t}} WHERE {p}", self.remaining(p), conditions=(node,))

    def replace_where(self, node: Node | None = None) -> Change:
        """INSERT ... REPLACE WHERE replaces whole files, so most conditions are on partitions."""
        node = node or self.conditions.atom()
        p = node.sql()
        text = f"INSERT INTO {{t}} REPLACE WHERE {p} SELECT {self.names} FROM {{v}} WHERE false"
        return Change("REPLACE WHERE", text, self.remaining(p), REFUSED_OVERWRITE, conditions=(node,))

    def insert_from(self) -> Change:
        """The table's rows again, under new numbers."""
        node = self.conditions.next()
        names = ", ".join(f"r + {self.offset} AS r" if c.name == "r" else c.name for c in self.columns)
        new = f"SELECT {names} FROM {{t}} WHERE r < 100000 AND {node.sql()}"
        after = f"SELECT {self.names} FROM {{v}} UNION ALL {new.replace('{t}', '{v}')}"
        return Change("INSERT", f"INSERT INTO {{t}} {new}", after, conditions=(node,))


def _action(values: dict[str, str] | None) -> str:
    return "DELETE" if values is None else f"UPDATE SET {', '.join(f'{c} = {e}' for c, e in values.items())}"
