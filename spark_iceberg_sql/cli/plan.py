"""`iceberg-sql plan "ALTER TABLE ..."`: show what statements would do to the tables known from the settings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.checker.planner import plans
from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN, FINDINGS
from spark_iceberg_sql.cli.options import add_settings, configuration, sql_or_file
from spark_iceberg_sql.safe_output import visible_lines, write_message


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("sql", metavar="SQL|FILE", help="statements, a file of statements, or - for standard input")
    add_settings(parser)


def run(args: argparse.Namespace) -> int:
    """Print the plan of each statement; returns the exit code."""
    name, text = sql_or_file(args.sql)
    linter = Linter()
    catalog = linter.catalog_before(name, configuration(args).of(Path(name)))
    all_plans = plans(catalog, text)
    linter.require_answers()
    if not all_plans:
        write_message("error: no statement changes a table's partitioning")
        return COULD_NOT_RUN
    sys.stdout.write(visible_lines("\n\n".join(map(str, all_plans))) + "\n")
    if any(plan.report.failed for plan in all_plans):
        return COULD_NOT_RUN
    if not all(plan.report.ok for plan in all_plans):
        return FINDINGS
    return COULD_NOT_RUN if any(plan.unplanned for plan in all_plans) else CLEAN
