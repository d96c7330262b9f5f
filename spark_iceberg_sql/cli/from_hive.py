"""`iceberg-sql from-hive FILE.sql`: how a Hive-partitioned table becomes one with hidden partitioning."""

from __future__ import annotations

import argparse
from pathlib import Path

from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN
from spark_iceberg_sql.cli.results import add_format, write
from spark_iceberg_sql.cli.session_options import add_session, session
from spark_iceberg_sql.extras import load
from spark_iceberg_sql.files.discovery import decode, read_bytes


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "source",
        metavar="TABLE|FILE",
        help="a table in spark_catalog; or a .sql file with its CREATE TABLE and queries, - for standard input, which "
        "needs no Spark",
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="queries that read the table")
    parser.add_argument(
        "--column", metavar="NAME", help="the column from which the partition columns are derived"
    )
    parser.add_argument(
        "--zone", default="UTC", help="time zone of the partitions' days and hours (default: UTC)"
    )
    add_format(parser)
    add_session(parser)


def run(given: argparse.Namespace) -> int:
    """Print the move; returns the exit code: 2 if the spec is not certain."""
    from_hive = load("api").from_hive
    queries = _text(given.file) if given.file else ""
    options = {"column": given.column, "zone": given.zone, "catalog": given.catalog}
    if given.source == "-" or Path(given.source).suffix == ".sql":
        found = from_hive(None, f"{_text(given.source)}\n", queries, **options)
    else:
        spark = session(given)
        try:
            found = from_hive(spark, given.source, queries, **options)
        finally:
            spark.stop()
    write(found, given)
    return CLEAN if found.basis is not None else COULD_NOT_RUN


def _text(file: str) -> str:
    return decode(read_bytes(file), file)[0]
