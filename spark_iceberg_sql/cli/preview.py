"""`iceberg-sql preview SOURCE --spec "days(ts)"`: the partitions and files that a write would produce."""

from __future__ import annotations

import argparse

from spark_iceberg_sql.cli import CLEAN, FINDINGS
from spark_iceberg_sql.cli.session_options import add_session, pairs, session
from spark_iceberg_sql.cli.statement_results import add_format, write_result
from spark_iceberg_sql.optional_dependencies import load
from spark_iceberg_sql.safe_output import write_message


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("source", metavar="SOURCE", help="a table's name, a query, or a path")
    parser.add_argument("--spec", required=True, help="as in PARTITIONED BY: 'days(ts), bucket(16, id)'")
    parser.add_argument(
        "--using",
        choices=("data", "sample", "metadata"),
        default="data",
        help="read every row (default), a sample, or only the metadata of the table's files",
    )
    parser.add_argument(
        "--property",
        metavar="KEY=VALUE",
        action="append",
        help="table property for the write (write.target-file-size-bytes=...)",
    )
    parser.add_argument(
        "--commits",
        metavar="N",
        type=int,
        default=1,
        help="the rows arrive in N appends of equal size, as from a stream (default: 1)",
    )
    parser.add_argument("--max-files", metavar="N", type=int, help="exit with 1 if there would be more files")
    add_format(parser)
    add_session(parser)


def run(args: argparse.Namespace) -> int:
    """Print the preview; returns the exit code."""
    properties = pairs("--property", args.property)
    with session(args) as spark:
        preview = load("insight.preview.spark").preview
        result = preview(spark, args.source, args.spec, using=args.using, properties=properties, commits=args.commits)
    write_result(result, args)
    if args.max_files is not None and result.files > args.max_files:
        write_message(f"error: {result.files:,} files, more than {args.max_files:,}")
        return FINDINGS
    return CLEAN
