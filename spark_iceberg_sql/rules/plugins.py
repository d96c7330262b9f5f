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


def plugged_in(taken: Collection[str]) -> Iterator[Rule]:
    """Yield the rules of all installed packages. reserved_codes: the codes of the built-in rules.

    Raises PluginError if a package's rules cannot be loaded, or if they reuse a code: a check without them
    would look clean.
    """
    if not _announced():
        return
    from importlib.metadata import entry_points

    codes = set(taken)
    for point in entry_points(group=GROUP):
        for found in _rules(point):
            if found.code in codes or found.code.startswith("SIS"):
                raise PluginError(f"{_who(point)}: the code {found.code} is already in use")
            if not found.page:
                raise PluginError(f"{_who(point)}: the rule {found.code} has no page")
            codes.add(found.code)
            yield found


def _announced() -> bool:
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
        for name in names:
            if name.endswith((".dist-info", ".egg-info")) and _names_group(folder, name):
                return True
    return False


def _names_group(folder: str, name: str) -> bool:
    try:
        with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
            return GROUP.encode() in file.read()
    except OSError:
        return False


def _rules(point: EntryPoint) -> list[Rule]:
    try:
        loaded = point.load()
    except PluginError as error:
        raise PluginError(f"{_who(point)} cannot be loaded: {error}") from None
    except Exception as error:  # a plugin's module may raise anything
        raise PluginError(
            f"{_who(point)} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    every = list(vars(loaded).values()) if isinstance(loaded, ModuleType) else [loaded]
    found = [item for item in every if isinstance(item, Rule)]
    if not found:
        raise PluginError(
            f"{_who(point)}: no rules found; name a module that contains rules, or one rule"
        )
    return found


def _who(point: EntryPoint) -> str:
    package = f" of {point.dist.name}" if point.dist is not None else ""
    return f"the rules `{point.value}`{package}"
