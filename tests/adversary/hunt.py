"""One run: tables, batches of predicates, actual against expected rows, and the findings."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from random import Random

from adversary import answers, arrow, minimise, predicates, statements, tables
from adversary.harness import FAILS, PLAIN, Harness, Made, first_line
from adversary.implied import Implied
from adversary.minimise import Finding, Minimiser
from adversary.nodes import Node, leaf
from adversary.predicates import Predicates, Valued
from adversary.scalars import Expressions
from adversary.statements import CHANGES, LIVES, SHAPES, Case
from adversary.truth.differences import ORC_STRUCT_FAILS
from adversary.truth.twin import UNFILTERED
from adversary.zones import Zones

POOL, PREDICATES, CHANGED, ANSWERS = 30, 30, 1, 12
# Predicates tested on the rule `prune` alone, and how many of its suspects are then run.
PROBED, SUSPECTS = {"any": 800, "clocks": 1600, "uninstall": 0}, {"any": 6, "clocks": 14}
ZONE = "spark.sql.session.timeZone"
ABOUT = {1: "behind", 3: "halved"}  # of four tables, two have times near these transitions
RECURRING = 70  # an int with fewer values than this may be cyclic
SHARE = 0.25  # the maximum share of the time spent on minimising findings
ALL_FAIL = 20  # tables one after the other, from the first


@dataclass
class Result:
    """Counts and findings of a run."""

    pairs: int = 0
    probed: int = 0  # predicates tested without a query: whether they imply too much for a row
    changes: int = 0
    answers: int = 0  # queries with an order, a limit, groups or a join
    filled: int = 0
    values: int = 0
    tables: int = 0
    unbuilt: int = 0  # tables that Iceberg refuses to create or fill
    differences: int = 0
    errors: int = 0
    known: int = 0  # fail by a fault of Iceberg that its list of issues has
    alike: int = 0  # not as the predicate says as a column, but as Spark answers over the copy; or refused
    unanswered: int = 0  # the expected rows are unknown
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)


def fails_as_known(iceberg_table: Made, fault: str) -> bool:
    """Whether it is apache/iceberg#4604, of which the room `truth` tells likewise."""
    return any("." in source for source in iceberg_table.table.sources) and ORC_STRUCT_FAILS.search(fault) is not None


class Hunt:
    """A run from a seed; each table has its own random numbers, so the first n tables are always the same."""

    def __init__(self, harness: Harness, seed: int, say: bool = True) -> None:
        self.harness = harness
        self.seed = seed
        self.say = say
        self.zones = Zones(harness.spark._jvm)
        self.minimiser = Minimiser(harness)
        self.implied = Implied(harness)
        self.result = Result()
        self.seen: set[str] = set()  # signatures of findings: only the first of each is minimised
        self.shrunk = 0.0  # seconds spent on minimising findings
        self.started = time.monotonic()

    def run(self, seconds: float, filled: int = 0) -> Result:
        """Run for this many seconds, and until this many answers had rows; the current statements are finished."""
        with self.harness.conf({**PLAIN, **UNFILTERED}):
            return self._run(seconds, filled)

    def _run(self, seconds: float, filled: int) -> Result:
        def on() -> bool:
            return self.spent() < seconds or self.result.filled < filled

        number = 0
        while on():
            rng = Random(f"{self.seed}/{number}")
            table = tables.draw(rng, self.zones, f"t{number}", ABOUT.get(number % 4))
            number += 1
            try:
                iceberg_table = self.harness.build(table)
            except FAILS:  # for example, a value that overflows when truncated
                self.result.unbuilt += 1
                if not self.result.tables and self.result.unbuilt == ALL_FAIL:
                    raise  # otherwise the run would never end
                continue
            self.result.tables += 1
            columns = [leaf("column", name) for name in iceberg_table.types]
            is_stored = self.same_values(iceberg_table, self.harness.valued(iceberg_table.view, columns), ())
            for about in self.batches(iceberg_table):
                if is_stored and on():
                    self.batch(iceberg_table, Random(rng.random()), about)
            self.harness.drop(iceberg_table)
            if number % 10 == 0:
                self.tell(f"-- {self.spent():.0f} s: {number} tables, {self.result.pairs} pairs")
        self.result.seconds = self.spent()
        return self.result

    def spent(self) -> float:
        return time.monotonic() - self.started

    def batches(self, iceberg_table: Made) -> list[str]:
        """The subject of each batch: anything, time-zone transitions, a plan that outlives the rules."""
        many = len(iceberg_table.table.rows) > 60 and bool(iceberg_table.table.changes)
        subjects = ["clocks"] * many + ["uninstall"] * bool(iceberg_table.table.sources)
        return ["any", *(subjects or ["any"])]

    def batch(self, iceberg_table: Made, rng: Random, about: str) -> None:
        """Predicates under the same settings: the expected rows of all, their queries, then some row-level changes."""
        settings = statements.settings(rng, iceberg_table.table.zone, lambda: self.zones.pick(rng))
        life = rng.choice(LIVES) if rng.random() < 0.2 else ""
        if about == "clocks":
            settings = tuple({**dict(settings), ZONE: iceberg_table.table.zone}.items())
        elif about == "uninstall":
            life = about
        ansi = dict(settings)["spark.sql.ansi.enabled"] == "true"
        with self.harness.conf(dict(settings)):
            generator = Expressions(rng, iceberg_table.table, ansi)
            if life == "uninstall":  # from then on, Iceberg's functions behave as in plain Iceberg
                generator.calls = ("iceberg_",)
            expressions = generator.clocks() if about == "clocks" else generator.usual()
            if about == "any":
                expressions += [generator.next() for _ in range(POOL)]
            pool = self.harness.valued(iceberg_table.view, expressions)
            if not pool:
                return
            nodes = self.predicates(iceberg_table, rng, pool, PREDICATES)
            queries = [
                answers.draw(rng, iceberg_table, pool, nodes) for _ in range(ANSWERS if life != "uninstall" else 0)
            ]
            if life != "uninstall":
                nodes = [*self.suspects(iceberg_table, rng, pool, about), *nodes]
            if rng.random() < 0.15:
                nodes[:4] = [self.by_variable(node) for node in nodes[:4]]
            texts = [n.sql() for n in nodes]
            truths = self.harness.truth(iceberg_table.view, [*texts, "r IS NOT NULL"])
            rows = truths.pop()
        for query in queries:
            self.answer(iceberg_table, query, settings)
        if rng.random() < 0.4:
            self.same_values(iceberg_table, pool, settings)
        known_ = [(n, t) for n, t in zip(nodes, truths, strict=True) if isinstance(t, frozenset)]
        self.result.unanswered += len(nodes) - len(known_)
        query_shapes = [s for s in SHAPES if s != "select"]
        cases = [
            Case("select" if rng.random() < 0.75 else rng.choice(query_shapes), n.sql(), settings, life)
            for n, _ in known_
        ]
        actual = statements.queries(self.harness, iceberg_table, cases) if cases else []
        for (node, true), case, answer in zip(known_, cases, actual, strict=True):
            self.result.pairs += 1
            self.result.filled += bool(true)
            self.judge(iceberg_table, node, case, rows, true, answer)
        for node, true in rng.sample(known_, min(CHANGED, len(known_))):
            kind = rng.choices(list(CHANGES), (6, 3, 2, 2, 2, 2, 0, 1))[0]
            self.change(iceberg_table, node, Case(kind, node.sql(), settings), rows, true)
        if rng.random() < 0.25:
            self.rewrite(iceberg_table, rng, pool, settings, rows)

    def answer(self, iceberg_table: Made, query: answers.Query, settings: tuple[tuple[str, str], ...]) -> None:
        """Compare the rows of one query, and name the rules that are to blame for a difference."""
        self.result.answers += 1
        fault = answers.fault(self.harness, iceberg_table, query, dict(settings))
        if fault is None:
            return
        if fails_as_known(iceberg_table, fault):
            self.result.known += 1
            return
        self.result.differences += 1
        blamed = []
        for rule in self.harness.rules:
            with self.harness.off(rule):
                if answers.fault(self.harness, iceberg_table, query, dict(settings)) is None:
                    blamed.append(rule)
        self.tell(
            f"ANSWER of {blamed}: {query.text}, limit {query.limit}\n{fault}\nof {iceberg_table.done} with {settings}"
        )

    def suspects(self, iceberg_table: Made, rng: Random, pool: list[Valued], about: str) -> list[Node]:
        """Predicates for which the range of `prune` excludes matching rows."""
        nodes = {n.sql(): n for n in self.predicates(iceberg_table, rng, pool, PROBED[about])}
        with self.harness.off("prune", "fast"):
            texts, known_ = self.implied.suspects(iceberg_table.name, iceberg_table.view, list(nodes))
        self.result.probed += known_
        return [nodes[text] for text in texts[: SUSPECTS[about]]]

    def predicates(self, iceberg_table: Made, rng: Random, pool: list[Valued], count: int) -> list[Node]:
        generator = Predicates(rng, iceberg_table.table)
        parts = [v for v in pool if v.type == "int" and len(set(v.values.values())) < RECURRING]
        days = [v for v in pool if v.type == "date"]
        made_ = [generator.next(pool, parts, days) for _ in range(count)]
        return list(dict.fromkeys(made_))

    def by_variable(self, node: Node) -> Node:
        """The predicate with a session variable for its first literal."""
        for part in node.below():
            if part.kind == "literal" and (name := self.harness.variable(part.text)):
                return node.swapped(part, leaf("literal", name))
        return node

    def change(self, iceberg_table: Made, node: Node, case: Case, rows: frozenset[int], true: frozenset[int]) -> None:
        if not statements.suits(case.statement, case.predicate, iceberg_table):
            return
        answer = statements.change(self.harness, iceberg_table, case)
        self.result.changes += 1
        self.judge(iceberg_table, node, case, rows, true, answer)

    def rewrite(
        self,
        iceberg_table: Made,
        rng: Random,
        pool: list[Valued],
        settings: tuple[tuple[str, str], ...],
        rows: frozenset[int],
    ) -> None:
        """rewrite_data_files with a filter that Iceberg can translate: a function of a column, or a column."""
        simple = [v for v in pool if v.node.size() <= 2 and v.type != "boolean"]
        called = [v for v in simple if "iceberg_" in v.node.sql() or "system." in v.node.sql()]
        if called or simple:
            generator = Predicates(rng, iceberg_table.table)
            node = generator.compare(rng.choice(called or simple), rng.choice(generator.rows))
            self.change(iceberg_table, node, Case("rewrite", node.sql(), settings), rows, frozenset())

    def same_values(self, iceberg_table: Made, pool: list[Valued], settings: tuple[tuple[str, str], ...]) -> bool:
        """Check that the expressions have the same values over the table, with the rules on, as over the copy."""
        columns = ", ".join(f"{predicates.shown(v.type, v.node.sql())} AS c{k}" for k, v in enumerate(pool))
        of = f"of {iceberg_table.done} with {settings}"
        with self.harness.conf(dict(settings)):
            try:
                data = arrow.table(self.harness.sql(f"SELECT r, {columns} FROM {iceberg_table.name}"))
            except FAILS as error:
                if fails_as_known(iceberg_table, first_line(error)):
                    self.result.known += 1
                    return False
                self.result.errors += 1
                self.tell(f"VALUES fail: {first_line(error)}: {columns} {of}")
                return False
        rows = data.column(0).to_pylist()
        before = self.result.differences
        for k, valued in enumerate(pool):
            actual = dict(zip(rows, data.column(k + 1).to_pylist(), strict=True))
            self.result.values += 1
            if actual != valued.values:
                row = next(r for r in {**valued.values, **actual} if actual.get(r) != valued.values.get(r))
                self.result.differences += 1
                self.tell(
                    f"VALUES differ: {valued.node.sql()} is {actual.get(row)}, not {valued.values.get(row)}, "
                    f"for r = {row} {of}"
                )
        return self.result.differences == before

    # ---------------------------------------------------------------------- findings

    def judge(
        self,
        iceberg_table: Made,
        node: Node,
        case: Case,
        rows: frozenset[int],
        true: frozenset[int],
        actual: statements.Answer,
    ) -> None:
        if actual == statements.expected(case, rows, true):
            return
        outcome = minimise.judge(self.harness, iceberg_table, case, rows, true, actual)
        if outcome is None:
            self.result.alike += 1
            return
        finding = Finding(case, node, iceberg_table, *outcome[:1], (), *outcome[1:])
        finding.seconds = self.spent()
        if finding.error and fails_as_known(iceberg_table, finding.error):
            self.result.known += 1
            return
        if finding.error:
            self.result.errors += 1
        else:
            self.result.differences += 1
        with self.harness.off():  # Iceberg's own wrong rows are not of one kind with a rule's
            beneath = bool(self.minimiser.fails(iceberg_table, case))
        key = f"{minimise.key(case, node)}|{beneath}"
        if key in self.seen:
            return
        self.seen.add(key)
        finding.rules = self.minimiser.blame(iceberg_table, case)
        start = self.spent()
        if self.shrunk < SHARE * start + 20:
            self.minimiser.shrink(finding)
        else:
            self.minimiser.tell(finding)
        self.shrunk += self.spent() - start
        self.result.findings.append(finding)
        self.tell(
            f"\n==== {'ERROR' if finding.error else 'DIFFERENCE'} of table "
            f"{finding.made.table.name} after {finding.seconds:.0f} s\n{finding.text}"
        )

    def tell(self, text: str) -> None:
        if self.say:
            print(text, flush=True)
