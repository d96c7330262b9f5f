"""Searches for damage that no rule covers: random histories on the real runtime, with probes after each statement.

    python tests/spark/long_run.py FIRST COUNT [--everything N] [--seconds S]

runs the histories of the seeds FIRST, FIRST + 1, ... After each statement that the runtime accepts, files are
added under the new spec, and Iceberg's own classes do on the table what every metadata table, write and rewrite
does. In every Nth history (40), rows are written instead, and after the last statement the table goes through
Spark's row-level changes and rewrites, and in every tenth of these through all of probes.py. Unexpected damage is
printed when it is found, the counts at the end.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from evolutions import wild
from oracle import Runtime

import spark_iceberg_sql
from spark_iceberg_sql.checker.engine import check_and_apply
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.types import struct_from_spark
from spark_iceberg_sql.spark.bridge.jvm import shims

# Damage that a warning has announced: its code, and the runtime's message.
FORETOLD = {
    "SIS407": re.compile(
        r"Cannot find field|Cannot build accessor for field: null"
        r'|NullPointerException: .* the return value of "java.util.Map.get'  # of .position_deletes
        r"|Cannot partition by non-primitive source field: struct<\d+: column_size"  # of .all_files
    ),
    "SIS408": re.compile(r"means a column"),
    "SIS416": re.compile(r"Wrong class, expected|BufferUnderflow|MalformedInput|ClassCastException"),
    "SIS417": re.compile(
        r"Cannot create identity partition|INVALID_ATTRIBUTE_NAME|position_deletes on .*NullPointerException"
    ),
}
# Unrelated to partitioning: a column whose type a REPLACE changed, with old values in the bounds of files.
# These tables can be read again after the old snapshots are expired.
BOUNDS = re.compile(r"\ball_(?:entries|files|data_files) on .*(?:BufferUnderflow|MalformedInput)")


class Asking(Tables):
    """An empty catalog; the columns of queries come from Spark."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(catalog="local", namespace=("db",), complete=True)
        self._runtime = runtime

    def columns_of(self, query: str) -> Schema | None:
        schema = self._runtime.sql(query).schema
        return Schema(struct_from_spark(schema.jsonValue()).fields)


@dataclass
class Found:
    """The result of one history. wrong: where checker and runtime differ."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def look(runtime: Runtime, script: list[str], last: str = "core") -> Found:
    """Run a history and return unexpected damage. last: how the table is probed at the end (see Runtime.damage)."""
    depth = "core" if last == "core" else "quick"
    tally = Found()
    runtime.clear()
    tables = Asking(runtime)
    warned: set[str] = set()
    for number, statement in enumerate(script):
        report = check_and_apply(statement, tables)
        tally.counts["statements"] += 1
        errors = [d for d in report if d.severity is Severity.ERROR]
        warned |= {d.code for d in report if d.severity is Severity.WARNING}
        unsure = any(d.severity is Severity.NOTE for d in report)
        refusal = runtime.refusal(statement)
        if refusal is not None:
            tally.counts["refused"] += 1
            if not errors and not unsure:
                tally.wrong.append(f"REFUSED, UNSAID: {statement}\n    {refusal}")
                return tally
            if number == 0:
                return tally
            continue
        if errors:
            tally.counts["damage, said"] += 1
            codes = ", ".join(sorted({d.code for d in errors}))
            if not runtime.damage(how="core", first=True) and not runtime.damage(how="thorough", first=True):
                tally.wrong.append(f"ACCEPTED, NO DAMAGE, BUT {codes}: {statement}")
            return tally
        if depth == "quick":
            runtime.fill()
        trouble = _unforeseen(runtime.damage(how=depth), warned)
        if trouble:
            tally.wrong.append(f"DAMAGED, UNSAID, by: {statement}\n    " + "\n    ".join(trouble[:4]))
            return tally
        if unsure:
            tally.counts["not followed"] += 1
            return tally
    tally.counts["to the end"] += 1
    trouble = runtime.damage(how=last) if last != "core" else []
    tally.counts["damage, warned of"] += bool(trouble) and not _unforeseen(trouble, warned)
    if unforeseen := _unforeseen(trouble, warned):
        tally.wrong.append("DAMAGED IN THE END, UNSAID:\n    " + "\n    ".join(unforeseen[:4]))
    return tally


def _unforeseen(troubles: list[str], warned: set[str]) -> list[str]:
    patterns = [pattern for code, pattern in FORETOLD.items() if code in warned]
    return [t for t in troubles if not any(p.search(t) for p in (*patterns, BOUNDS))]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--everything", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="long-run-"))
    config = {
        "spark.master": "local[1]",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "1",
        # Most code runs for minutes: only the first JIT tier.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.warehouse.dir": str(folder / "spark"),
    }
    runtime = Runtime(spark_iceberg_sql.session(folder / "warehouse", config=config))
    runtime.spark.sparkContext.setLogLevel("OFF")
    shims.logger("SQLQueryContextLogger").disabled = True
    counts: Counter[str] = Counter()
    start = time.monotonic()
    for seed in range(arguments.first, arguments.first + arguments.count):
        if time.monotonic() - start > arguments.seconds:
            break
        script = wild(seed)
        often, seldom = seed % arguments.everything, seed % (arguments.everything * 10)
        tally = look(runtime, script, "core" if often else "thorough" if seldom else "everything")
        counts += tally.counts
        counts["histories"] += 1
        if tally.wrong:
            counts["wrong"] += 1
            print(f"## seed {seed}", *script, *tally.wrong, sep="\n  ", flush=True)
        if counts["histories"] % 20 == 0:
            print(f"-- {time.monotonic() - start:.0f} s: {dict(counts)}", flush=True)
    print(f"{time.monotonic() - start:.0f} s: {dict(counts)}")
    return bool(counts["wrong"])


if __name__ == "__main__":
    sys.exit(main())
