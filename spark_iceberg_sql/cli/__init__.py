"""The command `iceberg-sql`. Exit codes: 0 clean, 1 findings, 2 could not run.

To add a command, add its module and its line in COMMANDS. The module has two functions:
`arguments(parser)` declares the command's arguments, `run(args)` runs it and returns the exit code.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Protocol, TextIO, cast

from spark_iceberg_sql.cli.parser import COMMAND, Parser
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.safe_output import SanitizedStream, write_message

CLEAN, FINDINGS, COULD_NOT_RUN = 0, 1, 2
# New objects until garbage is collected: few of a check's are in cycles, and many collections take a tenth of its time.
_GC_THRESHOLD = 50_000

# Command -> its module, loaded on first use, and its summary for --help.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "check": ("spark_iceberg_sql.cli.check", "check partition DDL in files, folders, notebooks"),
    "plan": ("spark_iceberg_sql.cli.plan", "show how statements would change the partitioning"),
    "run": ("spark_iceberg_sql.cli.run", "check a whole script, then run it on Spark"),
    "connect-server": ("spark_iceberg_sql.cli.connect_server", "serve Spark Connect with everything installed"),
    "thrift-server": ("spark_iceberg_sql.cli.thrift_server", "serve JDBC clients with everything installed"),
    "jar": (
        "spark_iceberg_sql.cli.jar",
        "write a jar with the functions and optimizer rules, for Spark without Python",
    ),
    "preview": ("spark_iceberg_sql.cli.preview", "show the partitions and files that a partition spec would produce"),
    "advise": ("spark_iceberg_sql.cli.advise", "find the partition spec that makes queries read the least"),
    "explain-query": ("spark_iceberg_sql.cli.explain_query", "show what queries would read, and why not less"),
    "health": ("spark_iceberg_sql.cli.health", "show what slows down a table's queries, and what fixes it"),
    "repartition": (
        "spark_iceberg_sql.cli.repartition",
        "rewrite the data files in other partition specs than the current one, in steps",
    ),
    "spj": ("spark_iceberg_sql.cli.spj", "show which joins, groups and windows need no shuffle, and why others do"),
    "from-hive": (
        "spark_iceberg_sql.cli.from_hive",
        "show how a Hive-partitioned table becomes one with hidden partitioning",
    ),
    "translate": ("spark_iceberg_sql.cli.translate", "show partition DDL in the syntax of another engine"),
    "doctor": ("spark_iceberg_sql.cli.doctor", "show what this package works with, for a bug report"),
    "explain": ("spark_iceberg_sql.cli.explain", "print a rule's page"),
    "rules": ("spark_iceberg_sql.cli.rules", "list the rules"),
    "config": ("spark_iceberg_sql.cli.config", "show the effective settings and their sources"),
    "completion": ("spark_iceberg_sql.cli.completion", "print the script that completes commands in a shell"),
    "server": ("spark_iceberg_sql.cli.server", "run the language server for editors"),
}


class Command(Protocol):
    """A command's module."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, args: argparse.Namespace) -> int:
        """Run the command; returns the exit code."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line. argv: the arguments (None: the process's). Returns the exit code."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, SanitizedStream(streams[0])), cast(TextIO, SanitizedStream(streams[1])))
    try:
        return _main(list(sys.argv[1:] if argv is None else argv))
    finally:
        sys.stdout, sys.stderr = streams


def _main(argv: list[str]) -> int:
    if argv and argv[0] in COMMANDS:
        name = argv.pop(0)
        try:
            command, parser = load_command(name)
            return command.run(parser.parse_args(argv))
        except IcebergSqlError as error:
            if error.report is not None:  # its lines are a report's, which are shown as they are
                sys.stderr.write(f"error: {error}\n")
            else:
                write_message(f"error: {error}")
            return COULD_NOT_RUN
        except BrokenPipeError:
            raise
        except OSError as error:
            file_text = f": `{os.fsdecode(error.filename)}`" if error.filename else ""
            write_message(f"error: {error.strerror or error}{file_text}")
            return COULD_NOT_RUN
        except Exception as crash:  # never 1, which means that the SQL is at fault
            write_message(f"error: {internal_error_text(crash, name)}")
            return COULD_NOT_RUN
    top_level_parser().parse_args(argv or ["--help"])
    return COULD_NOT_RUN


def load_command(name: str) -> tuple[Command, Parser]:
    """A command's module, which may load rules from other packages, and its parser. Raises PluginError."""
    module, summary = COMMANDS[name]
    command = cast(Command, import_module(module))
    parser = Parser(prog=f"iceberg-sql {name}", description=f"{summary}.")
    command.arguments(parser)
    return command, parser


def internal_error_text(error: Exception, component: str) -> str:
    """One line about an internal error. component: the step that failed, `run`."""
    from spark_iceberg_sql.rules.sis000_internal_error import internal_error_finding

    return f"{internal_error_finding((0, 0), component, error).message}; please report it"


def top_level_parser() -> Parser:
    """The top-level parser, without a command."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {summary}" for name, (_, summary) in COMMANDS.items()]
    parser = Parser(
        prog="iceberg-sql",
        description="Partitioning for Apache Iceberg: check SQL before it runs.",
        epilog="commands:\n" + "\n".join(lines) + "\n\nRun iceberg-sql COMMAND --help for details.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action=_Version, nargs=0, help="print the version")
    parser.add_argument("command", metavar=COMMAND, choices=list(COMMANDS))
    return parser


class _Version(argparse.Action):
    """Looks up the version only on request."""

    def __call__(self, parser: argparse.ArgumentParser, *unused_args: object) -> None:
        from importlib.metadata import version

        print(f"iceberg-sql {version('spark-iceberg-sql')}")  # noqa: T201
        parser.exit()


def _prepare_streams() -> None:
    """Replace characters that the encoding of an output lacks, and closed outputs, so that no finding is lost."""
    # A closed stream is None: what is written there is dropped.
    sys.stdout = sys.stdout or _null_stream()
    sys.stderr = sys.stderr or _null_stream()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _null_stream() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def entry() -> None:
    """The entry point of the installed command."""
    _prepare_streams()
    gc.set_threshold(_GC_THRESHOLD)
    try:
        code = main()
        if not sys.stdout.closed:  # the language server closes it
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:  # `iceberg-sql check | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FINDINGS
    sys.exit(code)
