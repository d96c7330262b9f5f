"""`iceberg-sql from-hive FILE.sql`: how a Hive-partitioned table becomes one with hidden partitioning."""

from __future__ import annotations

import argparse
from pathlib import Path

from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN
from spark_iceberg_sql.cli.session_options import add_session, session
from spark_iceberg_sql.cli.statement_results import add_format, write_result
from spark_iceberg_sql.files.discovery import decode, read_bytes
from spark_iceberg_sql.optional_dependencies import load


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "source",
        metavar="TABLE|FILE",
        help="a table in spark_catalog; or a .sql file with its CREATE TABLE and queries, - for standard input, which "
        "needs no Spark",
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="queries that read the table")
    parser.add_argument("--column", metavar="NAME", help="the column from which the partition columns are derived")
    parser.add_argument("--zone", default="UTC", help="time zone of the partitions' days and hours (default: UTC)")
    add_format(parser)
    add_session(parser)


def run(args: argparse.Namespace) -> int:
    """Print the move; returns the exit code: 2 if the spec is not certain."""
    from_hive = load("api").from_hive
    queries = _text(args.file) if args.file else ""
    options = {"column": args.column, "zone": args.zone, "catalog": args.catalog}
    if args.source == "-" or Path(args.source).suffix == ".sql":
        migration = from_hive(None, f"{_text(args.source)}\n", queries, **options)
    else:
        with session(args) as spark:
            migration = from_hive(spark, args.source, queries, **options)
    write_result(migration, args)
    return CLEAN if migration.basis is not None else COULD_NOT_RUN


def _text(file: str) -> str:
    return decode(read_bytes(file), file)[0]
