"""Statements from a seeded grammar: realistic CREATE and ALTER TABLE statements, and near misses."""

from __future__ import annotations

import random
from collections.abc import Callable

from spark_iceberg_sql.syntax.lexer import TRIVIA, tokenize

NAMES = [
    *("id", "ts", "data", "Region", "x1", "1a", "_c", "`a b`", "`a``b`", "`a.b`", "`sel``ect`", "date"),
    *("bucket", "partition", "field", "with", "as", "add", "table", "select", "values", "comment"),
    *("days", "timestamp", "array", "map", "interval", "null", "true", "retention", "identifier", "x"),
]
BAD_NAMES = ["a-b", "größe", "'id'", '"id"', "1", "gs://a/b", "s3.1", "", "a..b", "?", ":p"]
CALLS = [
    *("bucket", "BUCKET", "truncate", "Truncate", "days", "years", "month", "hour", "date_hour"),
    *("identity", "void", "zorder", "`bucket`", "date"),
]
NUMBERS = [
    *("16", "4", "0", "-5", "- 7", "8L", "300Y", "2S", "1.5", "1e3", "2.5BD", "4294967304L"),
    *("99999999999", "1.0F", "3D", ".5"),
]
STRINGS = ["'x'", '"x"', "'it''s'", "'a' 'b'", r"'\'q'", "r'raw'", "'add partition field'", "''"]
TYPES = [
    *("int", "BIGINT", "string", "timestamp", "timestamp_ntz", "date", "decimal(10,2)", "decimal"),
    *("varchar(10)", "char(3)", "binary", "boolean", "float", "double", "tinyint", "smallint"),
    *("array<int>", "map<string,bigint>", "struct<a:int,b:struct<c:string>>", "array<array<int>>"),
    *("struct<a int not null comment 'x', b string>", "timestamp without time zone", "real", "dec(5)"),
    *("map<string,array<struct<k:int>>>", "timestamp_ltz", "long", "string collate utf8_lcase"),
]
BLANKS = [" "] * 12 + ["  ", "\n", "\t", "\r\n", " /* c */ ", " -- c\n", " /* a /* b */ */ ", " --\\\nx\n"]
QUERIES = ["SELECT 1 AS id", "SELECT * FROM s WHERE a > 1", "VALUES (1, 'x')", "(SELECT 1)"]
QUERIES += ["WITH q AS (SELECT 1) SELECT * FROM q", "TABLE s", "FROM s SELECT a"]
STRAYS = [
    *(",", "(", ")", ".", "AS", "WITH", "BY", "PARTITIONED BY (id)", "FIELD", "FIELDS", "x", "16", "'s'"),
    *("IF NOT EXISTS", "IF EXISTS", "=", "+ 1", "?", "-", "DESC", "USING iceberg", "COMMENT 'c'", ";"),
    *("NOT NULL", "`q`", "TO", "string", "ADD", "<", ">", "::", "{", "TABLE", "SPEC"),
]


class Maker:
    """Generates a statement from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def pick(self, values: list[str]) -> str:
        return self.rng.choice(values)

    def some(self, chance: float) -> bool:
        return self.rng.random() < chance

    def several(self, make: Callable[[], str], maximum: int = 3) -> str:
        return ", ".join(make() for _ in range(self.rng.randint(1, maximum)))

    def name(self) -> str:
        return self.pick(BAD_NAMES) if self.some(0.02) else self.pick(NAMES)

    def path(self, maximum: int = 3) -> str:
        return ".".join(self.name() for _ in range(self.rng.randint(1, maximum)))

    def argument(self) -> str:
        draw = self.rng.random()
        if draw < 0.45:
            return self.pick(NUMBERS)
        if draw < 0.9:
            return self.path(2)
        if draw < 0.94:
            return self.pick(STRINGS)
        return self.pick(["date '2020-01-01'", "X'1F'", "interval '1' day", "interval 2 hours", "days(ts)"])

    def term(self) -> str:
        if self.some(0.3):
            return self.path(2)
        call = self.pick(CALLS)
        if call.lower() in ("bucket", "truncate") and self.some(0.7):
            return f"{call}({self.rng.randint(1, 64)}, {self.path(2)})"
        return f"{call}({self.several(self.argument, 2)})"

    def typed(self) -> str:
        kind = self.pick(TYPES)
        fragments = [self.name(), kind]
        if self.some(0.2):
            fragments.append("NOT NULL")
        if self.some(0.15):
            fragments.append(f"COMMENT {self.pick(STRINGS)}")
        if self.some(0.08):
            fragments.append(
                self.pick(["DEFAULT 1", "DEFAULT CASE WHEN true THEN 1 END", "DEFAULT (1 + 2)",
                           "DEFAULT current_date()", "GENERATED ALWAYS AS (id + 1)", "PRIMARY KEY",
                           "CHECK (id > 0)", "UNIQUE", "REFERENCES u (id)"])
            )  # fmt: skip
        return " ".join(fragments)

    def property(self) -> str:
        key = self.pick(["'format-version'", "'a.b'", "write.format", "k", '"q"'])
        return key + self.pick([" = '2'", "='x'", " = 2", " 'v'", " = true"])

    def clause(self) -> str:
        return self.pick(
            [f"TBLPROPERTIES ({self.several(self.property)})", f"COMMENT {self.pick(STRINGS)}",
             "LOCATION 's3://b/t'", "OPTIONS (a = 'b', c = 1 + 2)", "STORED AS parquet",
             "CLUSTERED BY (id) INTO 4 BUCKETS", "CLUSTERED BY (id) SORTED BY (ts DESC) INTO 8 BUCKETS",
             "ROW FORMAT DELIMITED FIELDS TERMINATED BY ','", "DEFAULT COLLATION utf8_binary"]
        )  # fmt: skip

    def create(self) -> str:
        fragments = [
            self.pick(["CREATE TABLE"] * 4 + ["CREATE OR REPLACE TABLE", "REPLACE TABLE"]
                      + ["CREATE TABLE IF NOT EXISTS", "CREATE EXTERNAL TABLE"]),
            self.path(),
        ]  # fmt: skip
        if self.some(0.9):
            fragments.append(f"({self.several(self.typed, 5)})")
        if self.some(0.7):
            fragments.append(f"USING {self.pick(['iceberg', 'ICEBERG', 'parquet', '`iceberg`'])}")
        clauses = [self.clause() for _ in range(self.rng.choice([0, 0, 1, 2]))]
        if self.some(0.85):
            inside = self.several(self.term) if self.some(0.9) else self.several(self.typed, 2)
            clauses.append(f"PARTITIONED BY ({inside})")
        self.rng.shuffle(clauses)
        fragments += clauses
        if self.some(0.25):
            fragments += [self.pick(["AS", "AS", ""]), self.pick(QUERIES)]
        return " ".join(fragments)

    def alter_field(self) -> str:
        verb = self.pick(["ADD", "ADD", "DROP", "REPLACE"])
        fragments = ["ALTER TABLE", self.path(), verb, "PARTITION FIELD", self.term()]
        if verb == "REPLACE":
            fragments += ["WITH", self.term()]
        if verb != "DROP" and self.some(0.4):
            fragments += ["AS", self.name()]
        return " ".join(fragments)

    def alter_icebergs(self) -> str:
        """ALTER TABLE in Iceberg's grammar besides partition fields."""
        pick, table = self.pick, f"ALTER TABLE {self.path()}"
        way = ["", " ASC", " DESC", " NULLS FIRST", " DESC NULLS LAST"]
        order = ", ".join(self.term() + pick(way) for _ in range(pick([1, 1, 2])))
        order = f"({order})" if self.some(0.2) else order
        age = f" RETAIN {pick(['7', '0', '-1'])} {pick(['DAYS', 'HOURS', 'MINUTES', 'SECONDS'])}"
        keep = pick(["2 SNAPSHOTS", "3 DAYS", "2 SNAPSHOTS 3 HOURS", "3 DAYS 2 SNAPSHOTS"])
        verb = pick(["CREATE", "CREATE OR REPLACE", "REPLACE"])
        reference_kind = pick(["BRANCH", "TAG"])
        lenient = pick(["", "", "IF NOT EXISTS "])
        clauses = pick(["", " AS OF VERSION 12"]) + pick(["", age])
        clauses += pick(["", "", f" WITH SNAPSHOT RETENTION {keep}"])
        return pick(
            [f"{table} WRITE ORDERED BY {order}", f"{table} WRITE LOCALLY ORDERED BY {order}",
             f"{table} WRITE DISTRIBUTED BY PARTITION {pick(['', f'LOCALLY ORDERED BY {order}', 'UNORDERED'])}",
             f"{table} WRITE UNORDERED {pick(['', 'DISTRIBUTED BY PARTITION'])}",
             f"{table} {pick(['SET', 'DROP'])} IDENTIFIER FIELDS {self.path(2)}, {self.name()}",
             f"{table} {verb} {reference_kind} {lenient}{self.name()}{clauses}",
             f"{table} DROP {reference_kind} {pick(['', 'IF EXISTS '])}{self.name()}"]
        )  # fmt: skip

    def alter_other(self) -> str:
        table = f"ALTER TABLE {self.path()}"
        return self.pick(
            [f"{table} ADD COLUMN {self.typed()}", f"{table} ADD COLUMNS ({self.several(self.typed)})",
             f"{table} DROP COLUMN {self.path(2)}", f"{table} DROP COLUMNS (a, {self.path(2)})",
             f"{table} RENAME COLUMN {self.path(2)} TO {self.name()}", f"{table} RENAME TO {self.path()}",
             f"{table} ALTER COLUMN {self.path(2)} TYPE {self.pick(TYPES)}",
             f"{table} ALTER COLUMN {self.path(2)} DROP NOT NULL", f"{table} ALTER COLUMN a FIRST",
             f"{table} ALTER COLUMN a TYPE bigint, b COMMENT 'x'", f"{table} CHANGE a b int",
             f"{table} SET TBLPROPERTIES ({self.several(self.property)})",
             f"{table} UNSET TBLPROPERTIES ('a', 'b.c')", f"{table} ADD PARTITION (dt = 'x')",
             f"{table} DROP IF EXISTS PARTITION (dt = 'x')", f"{table} RECOVER PARTITIONS",
             f"{table} WRITE ORDERED BY {self.term()}", f"{table} SET IDENTIFIER FIELDS {self.name()}",
             f"{table} CREATE TAG {self.name()}", f"DROP TABLE IF EXISTS {self.path()}",
             f"CREATE VIEW {self.path()} AS SELECT 1", f"DROP VIEW {self.path()}", f"USE {self.path()}",
             f"INSERT OVERWRITE {self.path()} PARTITION (dt = 'x', h) SELECT 1",
             f"SET {self.pick(['a.b', 'x'])} = {self.pick(['1', 'abc'])}", f"SET CATALOG {self.name()}"]
        )  # fmt: skip

    def broken(self, sql: str) -> str:
        """The statement with a token removed, doubled, swapped with the next, or inserted."""
        tokens = [t.text for t in tokenize(sql) if t.kind not in TRIVIA]
        for _ in range(self.rng.choice([1, 1, 2])):
            i = self.rng.randrange(2, max(3, len(tokens)))
            draw = self.rng.random()
            if draw < 0.3:
                del tokens[i : i + 1]
            elif draw < 0.45:
                tokens[i : i + 1] = tokens[i : i + 1] * 2
            elif draw < 0.6:
                tokens[i : i + 2] = reversed(tokens[i : i + 2])
            else:
                tokens.insert(i, self.pick(STRAYS))
        return " ".join(tokens)

    def dressed(self, sql: str) -> str:
        """The statement with different letter case, whitespace and comments between its tokens."""
        fragments = []
        for token in tokenize(sql):
            if token.kind in TRIVIA:
                fragments.append(self.pick(BLANKS))
            else:
                plain = token.text.isalpha() and token.text.isascii() and self.some(0.1)
                fragments.append(token.text.swapcase() if plain else token.text)
        return "".join(fragments)


def statement(seed: int) -> str:
    """The statement for a seed: a third are broken on purpose, a third have varied case and spacing."""
    generator = Maker(seed)
    methods = [generator.create, generator.create, generator.alter_field, generator.alter_field, generator.alter_other]
    methods += [generator.alter_icebergs]
    sql = generator.rng.choice(methods)()
    if generator.some(0.35):
        sql = generator.broken(sql)
    return generator.dressed(sql) if generator.some(0.35) else sql
