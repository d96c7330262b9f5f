"""`iceberg-sql explain-query "SELECT ..."`: what queries would read, and why they do not read less."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN, FINDINGS
from spark_iceberg_sql.cli.options import sql_or_file
from spark_iceberg_sql.cli.session_options import add_session, pairs, session
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.extras import load
from spark_iceberg_sql.insight.explain import Explanation
from spark_iceberg_sql.syntax.script import statements
from spark_iceberg_sql.syntax.variables import substituted


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "sql", metavar="SQL|FILE", help="queries, a file of queries, or - for standard input"
    )
    parser.add_argument(
        "--min-pruning",
        metavar="PERCENT",
        type=_percent,
        help="exit with 1 if a scan prunes a smaller share of its table's files",
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="output format (default: text)"
    )
    parser.add_argument(
        "--var", metavar="NAME=VALUE", action="append", help="value for ${NAME} in the queries"
    )
    add_session(parser)


def run(given: argparse.Namespace) -> int:
    """Explain each statement; returns the exit code."""
    text = substituted(sql_or_file(given.sql)[1], pairs("--var", given.var))
    todo = [statement.text for statement in statements(text)]
    if not todo:
        raise IcebergSqlError("there is no statement to explain")
    spark = session(given)
    try:
        found, refused = _explained(spark, todo)
    finally:
        spark.stop()
    if given.format == "json":
        values = [{"statement": number, **json.loads(one.to_json())} for number, one in found]
        sys.stdout.write(json.dumps(values, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n\n".join(_titled(one, number, len(todo)) for number, one in found))
        sys.stdout.write("\n" if found else "")
    if refused:
        return COULD_NOT_RUN
    return CLEAN if given.min_pruning is None else _gate(found, given.min_pruning)


def _explained(spark: object, todo: Sequence[str]) -> tuple[list[tuple[int, Explanation]], bool]:
    """The explanations by statement number, and whether any statement was refused."""
    each = [(number, _one(spark, text, number)) for number, text in enumerate(todo, 1)]
    found = [(number, one) for number, one in each if one is not None]
    return found, len(found) < len(each)


def _one(spark: object, text: str, number: int) -> Explanation | None:
    refusals = load("spark.bridge.errors").JVM_ERRORS
    try:
        explained: Explanation = load("spark.insight.explain").explain(spark, text)
    except (IcebergSqlError, *refusals) as error:
        first = str(error).strip().partition("\n")[0]
        sys.stderr.write(f"error: statement {number}: {first}\n")
        return None
    return explained


def _titled(one: Explanation, number: int, count: int) -> str:
    return f"-- statement {number}\n{one}" if count > 1 else str(one)


def _gate(found: Sequence[tuple[int, Explanation]], least: float) -> int:
    """The exit code; a scan that could not be measured is ignored only if another one was measured."""
    measured = [(n, scan) for n, one in found for scan in one.scans if scan.pruned is not None]
    for number, one in found:
        for scan in one.scans:
            if scan.pruned is None:
                sys.stderr.write(
                    f"note: statement {number}: {scan.table} could not be measured: {scan.note}\n"
                )
    low = [(n, scan) for n, scan in measured if scan.pruned is not None and scan.pruned < least]
    for number, scan in low:
        sys.stderr.write(
            f"error: statement {number}: {scan.pruned:.1f} % of the files of {scan.table} are pruned, "
            f"fewer than {least:g} %\n"
        )
    if low:
        return FINDINGS
    if not measured and any(one.scans for _, one in found):
        sys.stderr.write("error: no scan could be measured\n")
        return COULD_NOT_RUN
    return CLEAN


def _percent(text: str) -> float:
    try:
        value = float(text.rstrip("%"))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"it is a number from 0 to 100, not `{text}`")
    return value
