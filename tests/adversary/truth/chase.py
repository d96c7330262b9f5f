"""One run: histories of tables, each compared with its copy after each statement and by many queries."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from random import Random

import pyarrow as pa

from adversary.harness import CATALOG, FAILS, PLAIN, Harness
from adversary.nodes import Node
from adversary.statements import SHAPES
from adversary.truth import columns, live, twin
from adversary.truth.changes import Changes
from adversary.truth.client import Client
from adversary.truth.columns import Column
from adversary.truth.conditions import Conditions
from adversary.truth.differences import Reducer, Trial, family, known_failure, report
from adversary.truth.live import Live, Reading
from adversary.truth.queries import Queries
from adversary.truth.steps import Steps
from adversary.truth.trials import Ask, Asked, Asker, Changed, Filter, Tally, batch, first_line, stored_fault
from adversary.truth.undone import undone
from spark_iceberg_sql.spark.bridge.jvm import compiler

KINDS = (*dict.fromkeys(t.partition("(")[0] for t in columns.TYPES), "struct")
FILTERS, QUERIES, REMOVALS, CHANGES = 24, 8, 6, 2
TOLD = 2  # differences of a class to reduce and print; further ones are only counted
SHARE = 0.4  # the most of the time that is spent on reducing


class Chase:
    """A run from a seed; each table has its own random numbers, so table n is always the same."""

    ROOM = "truth"

    def __init__(
        self,
        harness: Harness,
        seed: int,
        kinds: tuple[str, ...] = KINDS,
        say: bool = True,
        client: Client | None = None,
    ) -> None:
        """kinds: the types of columns. client: of Connect, which then runs queries and statements."""
        self.harness = harness
        self.seed = seed
        self.kinds = kinds
        self.say = say
        self.ask: Ask = client or Asker(harness)
        self.catalog = "local" if client else CATALOG  # one in memory is its session's alone
        self.folder = Path(tempfile.mkdtemp(prefix="truth"))
        if client:
            client.folder = self.folder
        self.copies = twin.Copies(harness, self.folder)
        self.steps = Steps(harness, self.folder, kinds)
        self.reducer = Reducer(harness, self.ask)
        self.tally = Tally()
        self.reduced = 0.0
        self.started = time.monotonic()

    def run(self, seconds: float, trials: int = 0, first: int = 0) -> Tally:
        """Run for this many seconds and until there were this many trials. first: the number of the first table."""
        number = first
        with self.harness.conf({**PLAIN, **twin.UNFILTERED}):
            while self.spent() < seconds or self.tally.trials < trials:
                self.history(number)
                number += 1
        self.tally.seconds = self.spent()
        return self.tally

    def spent(self) -> float:
        return time.monotonic() - self.started

    def tell(self, text: str) -> None:
        if self.say:
            print(text, flush=True)

    # ---------------------------------------------------------------------- a history

    def history(self, number: int) -> None:
        rng = Random(f"truth/{self.seed}/{number}")
        table_columns = live.drawn_columns(rng, self.kinds)
        imports = rng.random() < 0.25  # the catalog in memory reads no files of others
        spec = [] if imports else live.drawn_spec(rng, table_columns)
        name = f"{self.seed}x{number}"
        table = self.created(rng, name, table_columns, spec, "local" if imports else self.catalog)
        if table is None:
            return
        try:
            for _ in range(rng.choice((1, 2, 3))):
                self.step(rng, table, first=True)
            for _ in range(rng.choice((0, 1, 2, 3))):
                self.step(rng, table)
            for _ in range(3):
                if not self.round(rng, table, name):
                    return
                for _ in range(rng.choice((0, 1, 2))):
                    self.step(rng, table)
        finally:
            table.drop()

    def created(
        self, rng: Random, name: str, table_columns: list[Column], spec: list[str], catalog: str
    ) -> Live | None:
        """A table with random properties; None if Iceberg refuses it."""
        properties = live.drawn_properties(rng, self.harness.newest_format)
        try:
            table = live.create(self.harness, self.copies, name, table_columns, spec, properties, catalog)
        except FAILS as error:
            self.refused(error)
            return None
        self.tally.tables += 1
        return table

    def refused(self, error: BaseException) -> None:
        """Count a statement that Iceberg refuses, such as one with a value that overflows when it is truncated."""
        self.tally.refusals[first_line(error)[:160]] += 1

    def step(self, rng: Random, table: Live, first: bool = False) -> None:
        try:
            kind = self.steps.insert(rng, table) if first else self.steps.next(rng, table)
        except FAILS as error:
            self.refused(error)
            return
        self.tally.steps[kind] += 1

    def round(self, rng: Random, table: Live, name: str) -> bool:
        """Filters, queries and statements; false if the table no longer has the rows of its copy."""
        settings = drawn_settings(rng)
        with self.harness.conf(settings):
            reading = table.now if rng.random() < 0.75 else rng.choice(table.readings)
            self.tally.kinds["table"] += 1
            if fault := stored_fault(table, reading):
                return self.whole(table, reading, settings, name, fault)
            conditions = self.conditions(rng, table, reading)
            nodes = [conditions.next() for _ in range(FILTERS + QUERIES)]
            shapes = [s for s in SHAPES if s != "select"]
            filters = [
                Filter("select" if rng.random() < 0.7 else rng.choice(shapes), n)
                for n in dict.fromkeys(nodes[:FILTERS])
            ]
            answers = batch(self.harness, self.ask, reading, filters)
            self.tally.unknown += len(filters) - len(answers)
            for trial, true, fault in answers:
                self.tally.kinds["filter"] += 1
                self.tally.filled += bool(true)
                if fault:
                    self.difference(trial, table, reading, settings, name, fault)
            is_plain = reading.relation == table.name and not table.is_altered
            spec = [f for f in table.spec if "(" not in f] if is_plain else []
            generator = Queries(rng, reading.columns, table.sources, spec, nodes)
            self.queries(generator, nodes, table, reading, settings, name)
            for _ in range(REMOVALS):
                self.removal(rng, table, settings, name)
            return all(self.change(rng, table, settings, name) for _ in range(CHANGES))

    def conditions(self, rng: Random, table: Live, reading: Reading) -> Conditions:
        rows = twin.values(reading.columns, reading.rows)
        return Conditions(rng, reading.columns, rows, table.sources)

    def queries(
        self, generator: Queries, nodes: list[Node], table: Live, reading: Reading, settings: dict[str, str], name: str
    ) -> None:
        drawn = [generator.next() for _ in range(QUERIES)]
        trials = [Asked(query, tuple(n for n in nodes if n.sql() in query.text)) for query in drawn]
        with self.harness.off():
            expected = [trial.expected(self.harness, reading.view) for trial in trials]
        for trial, rows in zip(trials, expected, strict=True):
            self.tally.kinds[trial.kind] += rows is not None
            self.tally.unknown += rows is None
            adaptive = {"spark.sql.adaptive.enabled": "true"} if trial.kind in ("join", "subquery") else {}
            with self.harness.conf(adaptive):
                if fault := trial.fault_beside(rows, self.ask, reading):
                    self.difference(trial, table, reading, {**settings, **adaptive}, name, fault)

    def change(self, rng: Random, table: Live, settings: dict[str, str], name: str) -> bool:
        conditions = self.conditions(rng, table, table.now)
        offset = 100_000 * (len(table.history) + 1)
        trial = Changed(Changes(rng, table.columns, conditions, self.source(rng, table), offset).next())
        before = table.rows
        outcome = trial.apply(table, self.ask)
        if outcome in ("unknown", "refused"):
            self.tally.kinds[f"{trial.kind} {outcome}"] += 1
            return True
        self.tally.kinds[trial.kind] += 1
        if outcome:
            self.difference(trial, table, table.now, settings, name, outcome, before)
        return not outcome

    def removal(self, rng: Random, table: Live, settings: dict[str, str], name: str) -> None:
        """A statement that removes rows by partition columns, undone."""
        conditions = self.conditions(rng, table, table.now)
        trial = Changed(Changes(rng, table.columns, conditions, table.rows.slice(0, 0), 0).removal())
        outcome = undone(trial, table, self.ask)
        is_known = outcome not in ("unknown", "refused")
        self.tally.kinds["removal" if is_known else f"removal {outcome}"] += 1
        if outcome and is_known:
            self.difference(trial, table, table.now, settings, name, outcome, table.rows)

    def source(self, rng: Random, table: Live) -> pa.Table:
        """Rows for MERGE: new values for some rows of the table, and new rows."""
        new = live.rows_of(rng, table, rng.choice((2, 5)), columns.value)
        numbers = table.rows.column("r").to_pylist()
        same = rng.sample(numbers, min(len(numbers), rng.choice((0, 1, 4))))
        changed = live.rows_of(rng, table, len(same), columns.value)
        return pa.concat_tables([new, changed.set_column(0, "r", pa.array(same, pa.int32()))])

    # ---------------------------------------------------------------------- differences

    def whole(self, table: Live, reading: Reading, settings: dict[str, str], name: str, fault: str) -> bool:
        if issue := known_failure(table, fault):
            self.tally.failures[issue] += 1
            return False
        self.tally.classes["stored rows"] += 1
        self.tally.wrong["table"] += 1
        self.tell(
            f"\n==== STORED ROWS of table {name}\n{settings}\n{table.script()}\n"
            f"SELECT * FROM {reading.relation}\n-- {fault}"
        )
        return False

    def difference(
        self,
        trial: Trial,
        table: Live,
        reading: Reading,
        settings: dict[str, str],
        name: str,
        fault: str,
        before: pa.Table | None = None,
    ) -> None:
        if issue := known_failure(table, fault, "" if isinstance(trial, Filter) else trial.text("t", "v")):
            self.tally.failures[issue] += 1
            return
        label = family(trial, table, fault)
        start = time.monotonic()
        if self.tally.classes[label] < TOLD or self.reduced < SHARE * self.spent():
            rows = reading.rows if before is None else before
            same = reading.relation == table.name
            less, few, fault = self.reducer.reduce(trial, table, rows, reading, fault) if same else (trial, None, fault)
            label = family(less, table, fault)
            if self.tally.classes[label] < TOLD:
                blame = self.reducer.blame(less, table, few, reading, fault)
                self.tell(
                    f"\n==== {label} ({blame}) of table {name}, {'reduced' if few is not None else 'not reduced'}\n"
                    f"-- again: --rooms {self.ROOM} --seconds 1 --seed {name.replace('x', ' --first ')}\n"
                    f"{report(less, table, reading, few, settings, fault)}"
                )
        self.reduced += time.monotonic() - start
        self.tally.classes[label] += 1
        self.tally.wrong[trial.kind] += 1


JOINS = {  # joins and groups by storage partitions
    "spark.sql.sources.v2.bucketing.enabled": "true",
    "spark.sql.sources.v2.bucketing.pushPartValues.enabled": "true",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    "spark.sql.iceberg.planning.preserve-data-grouping": "true",
}
GENERATED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "CODEGEN_ONLY"}
SETS: tuple[tuple[float, dict[str, str]], ...] = (  # with their shares of the rounds
    (0.3, {"spark.sql.ansi.enabled": "false"}),
    (0.08, GENERATED),
    (0.25, {"spark.sql.iceberg.vectorization.enabled": "false"}),
    (0.2, {"spark.sql.adaptive.enabled": "true"}),
    (0.1, {"spark.sql.iceberg.aggregate-push-down.enabled": "false"}),
    (0.15, JOINS),
    (0.15, {"spark.sql.autoBroadcastJoinThreshold": "-1"}),
)
SETTINGS = tuple(key for _, settings in SETS for key in settings)


def drawn_settings(rng: Random) -> dict[str, str]:
    """Settings of a round."""
    chosen = {"spark.sql.ansi.enabled": "true"}
    for share, settings in SETS:
        if rng.random() < share:
            chosen |= settings
    return chosen


def quick_files(harness: Harness) -> None:
    """Hadoop's local file system starts a process for each file it writes; from now on it does not."""
    text = (Path(__file__).parents[2] / "spark" / "LocalFiles.java").read_text("utf-8")
    loader = compiler.compile_java(text, "LocalFiles.java", compiler.context_loader())
    compiler.instance(loader, "sparkicebergsql.tests.LocalFiles").use(harness.spark._jsc.hadoopConfiguration())
