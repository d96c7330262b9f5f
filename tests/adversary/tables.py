"""Random Iceberg tables: specs, files, evolution; each can be rebuilt from some of its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from adversary.rows import Row, as_orc_keeps, extreme, rows
from adversary.zones import Zones


@dataclass(frozen=True)
class Step:
    """A statement with `{t}` for the table's name, or the rows to insert and the number of files.

    imported: the type by which Spark writes their timestamps to Parquet files that add_files imports. deletes: the
    remainder of r by 7 of the rows that the statement deletes.
    """

    sql: str = ""
    rows: tuple[int, ...] = ()
    files: int = 1
    imported: str = ""
    deletes: int | None = None

    def after(self, rows: list[Row]) -> list[Row]:
        """What the statement makes of the table's raw rows; other types show in the table's schema alone."""
        if self.deletes is not None:
            return [row for row in rows if row[0] % 7 != self.deletes]
        return [(*row[:-1], None) for row in rows] if "DROP COLUMN bo" in self.sql else rows


@dataclass(frozen=True)
class Table:
    """How to build a table. columns: name to SQL expression over a raw row; types: name to SQL type."""

    name: str
    zone: str
    types: dict[str, str]
    partition: tuple[str, ...]
    properties: dict[str, str]
    rows: tuple[Row, ...]
    steps: tuple[Step, ...]
    tame: bool = True  # no numbers near the limits of their types
    ends: bool = False  # times near the limits of their types
    changes: tuple[int, ...] = ()  # time-zone transitions near which its times lie

    @property
    def is_imported(self) -> bool:
        """Whether files of it are imported."""
        return any(step.imported for step in self.steps)

    @property
    def sources(self) -> list[str]:
        """The columns of its partition fields, of all specs."""
        fields = [*self.partition, *(s.sql.split(" FIELD ")[1] for s in self.steps if "ADD PART" in s.sql)]
        return sorted({_source(f) for f in fields})

    @property
    def create(self) -> str:
        columns = ", ".join(f"{c} {t}" for c, t in self.types.items())
        by = f" PARTITIONED BY ({', '.join(self.partition)})" if self.partition else ""
        property_list = ", ".join(f"'{k}' = '{v}'" for k, v in self.properties.items())
        return f"CREATE TABLE {{t}} ({columns}) USING iceberg{by} TBLPROPERTIES ({property_list})"

    def only(self, rows: set[int], used: set[str] | None = None) -> Table:
        """The same table with fewer rows; used: a plain table of these columns, without history, in one file."""
        if used is not None:
            return replace(
                self,
                types={c: t for c, t in self.types.items() if c in used},
                partition=(),
                properties={"format-version": "2"},
                steps=(Step(rows=tuple(sorted(rows))),),
            )
        kept = [replace(s, rows=tuple(r for r in s.rows if r in rows)) if s.rows else s for s in self.steps]
        return replace(self, steps=tuple(s for s in kept if s.sql or s.rows))


TYPES = {
    "r": "int",
    "mark": "int",
    "ts": "timestamp",
    "n": "timestamp_ntz",
    "d": "date",
    "i": "int",
    "l": "bigint",
    "sm": "smallint",
    "ty": "tinyint",
    "dec": "decimal(9,2)",
    "dec2": "decimal(20,0)",
    "s": "string",
    "b": "binary",
    "bo": "boolean",
    "st": "struct<ts: timestamp, n: timestamp_ntz, d: date, i: int, s: string>",
}
_STRUCT = "named_struct('ts', timestamp_micros(m), 'n', {n}, 'd', date_from_unix_date(d), 'i', i, 's', s)"


def values(types: dict[str, str]) -> list[str]:
    """The columns of a table from a raw row, in a session whose zone is UTC."""
    from_raw = {
        "mark": "0",
        "ts": "timestamp_micros(m)",
        "n": "CAST(timestamp_micros(nm) AS timestamp_ntz)",
        "d": "date_from_unix_date(d)",
        "st": _STRUCT.format(n="CAST(timestamp_micros(nm) AS timestamp_ntz)"),
    }
    return [f"CAST({from_raw.get(c, c)} AS {t}) AS {c}" for c, t in types.items()]


# --------------------------------------------------------------------------------------- tables

FIELDS = (
    *("days(ts)", "months(ts)", "years(ts)", "hours(ts)", "ts", "d", "days(d)", "months(d)", "years(d)"),
    *("days(n)", "months(n)", "hours(n)", "n", "i", "l", "sm", "ty", "dec", "s", "b", "bo"),
    *("bucket(4, i)", "bucket(8, i)", "bucket(4, l)", "bucket(3, s)", "bucket(4, ts)", "bucket(4, d)"),
    *("bucket(4, dec)", "bucket(2, b)", "truncate(10, i)", "truncate(100, i)", "truncate(10, l)"),
    *("truncate(2, s)", "truncate(50, dec)", "truncate(1, b)", "truncate(7, dec2)", "truncate(4, s)"),
    *("st.ts", "days(st.ts)", "bucket(4, st.i)", "st.i", "st.d", "st.s", "months(st.d)"),
)  # fmt: skip


def _source(transform: str) -> str:
    return transform.split("(")[-1].split(",")[-1].strip(" )")


def _spec(rng: Random, count: int) -> tuple[str, ...]:
    chosen: dict[str, str] = {}
    for _ in range(count):
        transform = rng.choice(FIELDS)
        if rng.random() < 0.3:
            transform = _source(transform)  # identity
        chosen.setdefault(_source(transform), transform)
    return tuple(chosen.values())


def draw(rng: Random, zone_rules: Zones, name: str, kind: str | None = None) -> Table:
    """A table: about half have many rows in few files, the others are partitioned, with fewer rows.

    kind: it has many rows near transitions that are `behind` or `halved`.
    """
    zone = zone_rules.pick_with(rng, kind) if kind else zone_rules.pick(rng)
    ends, tame = rng.random() < 0.12 and not kind, rng.random() < 0.4
    many = bool(kind) or (rng.random() < 0.5 and not ends)
    count = rng.randint(90, 240) if many else rng.randint(7, 16)
    partition = () if many or rng.random() < 0.15 else _spec(rng, rng.choice((1, 1, 2)))
    version = rng.choice((1, 2, 2, 2, 3))
    mode = "copy-on-write" if version == 1 else rng.choice(("copy-on-write", "merge-on-read"))
    properties = {
        "format-version": str(version),
        "write.parquet.compression-codec": "uncompressed",
        "write.distribution-mode": "none",
        "write.spark.fanout.enabled": "true",
        "write.format.default": rng.choice(("parquet", "parquet", "parquet", "orc", "avro")),
        **{f"write.{kind}.mode": mode for kind in ("delete", "update", "merge")},
    }
    types = dict(TYPES)
    types["dec"] = rng.choice(("decimal(9,2)", "decimal(9,2)", "decimal(18,4)", "decimal(38,10)"))
    types["s"] = rng.choice(("string", "string", "string", "varchar(60)", "char(60)"))
    for extra in ("st", "sm", "ty", "dec2"):  # a narrow table is faster to read
        if rng.random() < 0.6:
            del types[extra]
    partition = tuple(f for f in partition if _source(f).split(".")[0] in types)
    changes = zone_rules.some(zone, rng, rng.choice((1, 2, 3) if many else (1, 1, 2)), kind)
    data = rows(rng, changes, count, ends, tame)
    if properties["write.format.default"] == "orc":
        data = tuple(map(as_orc_keeps, data))
    numbers = list(range(count))
    if rng.random() < 0.5:
        numbers.sort(key=lambda r: (data[r][1] is None, data[r][1] or 0))
    steps = _steps(rng, numbers, many, partition, types, [r for r in numbers if extreme(data[r])])
    if not partition and rng.random() < 0.3:
        steps = _imported(rng, steps)
    return Table(name, zone, types, partition, properties, data, steps, tame, ends, tuple(c.at for c in changes))


UNITS = ("TIMESTAMP_MILLIS", "TIMESTAMP_MILLIS", "TIMESTAMP_MICROS", "INT96")


def _imported(rng: Random, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The same steps, but that add_files imports some rows; it does not where a column is partitioned by.

    Nor is a column dropped and added: imported files have names and no ids, so that its old values would come back.
    """
    steps = tuple(step for step in steps if "PARTITION FIELD" not in step.sql and "COLUMN bo" not in step.sql)
    unit = rng.choice(UNITS)
    return tuple(replace(step, imported=unit) if step.rows and rng.random() < 0.7 else step for step in steps)


def _steps(
    rng: Random, numbers: list[int], many: bool, partition: tuple[str, ...], types: dict[str, str], smallest: list[int]
) -> tuple[Step, ...]:
    """Inserts, with changes of the table in between, and deletes."""
    at = rng.randint(1, max(1, len(numbers) - 1))
    files = rng.choice((1, 1, 2, 12) if many else (1, 1, 2))  # 12: so many that the rule `joins` leaves some out
    if rng.random() < 0.35:
        return (Step(rows=tuple(numbers), files=files),)
    single = numbers[:1] if rng.random() < 0.3 else []
    if smallest and rng.random() < 0.7:  # the smallest value alone in a file: it is both bounds
        single = [rng.choice(smallest)]
    numbers = [r for r in numbers if r not in single]
    steps = [Step(rows=tuple(single)), Step(rows=tuple(numbers[:at]), files=files)]
    spec = list(partition)
    for _ in range(rng.choice((1, 1, 2))):
        kind = rng.random()
        if kind < 0.35:
            new = rng.choice(FIELDS)
            if _source(new) not in map(_source, spec) and _source(new).split(".")[0] in types:
                steps.append(Step(f"ALTER TABLE {{t}} ADD PARTITION FIELD {new}"))
                spec.append(new)
        elif kind < 0.5 and spec:
            steps.append(Step(f"ALTER TABLE {{t}} DROP PARTITION FIELD {spec.pop()}"))
        elif kind < 0.62:
            steps.append(Step("ALTER TABLE {t} ALTER COLUMN i TYPE bigint"))
        elif kind < 0.72:
            wide = f"decimal(38,{types['dec'].rstrip(')').split(',')[1]})"
            steps.append(Step(f"ALTER TABLE {{t}} ALTER COLUMN dec TYPE {wide}"))
        elif kind < 0.82 and not any("bo" in s for s in spec):
            steps += [Step("ALTER TABLE {t} DROP COLUMN bo"), Step("ALTER TABLE {t} ADD COLUMN bo boolean")]
        elif kind < 0.9:
            remainder = rng.randint(0, 6)
            steps.append(Step(f"DELETE FROM {{t}} WHERE r % 7 = {remainder}", deletes=remainder))
        else:
            steps += [Step("ALTER TABLE {t} RENAME COLUMN l TO l0"), Step("ALTER TABLE {t} RENAME COLUMN l0 TO l")]
    steps.append(Step(rows=tuple(numbers[at:]), files=files))
    return tuple(s for s in steps if s.sql or s.rows)
