"""`iceberg-sql spj "SELECT ... JOIN ..."`: which joins, groups and windows need no shuffle, and why others do."""

from __future__ import annotations

import argparse

from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN
from spark_iceberg_sql.cli.statement_results import add_statements, print_results
from spark_iceberg_sql.optional_dependencies import load


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_statements(parser)


def run(args: argparse.Namespace) -> int:
    """Print the verdict on each statement; returns the exit code."""
    _, any_refused = print_results(args, load("insight.spj.spark").spj)
    return COULD_NOT_RUN if any_refused else CLEAN
