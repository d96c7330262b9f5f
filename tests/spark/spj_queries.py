"""Random joins for the settings of storage-partitioned ones: tables in Iceberg, and copies of their rows in Parquet."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from pyspark.sql import SparkSession

COLUMNS = "id INT, k INT, ts TIMESTAMP, s STRING, x BINARY, v INT"
# By the name of a table: its partition fields, and those that it had before, if any.
TABLES: dict[str, tuple[str, ...]] = {
    **{f"b{n}": (f"bucket({n}, id)",) for n in (4, 6, 8, 12)},
    "b4o": ("bucket(4, id)",),
    "i": ("id",),
    "k": ("k",),
    "h": ("hours(ts)",),
    "d": ("days(ts)",),
    "y": ("years(ts)",),
    "kb4": ("k, bucket(4, id)",),
    "kb4o": ("k, bucket(4, id)",),
    "b4k": ("bucket(4, id), k",),
    "kb8": ("k, bucket(8, id)",),
    "ik": ("id, k",),
    "db4": ("days(ts), bucket(4, id)",),
    "s": ("s",),
    "s4": ("bucket(4, s)",),
    "t2": ("truncate(2, s)",),
    "t2o": ("truncate(2, s)",),
    "x": ("x",),
    "xo": ("x",),
    "none": ("",),
    "was8": ("bucket(4, id)", "bucket(8, id)"),
    "wasnone": ("bucket(4, id)", ""),
}
_KEYS = {
    "b": "id",
    "i": "id",
    "k": "k",
    "h": "ts",
    "d": "ts",
    "y": "ts",
    "s": "s",
    "x": "x",
    "n": "id",
    "w": "id",
    "t": "s",
}
_ABOVE = (
    "{q}",
    "{q}",
    "SELECT DISTINCT a{key} AS g FROM ({q})",
    "SELECT DISTINCT a{key} AS g, ak AS h FROM ({q})",
    "SELECT a{key} AS g, count(*) AS n, sum(av) AS v FROM ({q}) GROUP BY a{key}",
    "SELECT ak AS g, count(*) AS n, count(DISTINCT av) AS v FROM ({q}) GROUP BY ak",
    "SELECT as AS g, max(av) AS n FROM ({q}) GROUP BY as",
    "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY a{key} ORDER BY {all}) AS n FROM ({q})) WHERE n = 1",
    "SELECT *, rank() OVER (PARTITION BY ak ORDER BY {all}) AS n FROM ({q})",
    "SELECT a{key} AS g, count(*) AS n FROM ({q} UNION ALL {q}) GROUP BY a{key}",
    # Subqueries that are optimized alone, before they become a join, or two of them.
    "SELECT * FROM ({q}) WHERE a{key} IN (SELECT {key} FROM {other} GROUP BY {key}, k)",
    (
        "SELECT a{key} AS g, count(*) AS n FROM ({q}) "
        "WHERE a{key} IN (SELECT {key} FROM {other} GROUP BY {key} HAVING max(v) > 5) GROUP BY a{key}"
    ),
)


@dataclass(frozen=True, slots=True)
class RandomQuery:
    """A query with `{t}.` before each table: of Iceberg's or of the copies.

    aqe: whether its plan is adaptive. is_prepared: whether the session has what any join without a shuffle needs.
    """

    text: str
    aqe: bool
    is_prepared: bool


def create(spark: SparkSession, seed: int, names: tuple[str, ...] = tuple(TABLES)) -> None:
    """The tables in local.spjr, and copies of their rows in Parquet in spark_catalog.spjr."""
    random = Random(seed)
    for namespace in ("local.spjr", "spark_catalog.spjr"):
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {namespace}")
    for name in names:
        rows = _rows(random)
        copy = f"spark_catalog.spjr.{name}"
        spark.sql(f"CREATE TABLE {copy} ({COLUMNS}) USING parquet")
        spark.sql(f"INSERT INTO {copy} VALUES {', '.join(rows)}")
        fields, *earlier = TABLES[name]
        specs = (*reversed(earlier), fields, fields)
        table = f"local.spjr.{name}"
        by = f"PARTITIONED BY ({specs[0]})" if specs[0] else ""
        spark.sql(
            f"CREATE TABLE {table} ({COLUMNS}) USING iceberg {by} "
            "TBLPROPERTIES ('read.split.target-size' = '1', 'read.split.open-file-cost' = '1')"
        )
        before = specs[0]
        for n, spec in enumerate(specs):  # several files of each partition
            if spec != before:
                change = f"REPLACE PARTITION FIELD {before} WITH" if before else "ADD PARTITION FIELD"
                spark.sql(f"ALTER TABLE {table} {change} {spec}")
                before = spec
            spark.sql(f"INSERT INTO {table} VALUES {', '.join(rows[n :: len(specs)])}")


def _rows(random: Random) -> list[str]:
    ids = [random.randrange(40) for _ in range(24)] + [7] * 4
    rows = []
    for v, key in enumerate(ids):
        if random.random() < 0.08:
            values = ["NULL"] * 5
        else:
            k = key % 5
            ts = f"TIMESTAMP '2023-12-{20 + key % 20 if key % 20 < 12 else 31} 0{key % 3}:00:00'"
            ts = ts if key % 4 else "TIMESTAMP '2024-02-01 00:00:00'"
            values = [f"{key}", "NULL" if random.random() < 0.1 else f"{k}", ts, f"'s{key % 9}'", f"X'0{key % 7}'"]
        rows.append(f"({', '.join(values)}, {v})")
    return rows


def queries(
    seed: int, n: int, names: tuple[str, ...] = tuple(TABLES), *, computed: bool = False, broadcast: bool = False
) -> list[RandomQuery]:
    """n queries of one to four tables.

    computed: whether some keys are expressions of columns. broadcast: whether some tables are, of which a filter leaves
    some rows.
    """
    random = Random(seed)
    return [_query(random, names, computed, broadcast) for _ in range(n)]


def _query(random: Random, names: tuple[str, ...], computed: bool, broadcast: bool) -> RandomQuery:
    keys = {_KEYS[name[0]] for name in names}
    key = random.choice([key for key in ("id", "id", "id", "ts", "k", "s", "x") if key in keys])
    similar = [name for name in names if _KEYS[name[0]] == key or name == "none" or (key == "id" and "b" in name)]
    columns = [key, "k"] if random.random() < 0.4 and key != "k" else [key]
    if key == "id" and random.random() < 0.15:
        columns.append("ts")
    count = random.choice((1, 2, 2, 3, 3, 3, 4))
    text, aliases = "", ""
    hinted = [alias for alias in "abcd"[:count] if random.random() < 0.2] if broadcast else []
    for alias in "abcd"[:count]:
        table = f"{{t}}.{random.choice(similar)}"
        if random.random() < 0.15:
            inner = ", ".join(dict.fromkeys([*columns, key]))
            aggregates = ", ".join(f"max({c}) AS {c}" for c in ("id", "k", "ts", "s", "x", "v") if c not in columns)
            table = f"(SELECT {inner}, {aggregates} FROM {table} GROUP BY {inner})"
        if alias in hinted:
            table = f"(SELECT * FROM {table} WHERE v < {random.choice((3, 9, 20))})"
        if not text:
            text, aliases = f"{table} {alias}", alias
            continue
        kind = random.choice(("", "", "", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"))
        near = random.choice(aliases)
        equal = random.choice((" = ", " = ", " = ", " <=> "))
        keys_of = {c: _key(random, c) if computed and random.random() < 0.3 else "{}" for c in columns}
        on = " AND ".join(
            f"{keys_of[c].format(f'{near}.{c}')}{equal}{keys_of[c].format(f'{alias}.{c}')}"
            for c in random.sample(columns, len(columns))
        )
        text += f" {kind} JOIN {table} {alias} ON {on}"
        if "LEFT " not in kind:
            aliases += alias
    out = [f"{alias}.{c} AS {alias}{c}" for alias in aliases for c in ("id", "k", "ts", "s", "x", "v")]
    hint = f"/*+ BROADCAST({', '.join(hinted)}) */ " if hinted else ""
    inner = f"SELECT {hint}{', '.join(out)} FROM {text}"
    output_columns = ", ".join(f"{alias}{c}" for alias in aliases for c in ("v", "id", "k", "s"))
    above, other = random.choice(_ABOVE), f"{{t}}.{random.choice(similar)}"
    text = above.format(q=inner, key=key, all=output_columns, other=other, t="{t}")
    return RandomQuery(text, random.random() < 0.3, random.random() < 0.9)


def _key(random: Random, column: str) -> str:
    """An expression of a column, at {}: from some of them the values of partition fields follow."""
    if column == "ts":
        return random.choice(("to_date({})", "date_trunc('HOUR', {})", "date_trunc('MONTH', {})", "year({})"))
    if column == "s":
        return random.choice(("substring({}, 1, 2)", "left({}, 3)", "upper({})"))
    return "hex({})" if column == "x" else "{} + 1"


@dataclass(frozen=True, slots=True)
class RandomWrite:
    """A MERGE, an UPDATE or a DELETE. rows: the query of the rows that the target then has, on tables before it."""

    target: str
    statement: str
    rows: str


def writes(seed: int, n: int, names: tuple[str, ...] = tuple(TABLES)) -> list[RandomWrite]:
    """n of them, into tables that are joined by their id."""
    random = Random(seed)
    return [_write(random, [name for name in names if _KEYS[name[0]] == "id"]) for _ in range(n)]


def _write(random: Random, names: list[str]) -> RandomWrite:
    target, left, right = random.choices(names, k=3)
    source = (
        f"(SELECT a.id, max(a.v) AS v, count(*) AS n FROM {{t}}.{left} a "
        f"{random.choice(('', 'LEFT', 'FULL'))} JOIN {{t}}.{right} b ON a.id = b.id GROUP BY a.id) s"
    )
    kind = random.choice(("MERGE", "MERGE", "UPDATE", "DELETE"))
    if kind != "MERGE":
        condition = f"EXISTS (SELECT 1 FROM {source} WHERE t.id = s.id AND s.v % {random.choice((2, 3))} > 0)"
        if random.random() < 0.3:
            condition = f"t.v % {random.choice((2, 3, 7))} = 1"
        old = f"SELECT id, k, ts, s, x, v FROM {{t}}.{target} t WHERE NOT coalesce({condition}, false)"
        if kind == "DELETE":
            return RandomWrite(target, f"DELETE FROM {{t}}.{target} t WHERE {condition}", old)
        new = f"SELECT id, k, ts, s, x, v + 100 FROM {{t}}.{target} t WHERE {condition}"
        statement = f"UPDATE {{t}}.{target} t SET v = t.v + 100 WHERE {condition}"
        return RandomWrite(target, statement, f"{old} UNION ALL {new}")
    statement = (
        f"MERGE INTO {{t}}.{target} t USING {source} ON t.id = s.id WHEN MATCHED AND s.v % 3 = 0 THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET v = t.v + s.n WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.n)"
    )
    rows = (
        f"SELECT t.id, k, ts, t.s, x, CASE WHEN s.id IS NULL THEN t.v ELSE t.v + s.n END AS v FROM {{t}}.{target} t "
        f"LEFT JOIN {source} ON t.id = s.id WHERE s.id IS NULL OR s.v IS NULL OR s.v % 3 <> 0 UNION ALL "
        f"SELECT s.id, NULL, NULL, NULL, NULL, s.n FROM {source} LEFT ANTI JOIN {{t}}.{target} t ON t.id = s.id"
    )
    return RandomWrite(target, statement, rows)


def result(spark: SparkSession, query: str, tables: str) -> list[str]:
    """The sorted rows of a query."""
    return sorted(str(tuple(row)) for row in spark.sql(query.replace("{t}", tables)).collect())
