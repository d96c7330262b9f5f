"""`iceberg-sql completion bash`: prints the script that completes commands, options and rules in a shell."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from spark_iceberg_sql.cli import CLEAN, COMMANDS, load_command, top_level_parser
from spark_iceberg_sql.errors import MissingExtraError
from spark_iceberg_sql.rules import registry
from spark_iceberg_sql.safe_output import raw_stream

_SHELLS = ("bash", "zsh", "fish")
_RULES = ("--select", "--ignore", "--extend-select")
_FILES = ("files", "file", "config", "output_file", "baseline")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("shell", choices=_SHELLS, help="the shell that reads the script")


def run(args: argparse.Namespace) -> int:
    """Print the script; returns the exit code."""
    try:
        import shtab
    except ImportError:
        raise MissingExtraError("shtab", "completion") from None
    raw_stream(sys.stdout).write(shtab.complete(_completion_parser(shtab), shell=args.shell))
    return CLEAN


def _completion_parser(shtab: Any) -> argparse.ArgumentParser:
    """All commands as one parser, with the completions of each argument."""
    parser = argparse.ArgumentParser(prog="iceberg-sql")
    for action in vars(top_level_parser())["_actions"]:
        if action.option_strings and action.dest != "help":
            parser.add_argument(*action.option_strings, action="store_true", help=action.help)
    commands = parser.add_subparsers()
    codes = [rule.code for rule in registry.ALL]
    for name, (_, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary)
        load_command(name)[0].arguments(command)
        for action in vars(command)["_actions"]:
            if action.dest == "rule" or set(action.option_strings) & set(_RULES):
                action.choices = codes
            elif action.dest in _FILES:
                action.complete = shtab.FILE
    return parser
