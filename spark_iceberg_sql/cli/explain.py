"""`iceberg-sql explain SIS202`: print a rule's page, which is its docstring."""

from __future__ import annotations

import argparse
import sys

from spark_iceberg_sql.cli import CLEAN
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.report.rule_pages import page, url_of
from spark_iceberg_sql.rules import registry
from spark_iceberg_sql.rules.base import Rule
from spark_iceberg_sql.similar_names import did_you_mean


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("rule", nargs="+", metavar="RULE", help="a rule's code (SIS202) or name")


def run(args: argparse.Namespace) -> int:
    """Print the pages; returns the exit code."""
    sys.stdout.write("\n".join(_page(_rule(word)) for word in args.rule))
    return CLEAN


def _page(rule: Rule) -> str:
    url = url_of(rule.code)
    return f"{page(rule)}\n" + (f"\nOnline: {url}\n" if url is not None else "")


def _rule(word: str) -> Rule:
    for rule in registry.ALL:
        if word.upper() == rule.code or word.lower() == rule.name:
            return rule
    names = [name for rule in registry.ALL for name in (rule.code, rule.name)]
    raise IcebergSqlError(f"unknown rule `{word}`{did_you_mean(word, names)}")
