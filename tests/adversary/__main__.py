"""`python -m tests.adversary --seconds 600 --seed 1`: exit code 1 if a row is wrong or a statement fails, 2 if
nothing was tried. Rooms: `rules` (predicates of which the rules derive something), `truth` (histories beside a copy
outside Iceberg), `removals` (DELETE by partition columns, beside a copy), `schedules` (two writers). SPARK_LINE=3.5 and
the like choose another Spark, ICEBERG_VERSION=1.7.1 another Iceberg."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import spark_line

if __name__ == "__main__":  # before anything imports pyspark
    spark_line.use()

from adversary import harness
from adversary.hunt import Hunt, Result
from adversary.truth.chase import KINDS, SETTINGS, Chase, quick_files
from adversary.truth.client import UNCACHED, Client, interpreter
from adversary.truth.removals import Removals
from adversary.truth.schedules import Schedules, Tried
from adversary.truth.trials import Tally

ROOMS = {"rules": 0.3, "truth": 0.35, "removals": 0.2, "schedules": 0.15}  # with their shares of the time


def summary(result: Result) -> str:
    """The counts in one line, readable and greppable."""
    rate = result.pairs / max(result.seconds, 1)
    return (
        f"{result.probed} implications held against every row; "
        f"{result.tables} tables ({result.unbuilt} refused by Iceberg), "
        f"{result.pairs} pairs ({rate:.1f} a second), {result.changes} DML statements, {result.answers} answers, "
        f"{result.filled} non-empty answers, {result.values} columns; {result.differences} differences, "
        f"{result.errors} errors; {result.known} failures by an issue of Iceberg; "
        f"{result.alike} as Spark over the copy or refused, {result.unanswered} without an answer"
    )


def of_truth(tally: Tally) -> str:
    """The counts of histories."""
    rate = tally.trials / max(tally.seconds, 1)
    total = (
        f"{tally.tables} histories, {tally.trials} trials ({rate:.1f} a second), {sum(tally.steps.values())} steps, "
        f"{tally.unknown} without an answer, {sum(tally.refusals.values())} statements refused; "
        f"{sum(tally.failures.values())} failures by an issue of Iceberg, {tally.differences} differences"
    )
    lines = [
        total,
        f"  trials: {_counted(tally.kinds)}",
        f"  steps: {_counted(tally.steps)}\n  differences in: {_counted(tally.wrong)}",
    ]
    lines += [f"  {number} fail by {issue}" for issue, number in tally.failures.most_common()]
    lines += [f"  {number} refused: {message}" for message, number in tally.refusals.most_common(12)]
    lines += [f"  {number} differences: {name}" for name, number in tally.classes.most_common()]
    return "\n".join(lines)


def of_schedules(tried: Tried) -> str:
    lines = "".join(f"\n  {number} differences: {name}" for name, number in tried.classes.most_common())
    return (
        f"{tried.schedules} schedules of two writers ({_counted(tried.kinds)}), in {tried.overlaps} two statements at "
        f"once: {tried.succeeded} statements succeeded, {tried.conflicts} conflicts; "
        f"{tried.differences} differences{lines}"
    )


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counter.most_common())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to try, not counting session start")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", default=",".join(ROOMS), help="which of them, separated by commas")
    parser.add_argument(
        "--kinds", default=",".join(KINDS), help="types of the columns in `truth`, to look at some alone"
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first history or schedule, to repeat it")
    parser.add_argument("--connect", action="store_true", help="`truth` through a client of Spark Connect, alone")
    arguments = parser.parse_args()
    if arguments.connect:
        arguments.rooms = "truth"
    rooms = arguments.rooms.split(",")
    total = sum(ROOMS[room] for room in rooms)
    seconds = {room: arguments.seconds * ROOMS[room] / total for room in rooms}
    empty = wrong = False
    with tempfile.TemporaryDirectory(prefix="adversary") as folder:
        spark = harness.start(Path(folder), UNCACHED if arguments.connect else None)
        try:
            work = harness.Harness(spark)
            quick_files(work)
            if "rules" in rooms:
                result = Hunt(work, arguments.seed).run(seconds["rules"])
                print(summary(result))
                empty, wrong = not result.filled, bool(result.differences or result.errors)
            if "truth" in rooms:
                kinds = tuple(arguments.kinds.split(","))
                with Client(work, interpreter(), SETTINGS) if arguments.connect else nullcontext() as client:
                    tally = Chase(work, arguments.seed, kinds, client=client).run(
                        seconds["truth"], first=arguments.first
                    )
                print(of_truth(tally))
                empty, wrong = empty or not tally.filled, wrong or bool(tally.differences)
            if "removals" in rooms:
                tally = Removals(work, arguments.seed).run(seconds["removals"], first=arguments.first)
                print(of_truth(tally))
                empty, wrong = empty or not tally.kinds["removal"], wrong or bool(tally.differences)
            if "schedules" in rooms:
                tried = Schedules(work, arguments.seed).run(seconds["schedules"], arguments.first)
                print(of_schedules(tried))
                empty, wrong = empty or not tried.succeeded, wrong or bool(tried.differences)
        finally:
            spark.stop()
    if empty:
        print("nothing was tried: no answer had a row")
        return 2
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
