"""Prints the results of the commands that start Spark: `--format`, one statement or several."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from spark_iceberg_sql.cli.options import sql_or_file
from spark_iceberg_sql.cli.session_options import add_session, pairs, session
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.extras import load
from spark_iceberg_sql.insight.plain import Result, as_json
from spark_iceberg_sql.outgoing import machine, say, visible_lines
from spark_iceberg_sql.syntax.script import statements
from spark_iceberg_sql.syntax.variables import substituted

R = TypeVar("R", bound=Result)
Found = Sequence[tuple[int, R]]


def add_format(parser: argparse.ArgumentParser) -> None:
    """Declare `--format`."""
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="output format (default: text)"
    )


def write(result: Result, given: argparse.Namespace) -> None:
    """Print a result in the format of `--format`."""
    if given.format == "json":
        machine(sys.stdout).write(f"{as_json(result.to_dict())}\n")
    else:
        sys.stdout.write(f"{visible_lines(str(result))}\n")


def add_statements(parser: argparse.ArgumentParser) -> None:
    """Declare the statements, the format and the session."""
    parser.add_argument(
        "sql", metavar="SQL|FILE", help="queries, a file of queries, or - for standard input"
    )
    add_format(parser)
    parser.add_argument(
        "--var", metavar="NAME=VALUE", action="append", help="value for ${NAME} in the queries"
    )
    add_session(parser)


def of_statements(
    given: argparse.Namespace, result: Callable[[object, str], R]
) -> tuple[Found[R], bool]:
    """Print the result of each statement, and errors about those that Spark refuses.

    compute: from a session and a statement to the result. Returns the results by statement number, and true if any
    statement was refused. Raises IcebergSqlError if there is none.
    """
    text = substituted(sql_or_file(given.sql)[1], pairs("--var", given.var))
    todo = [statement.text for statement in statements(text)]
    if not todo:
        raise IcebergSqlError("there is no statement to explain")
    spark = session(given)
    try:
        each = [(number, _one(spark, sql, number, result)) for number, sql in enumerate(todo, 1)]
    finally:
        spark.stop()
    found = [(number, one) for number, one in each if one is not None]
    if given.format == "json":
        values = [{"statement": number, **one.to_dict()} for number, one in found]
        machine(sys.stdout).write(as_json(values) + "\n")
    else:
        titled = (_titled(one, number, len(todo)) for number, one in found)
        sys.stdout.write(visible_lines("\n\n".join(titled)))
        sys.stdout.write("\n" if found else "")
    return found, len(found) < len(each)


def _one(spark: object, text: str, number: int, result: Callable[[object, str], R]) -> R | None:
    refusals = load("spark.bridge.errors").JVM_ERRORS
    try:
        return result(spark, text)
    except (IcebergSqlError, *refusals) as error:
        first = str(error).strip().partition("\n")[0]
        say(f"error: statement {number}: {first}")
        return None


def _titled(one: object, number: int, count: int) -> str:
    return f"-- statement {number}\n{one}" if count > 1 else str(one)
