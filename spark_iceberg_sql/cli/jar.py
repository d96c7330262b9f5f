"""`iceberg-sql jar OUT.jar`: the functions and optimizer rules for Spark without Python."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from spark_iceberg_sql.cli import CLEAN
from spark_iceberg_sql.optional_dependencies import load
from spark_iceberg_sql.safe_output import visible


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("out", metavar="OUT.jar", type=Path, help="file to write")
    parser.add_argument("--ivy-settings", metavar="FILE", help="Ivy settings, for a mirror of Maven's repository")


def run(args: argparse.Namespace) -> int:
    """Write the jar; returns the exit code."""
    size = load("spark.extension.jar").write_jar(args.out, args.ivy_settings)
    sys.stdout.write(f"{visible(str(args.out))}: {round(size / 1000)} kB\n")
    return CLEAN
