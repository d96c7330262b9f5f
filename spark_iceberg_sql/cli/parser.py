"""The command-line parser: its errors suggest the closest option, command or value."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from spark_iceberg_sql.config.keys import near
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.outgoing import say

COMMAND = "COMMAND"
# A value that an argument does not take, as argparse says it.
_CHOICE = regex(r"invalid choice: '(?P<word>.*)' \(choose from (?P<choices>.*)\)", re.DOTALL)


class _Narrow(argparse.HelpFormatter):
    def __init__(self, prog: str, **given: Any) -> None:
        super().__init__(prog, **{"width": 80, **given})


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose errors are one line that suggests the closest option or value; exits with code 2."""

    def __init__(self, **given: Any) -> None:
        # argparse makes a formatter for each option declared, and each asks for the width of the terminal.
        self._help = given.pop("formatter_class", argparse.HelpFormatter)
        super().__init__(**given, formatter_class=_Narrow)

    def format_help(self) -> str:
        """The text of --help, as wide as the terminal."""
        self.formatter_class = self._help
        return super().format_help()

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Like argparse's, but the error about an unknown option suggests the closest one."""
        given, rest = self.parse_known_args(args, namespace)
        unknown = [word for word in rest if word.startswith("-")] or rest
        if unknown:
            name = unknown[0].partition("=")[0]
            known = [word for word in vars(self)["_option_string_actions"] if word.startswith("--")]
            what = "option" if name.startswith("-") else "argument"
            self.error(f"unknown {what} `{name}`{near(name, known) if what == 'option' else ''}")
        return given

    def error(self, message: str) -> NoReturn:
        """Print the error in one line, then a line about the usage, and exit."""
        wrong = _CHOICE.search(message)
        if wrong is not None:
            choices = [choice.strip(" '") for choice in wrong["choices"].split(",")]
            where = message[: wrong.start()].removeprefix("argument ").rstrip(": ")
            word, every = wrong["word"], ", ".join(choices)
            told = "unknown command" if where == COMMAND else f"{where} cannot be"
            message = f"{told} `{word}`{near(word, choices) or f' (one of {every})'}"
        say(f"error: {message}")
        say(f"usage: {self.prog} --help")
        sys.exit(2)
