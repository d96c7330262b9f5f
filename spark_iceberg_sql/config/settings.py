"""The settings of a file: each is one record, from which the keys, their schema, the options of commands and the
documentation follow.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

from spark_iceberg_sql.config.value_types import (
    CODES,
    CODES_BY_GLOB,
    ENGINE,
    FLAG,
    GLOBS,
    ICEBERG_VERSION,
    NAMES,
    PATH,
    PATHS,
    PATTERNS,
    SECONDS,
    SEVERITIES,
    SPARK_VERSION,
    STRING,
    STRINGS,
    ValueType,
    WrongValueError,
)
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.errors import ConfigError
from spark_iceberg_sql.files.globs import matches
from spark_iceberg_sql.model.engines import ENGINES
from spark_iceberg_sql.records import record
from spark_iceberg_sql.similar_names import did_you_mean

COMMAND_LINE = "the command line"
# In the user's environment: the catalogs that settings files may open.
TRUSTED_CATALOGS = "ICEBERG_SQL_CATALOGS"
_T = TypeVar("_T")


@record(frozen=True, slots=True)
class CommandOption:
    """The option of commands with the name of a setting.

    group: `settings`, of every command that has settings, or `selection`, of those that select rules and files.
    metavar: of its value. help: instead of the setting's purpose. takes_none: whether an empty list is a value.
    """

    group: str
    metavar: str = ""
    help: str = ""
    takes_none: bool = False


class Setting(Generic[_T]):
    """A setting, as a field of `Settings`; its key is the field's name with hyphens.

    value_type: of its values. default: its value if nothing sets it. purpose: as the documentation lists it.
    option: of commands; None if only files have it.
    """

    key: str

    def __init__(
        self, value_type: ValueType[_T], default: _T, purpose: str, option: CommandOption | None = None
    ) -> None:
        self.value_type, self.default, self.purpose, self.option = value_type, default, purpose, option

    def __set_name__(self, owner: type, name: str) -> None:
        self.key = name.replace("_", "-")

    @overload
    def __get__(self, instance: None, owner: type) -> Setting[_T]: ...
    @overload
    def __get__(self, instance: Settings, owner: type) -> _T: ...
    def __get__(self, instance: Settings | None, owner: type) -> Setting[_T] | _T:
        return self if instance is None else self.value_in(instance)

    def value_in(self, settings: Settings) -> _T:
        """Its value in the settings of a file."""
        value: _T = settings.values.get(self.key, self.default)
        return value


class Settings:
    """The effective settings for a file.

    root: the folder that globs and paths are relative to. sources: key to the source of its value. fields: values by
    the names of the fields below.
    """

    select = Setting(
        CODES,
        ("ALL",),
        "rules to run: codes or prefixes of codes",
        CommandOption("selection", "CODES", "rules to run (SIS2,SIS401)"),
    )
    extend_select = Setting(
        CODES,
        (),
        "additional rules to run, even if a shorter code in `ignore` skips them",
        CommandOption("selection", "CODES", "additional rules to run"),
    )
    ignore = Setting(CODES, (), "rules to skip", CommandOption("selection", "CODES", takes_none=True))
    per_file_ignores = Setting[Mapping[str, tuple[str, ...]]](
        CODES_BY_GLOB, {}, "rules to skip for files that match a glob"
    )
    severity = Setting[Mapping[str, Severity]](
        SEVERITIES, {}, "severity of a rule's findings; the longest matching code wins"
    )
    metadata = Setting[Mapping[str, Path]](
        PATHS,
        {},
        "a table's metadata file, relative to the file with the settings",
        CommandOption("settings", "TABLE=FILE", "load a table from its metadata.json"),
    )
    ddl = Setting(
        GLOBS,
        (),
        "globs of SQL files to load table definitions from, in this order, before each check",
        CommandOption("settings", "GLOB", "SQL files to load table definitions from, in this order"),
    )
    scripts = Setting(
        GLOBS,
        (),
        "globs of SQL files that form one script each, in the order of the numbers in their names",
        CommandOption("settings", "GLOB", "SQL files that form one script, in the order of their numbers"),
    )
    catalog = Setting[str | None](
        STRING,
        None,
        "a catalog of pyiceberg's configuration to look up tables in, if the command line or the environment"
        " variable `ICEBERG_SQL_CATALOGS` names it, too",
        CommandOption("settings", "NAME", "look up tables in this catalog of pyiceberg's configuration"),
    )
    catalog_timeout = Setting(
        SECONDS,
        5.0,
        "seconds to wait for each answer of the catalog; 5 by default",
        CommandOption("settings", "SECONDS"),
    )
    default_catalog = Setting[str | None](
        STRING, None, "catalog for unqualified table names", CommandOption("settings", "NAME")
    )
    default_namespace = Setting[str | None](
        STRING, None, "namespace for unqualified table names", CommandOption("settings", "NAME")
    )
    case_sensitive = Setting(
        FLAG,
        False,
        "the session's spark.sql.caseSensitive",
        CommandOption("settings", help="treat names as with spark.sql.caseSensitive=true"),
    )
    engine = Setting[str | None](
        ENGINE,
        None,
        f"the engine that the statements are for: {', '.join(f'`{e.name}`' for e in ENGINES[:-1])} or"
        f" `{ENGINES[-1].name}`;"
        " a comment `-- dialect: hive` before a file's first statement has precedence",
    )
    iceberg = Setting[str | None](
        ICEBERG_VERSION,
        None,
        "the version of Iceberg that runs the statements, such as `1.7`: what it does not have yet is an error; "
        "the newest by default",
    )
    spark = Setting[str | None](
        SPARK_VERSION,
        None,
        "the version of Spark that runs the statements, such as `4.3`, if its grammar is newer than that of the "
        "newest that Iceberg has a runtime for",
    )
    exclude = Setting(STRINGS, (), "globs of files and folders to skip", CommandOption("selection", "GLOB"))
    respect_gitignore = Setting(
        FLAG,
        True,
        "whether to skip files that git ignores",
        CommandOption("selection", help="skip files that git ignores (the default)"),
    )
    placeholders = Setting(
        PATTERNS, (), "regular expressions for placeholders that a program replaces before the text reaches Spark"
    )
    callables = Setting(
        NAMES, (), "functions that pass SQL to Spark: `jobs.run_sql` as imported, `run_sql`, or `.run` for a method"
    )
    procedures = Setting(
        STRINGS, (), "procedures in `system` that a catalog has besides Iceberg's, such as `rewrite_datafiles`"
    )
    dbt_manifest = Setting[Path | None](
        PATH, None, "dbt's `manifest.json`, relative to the file with the settings, instead of the project's own"
    )

    def __init__(self, *, root: Path | None = None, sources: Mapping[str, str] | None = None, **fields: Any) -> None:
        self.root = root or Path.cwd()
        self.sources = sources or {}
        self.values = {getattr(type(self), name).key: value for name, value in fields.items()}

    def __repr__(self) -> str:
        """All that decides on findings: results are kept by a digest of it."""
        return f"Settings(root={self.root!r}, sources={dict(self.sources)!r}, values={self.values!r})"

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
        settings = self.updated(overrides, COMMAND_LINE, working_directory)
        settings.values["metadata"] = {**self.metadata, **settings.metadata}
        return settings

    def updated(self, values: Mapping[str, Any], source: str, base: Path) -> Settings:
        """The settings with other values. values: by key, unchecked. base: the folder of paths. Raises ConfigError."""
        source_text = source if source.startswith("the ") else f"`{source}`"
        parsed = {}
        for key, value in values.items():
            if key not in SETTINGS:
                suggestion = did_you_mean(key.replace("_", "-"), SETTINGS)
                raise ConfigError(f"unknown key `{key}` in {source_text}{suggestion}")
            try:
                parsed[key] = SETTINGS[key].value_type.read(value, base)
            except WrongValueError as error:
                raise ConfigError(f"`{key}` in {source_text} must be {error}") from None
            except RecursionError:
                raise ConfigError(f"`{key}` in {source_text} is nested too deeply") from None
        return self._with(parsed, dict.fromkeys(values, source))

    def with_values_of(self, other: Settings, keys: Iterable[str]) -> Settings:
        """The settings with another's values for some keys."""
        return self._with({key: SETTINGS[key].value_in(other) for key in keys}, {})

    def _with(self, values: Mapping[str, Any], sources: Mapping[str, str]) -> Settings:
        settings = Settings(root=self.root, sources={**self.sources, **sources})
        settings.values = {**self.values, **values}
        return settings


# By key, in the order in which they are documented.
SETTINGS: Mapping[str, Setting[Any]] = {
    setting.key: setting for setting in vars(Settings).values() if isinstance(setting, Setting)
}


def _is_selected(code: str, selectors: Iterable[str]) -> bool:
    return any(selector == "ALL" or code.startswith(selector) for selector in selectors)


def _longest_match(code: str, selectors: Iterable[str]) -> int:
    """The length of the longest selector that matches a code; -1 if none does."""
    return max(
        (0 if selector == "ALL" else len(selector) for selector in selectors if _is_selected(code, (selector,))),
        default=-1,
    )
