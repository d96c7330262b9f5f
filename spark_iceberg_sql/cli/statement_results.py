"""Prints the results of the commands that start Spark: `--format`, one statement or several."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from spark_iceberg_sql.cli.options import sql_or_file
from spark_iceberg_sql.cli.session_options import add_session, pairs, session
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.json_values import Result, as_json
from spark_iceberg_sql.optional_dependencies import load
from spark_iceberg_sql.safe_output import raw_stream, visible_lines, write_message
from spark_iceberg_sql.syntax.script import statements
from spark_iceberg_sql.syntax.variables import substitute_variables

R = TypeVar("R", bound=Result)
StatementResults = Sequence[tuple[int, R]]


def add_format(parser: argparse.ArgumentParser) -> None:
    """Declare `--format`."""
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")


def write_result(result: Result, args: argparse.Namespace) -> None:
    """Print a result in the format of `--format`."""
    if args.format == "json":
        raw_stream(sys.stdout).write(f"{as_json(result.to_dict())}\n")
    else:
        sys.stdout.write(f"{visible_lines(str(result))}\n")


def add_statements(parser: argparse.ArgumentParser) -> None:
    """Declare the statements, the format and the session."""
    parser.add_argument("sql", metavar="SQL|FILE", help="queries, a file of queries, or - for standard input")
    add_format(parser)
    parser.add_argument("--var", metavar="NAME=VALUE", action="append", help="value for ${NAME} in the queries")
    add_session(parser)


def print_results(args: argparse.Namespace, compute: Callable[[object, str], R]) -> tuple[StatementResults[R], bool]:
    """Print the result of each statement, and errors about those that Spark refuses.

    compute: from a session and a statement to the result. Returns the results by statement number, and true if any
    statement was refused. Raises IcebergSqlError if there is none.
    """
    text = substitute_variables(sql_or_file(args.sql)[1], pairs("--var", args.var))
    texts = [statement.text for statement in statements(text)]
    if not texts:
        raise IcebergSqlError("there is no statement to explain")
    with session(args) as spark:
        outcomes = [(number, _result_of(spark, sql, number, compute)) for number, sql in enumerate(texts, 1)]
    results = [(number, item) for number, item in outcomes if item is not None]
    if args.format == "json":
        values = [{"statement": number, **item.to_dict()} for number, item in results]
        raw_stream(sys.stdout).write(as_json(values) + "\n")
    else:
        titled_texts = (f"-- statement {number}\n{item}" if len(texts) > 1 else str(item) for number, item in results)
        sys.stdout.write(visible_lines("\n\n".join(titled_texts)))
        sys.stdout.write("\n" if results else "")
    return results, len(results) < len(outcomes)


def _result_of(spark: object, text: str, number: int, compute: Callable[[object, str], R]) -> R | None:
    refusals = load("spark.bridge.jvm.java_errors").JVM_ERRORS
    try:
        return compute(spark, text)
    except (IcebergSqlError, *refusals) as error:
        first_line = str(error).strip().partition("\n")[0]
        write_message(f"error: statement {number}: {first_line}")
        return None
