"""Random scripts that create a table and change it, of names that clash and types that few transforms take."""

from __future__ import annotations

import random

NAMES = (
    *("id", "ts", "s", "TS", "ts_day", "ts_hour", "id_bucket", "id_bucket_4", "pos", "row", "p"),
    *("partition", "`a.b`", "s_trunc", "_row_id", "É", "ts_day_1001", "m", "`x``y`"),
)
TYPES = (
    *("BIGINT", "TIMESTAMP", "STRING", "DATE", "STRUCT<a: INT, ts: TIMESTAMP>", "DOUBLE", "BINARY"),
    *("ARRAY<INT>", "MAP<STRING, INT>", "DECIMAL(9, 2)", "VARIANT", "VOID", "UUID", "VARCHAR(3)"),
)
TERMS = (
    *("{}", "days({})", "hours({})", "months({})", "years({})", "day({})", "identity({})"),
    *("bucket(4, {})", "bucket(8, {})", "truncate(4, {})", "void({})", "bucket({}, 4)", "weeks({})"),
)
ENDS = (
    *(5 * [""]),
    *(" TBLPROPERTIES ('format-version' = '1')", " TBLPROPERTIES ('format-version' = '3')"),
    *(" TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')", " LOCATION ''"),
    " CLUSTERED BY (id) INTO 4 BUCKETS",
)
FIELDS = ("ts_day", "ts_hour", "id_bucket", "id_bucket_4")


def script(seed: int) -> str:
    """A CREATE TABLE and some changes of its table; the same for the same seed."""
    of = random.Random(seed)
    count = of.randrange(1, 7)
    last = [_create(of)] if of.random() < 0.2 else []
    return ";\n".join([_create(of), *(_change(of) for _ in range(count)), *last])


def _term(of: random.Random) -> str:
    return of.choice(TERMS).format(of.choice((*NAMES, "p.a", "p.ts", "nope", "m.key")))


def _create(of: random.Random) -> str:
    clauses = (*(8 * [""]), " NOT NULL", " DEFAULT 1", " COMMENT 'x'")
    columns = [f"{of.choice(NAMES)} {of.choice(TYPES)}{of.choice(clauses)}" for _ in range(of.randrange(1, 6))]
    if of.random() < 0.7:
        columns = ["id BIGINT", "ts TIMESTAMP", "s STRING", *columns[: of.randrange(3)]]
    verb = of.choice((*(4 * ["CREATE"]), "CREATE OR REPLACE", "REPLACE"))
    table = of.choice((*(4 * ["t"]), "IF NOT EXISTS t"))
    kind = of.choice((*(6 * [" USING iceberg"]), "", " USING parquet"))
    terms = ", ".join(_term(of) for _ in range(of.randrange(4)))
    clause = f" PARTITIONED BY ({terms})" if terms else ""
    return f"{verb} TABLE {table} ({', '.join(columns)}){kind}{clause}{of.choice(ENDS)}"


def _change(of: random.Random) -> str:
    name = of.choice((*(4 * [""]), f" AS {of.choice(NAMES)}"))
    old = of.choice((_term(of), of.choice(FIELDS)))
    return of.choice(
        (
            *(4 * [f"ALTER TABLE t ADD PARTITION FIELD {_term(of)}{name}"]),
            *(2 * [f"ALTER TABLE t REPLACE PARTITION FIELD {old} WITH {_term(of)}{name}"]),
            f"ALTER TABLE t DROP PARTITION FIELD {old}",
            f"ALTER TABLE t DROP COLUMN {of.choice(NAMES)}",
            f"ALTER TABLE t ADD COLUMN {of.choice(NAMES)} {of.choice(TYPES)}",
            f"ALTER TABLE t RENAME COLUMN {of.choice(NAMES)} TO {of.choice(NAMES)}",
            "ALTER TABLE t SET TBLPROPERTIES ('write.update.mode' = 'merge-on-read')",
            "SET spark.sql.caseSensitive = true",
            "SET TIME ZONE 'Europe/Paris'",
            "INSERT INTO t VALUES (1)",
        )
    )
