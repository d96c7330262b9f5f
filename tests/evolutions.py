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
_TOP = (
    "id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, x DECIMAL(9, 2), p STRUCT<a: INT, b: STRING>"
)
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
    columns = (
        _TOP
        if random.random() < 0.7
        else random.choice(("id BIGINT, ts TIMESTAMP", _TOP + ", shard INT"))
    )
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
        return (
            f"ALTER TABLE t ADD COLUMN {random.choice(_RENAMES)} {random.choice(('INT', 'STRING'))}"
        )
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
    names = [
        "id_bucket_8",
        "id_bucket_16",
        "s_trunc_2",
        "d_day",
        "ts_year",
        "ts_hour",
        "p.a_bucket_8",
    ]
    first = _create(random, "CREATE", random.choice((1, 1, 2, 2, 2, 3)))
    quoted = [f"`{n}`" if "." in n else n for n in names]
    return [first, *(_step(random, quoted) for _ in range(steps))]
