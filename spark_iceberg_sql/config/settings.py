"""Settings: from `[tool.iceberg-sql]` of the nearest pyproject.toml, or an `.iceberg-sql.toml`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from spark_iceberg_sql.config.configured_files import COMMAND_LINE, require_inside
from spark_iceberg_sql.config.keys import KEYS, WrongValueError, did_you_mean
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.errors import ConfigError
from spark_iceberg_sql.files.globs import matches
from spark_iceberg_sql.files.repository_paths import SETTINGS_FILE
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import field, record, replace

OWN_FILE = SETTINGS_FILE
TABLE = "iceberg-sql"
_PACKAGE = "spark_iceberg_sql"  # a wrong name for the table
_MAX_KEY_DOTS = 100
_KEY_TOKEN = regex(
    r"""(?P<part>[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')|(?P<dot>\.)|(?P<blank>[ \t]+)"""
    r"""|(?P<other>"(?:[^"\\]|\\.)*\\?$|'[^']*$|.)"""  # an open quote takes the rest of the line
)
# In the user's environment: the catalogs that settings files may open.
TRUSTED_CATALOGS = "ICEBERG_SQL_CATALOGS"


@record(frozen=True, slots=True)
class Settings:
    """The effective settings for a file.

    select, extend_select, ignore: codes, prefixes of codes (`SIS2`), or ALL. per_file_ignores: glob to
    codes. severity: code or prefix (the longest wins) to error or warning. metadata: table name to
    metadata file. ddl: globs of SQL files to load table definitions from. scripts: globs, each of SQL files
    that are one script. catalog: a catalog of pyiceberg's configuration to look up tables in. catalog_timeout: seconds
    to wait for each of its answers.
    default_catalog, default_namespace: those of unqualified names. case_sensitive: Spark's
    spark.sql.caseSensitive. engine: the name of the one that the statements are for. iceberg, spark: the versions
    that run the statements.
    exclude: globs of files to skip.
    respect_gitignore: whether files that git ignores are skipped, too. placeholders: regular expressions for text that
    a program replaces before it reaches Spark. callables: functions that pass a program's SQL to Spark.
    procedures: those that a catalog has besides Iceberg's. dbt_manifest: the manifest.json that counts instead of that
    of the dbt project.
    root: the directory that globs and paths are relative to. sources: key to the source of its value.
    """

    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    severity: Mapping[str, Severity] = field(default_factory=dict)
    metadata: Mapping[str, Path] = field(default_factory=dict)
    ddl: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    catalog: str | None = None
    catalog_timeout: float = 5.0
    default_catalog: str | None = None
    default_namespace: str | None = None
    case_sensitive: bool = False
    engine: str | None = None
    iceberg: str | None = None
    spark: str | None = None
    exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    placeholders: tuple[str, ...] = ()
    callables: tuple[str, ...] = ()
    procedures: tuple[str, ...] = ()
    dbt_manifest: Path | None = None
    root: Path = field(default_factory=Path.cwd)
    sources: Mapping[str, str] = field(default_factory=dict)

    def source(self, key: str) -> str:
        """The source of a key's value: a file, the command line, or the default."""
        return self.sources.get(key, "default")

    @property
    def catalog_is_withheld(self) -> bool:
        """True if only a settings file names the catalog: a repository may not open one."""
        trusted = os.environ.get(TRUSTED_CATALOGS, "").split(",")
        return (
            self.catalog is not None
            and self.source("catalog") != COMMAND_LINE
            and self.catalog not in (name.strip() for name in trusted)
        )

    @property
    def why_withheld(self) -> str:
        """The reason why the catalog is not opened, if it is withheld."""
        return f"the catalog `{self.catalog}` is not opened: only `{self.source('catalog')}` names it"

    def catalog_note(self, remedy: str) -> str:
        """One sentence about a catalog that is withheld. remedy: how the user allows it."""
        return (
            f"{self.why_withheld}, and a repository may not open catalogs; {remedy}, "
            f"or set {TRUSTED_CATALOGS}={self.catalog}"
        )

    def severity_of(self, code: str, declared_severity: Severity, path: Path | None = None) -> Severity | None:
        """The severity of a finding under these settings; None if it is not shown.

        code: the finding's. declared_severity: of its rule. path: the file, for per-file-ignores.
        """
        if not self.selects(code):
            return None
        for glob, codes in self.per_file_ignores.items():
            if path is not None and _is_selected(code, codes) and matches(path, glob, self.root):
                return None
        matching_codes = [selector for selector in self.severity if _is_selected(code, (selector,))]
        return self.severity[max(matching_codes, key=len)] if matching_codes else declared_severity

    def selects(self, code: str) -> bool:
        """True if a rule runs at all."""
        selected_length = _longest_match(code, self.extend_select)
        ignored_length = _longest_match(code, self.ignore)
        return ignored_length < selected_length or (ignored_length < 0 and _is_selected(code, self.select))

    def excludes(self, path: Path) -> bool:
        """True if a file, or a directory that contains it, is excluded."""
        return any(matches(path, glob, self.root) for glob in self.exclude)

    def overridden(self, values: Mapping[str, Any]) -> Settings:
        """The settings with the values of the command line, whose paths are relative to the working directory.

        values: by key, None if not set. Raises ConfigError.
        """
        working_directory = Path.cwd()
        overrides = {key: value for key, value in values.items() if value is not None}
        for key in ("ddl", "scripts", "exclude"):
            if key in overrides:
                overrides[key] = [str(working_directory / glob) if "/" in glob else glob for glob in overrides[key]]
        settings = _updated(self, overrides, COMMAND_LINE, working_directory)
        return replace(settings, metadata={**self.metadata, **settings.metadata})


def _is_selected(code: str, selectors: Iterable[str]) -> bool:
    return any(selector == "ALL" or code.startswith(selector) for selector in selectors)


def _longest_match(code: str, selectors: Iterable[str]) -> int:
    """The length of the longest selector that matches a code; -1 if none does."""
    return max(
        (0 if selector == "ALL" else len(selector) for selector in selectors if _is_selected(code, (selector,))),
        default=-1,
    )


def load(path: Path) -> Settings:
    """The settings in a file: a pyproject.toml or an .iceberg-sql.toml. Raises ConfigError."""
    values = _read(path)
    if values is None:
        raise ConfigError(f"`{path}` has no table [tool.{TABLE}]")
    settings = _updated(Settings(root=path.parent.absolute()), values, str(path), path.parent)
    require_inside(settings, path)
    return settings


class Configuration:
    """Finds the settings of each file.

    path: the only settings file (None: the nearest one above each file). isolated: use no settings
    file. values: from the command line, by key.
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
    from difflib import get_close_matches

    own_names = [other.replace("_", "-") for other in (TABLE, _PACKAGE)]
    return bool(get_close_matches(re.sub(r"[_. ]", "-", name.lower()), own_names, cutoff=0.85))


def _updated(settings: Settings, values: Mapping[str, Any], source: str, base: Path) -> Settings:
    parsed: dict[str, Any] = {}
    for key, value in values.items():
        reader = KEYS.get(key)
        if reader is None:
            suggestion = did_you_mean(key.replace("_", "-"), KEYS)
            raise ConfigError(f"unknown key `{key}` in {_source_text(source)}{suggestion}")
        try:
            parsed[key.replace("-", "_")] = reader(value, base)
        except WrongValueError as error:
            raise ConfigError(f"`{key}` in {_source_text(source)} must be {error}") from None
        except RecursionError:
            raise ConfigError(f"`{key}` in {_source_text(source)} is nested too deeply") from None
    return replace(settings, **parsed, sources={**settings.sources, **dict.fromkeys(values, source)})


def _source_text(source: str) -> str:
    return source if source.startswith("the ") else f"`{source}`"
