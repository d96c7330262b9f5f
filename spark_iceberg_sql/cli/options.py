"""Options that several commands take: which settings hold."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from spark_iceberg_sql.config.settings import Configuration
from spark_iceberg_sql.errors import ConfigError


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Declare the options that find or override settings."""
    group = parser.add_argument_group("settings")
    group.add_argument(
        "--config", metavar="FILE", type=Path, help="take settings from this file alone"
    )
    group.add_argument("--isolated", action="store_true", help="take settings from no file")
    group.add_argument(
        "--metadata",
        metavar="TABLE=FILE",
        action="append",
        help="what is known of a table: its metadata.json",
    )
    group.add_argument(
        "--ddl",
        metavar="GLOB",
        action="append",
        help="SQL files to load table definitions from, in this order",
    )
    group.add_argument(
        "--catalog", metavar="NAME", help="ask this catalog of pyiceberg's configuration"
    )
    group.add_argument("--default-catalog", metavar="NAME", help="the catalog of unqualified names")
    group.add_argument(
        "--default-namespace", metavar="NAME", help="the namespace of unqualified names"
    )
    group.add_argument(
        "--case-sensitive",
        action=argparse.BooleanOptionalAction,
        help="names as under spark.sql.caseSensitive=true",
    )


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare the options that leave rules or files out."""
    group = parser.add_argument_group("selection")
    group.add_argument(
        "--select", metavar="CODES", type=_some, help="only these rules (SIS2,SIS401)"
    )
    group.add_argument("--ignore", metavar="CODES", type=_list, help="not these rules")
    group.add_argument(
        "--exclude", metavar="GLOB", action="append", help="glob patterns of files to leave out"
    )


def configuration(given: argparse.Namespace) -> Configuration:
    """The settings that the options ask for. Raises ConfigError."""
    selection = {key: getattr(given, key, None) for key in ("select", "ignore", "exclude")}
    values: dict[str, Any] = {
        **selection,
        "metadata": _pairs(given.metadata),
        "ddl": given.ddl,
        "catalog": given.catalog,
        "default-catalog": given.default_catalog,
        "default-namespace": given.default_namespace,
        "case-sensitive": given.case_sensitive,
    }
    return Configuration(given.config, isolated=given.isolated, values=values)


def _list(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _some(text: str) -> list[str]:
    words = _list(text)
    if not words:
        raise argparse.ArgumentTypeError("it names no rule")
    return words


def _pairs(words: list[str] | None) -> dict[str, str] | None:
    if words is None:
        return None
    for word in words:
        if "=" not in word.strip("="):
            raise ConfigError(f"--metadata takes TABLE=FILE, not `{word}`")
    return dict(word.split("=", 1) for word in words)
