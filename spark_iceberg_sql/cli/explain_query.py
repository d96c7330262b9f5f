"""`iceberg-sql explain-query "SELECT ..."`: what queries would read, and why they do not read less."""

from __future__ import annotations

import argparse

from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN, FINDINGS
from spark_iceberg_sql.cli.results import Found, add_statements, of_statements
from spark_iceberg_sql.extras import load
from spark_iceberg_sql.insight.explain import Explanation
from spark_iceberg_sql.outgoing import say


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_statements(parser)
    parser.add_argument(
        "--min-pruning",
        metavar="PERCENT",
        type=_percent,
        help="exit with 1 if a scan prunes a smaller share of its table's files",
    )


def run(given: argparse.Namespace) -> int:
    """Explain each statement; returns the exit code."""
    explain = load("spark.insight.explain").explain
    found: Found[Explanation]
    found, refused = of_statements(given, explain)
    if refused:
        return COULD_NOT_RUN
    return CLEAN if given.min_pruning is None else _gate(found, given.min_pruning)


def _gate(found: Found[Explanation], least: float) -> int:
    """The exit code; a scan that could not be measured is ignored only if another one was measured."""
    measured = [(n, scan) for n, one in found for scan in one.scans if scan.pruned is not None]
    for number, one in found:
        for scan in one.scans:
            if scan.pruned is None:
                say(f"note: statement {number}: {scan.table} could not be measured: {scan.note}")
    low = [(n, scan) for n, scan in measured if scan.pruned is not None and scan.pruned < least]
    for number, scan in low:
        say(
            f"error: statement {number}: {scan.pruned:.1f} % of the files of {scan.table} are pruned, "
            f"fewer than {least:g} %"
        )
    if low:
        return FINDINGS
    if not measured and any(one.scans for _, one in found):
        say("error: no scan could be measured")
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
