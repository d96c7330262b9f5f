"""`python -m tests.adversary --seconds 600 --seed 1`: exit code 1 if a row is wrong or an error is new, 2 if
nothing was tried."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from adversary import harness, known
from adversary.hunt import Hunt, Result


def summary(result: Result) -> str:
    """The counts in one line, readable and greppable."""
    each = result.pairs / max(result.seconds, 1)
    return (
        f"{result.probed} implications held against every row; "
        f"{result.tables} tables ({result.unbuilt} refused by Iceberg), "
        f"{result.pairs} pairs ({each:.1f} a second), {result.changes} DML statements, {result.answers} answers, "
        f"{result.filled} non-empty answers, {result.values} columns; {result.differences} differences, "
        f"{result.errors} new errors; {result.beneath} not ours, {result.unanswered} without an answer"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to try, not counting session start")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--known", action="store_true", help="report when each known class of faults was met")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="adversary") as folder:
        spark = harness.start(Path(folder))
        try:
            result = Hunt(harness.Harness(spark), given.seed).run(given.seconds)
        finally:
            spark.stop()
    if given.known:
        for name, what in known.CLASSES.items():
            when = f"{result.met[name]:.0f} s" if name in result.met else "not met"
            print(f"{name} {when}, {result.classes[name]} times: {what}")
        print(f"other: {result.classes['new']} times")
    print(summary(result))
    if not result.filled:
        print("nothing was tried: no answer had a row")
        return 2
    return 1 if result.differences or result.errors else 0


if __name__ == "__main__":
    sys.exit(main())
