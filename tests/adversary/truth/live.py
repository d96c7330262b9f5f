"""A table of Iceberg with its twin, and the statements that made both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pyarrow as pa

from adversary.harness import CATALOG, Harness
from adversary.truth import twin
from adversary.truth.columns import TYPES, Column, literal
from adversary.truth.twin import Copies

SHOWN = 40  # rows of a report in full


@dataclass(frozen=True)
class Reading:
    """How a query names rows of the table, and the view of their copy: now, of a tag, of a snapshot, of a branch."""

    relation: str
    view: str
    columns: tuple[Column, ...]
    rows: pa.Table
    is_branch: bool = False  # its columns are those that the table has now


@dataclass(frozen=True)
class Inserted:
    """Rows of the history."""

    columns: tuple[Column, ...]
    rows: pa.Table
    how: str = "INSERT INTO {t}"


@dataclass
class Live:
    """A table and its twin. spec: its current partition fields; `old` ones are those of earlier specs."""

    harness: Harness
    copies: Copies
    name: str
    columns: list[Column]
    spec: list[str]
    properties: dict[str, str]
    rows: pa.Table
    view: str
    old: list[str] = field(default_factory=list)
    history: list[str | Inserted] = field(default_factory=list)
    others: list[Reading] = field(default_factory=list)
    evolved: bool = False  # since the last snapshot, which has a schema of its own
    numbers: int = 0  # of rows so far: each gets the next one in its column r

    @property
    def is_altered(self) -> bool:
        """Whether partition fields are not those of all files, or not named after their columns."""
        clauses = ("PARTITION FIELD", "RENAME COLUMN")
        return any(word in text for text in self.history if isinstance(text, str) for word in clauses)

    @property
    def now(self) -> Reading:
        return Reading(self.name, self.view, tuple(self.columns), self.rows)

    @property
    def readings(self) -> list[Reading]:
        """All rows of it that a query can name."""
        return [self.now, *(o for o in self.others if not o.is_branch or list(o.columns) == self.columns)]

    @property
    def version(self) -> int:
        return int(self.properties["format-version"])

    @property
    def sources(self) -> list[str]:
        """The columns of all its partition fields."""
        return sorted({source(f) for f in (*self.spec, *self.old)})

    def select(self) -> str:
        return ", ".join(c.name for c in self.columns)

    def run(self, text: str) -> None:
        """A statement with `{t}` for the table, which enters the history if Iceberg accepts it."""
        self.harness.sql(text.replace("{t}", self.name)).collect()
        self.history.append(text)

    def become(self, rows: pa.Table) -> None:
        """The copy's new rows."""
        if not any(other.view == self.view for other in self.others):
            self.copies.drop(self.view)
        self.rows = rows
        self.view = self.copies.write(rows)

    def insert(self, rows: pa.Table, into: str = "{t}", files: int = 1) -> None:
        """Append rows to the table and to the copy (or to a branch, whose copy the caller keeps)."""
        view = self.copies.write(rows)
        hint = f"/*+ REPARTITION({files}) */ " if files > 1 else ""
        try:
            name = into.replace("{t}", self.name)
            self.harness.sql(f"INSERT INTO {name} BY NAME SELECT {hint}{self.select()} FROM {view}").collect()
        finally:
            self.copies.drop(view)
        self.history.append(Inserted(tuple(self.columns), rows, f"INSERT INTO {into}"))
        if into == "{t}":
            self.evolved = False
            self.become(pa.concat_tables([self.rows, rows]))

    def drop(self) -> None:
        self.harness.sql(f"DROP TABLE IF EXISTS {self.name}")
        for view in {self.view, *(other.view for other in self.others)}:
            self.copies.drop(view)

    def script(self, steps: Sequence[str | Inserted] | None = None) -> str:
        """The history as SQL."""
        texts = [s if isinstance(s, str) else insert_text(s) for s in (self.history if steps is None else steps)]
        return ";\n".join(texts).replace("{t}", "local.a.t") + ";"


def insert_text(step: Inserted) -> str:
    rows = twin.values(step.columns, step.rows)
    tuples = ["(" + ", ".join(literal(c, row[c.name]) for c in step.columns) + ")" for row in rows[:SHOWN]]
    more = f" -- and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    names = ", ".join(c.name for c in step.columns)
    return f"{step.how} ({names}) VALUES {', '.join(tuples)}{more}"


def source(transform: str) -> str:
    return transform.split("(")[-1].split(",")[-1].strip(" )")


def transforms(column: Column) -> list[str]:
    """Partition fields of a column."""
    family, name = column.family, column.name
    terms = [name, name]
    if family in ("int", "bigint", "decimal"):
        terms += [f"truncate(10, {name})", f"truncate(1000, {name})", f"bucket(3, {name})"]
    if family in ("string", "binary"):
        terms += [f"truncate(2, {name})", f"bucket(3, {name})"]
    if family in ("date", "timestamp", "timestamp_ntz"):
        terms += [f"{unit}({name})" for unit in ("years", "months", "days")] + [f"bucket(3, {name})"]
    if family in ("timestamp", "timestamp_ntz"):
        terms.append(f"hours({name})")
    return terms


def drawn_columns(rng: Random, kinds: Sequence[str]) -> list[Column]:
    """r, by which rows are known, k and v, and a few columns of random types."""
    columns = [Column("r", "int"), Column("k", "int"), Column("v", "int")]
    types = [t for t in TYPES if t.partition("(")[0] in kinds]
    columns += [Column(f"{rng.choice(types)}|{n}", "") for n in range(rng.choice((2, 3, 4)))]
    columns[3:] = [Column(f"c{c.name.partition('|')[2]}", c.name.partition("|")[0]) for c in columns[3:]]
    if "struct" in kinds and rng.random() < 0.3:
        fields = [Column("i", "int"), Column("s", "string"), *([Column("g", "double")] if "double" in kinds else [])]
        columns.append(Column("st", f"struct<{', '.join(f'{f.name}: {f.type}' for f in fields)}>", tuple(fields)))
    return columns


def drawn_spec(rng: Random, columns: Sequence[Column]) -> list[str]:
    leaves = [leaf for c in columns[1:] for leaf in c.leaves if leaf.name != "v"]
    chosen = rng.sample(leaves, min(len(leaves), rng.choice((0, 1, 1, 1, 2))))
    return [rng.choice(transforms(leaf)) for leaf in chosen]


METRICS = ("", "", "none", "counts", "truncate(3)", "full")


def drawn_properties(rng: Random, newest: int) -> dict[str, str]:
    """newest: the newest format version that this Iceberg has."""
    version = min(rng.choice((1, 2, 2, 2, 3, 3)), newest)
    modes = [rng.choice(("copy-on-write", "merge-on-read")) if version > 1 else "copy-on-write" for _ in range(3)]
    metrics = rng.choice(METRICS)
    return {
        "format-version": str(version),
        "write.format.default": rng.choice(("parquet", "parquet", "parquet", "orc", "avro")),
        "write.distribution-mode": rng.choice(("none", "none", "hash")),
        "write.spark.fanout.enabled": "true",
        "write.parquet.compression-codec": "uncompressed",
        **({"write.metadata.metrics.default": metrics} if metrics else {}),
        **({"write.parquet.row-group-size-bytes": "100"} if rng.random() < 0.2 else {}),
        **{
            f"write.{operation}.mode": mode
            for operation, mode in zip(("delete", "update", "merge"), modes, strict=True)
        },
    }


def create(
    harness: Harness,
    copies: Copies,
    number: str,
    columns: list[Column],
    spec: list[str],
    properties: dict[str, str],
    catalog: str = CATALOG,
) -> Live:
    """An empty table and its twin."""
    rows = twin.from_values(columns, [])
    live = Live(
        harness, copies, f"{catalog}.a.h{number}", list(columns), list(spec), dict(properties), rows, copies.write(rows)
    )
    live.run(create_text(columns, spec, properties))
    return live


def create_text(columns: Sequence[Column], spec: Sequence[str], properties: dict[str, str]) -> str:
    ddl = ", ".join(f"{c.name} {c.type}" for c in columns)
    by = f" PARTITIONED BY ({', '.join(spec)})" if spec else ""
    settings = ", ".join(f"'{k}' = '{v}'" for k, v in properties.items())
    return f"CREATE TABLE {{t}} ({ddl}) USING iceberg{by} TBLPROPERTIES ({settings})"


def rows_of(rng: Random, live: Live, count: int, value: Any, null: float = 0.12) -> pa.Table:
    """New rows; a column may be null in all of them."""
    shares = {c.name: rng.choice((0.0, null, null, 1.0 if rng.random() < 0.5 else 0.5)) for c in live.columns}
    rows = []
    for _ in range(count):
        row = {c.name: None if rng.random() < shares[c.name] else value(rng, c) for c in live.columns}
        live.numbers += 1
        rows.append({**row, "r": live.numbers, "k": rng.choice((0, 1, 2, 3, None)), "v": rng.randint(0, 3)})
    return twin.from_values(live.columns, rows)


def alone(live: Live, number: str, rows: pa.Table) -> Live:
    """A table with the same columns, spec and properties, but with these rows inserted at once as its only history."""
    catalog = live.name.partition(".")[0]
    other = create(live.harness, live.copies, number, live.columns, live.spec, live.properties, catalog)
    other.insert(rows)
    return other


def without(live: Live, deleted_keys: frozenset[int]) -> pa.Table:
    """The rows of the twin but those whose r is in this set."""
    keep = [r not in deleted_keys for r in live.rows.column("r").to_pylist()]
    return live.rows.filter(pa.array(keep, pa.bool_()))


def renamed(columns: Sequence[Column], old: str, new: str) -> list[Column]:
    return [replace(c, name=new) if c.name == old else c for c in columns]
