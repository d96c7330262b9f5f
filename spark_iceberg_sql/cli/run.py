"""`iceberg-sql run FILE`: check a whole script, then run it on Spark, statement by statement."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN, FINDINGS
from spark_iceberg_sql.cli.session_options import add_session, pairs, session
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.discovery import decode, read_bytes
from spark_iceberg_sql.optional_dependencies import load
from spark_iceberg_sql.syntax.variables import substitute_variables

_ROWS = 20


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="a script; - for standard input")
    parser.add_argument("--check-only", action="store_true", help="only check, do not run")
    parser.add_argument("--var", metavar="NAME=VALUE", action="append", help="value for ${NAME} in the script")
    parser.add_argument("--param", metavar="NAME=VALUE", action="append", help="string value for :NAME")
    add_session(parser)


def run(args: argparse.Namespace) -> int:
    """Check and run the script; returns the exit code."""
    text = decode(read_bytes(args.file), args.file)[0]
    text = substitute_variables(text, pairs("--var", args.var))
    parameters = pairs("--param", args.param)
    with session(args) as spark:
        try:
            load("spark.gate.scripts").run(
                spark,
                text,
                parameters,
                check_only=args.check_only,
                filename=args.file,
                progress=_write_report,
                on_result=_show_rows,
            )
        except IcebergSqlError as error:
            _write_report(str(error))
            return FINDINGS if error.report is not None else COULD_NOT_RUN
    return CLEAN


def _write_report(text: str) -> None:
    """Write a report, or the progress of the script, as it is: `write_message` is for messages of one line."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _show_rows(result: Any) -> None:
    """Show the rows of a query's result; a result without columns has nothing to show."""
    if result.columns:
        result.show(_ROWS, truncate=60)
