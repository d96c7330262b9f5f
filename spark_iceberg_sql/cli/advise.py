"""`iceberg-sql advise SOURCE... FILE`: the partition specs that make the queries in a file read the least."""

from __future__ import annotations

import argparse
from pathlib import Path

from spark_iceberg_sql.cli import CLEAN
from spark_iceberg_sql.cli.session_options import add_session, session
from spark_iceberg_sql.cli.statement_results import add_format, write_result
from spark_iceberg_sql.files.discovery import decode, read_bytes
from spark_iceberg_sql.insight.event_log import is_event_log
from spark_iceberg_sql.optional_dependencies import load


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="+",
        help="a table's name, a query, or a path; several tables: weighed together",
    )
    parser.add_argument("file", metavar="FILE", help="queries, - for standard input, or an event log of Spark")
    parser.add_argument(
        "--using",
        choices=("data", "metadata"),
        default="data",
        help="read a sample of the rows (default), or only the metadata of the table's files",
    )
    add_format(parser)
    add_session(parser)


def workload_text(file: str) -> str:
    """The queries of a file, or the path of an event log."""
    return file if file != "-" and is_event_log(Path(file)) else decode(read_bytes(file), file)[0]


def run(args: argparse.Namespace) -> int:
    """Print the advice; returns the exit code."""
    queries = workload_text(args.file)
    with session(args) as spark:
        source = args.source if len(args.source) > 1 else args.source[0]
        advice = load("insight.advise.spark").advise(spark, source, [queries], using=args.using)
    write_result(advice, args)
    return CLEAN
