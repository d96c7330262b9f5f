"""`iceberg-sql translate --to trino FILE...`: partition DDL in the syntax of another engine."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.cli import CLEAN, FINDINGS
from spark_iceberg_sql.cli.options import add_settings, configuration
from spark_iceberg_sql.files.discovery import decode, read_bytes
from spark_iceberg_sql.safe_output import visible, visible_lines, write_message
from spark_iceberg_sql.translation.script import NAMES, SPARK, Translator


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        default=["-"],
        help="statements, for pyiceberg a program; - for standard input (default); a table that one file creates is "
        "known in the next ones",
    )
    parser.add_argument("--to", choices=NAMES, default=SPARK, help="the engine to translate to (default: spark)")
    parser.add_argument(
        "--from", choices=NAMES, default=SPARK, dest="source", help="the engine to translate from (default: spark)"
    )
    add_settings(parser)


def run(args: argparse.Namespace) -> int:
    """Print the statements; returns the exit code: 1 if one of them cannot be translated, which is a comment then."""
    first, linter = args.files[0], Linter()
    known = linter.catalog_before(first, configuration(args).of(Path(first)))
    translator = Translator(to=args.to, source=args.source, known=known)
    results, is_refused = [], False
    for file in args.files:
        name = "<stdin>" if file == "-" else visible(file)
        results.append(translator.translate(decode(read_bytes(file), file)[0]))
        for refusal in translator.refusals:
            is_refused = True
            write_message(f"error: {name}:{refusal.line}: {refusal.fact}\nhelp: {refusal.remedy}")
    linter.require_answers()
    sys.stdout.write(visible_lines("".join(results)))
    return FINDINGS if is_refused else CLEAN
