"""Rules from other packages, registered in the entry point group `spark_iceberg_sql.rules`.

    # pyproject.toml of a team's package
    [project.entry-points."spark_iceberg_sql.rules"]
    acme = "acme_rules"        # a module that contains rules, or one rule: "acme_rules.acme101_no_identity:no_identity"

docs/guide/own-rules.md describes such a package, and which names it may rely on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from types import ModuleType
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import PluginError
from spark_iceberg_sql.rules.base import Rule

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "spark_iceberg_sql.rules"


def plugin_rules(reserved_codes: Collection[str]) -> Iterator[Rule]:
    """Yield the rules of all installed packages. reserved_codes: the codes of the built-in rules.

    Raises PluginError if a package's rules cannot be loaded, or if they reuse a code: a check without them would look
    clean.
    """
    if not _may_have_plugins():
        return
    from importlib.metadata import entry_points

    codes = set(reserved_codes)
    for entry_point in entry_points(group=GROUP):
        for rule in _rules(entry_point):
            if rule.code in codes or rule.code.startswith("SIS"):
                raise PluginError(f"{_describe(entry_point)}: the code {rule.code} is already in use")
            if not rule.page:
                raise PluginError(f"{_describe(entry_point)}: the rule {rule.code} has no page")
            codes.add(rule.code)
            yield rule


def _may_have_plugins() -> bool:
    """True if an installed package may have rules.

    A cheap test: importlib.metadata takes a fifth of the command's start-up time.
    """
    for folder in sys.path:
        if os.path.isfile(folder):
            return True  # a zip, which importlib.metadata can read
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        if any(name.endswith((".dist-info", ".egg-info")) and _names_group(folder, name) for name in names):
            return True
    return False


def _names_group(folder: str, name: str) -> bool:
    try:
        with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
            return GROUP.encode() in file.read()
    except OSError:
        return False


def _rules(entry_point: EntryPoint) -> list[Rule]:
    try:
        loaded = entry_point.load()
    except PluginError as error:
        raise PluginError(f"{_describe(entry_point)} cannot be loaded: {error}") from None
    except Exception as error:  # a plugin's module may raise anything
        raise PluginError(f"{_describe(entry_point)} cannot be loaded: {type(error).__name__}: {error}") from error
    values = list(vars(loaded).values()) if isinstance(loaded, ModuleType) else [loaded]
    rules = [item for item in values if isinstance(item, Rule)]
    if not rules:
        raise PluginError(f"{_describe(entry_point)}: no rules found; name a module that contains rules, or one rule")
    return rules


def _describe(entry_point: EntryPoint) -> str:
    package = f" of {entry_point.dist.name}" if entry_point.dist is not None else ""
    return f"the rules `{entry_point.value}`{package}"
