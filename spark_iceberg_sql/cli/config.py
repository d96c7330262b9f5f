"""`iceberg-sql config [FILE]`: the effective settings for a file, each with its source."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spark_iceberg_sql.cli import CLEAN
from spark_iceberg_sql.cli.options import add_selection, add_settings, configuration
from spark_iceberg_sql.config.schema import schema
from spark_iceberg_sql.config.settings import SETTINGS
from spark_iceberg_sql.report.rule_pages import SETTINGS_SCHEMA
from spark_iceberg_sql.safe_output import data_without_commands, visible


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", nargs="?", default=".", help="the file whose settings to show")
    parser.add_argument("--schema", action="store_true", help="print the JSON schema of the settings")
    add_settings(parser)
    add_selection(parser)


def run(args: argparse.Namespace) -> int:
    """Print the settings; returns the exit code."""
    if args.schema:
        sys.stdout.write(json.dumps(schema(SETTINGS_SCHEMA), indent=2) + "\n")
        return CLEAN
    path = Path(args.file)
    settings = configuration(args).of(path / "any" if path.is_dir() else path)
    lines = []
    for key, setting in SETTINGS.items():
        value = setting.value_in(settings)
        lines.append((f"{key} = {_toml(value)}" if value is not None else f"# {key} is not set", key))
    width = max(len(text) for text, _ in lines if len(text) <= 60)
    sys.stdout.writelines(f"{text:<{width}}  # {visible(settings.source(key))}\n" for text, key in lines)
    return CLEAN


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    # JSON's strings are TOML's.
    return data_without_commands(json.dumps(str(value), ensure_ascii=False))
