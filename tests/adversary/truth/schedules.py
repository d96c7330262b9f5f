"""Random schedules of two writers on one table, each a session on a thread: are the rows those of some order?"""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from pyspark.sql import SparkSession

from adversary.harness import FAILS, Harness, first_line
from adversary.truth import serial
from adversary.truth.serial import Effect, Outcome, Row, State, Statement
from spark_iceberg_sql.spark.gate import intercept

CONFLICT = re.compile(
    r"ValidationException|CommitFailedException|conflict|concurrently modified|changed by another writer", re.IGNORECASE
)
SPECS = ("", "", "k", "bucket(2, r)", "truncate(4, r)", "k, bucket(2, r)")
SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.adaptive.enabled": "false",
}
Test = tuple[str, Callable[[Row], bool]]


@dataclass
class Tried:
    """Counts of schedules."""

    schedules: int = 0
    succeeded: int = 0
    conflicts: int = 0
    overlaps: int = 0  # schedules in which two statements ran at the same time
    kinds: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)  # of differences

    @property
    def differences(self) -> int:
        return sum(self.classes.values())


class Schedules:
    """Draws and runs schedules."""

    def __init__(self, harness: Harness, seed: int, say: bool = True) -> None:
        self.harness = harness
        self.seed = seed
        self.say = say
        self.sessions = [harness.spark.newSession() for _ in range(2)]
        for session in self.sessions:
            for key, value in SETTINGS.items():
                session.conf.set(key, value)
        self.tried = Tried()

    def run(self, seconds: float, first: int = 0) -> Tried:
        """Schedules for this many seconds. first: the number of the first one."""
        start, number = time.monotonic(), first
        while time.monotonic() - start < seconds:
            self.schedule(number)
            number += 1
        return self.tried

    def schedule(self, number: int) -> None:
        rng = Random(f"schedules/{self.seed}/{number}")
        table, spec = f"local.a.w{self.seed}x{number}", rng.choice(SPECS)
        level = rng.choice(("serializable", "snapshot"))
        modes = {
            operation: rng.choice(("copy-on-write", "merge-on-read")) for operation in ("delete", "update", "merge")
        }
        properties = {
            "format-version": min(rng.choice(("2", "2", "3")), str(self.harness.newest_format)),
            "commit.retry.num-retries": rng.choice(("4", "20")),
        }
        for operation, mode in modes.items():
            properties |= {f"write.{operation}.mode": mode, f"write.{operation}.isolation-level": level}
        text = ", ".join(f"'{k}' = '{v}'" for k, v in properties.items())
        by = f" PARTITIONED BY ({spec})" if spec else ""
        ddl = f"CREATE TABLE {table} (r INT, k INT, v INT) USING iceberg{by} TBLPROPERTIES ({text})"
        rows = [(r, rng.choice((0, 1, 2, None)), rng.randint(0, 5)) for r in range(1, rng.choice((4, 8, 12)))]
        self.harness.sql(ddl)
        split = rng.randint(1, len(rows))
        inserts = [_insert(part).text.replace("{t}", table) for part in (rows[:split], rows[split:]) if part]
        # A session keeps the version that it has read, so that its first statement may begin from an old one.
        behind = [len(inserts) > 1 and rng.random() < 0.4 for _ in self.sessions]
        for insert in inserts[:-1]:
            self.harness.sql(insert)
        for session, reads in zip(self.sessions, behind, strict=True):
            if reads:
                intercept.unchecked_sql(session)(f"SELECT count(*) FROM {table}").collect()
        self.harness.sql(inserts[-1])
        writers = [[drawn(rng, writer) for _ in range(rng.choice((1, 2, 2, 3)))] for writer in range(2)]
        pauses = [[rng.choice((0.0, 0.0, 0.1, 0.3)) for _ in w] for w in writers]
        outcomes, errors = self.together(table, writers, pauses)
        self.harness.sql(f"REFRESH TABLE {table}")
        final = serial.canonical([tuple(row) for row in self.harness.sql(f"SELECT r, k, v FROM {table}").collect()])
        starts = [serial.canonical(part) for part in (rows[:split], rows)][-len(inserts) :]
        held = [0 if reads else len(starts) - 1 for reads in behind]
        right = (
            serial.serial(starts[-1], outcomes, final)
            if level == "serializable"
            else serial.snapshot(starts, held, outcomes, final)
        )
        unexpected = [e for e in errors if not CONFLICT.search(e)]
        self.tried.schedules += 1
        self.tried.kinds[f"{level}"] += 1
        self.tried.succeeded += sum(map(len, outcomes))
        self.tried.conflicts += len(errors)
        self.tried.overlaps += any(a.start < b.end and b.start < a.end for a in outcomes[0] for b in outcomes[1])
        for statement in (o.statement for done in outcomes for o in done):
            self.tried.kinds[statement.text.split()[0]] += 1
        if not right or unexpected:
            name = "an error that is no conflict" if unexpected else f"no order of the statements, {level}"
            self.tried.classes[name] += 1
            stale = [f"writer {at} reads before the last INSERT" for at, reads in enumerate(behind) if reads]
            self.tell(name, [ddl, *inserts, *stale], writers, outcomes, errors, final, number)
        self.harness.sql(f"DROP TABLE {table}")

    def together(
        self, name: str, writers: Sequence[Sequence[Statement]], pauses: list[list[float]]
    ) -> tuple[list[list[Outcome]], list[str]]:
        """Run the statements of each writer on its thread: those that succeeded, and the errors of the others."""
        barrier = threading.Barrier(len(writers))
        outcomes: list[list[Outcome]] = [[] for _ in writers]
        errors: list[str] = []

        def run(at: int, session: SparkSession) -> None:
            barrier.wait()
            for statement, pause in zip(writers[at], pauses[at], strict=True):
                time.sleep(pause)
                start = time.monotonic()
                try:
                    intercept.unchecked_sql(session)(statement.text.replace("{t}", name)).collect()
                except FAILS as error:
                    errors.append(f"{first_line(error)} :: {str(error)[:3000]}")
                else:
                    outcomes[at].append(Outcome(statement, start, time.monotonic()))

        threads = [threading.Thread(target=run, args=(at, session)) for at, session in enumerate(self.sessions)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return outcomes, errors

    def tell(
        self,
        name: str,
        setup: list[str],
        writers: list[list[Statement]],
        outcomes: list[list[Outcome]],
        errors: list[str],
        final: State,
        number: int,
    ) -> None:
        if not self.say:
            return
        print(f"\n==== SCHEDULE {number} of seed {self.seed}: {name}\n" + ";\n".join(setup) + ";")
        for at, (statements, done) in enumerate(zip(writers, outcomes, strict=True)):
            good = {id(o.statement): f"{o.start:.2f} to {o.end:.2f}" for o in done}
            for statement in statements:
                print(f"-- writer {at}, {good.get(id(statement), 'failed')}: {statement.text}")
        print(f"-- the table has {final}", *(f"-- {e[:300]}" for e in errors), sep="\n", flush=True)


# --------------------------------------------------------------------------- statements


def _test(rng: Random) -> Test:
    number = rng.randint(0, 5)
    tests: tuple[Test, ...] = (
        (f"k = {number % 3}", lambda row: row[1] == number % 3),
        ("k IS NULL", lambda row: row[1] is None),
        (f"v > {number}", lambda row: row[2] is not None and row[2] > number),
        (f"r <= {number + 1}", lambda row: row[0] is not None and row[0] <= number + 1),
        (f"r % 3 = {number % 3}", lambda row: row[0] is not None and row[0] % 3 == number % 3),
        (f"k = {number % 3} AND v < 4", lambda row: row[1] == number % 3 and row[2] is not None and row[2] < 4),
        (f"(k = {number % 3} OR r = {number})", lambda row: row[1] == number % 3 or row[0] == number),
    )
    return rng.choice(tests)


def drawn(rng: Random, writer: int) -> Statement:
    """A statement; rows that it inserts tell its writer by v."""
    kind = rng.random()
    if kind < 0.15:
        return _insert(
            [(rng.choice((rng.randint(1, 12), 20 + rng.randint(0, 20))), rng.choice((0, 1, 2)), 100 + writer)]
        )
    if kind < 0.35:
        text, test = _test(rng)
        return Statement(f"DELETE FROM {{t}} WHERE {text}", lambda state: ([row for row in state if test(row)], []))
    if kind < 0.65:
        return _update(rng)
    return _merge(rng, writer)


def _insert(rows: Sequence[Row]) -> Statement:
    values = ", ".join(f"({', '.join('NULL' if c is None else str(c) for c in row)})" for row in rows)
    return Statement(f"INSERT INTO {{t}} VALUES {values}", lambda state: ([], list(rows)))


def _set(rng: Random) -> tuple[str, Callable[[Row], Row]]:
    number = rng.randint(0, 2)
    choices: tuple[tuple[str, Callable[[Row], Row]], ...] = (
        ("v = v + 10", lambda row: (row[0], row[1], None if row[2] is None else row[2] + 10)),
        (f"k = {number}", lambda row: (row[0], number, row[2])),
        (f"k = {number}, v = v + 1", lambda row: (row[0], number, None if row[2] is None else row[2] + 1)),
    )
    return rng.choice(choices)


def _update(rng: Random) -> Statement:
    (text, test), (values, new) = _test(rng), _set(rng)

    def effect(state: State) -> Effect:
        old = [row for row in state if test(row)]
        return old, [new(row) for row in old]

    return Statement(f"UPDATE {{t}} SET {values} WHERE {text}", effect)


def _merge(rng: Random, writer: int) -> Statement:
    numbers = rng.sample(range(1, 16), rng.choice((1, 3, 5)))
    source = {r: (r, rng.choice((0, 1, 2)), 1000 + writer) for r in numbers}
    values = ", ".join(f"({r}, {k}, {v})" for r, k, v in source.values())
    (text, test), (sets, new) = _test(rng), _set(rng)
    condition = rng.random() < 0.4
    action = rng.choice(("update", "set", "delete"))
    inserts, by_source = rng.random() < 0.6, rng.random() < 0.2
    clauses = [
        f"WHEN MATCHED{f' AND {text}' if condition else ''} THEN "
        + {"update": "UPDATE SET v = q.qv", "set": f"UPDATE SET {sets}", "delete": "DELETE"}[action]
    ]
    if inserts:
        clauses.append("WHEN NOT MATCHED THEN INSERT (r, k, v) VALUES (q.qr, q.qk, q.qv)")
    if by_source:
        clauses.append(f"WHEN NOT MATCHED BY SOURCE AND {text} THEN UPDATE SET v = v + 10")
    sql = f"MERGE INTO {{t}} USING (SELECT * FROM VALUES {values} AS x(qr, qk, qv)) q ON r = q.qr {' '.join(clauses)}"

    def effect(state: State) -> Effect:
        old: list[Row] = []
        put: list[Row] = []
        for row in state:
            match = source.get(row[0]) if row[0] is not None else None
            if match is not None and (not condition or test(row)):
                old.append(row)
                if action != "delete":
                    put.append(new(row) if action == "set" else (row[0], row[1], match[2]))
            elif match is None and by_source and test(row):
                old.append(row)
                put.append((row[0], row[1], None if row[2] is None else row[2] + 10))
        if inserts:
            target_keys = {row[0] for row in state}
            put += [row for r, row in source.items() if r not in target_keys]
        return old, put

    return Statement(sql, effect)
