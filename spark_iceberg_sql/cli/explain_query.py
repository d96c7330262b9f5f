"""`iceberg-sql explain-query "SELECT ..."`: what queries would read, and why they do not read less."""

from __future__ import annotations

import argparse

from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN, FINDINGS
from spark_iceberg_sql.cli.statement_results import StatementResults, add_statements, print_results
from spark_iceberg_sql.insight.explain.model import Explanation
from spark_iceberg_sql.optional_dependencies import load
from spark_iceberg_sql.safe_output import write_message


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_statements(parser)
    parser.add_argument(
        "--min-pruning",
        metavar="PERCENT",
        type=_percent,
        help="exit with 1 if a scan prunes a smaller share of its table's files",
    )


def run(args: argparse.Namespace) -> int:
    """Explain each statement; returns the exit code."""
    explain = load("insight.explain.spark").explain
    results: StatementResults[Explanation]
    results, any_refused = print_results(args, explain)
    if any_refused:
        return COULD_NOT_RUN
    return CLEAN if args.min_pruning is None else _gate(results, args.min_pruning)


def _gate(results: StatementResults[Explanation], minimum: float) -> int:
    """The exit code; a scan that could not be measured is ignored only if another one was measured."""
    measured_scans = [(n, scan) for n, explanation in results for scan in explanation.scans if scan.pruned is not None]
    for number, explanation in results:
        for scan in explanation.scans:
            if scan.pruned is None:
                write_message(f"note: statement {number}: {scan.table} could not be measured: {scan.note}")
    low_scans = [(n, scan) for n, scan in measured_scans if scan.pruned is not None and scan.pruned < minimum]
    for number, scan in low_scans:
        write_message(
            f"error: statement {number}: {scan.pruned:.1f} % of the files of {scan.table} are pruned, "
            f"fewer than {minimum:g} %"
        )
    if low_scans:
        return FINDINGS
    if not measured_scans and any(explanation.scans for _, explanation in results):
        write_message("error: no scan could be measured")
        return COULD_NOT_RUN
    return CLEAN


def _percent(text: str) -> float:
    try:
        value = float(text.rstrip("%"))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"it must be a number from 0 to 100, not `{text}`")
    return value
