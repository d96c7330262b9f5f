"""Options shared by several commands: which settings apply."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from spark_iceberg_sql.config.settings import Configuration
from spark_iceberg_sql.errors import ConfigError
from spark_iceberg_sql.files.discovery import decode, read_bytes
from spark_iceberg_sql.lazy import regex

# A name may have `=` in backticks.
_PAIR = regex(r"((?:`(?:[^`]|``)*`|[^`=])+)=(.+)", re.DOTALL)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Declare the options that find or override settings."""
    group = parser.add_argument_group("settings")
    group.add_argument("--config", metavar="FILE", type=Path, help="read settings only from this file")
    group.add_argument("--isolated", action="store_true", help="ignore all settings files")
    group.add_argument("--metadata", metavar="TABLE=FILE", action="append", help="load a table from its metadata.json")
    group.add_argument(
        "--ddl", metavar="GLOB", action="append", help="SQL files to load table definitions from, in this order"
    )
    group.add_argument(
        "--scripts",
        metavar="GLOB",
        action="append",
        help="SQL files that form one script, in the order of their numbers",
    )
    group.add_argument("--catalog", metavar="NAME", help="look up tables in this catalog of pyiceberg's configuration")
    group.add_argument(
        "--catalog-timeout",
        metavar="SECONDS",
        type=float,
        help="how long to wait for each answer of the catalog; default: 5",
    )
    group.add_argument("--default-catalog", metavar="NAME", help="catalog for unqualified table names")
    group.add_argument("--default-namespace", metavar="NAME", help="namespace for unqualified table names")
    group.add_argument(
        "--case-sensitive",
        action=argparse.BooleanOptionalAction,
        help="treat names as with spark.sql.caseSensitive=true",
    )


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare the options that select rules and files."""
    group = parser.add_argument_group("selection")
    group.add_argument("--select", metavar="CODES", type=_nonempty_list, help="rules to run (SIS2,SIS401)")
    group.add_argument("--extend-select", metavar="CODES", type=_nonempty_list, help="additional rules to run")
    group.add_argument("--ignore", metavar="CODES", type=_list, help="rules to skip")
    group.add_argument("--exclude", metavar="GLOB", action="append", help="glob patterns of files to skip")
    group.add_argument(
        "--respect-gitignore", action=argparse.BooleanOptionalAction, help="skip files that git ignores (the default)"
    )


def sql_or_file(argument: str) -> tuple[str, str]:
    """A name and the text of an argument that is SQL, a file, or - for standard input."""
    if argument == "-" or (Path(argument).suffix and not any(map(str.isspace, argument))):
        return argument, decode(read_bytes(argument), argument)[0]
    return "-", argument


def configuration(args: argparse.Namespace) -> Configuration:
    """The settings from the options. Raises ConfigError."""
    keys = ("select", "extend-select", "ignore", "exclude", "respect-gitignore")
    values: dict[str, Any] = {
        **{key: getattr(args, key.replace("-", "_"), None) for key in keys},
        "metadata": _pairs(args.metadata),
        "ddl": args.ddl,
        "scripts": args.scripts,
        "catalog": args.catalog,
        "catalog-timeout": args.catalog_timeout,
        "default-catalog": args.default_catalog,
        "default-namespace": args.default_namespace,
        "case-sensitive": args.case_sensitive,
    }
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
