"""Random histories of a table: partition fields, columns and versions changed in every way there is."""

from __future__ import annotations

from random import Random

_COLUMNS = {
    "id": "BIGINT",
    "n": "INT",
    "s": "STRING",
    "d": "DATE",
    "ts": "TIMESTAMP",
    "x": "DECIMAL(9, 2)",
    "p.a": "INT",
    "p.b": "STRING",
}
_TOP = "id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, x DECIMAL(9, 2), p STRUCT<a: INT, b: STRING>"
# Few names, so that they meet: default names, columns' names, letter case.
_NAMES = ("shard", "Shard", "id_bucket_8", "id_bucket", "ts_day", "s", "id", "part", "n_trunc_10")
_RENAMES = ("n", "m", "s", "note", "id_bucket_8", "shard", "ts_day", "part")
_BOUND = {
    "id": ("bucket(8, {})", "bucket(16, {})", "truncate(10, {})", "{}"),
    "n": ("bucket(8, {})", "truncate(10, {})", "{}"),
    "s": ("bucket(8, {})", "truncate(2, {})", "truncate(5, {})", "{}"),
    "d": ("years({})", "months({})", "days({})", "bucket(8, {})", "{}"),
    "ts": ("years({})", "days({})", "hours({})", "{}"),
    "x": ("truncate(10, {})", "{}"),
    "p.a": ("bucket(8, {})", "{}"),
    "p.b": ("truncate(2, {})", "{}"),
}


def term(random: Random) -> str:
    """A transform that suits its column."""
    column = random.choice(list(_BOUND))
    return random.choice(_BOUND[column]).format(column)


def _create(random: Random, verb: str, version: int | None) -> str:
    terms = ", ".join(term(random) for _ in range(random.choice((0, 1, 1, 2, 3))))
    partitioned = f" PARTITIONED BY ({terms})" if terms else ""
    properties = f" TBLPROPERTIES ('format-version' = '{version}')" if version else ""
    columns = _TOP if random.random() < 0.7 else random.choice(("id BIGINT, ts TIMESTAMP", _TOP + ", shard INT"))
    return f"{verb} TABLE t ({columns}) USING iceberg{partitioned}{properties}"


def _step(random: Random, names: list[str]) -> str:
    name = random.choice((*_NAMES, *names)) if random.random() < 0.4 else None
    alias = f" AS {name}" if name else ""
    old = random.choice((term(random), random.choice((*_NAMES, "ts_day", "id_bucket"))))
    kind = random.random()
    if kind < 0.36:
        return f"ALTER TABLE t ADD PARTITION FIELD {term(random)}{alias}"
    if kind < 0.60:
        return f"ALTER TABLE t DROP PARTITION FIELD {old}"
    if kind < 0.80:
        new = old if random.random() < 0.15 and "(" in old else term(random)
        return f"ALTER TABLE t REPLACE PARTITION FIELD {old} WITH {new}{alias}"
    if kind < 0.85:
        return f"ALTER TABLE t ADD COLUMN {random.choice(_RENAMES)} {random.choice(('INT', 'STRING'))}"
    if kind < 0.88:
        return f"ALTER TABLE t RENAME COLUMN {random.choice(('n', 's', 'x'))} TO {random.choice(_RENAMES)}"
    if kind < 0.91:
        return f"ALTER TABLE t DROP COLUMN {random.choice(('n', 's', 'd', 'x', 'p.b', 'p'))}"
    if kind < 0.93:
        return "ALTER TABLE t ALTER COLUMN n TYPE BIGINT"
    if kind < 0.96:
        return f"ALTER TABLE t SET TBLPROPERTIES ('format-version' = '{random.choice((2, 3))}')"
    return _create(random, random.choice(("CREATE OR REPLACE", "REPLACE")), None)


def history(seed: int, steps: int = 9) -> list[str]:
    """The statements of one history; the same seed gives the same."""
    random = Random(seed)
    names = ["id_bucket_8", "id_bucket_16", "s_trunc_2", "d_day", "ts_year", "ts_hour", "p.a_bucket_8"]
    first = _create(random, "CREATE", random.choice((1, 1, 2, 2, 2, 3)))
    quoted = [f"`{n}`" if "." in n else n for n in names]
    return [first, *(_step(random, quoted) for _ in range(steps))]


# Names that meet: a table's own, those of past columns and fields, and those of Iceberg's own tables.
_WILD_NAMES = (
    *("shard", "Shard", "n", "m", "s", "id_bucket", "id_bucket_4", "n_trunc_10", "ts_day", "part"),
    *("partition", "row", "row.id", "pos", "spec_id", "file_path", "content_offset", "partition.x"),
    *("a`b", "a.b", "x", "d", "s_trunc", "p.a", "p_a", "_partition_field", "content"),
)
_WILD_TYPES = ("BIGINT", "INT", "STRING", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "DECIMAL(9, 2)")
_WILD_COLUMNS = ("id", "n", "m", "s", "d", "ts", "x", "partition", "shard", "a`b", "ts_day")
_WILD_CALLS = (
    *("bucket(4, {})", "bucket(16, {})", "truncate(10, {})", "truncate(2, {})", "{}", "{}"),
    *("years({})", "months({})", "days({})", "hours({})"),
)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _fit(random: Random, columns: dict[str, str]) -> str:
    """A transform over a column, in most cases one that takes its type."""
    name = random.choice(list(columns))
    kind = columns[name].split("(")[0]
    calls = {
        "DATE": _WILD_CALLS[:2] + _WILD_CALLS[6:9],
        "TIMESTAMP": _WILD_CALLS[:2] + _WILD_CALLS[6:],
        "TIMESTAMP_NTZ": _WILD_CALLS[:2] + _WILD_CALLS[6:],
    }.get(kind, _WILD_CALLS[:6])
    call = random.choice(calls if random.random() < 0.97 else _WILD_CALLS)
    return call.format(_quoted(name) if name.isidentifier() is False else name)


def _wild_create(random: Random, verb: str, columns: dict[str, str], properties: str) -> str:
    terms = ", ".join(dict.fromkeys(_fit(random, columns) for _ in range(random.choice((0, 1, 1, 2)))))
    by = f" PARTITIONED BY ({terms})" if terms else ""
    if verb != "CREATE" and random.random() < 0.2:
        query = ", ".join(f"cast(null AS {t}) AS {_quoted(c)}" for c, t in columns.items())
        return f"{verb} TABLE t USING iceberg{by} AS SELECT {query}"
    listed = ", ".join(f"{_quoted(c)} {t}" for c, t in columns.items())
    return f"{verb} TABLE t ({listed}) USING iceberg{by}{properties}"


def _wild_columns(random: Random) -> dict[str, str]:
    names = ["id", *random.sample(_WILD_COLUMNS[1:], random.choice((2, 3, 4)))]
    usual = {"id": "BIGINT", "n": "INT", "s": "STRING", "d": "DATE", "ts": "TIMESTAMP", "x": "DECIMAL(9, 2)"}
    return {name: usual.get(name, "INT") if random.random() < 0.8 else random.choice(_WILD_TYPES) for name in names}


def _default(term: str, *, created: bool) -> str:
    """The name that Iceberg gives a field, so that later statements can mean it."""
    call, _, arguments = term.rpartition("(")
    number, _, column = arguments.strip(")").rpartition(", ")
    column = column.strip("`")
    suffix = {"bucket": "bucket", "truncate": "trunc"}.get(call, call.rstrip("s"))
    if not call:
        return column
    return "_".join([column, suffix, *([number] if number and not created else [])])


class _Rough:
    """A rough count of a table's columns and fields, so that most statements mean something."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.columns = _wild_columns(random)
        self.fields: dict[str, str] = {}  # name to source column
        self.gone: list[str] = []

    def create(self, verb: str, properties: str) -> str:
        text = _wild_create(self.random, verb, self.columns, properties)
        by = text.partition(" PARTITIONED BY (")[2].partition(") TBLPROPERTIES")[0].partition(") AS ")[0]
        self.gone += self.fields
        terms = [term for term in by.removesuffix(")").split("), ") if term]
        self.fields = {_default(term, created=True): _source(term) for term in terms}
        return text

    def add(self, term: str, name: str | None) -> None:
        self.fields[name or _default(term, created=False)] = _source(term)

    def free(self) -> list[str]:
        """Columns that no field comes from, but for now and then one."""
        used = set(self.fields.values()) if self.random.random() < 0.85 else set()
        return [c for c in list(self.columns)[1:] if c not in used]


def _source(term: str) -> str:
    return term.rpartition("(")[2].rpartition(", ")[2].strip(")`")


def wild(seed: int, steps: int = 7) -> list[str]:
    """A history that looks for damage: columns that go and come back, odd names, tables replaced by others.

    seed: the same gives the same. What is refused is refused.
    """
    random = Random(f"wild {seed}")
    rough = _Rough(random)
    version = random.choice((1, 2, 2, 2, 3))
    merge = ", 'write.update.mode' = 'merge-on-read'" if random.random() < 0.3 else ""
    out = [rough.create("CREATE", f" TBLPROPERTIES ('format-version' = '{version}'{merge})")]
    while len(out) <= steps:
        out += _wild_step(random, rough)
    return out


def _wild_step(random: Random, rough: _Rough) -> list[str]:
    kind = random.random()
    name = random.choice((*_WILD_NAMES, *rough.gone, *rough.gone)) if random.random() < 0.45 else None
    alias = f" AS {_quoted(name)}" if name else ""
    term = _fit(random, rough.columns)
    old = random.choice(list(rough.fields)) if rough.fields else None
    if kind < 0.26 or (kind < 0.54 and old is None):
        rough.add(term, name)
        return [f"ALTER TABLE t ADD PARTITION FIELD {term}{alias}"]
    if kind < 0.54 and old is not None:
        # By name; one that is a column's as well means the column.
        del rough.fields[old]
        rough.gone.append(old)
        if kind < 0.44:
            return [f"ALTER TABLE t DROP PARTITION FIELD {_quoted(old)}"]
        rough.add(term, name)
        return [f"ALTER TABLE t REPLACE PARTITION FIELD {_quoted(old)} WITH {term}{alias}"]
    if kind < 0.64 and (free := rough.free()):
        dropped = random.choice(free)
        del rough.columns[dropped]
        rough.gone.append(dropped)
        return [f"ALTER TABLE t DROP COLUMN {_column(dropped)}"]
    if kind < 0.74:
        added = random.choice([n for n in (*rough.gone, *rough.gone, *_WILD_COLUMNS, "m") if n not in rough.columns])
        rough.columns[added] = random.choice(_WILD_TYPES)
        return [f"ALTER TABLE t ADD COLUMN {_quoted(added)} {rough.columns[added]}"]
    if kind < 0.81:
        before = random.choice(list(rough.columns))
        after = random.choice([n for n in (*rough.gone, *_WILD_COLUMNS, "m") if n not in rough.columns])
        rough.columns = {after if c == before else c: t for c, t in rough.columns.items()}
        rough.gone.append(before)
        return [f"ALTER TABLE t RENAME COLUMN {_column(before)} TO {_quoted(after)}"]
    if kind < 0.86:
        properties = (
            *("'format-version' = '2'", "'format-version' = '3'"),
            *("'write.delete.mode' = 'merge-on-read'", "'write.delete.mode' = 'copy-on-write'"),
        )
        return [f"ALTER TABLE t SET TBLPROPERTIES ({random.choice(properties)})"]
    if kind < 0.98:
        if random.random() < 0.6:
            kept = dict(random.sample(list(rough.columns.items()), 1))
            rough.columns = {**_wild_columns(random), **kept}
        return [rough.create(random.choice(("CREATE OR REPLACE", "REPLACE")), "")]
    rough.columns = _wild_columns(random)
    listed = ", ".join(f"{_quoted(c)} {t}" for c, t in rough.columns.items())
    return [f"ALTER TABLE t REPLACE COLUMNS ({listed})"]


def _column(name: str) -> str:
    return name if name.isidentifier() else _quoted(name)
