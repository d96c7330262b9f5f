"""Options shared by several commands: which settings apply."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.config.settings import SETTINGS
from spark_iceberg_sql.config.value_types import CODES, FLAG, GLOBS, PATHS, SECONDS, STRING, STRINGS, ValueType
from spark_iceberg_sql.errors import ConfigError
from spark_iceberg_sql.files.discovery import decode, read_bytes
from spark_iceberg_sql.lazy import regex

# A name may have `=` in backticks.
_PAIR = regex(r"((?:`(?:[^`]|``)*`|[^`=])+)=(.+)", re.DOTALL)


# What argparse does with an option, by the type of its setting.
_ACTIONS: Mapping[ValueType[Any], Mapping[str, Any]] = {
    CODES: {},
    FLAG: {"action": argparse.BooleanOptionalAction},
    GLOBS: {"action": "append"},
    PATHS: {"action": "append"},
    SECONDS: {"type": float},
    STRING: {},
    STRINGS: {"action": "append"},
}


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Declare the options that find or override settings."""
    group = parser.add_argument_group("settings")
    group.add_argument("--config", metavar="FILE", type=Path, help="read settings only from this file")
    group.add_argument("--isolated", action="store_true", help="ignore all settings files")
    _add_options(group, "settings")


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare the options that select rules and files."""
    _add_options(parser.add_argument_group("selection"), "selection")


def _add_options(group: argparse._ArgumentGroup, name: str) -> None:
    for setting in SETTINGS.values():
        option = setting.option
        if option is None or option.group != name:
            continue
        arguments = dict(_ACTIONS[setting.value_type])
        if setting.value_type is CODES:
            arguments["type"] = _list if option.takes_none else _nonempty_list
        if option.metavar:
            arguments["metavar"] = option.metavar
        group.add_argument(f"--{setting.key}", help=option.help or setting.purpose, **arguments)


def sql_or_file(argument: str) -> tuple[str, str]:
    """A name and the text of an argument that is SQL, a file, or - for standard input."""
    if argument == "-" or (Path(argument).suffix and not any(map(str.isspace, argument))):
        return argument, decode(read_bytes(argument), argument)[0]
    return "-", argument


def configuration(args: argparse.Namespace) -> Configuration:
    """The settings from the options. Raises ConfigError."""
    values: dict[str, Any] = {}
    for setting in SETTINGS.values():
        if setting.option is not None:
            value = getattr(args, setting.key.replace("-", "_"), None)
            values[setting.key] = _pairs(value) if setting.value_type is PATHS else value
    return Configuration(args.config, isolated=args.isolated, values=values)


def _list(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _nonempty_list(text: str) -> list[str]:
    codes = _list(text)
    if not codes:
        raise argparse.ArgumentTypeError("no rule is named")
    return codes


def _pairs(items: list[str] | None) -> dict[str, str] | None:
    if items is None:
        return None
    pairs = {}
    for item in items:
        match = _PAIR.fullmatch(item)
        if match is None:
            raise ConfigError(f"--metadata takes TABLE=FILE, not `{item}`")
        pairs[match[1]] = match[2]
    return pairs
