"""Minimise a finding: the settings, the predicate, the rows and the table; and name the rule at fault."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from adversary import statements
from adversary.harness import FAILS, Harness, Made, first_line
from adversary.nodes import Node
from adversary.rows import RAW, Row
from adversary.statements import CHANGES, SHAPES, Answer, Case
from adversary.tables import values

TRIES = 28  # approximate number of statements per finding
BENEATH = ("Iceberg",)  # reported for what is wrong with all rules off
USUAL = ("spark.sql.session.timeZone", "spark.sql.ansi.enabled")


@dataclass
class Finding:
    """A failing case, the rules without which it passes, and its reproduction."""

    case: Case
    node: Node
    made: Made
    error: str = ""  # the message, if it fails
    rules: tuple[str, ...] = ()
    lost: frozenset[int] = frozenset()
    extra: frozenset[int] = frozenset()
    text: str = ""
    seconds: float = 0.0
    alone: bool = False  # the table was reduced to a plain one of few rows


def verdict(harness: Harness, iceberg_table: Made, case: Case) -> tuple[str, frozenset[int], frozenset[int]] | None:
    """How the case fails: (error, lost, extra); None if it passes, or if the expected rows are unknown."""
    if not statements.suits(case.statement, case.predicate, iceberg_table):
        return None
    with harness.conf(dict(case.settings)):
        true, rows = harness.truth(iceberg_table.view, [case.predicate, "r IS NOT NULL"])
    if not isinstance(true, frozenset):
        return None
    return judge(harness, iceberg_table, case, rows, true, statements.run(harness, iceberg_table, case))


def judge(
    harness: Harness, iceberg_table: Made, case: Case, rows: frozenset[int], true: frozenset[int], actual: Answer
) -> tuple[str, frozenset[int], frozenset[int]] | None:
    """How the answer differs from both truths: the predicate as a column, and the same statement over the copy.

    They are not the same where Spark's optimizer is wrong: at midnights that a time zone repeats, it takes
    `to_date(ts) = d` for a range of ts. What runs after `uninstall` may also be as plain Iceberg has it.
    """

    def alike(answer: Answer) -> bool:
        return answer == actual or (isinstance(answer, Exception) and isinstance(actual, Exception))

    right = statements.expected(case, rows, true)
    if actual == right or alike(statements.over_copy(harness, iceberg_table, case, rows)):
        return None
    if case.life == "uninstall":
        with harness.off():
            if alike(statements.run(harness, iceberg_table, replace(case, life=""))):
                return None
    if isinstance(actual, frozenset):
        return "", right - actual, actual - right
    return (
        None
        if statements.is_refused(harness, iceberg_table, case, actual)
        else (first_line(actual), frozenset(), frozenset())
    )


class Minimiser:
    """Minimises findings, within a number of statements each."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.left = 0
        self.of_a_rule = False

    def fails(self, iceberg_table: Made, case: Case) -> Any:
        self.left -= 1
        try:
            return verdict(self.harness, iceberg_table, case)
        except FAILS:
            return None

    def blame(self, iceberg_table: Made, case: Case) -> tuple[str, ...]:
        """The rules without which it passes, disabled by switch or by excludedRules."""
        guilty = []
        for name in self.harness.rules:
            with self.harness.off(name):
                if not self.fails(iceberg_table, case):
                    guilty.append(name)
            with self.harness.excluded(name):
                if (not self.fails(iceberg_table, case)) != (name in guilty):
                    guilty.append(f"{name} by excludedRules only" if name not in guilty else f"{name} by switch only")
        if not guilty:
            with self.harness.off():
                return BENEATH if self.fails(iceberg_table, case) else ("several rules",)
        return tuple(guilty)

    def same(self, iceberg_table: Made, case: Case) -> Any:
        """Like `fails`, but a rule's fault must not turn into one that also occurs with all rules off."""
        outcome = self.fails(iceberg_table, case)
        if outcome and self.of_a_rule:
            with self.harness.off():
                return None if self.fails(iceberg_table, case) else outcome
        return outcome

    def shrink(self, finding: Finding) -> None:
        """Fewer settings, a smaller predicate, a plainer statement, fewer rows."""
        self.left = TRIES
        self.of_a_rule = finding.rules != BENEATH
        iceberg_table, case = finding.made, finding.case
        if case.statement in SHAPES and case.statement != "select":
            plain = replace(case, statement="select")
            case = plain if self.same(iceberg_table, plain) else case
        if case.life and self.same(iceberg_table, replace(case, life="")):
            case = replace(case, life="")
        for key, value in case.settings:
            if (key, value) == ("spark.sql.ansi.enabled", "true"):
                continue
            kept = tuple((k, v) for k, v in case.settings if k != key)
            if key in USUAL:
                kept += ((key, {"spark.sql.ansi.enabled": "true"}.get(key, "UTC")),)
            if self.same(iceberg_table, replace(case, settings=kept)):
                case = replace(case, settings=kept)
        case, finding.node = self._smaller(iceberg_table, case, finding.node)
        finding.case = case
        finding.rules = self.blame(iceberg_table, case)
        self.left = max(self.left, 10)
        self._fewer(finding)
        self.tell(finding)

    def _smaller(self, iceberg_table: Made, case: Case, node: Node) -> tuple[Case, Node]:
        again = True
        while again and self.left > 0:
            again = False
            for less in sorted(dict.fromkeys(node.smaller()), key=Node.size):
                if self.left <= 0:
                    break
                smaller = replace(case, predicate=less.sql())
                if less.kind == node.kind and self.same(iceberg_table, smaller):
                    case, node, again = smaller, less, True
                    break
        return case, node

    def _fewer(self, finding: Finding) -> None:
        """A plain table of the wrong rows, of these and a few more, or of half of all; otherwise the table itself."""
        outcome = self.same(finding.made, finding.case)
        if not outcome:
            return
        finding.error, finding.lost, finding.extra = outcome
        wrong = set(finding.lost | finding.extra) if finding.case.statement != "count" else set()
        everything = {r for step in finding.made.table.steps for r in step.rows}
        some = set(sorted(wrong)[:1])
        tries = [(some, True), (set(sorted(wrong)[:4]), True), (everything, True), (some, False)]
        for rows, plain in tries:
            if rows and self._other(finding, rows, plain):
                break
        rows = {r for step in finding.made.table.steps for r in step.rows}
        while len(rows) > 2 and self.left > 0:
            order = sorted(rows)
            half = len(order) // 2
            parts = [set(order[:half]), set(order[half:])]
            parts += [rows - {r} for r in order[:8]] if len(order) <= 8 else []
            for part in parts:
                if self.left > 0 and self._other(finding, part | some if part | some != rows else part, finding.alone):
                    break
            else:
                break
            rows = {r for step in finding.made.table.steps for r in step.rows}

    def used(self, finding: Finding) -> set[str]:
        """The columns that the predicate names, and those that the statement needs."""
        identifiers = set(re.findall(r"\w+", finding.node.sql()))
        return {c for c in finding.made.table.types if c in identifiers} | {"r", "mark"}

    def _other(self, finding: Finding, rows: set[int], plain: bool) -> bool:
        try:
            iceberg_table = self.harness.build(finding.made.table.only(rows, self.used(finding) if plain else None))
        except FAILS:
            return False
        outcome = self.same(iceberg_table, finding.case)
        if not outcome:
            self.harness.drop(iceberg_table)
            return False
        finding.made, finding.alone = iceberg_table, plain
        finding.error, finding.lost, finding.extra = outcome
        return True

    def tell(self, finding: Finding) -> None:
        """The reproduction as SQL."""
        iceberg_table, case = finding.made, finding.case
        lines = ["SET TIME ZONE 'UTC';"]
        history = [f"{sql};" if not sql.startswith("--") else "" for sql in iceberg_table.done]
        inserts = iter(s for s in iceberg_table.table.steps if s.rows)
        for sql, text in zip(iceberg_table.done, history, strict=True):
            lines.append(text or f"{self._insert(iceberg_table, next(inserts).rows)}; {sql}")
        for name, value in self.harness.variables.items():
            if any(part.text == name for part in finding.node.below()):
                lines.append(f"DECLARE VARIABLE {name} = {value};")
        lines += [f"SET {key} = {value};" for key, value in case.settings]
        if case.life:
            lines.append(f"-- life of the DataFrame or view: {case.life}, between its creation and its execution")
        lines.append(case.text(iceberg_table) + ";")
        if finding.error:
            lines.append(f"-- fails: {finding.error}")
        else:
            lines.append(f"-- lost r: {sorted(finding.lost)[:8]}; too many r: {sorted(finding.extra)[:8]}")
        lines.append(f"-- blamed: {', '.join(finding.rules)}")
        finding.text = "\n".join(lines)

    def _insert(self, iceberg_table: Made, rows: tuple[int, ...]) -> str:
        columns = values(iceberg_table.table.types)
        identifiers = set(re.findall(r"\w+", " ".join(columns)))
        used = [at for at, name in enumerate(RAW) if name in identifiers]
        raw = ", ".join(_tuple(iceberg_table.table.rows[r], used) for r in rows[:12])
        more = f" /* and {len(rows) - 12} more */" if len(rows) > 12 else ""
        return (
            f"INSERT INTO {iceberg_table.name} BY NAME SELECT {', '.join(columns)} "
            f"FROM VALUES {raw}{more} AS x({', '.join(RAW[at] for at in used)})"
        )


def _tuple(row: Row, used: list[int]) -> str:
    return f"({', '.join(_cell(at, row[at]) for at in used)})"


def _cell(at: int, value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"{value}L" if at in (1, 2, 5) else str(value)


def key(case: Case, node: Node) -> str:
    """A rough signature of a finding, before it is minimised."""
    tokens = sorted({w for n in (node, *node.below()) for w in _words(n.text)})
    return f"{case.statement if case.statement in CHANGES else 'query'}|{case.life}|{' '.join(tokens)}"


def _words(text: str) -> list[str]:
    tokens = []
    for at, letter in enumerate(text):
        if letter == "(":
            start = at
            while start and (text[start - 1].isalnum() or text[start - 1] in "_."):
                start -= 1
            if start < at:
                tokens.append(text[start:at].removeprefix("local.system.").removeprefix("iceberg_"))
    return tokens
