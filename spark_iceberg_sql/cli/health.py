"""`iceberg-sql health TABLE`: what slows down a table's queries, and the statement that fixes it."""

from __future__ import annotations

import argparse

from spark_iceberg_sql.cli import CLEAN
from spark_iceberg_sql.cli.advise import workload_text
from spark_iceberg_sql.cli.session_options import add_session, session
from spark_iceberg_sql.cli.statement_results import add_format, write_result
from spark_iceberg_sql.optional_dependencies import load


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("table", metavar="TABLE", help="a table's name, as in SQL")
    parser.add_argument(
        "--queries", metavar="FILE", help="queries that decide what is proposed, - for standard input, or an event log"
    )
    add_format(parser)
    add_session(parser)


def run(args: argparse.Namespace) -> int:
    """Print the findings; returns the exit code."""
    queries = None if args.queries is None else [workload_text(args.queries)]
    with session(args) as spark:
        table_health = load("insight.health.spark").health(spark, args.table, queries)
    write_result(table_health, args)
    return CLEAN
