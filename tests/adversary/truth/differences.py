"""A difference is reduced (rows, conditions), named by its class, and told with all that is needed to repeat it."""

from __future__ import annotations

import itertools
import re
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pyarrow as pa

from adversary.harness import FAILS, Harness
from adversary.nodes import Node
from adversary.truth import live as lives
from adversary.truth.live import Inserted, Live, Reading, insert_text
from adversary.truth.trials import Ask, Asked, Changed, Filter
from spark_iceberg_sql.spark.bridge.jvm import iceberg_version

Trial = Filter | Asked | Changed
TRIES = 30
FAILING = ("it fails", "reading it fails")
SPARK = re.compile(r"at org\.apache\.spark\.sql\.catalyst|from org\.apache\.spark\.sql\.catalyst")
# What is no fault of the rules, and none that they can mend, by its record in the list of Iceberg's issues.
ORC_STRUCT, ORC_STRUCT_FAILS = "apache/iceberg#4604", re.compile(r"Missing ORC reader|out of bounds for length")
# Of the catalog in memory, which only tests use: before Iceberg 1.9, a writer
# without a row removes a file that is not there.
MEMORY, MEMORY_FAILS = "files in memory", re.compile(r"No in-memory file found .* at \S+InMemoryFileIO\.deleteFile")
FAILURES = {
    "apache/iceberg#15268": re.compile(r"Cannot find required field for ID"),
    "defaults of decimals": re.compile(r"Cannot cast default value to"),
}
NULL_ALONE = "null structs of partition fields alone"
NULL_STRUCT, ORC_ZEROS = "apache/iceberg#17320", "ORC and signed zeros"
ORC_DELETES = "ORC, equality deletes and _partition"
_numbers = itertools.count()


class Reducer:
    """Repeats a difference on smaller tables."""

    def __init__(self, harness: Harness, ask: Ask) -> None:
        self.harness = harness
        self.ask = ask
        self.left = 0
        self.outcome = ""  # of the smallest trial so far
        self.failing = False

    def fault(self, trial: Trial, live: Live, reading: Reading | None = None) -> str | None:
        """How the trial differs; a statement changes the table."""
        if isinstance(trial, Changed):
            outcome = trial.apply(live, self.ask)
            return None if outcome in ("unknown", "refused") else outcome
        return trial.fault(self.harness, self.ask, reading or live.now)

    def alone(self, trial: Trial, live: Live, rows: pa.Table) -> str | None:
        """How it differs on a table of the same columns and spec with these rows, inserted at once."""
        self.left -= 1
        other = None
        try:
            other = lives.alone(live, f"x{next(_numbers)}", rows)
            return self.fault(trial, other)
        except FAILS:
            return None
        finally:
            if other is not None:
                other.drop()

    def blame(self, trial: Trial, live: Live, rows: pa.Table | None, reading: Reading | None, fault: str) -> str:
        """`Spark`, `Iceberg` (it differs with all rules off), or the rules without which it does not."""

        def fails(context: AbstractContextManager[Any]) -> bool:
            with context:
                if rows is not None:
                    return bool(self.alone(trial, live, rows))
                return bool(self.fault(trial, live, reading))

        if rows is None and isinstance(trial, Changed):
            return "unknown"
        if SPARK.search(fault) or (
            isinstance(trial, Filter) and trial.fault_of_spark(self.harness, self.ask, reading or live.now)
        ):
            return "Spark"
        if not fails(nullcontext()):
            return "not repeated"
        if not self.harness.switches:
            return "through Connect"
        if fails(self.harness.off()):
            return "Iceberg"
        return ", ".join(rule for rule in self.harness.rules if not fails(self.harness.off(rule))) or "several rules"

    def like(self, outcome: str | None) -> bool:
        """Whether this is a difference of the kind to reduce: an error, or wrong rows."""
        if not outcome or outcome.startswith(FAILING) != self.failing:
            return False
        self.outcome = outcome
        return True

    def reduce(
        self, trial: Trial, live: Live, before: pa.Table, reading: Reading | None, fault: str
    ) -> tuple[Trial, pa.Table | None, str]:
        """A smaller trial; the rows of a plain table on which it differs, if it does; how it differs."""
        self.left, self.outcome, self.failing = TRIES, fault, fault.startswith(FAILING)
        rows = before if self.like(self.alone(trial, live, before)) else None
        again = rows is not None or not isinstance(trial, Changed)
        while again and self.left > 0:
            again = False
            for node in trial.conditions:
                for less in sorted(dict.fromkeys(node.smaller()), key=Node.size)[:12]:
                    smaller = trial.replaced(node, less)
                    if less.kind == node.kind and self.left > 0 and self._same(smaller, live, rows, reading):
                        trial, again = smaller, True
                        break
                if again:
                    break
        if rows is not None:
            rows = self._fewer(trial, live, rows)
        return trial, rows, self.outcome

    def _same(self, trial: Trial, live: Live, rows: pa.Table | None, reading: Reading | None) -> bool:
        if rows is not None:
            return self.like(self.alone(trial, live, rows))
        self.left -= 1
        return self.like(self.fault(trial, live, reading))

    def _fewer(self, trial: Trial, live: Live, rows: pa.Table) -> pa.Table:
        size = max(1, rows.num_rows // 2)
        while self.left > 0:
            starts = range(0, rows.num_rows, size)
            for start in starts:
                part = pa.concat_tables([rows.slice(0, start), rows.slice(start + size)])
                if self.left > 0 and part.num_rows and self.like(self.alone(trial, live, part)):
                    rows = part
                    break
            else:
                if size == 1:
                    break
                size //= 2
        return rows


def known_failure(live: Live, fault: str, text: str = "") -> str | None:
    """The issue by which a statement fails, or stored rows are read as others. text: the statement's."""
    script = live.script()
    # Row-level statements read it, too.
    misread = "_partition" in text or (fault.startswith(FAILING) and "ClassCastException" in fault)
    if misread and "in orc;" in script and iceberg_version.number() < (1, 12):
        return ORC_DELETES
    if MEMORY_FAILS.search(fault):
        return MEMORY
    has_field = any("." in field and "(" not in field for field in (*live.spec, *live.old))
    if has_field and fault.startswith(FAILING) and ORC_STRUCT_FAILS.search(fault):
        return ORC_STRUCT
    for issue, fails in FAILURES.items():
        if fault.startswith(FAILING) and fails.search(fault):
            return issue
    if fault.startswith("zeros") and "orc" in script:
        return ORC_ZEROS
    if has_field and fault.startswith("null structs"):
        if f"{NULL_STRUCT}: present" in live.harness.issues:
            return NULL_STRUCT
        structs = [{leaf.name for leaf in c.leaves} for c in live.columns if c.fields]
        if any(fields <= {*live.spec, *live.old} for fields in structs):
            return NULL_ALONE
    return None


def family(trial: Trial, live: Live, fault: str) -> str:
    """The class of a difference: a fault that is known by its looks, or the statement and the types of its columns."""
    text = trial.node.sql() if isinstance(trial, Filter) else trial.text("t", "v")
    leaves = [leaf for c in live.columns for leaf in c.leaves]
    used = [c for c in leaves if re.search(rf"(?<![\w.]){re.escape(c.name)}(?!\w)", text) and c.name not in ("r", "v")]
    if isinstance(trial, Changed) and not trial.conditions:
        used = leaves
    types = {c.family for c in used}
    fails = fault.startswith(FAILING)
    if fails and SPARK.search(fault):
        return f"Spark: {fault.rpartition('from ')[2]}"
    if fails and "null" in fault.lower() and re.search(r"LIKE|startswith", text):
        return "LIKE over null"
    if trial.kind == "metadata" and fails:
        return "metadata aggregates"
    if types & {"float", "double"} and not fails:
        return "floats"
    cut = {lives.source(f) for f in (*live.spec, *live.old) if f.startswith("truncate")}
    if any(c.name in cut and c.family in ("int", "bigint", "decimal") for c in used):
        return "truncate"
    symptom = re.sub(r"[\d'\"`].*", "", fault.split(":", 1)[1].strip())[:50] if fails else "rows"
    return f"other: {trial.kind} of {'/'.join(sorted(types))}: {symptom}"


def report(
    trial: Trial, live: Live, reading: Reading, rows: pa.Table | None, settings: dict[str, str], fault: str
) -> str:
    """SQL that repeats it, and what it returned."""
    lines = [f"SET {key} = {value};" for key, value in settings.items()]
    if rows is None:
        lines.append(live.script())
        relation = reading.relation.replace(live.name, "local.a.t")
    else:
        create = lives.create_text(live.columns, live.spec, live.properties)
        lines.append(live.script([create, Inserted(tuple(live.columns), rows)]))
        relation = "local.a.t"
    if isinstance(trial, Changed) and trial.change.rows is not None:
        source = trial.change.rows.rename_columns([c.name for c in live.columns])
        lines.append(insert_text(Inserted(tuple(live.columns), source, "-- source:")))
    lines.append(trial.text(relation, "copy") + ";")
    lines.append(f"-- {fault}")
    return "\n".join(lines)
