"""The files of settings: `[tool.iceberg-sql]` of the nearest pyproject.toml, or an `.iceberg-sql.toml`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spark_iceberg_sql.config.configured_files import require_inside
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.errors import ConfigError
from spark_iceberg_sql.files.repository_paths import SETTINGS_FILE
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.similar_names import CERTAIN, similar_name

OWN_FILE = SETTINGS_FILE
TABLE = "iceberg-sql"
_PACKAGE = "spark_iceberg_sql"  # a wrong name for the table
_MAX_KEY_DOTS = 100
_KEY_TOKEN = regex(
    r"""(?P<part>[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')|(?P<dot>\.)|(?P<blank>[ \t]+)"""
    r"""|(?P<other>"(?:[^"\\]|\\.)*\\?$|'[^']*$|.)"""  # an open quote takes the rest of the line
)


def load(path: Path) -> Settings:
    """The settings in a file: a pyproject.toml or an .iceberg-sql.toml. Raises ConfigError."""
    values = _read(path)
    if values is None:
        raise ConfigError(f"`{path}` has no table [tool.{TABLE}]")
    settings = Settings(root=path.parent.absolute()).updated(values, str(path), path.parent)
    require_inside(settings, path)
    return settings


class Configuration:
    """Finds the settings of each file.

    path: the only settings file (None: the nearest one above each file). isolated: use no settings file. values: from
    the command line, by key.
    """

    def __init__(
        self, path: Path | None = None, *, isolated: bool = False, values: Mapping[str, Any] | None = None
    ) -> None:
        self._overrides = values or {}
        self._by_directory: dict[Path, Settings] = {}
        self._by_folder: dict[str, Settings] = {}  # as they are named
        self._fixed: Settings | None = None
        if path is not None:
            self._fixed = load(path).overridden(self._overrides)
        elif isolated:
            self._fixed = Settings().overridden(self._overrides)

    def of(self, path: Path) -> Settings:
        """The settings for a file, whether or not it exists. Raises ConfigError."""
        if self._fixed is not None:
            return self._fixed
        folder = os.path.dirname(path)
        if folder not in self._by_folder:
            self._by_folder[folder] = self._of_directory(path.absolute().parent)
        return self._by_folder[folder]

    def _of_directory(self, directory: Path) -> Settings:
        if directory not in self._by_directory:
            if (declared := _settings_in(directory)) is not None:
                settings = declared.overridden(self._overrides)
            elif directory == directory.parent:
                settings = Settings().overridden(self._overrides)
            else:
                settings = self._of_directory(directory.parent)
            self._by_directory[directory] = settings
        return self._by_directory[directory]


def _settings_in(directory: Path) -> Settings | None:
    # A folder that cannot be searched has none; the search for files reports that its files were not checked.
    own_file = directory / OWN_FILE
    if os.path.isfile(own_file):
        return load(own_file)
    project = directory / "pyproject.toml"
    return load(project) if os.path.isfile(project) and _read(project) is not None else None


def _read(path: Path) -> Mapping[str, Any] | None:
    """The settings table of a file; None if a pyproject.toml has none."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read `{path}`: {error.strerror}") from None
    is_own_file = path.name != "pyproject.toml"
    # A cheap test before parsing the TOML: both names of the table contain `sql`.
    if not is_own_file and b"sql" not in content.lower():
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    if _has_deep_key(content.decode(errors="replace")):
        raise ConfigError(f"`{path}` cannot be read: a key in it has more than {_MAX_KEY_DOTS} dots")
    try:
        document = tomllib.loads(content.decode())
    except ValueError as error:
        raise ConfigError(f"`{path}` is not valid TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"`{path}` cannot be read: its values are nested too deeply") from None
    if is_own_file:
        return document
    tools = document.get("tool", {})
    table_names = [name for name in (TABLE, _PACKAGE) if name in tools]
    for name in tools:
        if name not in table_names and _is_misspelling(name):
            raise ConfigError(f"unknown table [tool.{name}] in `{path}`; did you mean [tool.{TABLE}]?")
    if len(table_names) > 1:
        raise ConfigError(f"`{path}` has both [tool.{TABLE}] and [tool.{_PACKAGE}]; keep one")
    if not table_names:
        return None
    table = tools[table_names[0]]
    if not isinstance(table, dict):
        raise ConfigError(f"`tool.{table_names[0]}` in `{path}` is not a table")
    return table


def _has_deep_key(text: str) -> bool:
    """True if a key has so many dots that a TOML reader, which takes quadratic time for them, would take long."""
    for line in text.splitlines():
        if line.count(".") <= _MAX_KEY_DOTS:
            continue
        dots, is_joined = 0, False  # joined: whether the last word was a part of a key
        for token in _KEY_TOKEN.finditer(line):
            token_kind = token.lastgroup
            if token_kind == "dot":
                dots = dots + 1 if is_joined else 0
            elif token_kind == "other" or (is_joined and token_kind == "part"):
                dots = 0
            is_joined = token_kind == "part" or (is_joined and token_kind == "blank")
            if dots > _MAX_KEY_DOTS:
                return True
    return False


def _is_misspelling(name: str) -> bool:
    """True if the name of a table looks like a misspelling of this package."""
    own_names = [other.replace("_", "-") for other in (TABLE, _PACKAGE)]
    return similar_name(re.sub(r"[_. ]", "-", name), own_names, CERTAIN) is not None
