"""`iceberg-sql repartition TABLE`: rewrite the data files in other partition specs, in steps."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from spark_iceberg_sql.cli import CLEAN
from spark_iceberg_sql.cli.session_options import add_session, session
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.rewrite_steps import STEP_BYTES
from spark_iceberg_sql.notebook.cells.reading_limit import bytes_of
from spark_iceberg_sql.optional_dependencies import load
from spark_iceberg_sql.quantities import plural, size
from spark_iceberg_sql.safe_output import visible

if TYPE_CHECKING:
    from spark_iceberg_sql.spark.bridge.jvm.java_rows import PendingFiles


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("table", metavar="TABLE", help="a table's name, as in SQL")
    parser.add_argument(
        "--step-bytes", metavar="SIZE", help=f"size of the data files of one step (default: {size(STEP_BYTES)})"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show the number of files and steps")
    add_session(parser)


def run(args: argparse.Namespace) -> int:
    """Rewrite the files, and print each step; returns the exit code."""
    step_bytes = STEP_BYTES if args.step_bytes is None else bytes_of(args.step_bytes)
    if not step_bytes:
        raise IcebergSqlError(f"`{args.step_bytes}` is not a size", help="write a size such as 10GB")
    with session(args) as spark:
        repartitioning = load("spark.tables.repartitioning").Repartitioning(spark, args.table, step_bytes)
        _print(_first_line(args.table, repartitioning.left))
        if args.dry_run:
            return CLEAN
        with load("insight.spark_progress").show_progress(spark, f"repartition {args.table}"):
            for step in repartitioning.steps():
                total = step.number + step.left.steps
                left_text = f"{plural(step.left.files, 'data file')} with {size(step.left.bytes)} left"
                _print(
                    f"step {step.number:,} of {total:,}: "
                    f"{plural(step.rewritten, 'data file')} rewritten into {step.added:,}; {left_text}"
                )
    return CLEAN


def _first_line(table: str, left: PendingFiles) -> str:
    if not left.files:
        return f"{table}: all data files are in the current partition spec"
    are = "is" if left.files == 1 else "are"
    steps = plural(left.steps, "step rewrites", "steps rewrite")
    return (
        f"{table}: {plural(left.files, 'data file')} with {size(left.bytes)} {are} in other partition specs than the "
        f"current one; {steps} them"
    )


def _print(line: str) -> None:
    sys.stdout.write(f"{visible(line)}\n")
    sys.stdout.flush()
