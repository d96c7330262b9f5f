"""`iceberg-sql rules`: every rule with its severity and its page's first line."""

from __future__ import annotations

import argparse
import json
import sys

from spark_iceberg_sql.cli import CLEAN
from spark_iceberg_sql.report.rule_pages import catalogue, url_of
from spark_iceberg_sql.rules import registry


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--output-format", choices=["text", "markdown", "json"], default="text", help="default: text")


def run(args: argparse.Namespace) -> int:
    """Print the list; returns the exit code."""
    if args.output_format == "json":
        text = _json()
    else:
        text = catalogue() if args.output_format == "markdown" else _text()
    sys.stdout.write(text)
    return CLEAN


def _text() -> str:
    width = max(len(rule.name) for rule in registry.ALL)
    return "".join(f"{r.code}  {r.severity!s:<7}  {r.name:<{width}}  {r.summary}\n" for r in registry.ALL)


def _json() -> str:
    objects = [
        {
            "code": r.code,
            "name": r.name,
            "severity": str(r.severity),
            "summary": r.summary,
            "explanation": r.page,
            "spec": r.spec,
            "url": url_of(r.code),
        }
        for r in registry.ALL
    ]
    return json.dumps(objects, indent=2, ensure_ascii=False) + "\n"
