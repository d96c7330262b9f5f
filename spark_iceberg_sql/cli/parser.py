"""The command-line parser: its errors suggest the closest option, command or value."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.safe_output import write_message
from spark_iceberg_sql.similar_names import did_you_mean

COMMAND = "COMMAND"
# A value that an argument does not take, as argparse says it.
_CHOICE = regex(r"invalid choice: '(?P<word>.*)' \(choose from (?P<choices>.*)\)", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose errors are one line that suggests the closest option or value; exits with code 2."""

    def __init__(self, **options: Any) -> None:
        # argparse makes a formatter for each option declared, and each asks for the width of the terminal.
        self._formatter = options.pop("formatter_class", argparse.HelpFormatter)
        super().__init__(**options, formatter_class=partial(argparse.HelpFormatter, width=80))

    def format_help(self) -> str:
        """The text of --help, as wide as the terminal."""
        self.formatter_class = self._formatter
        return super().format_help()

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Like argparse's, but the error about an unknown option suggests the closest one."""
        parsed, unparsed = self.parse_known_args(args, namespace)
        if unknown := [word for word in unparsed if word.startswith("-")] or unparsed:
            name = unknown[0].partition("=")[0]
            options = [word for word in vars(self)["_option_string_actions"] if word.startswith("--")]
            noun = "option" if name.startswith("-") else "argument"
            self.error(f"unknown {noun} `{name}`{did_you_mean(name, options) if noun == 'option' else ''}")
        return parsed

    def error(self, message: str) -> NoReturn:
        """Print the error in one line, then a line about the usage, and exit."""
        if (choice_match := _CHOICE.search(message)) is not None:
            choices = [choice.strip(" '") for choice in choice_match["choices"].split(",")]
            argument = message[: choice_match.start()].removeprefix("argument ").rstrip(": ")
            word, choices_text = choice_match["word"], ", ".join(choices)
            prefix = "unknown command" if argument == COMMAND else f"{argument} cannot be"
            message = f"{prefix} `{word}`{did_you_mean(word, choices) or f' (one of {choices_text})'}"
        write_message(f"error: {message}")
        write_message(f"usage: {self.prog} --help")
        sys.exit(2)
