"""The keys of the configuration: the values each accepts, and the message for a value that it does not accept.

To add a key, add its reader to KEYS, a sentence to PURPOSE and its field to config.Settings; a new reader also needs
its schema in SCHEMAS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.model import iceberg_versions, minor_version, spark_versions
from spark_iceberg_sql.model.engines import BY_NAME, ENGINES
from spark_iceberg_sql.model.minor_version import Version
from spark_iceberg_sql.optional_dependencies import package

_MAX_ITEMS = 200  # globs or patterns of a key


class WrongValueError(ValueError):
    """A value that a key does not accept; `str` describes what it accepts."""


Reader = Callable[[Any, Path], Any]


def _strings(value: Any, base: Path) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
        raise WrongValueError("a list of strings")
    return tuple(value)


def _globs(value: Any, base: Path) -> tuple[str, ...]:
    """Globs, few of which mean a walk through all folders."""
    globs = _strings(value, base)
    if sum("**" in glob for glob in globs) > _MAX_ITEMS:
        raise WrongValueError(f"a list of at most {_MAX_ITEMS} globs with `**`")
    return globs


def _codes(value: Any, base: Path) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
        raise WrongValueError('a list of codes such as ["SIS2", "SIS501"]')
    for code in value:
        _require_code(code)
    return tuple(value)


def _require_code(code: str) -> None:
    from spark_iceberg_sql.rules import registry

    all_codes = [rule.code for rule in registry.ALL]
    letters = code.rstrip("0123456789")
    if code == "ALL" or any(
        known_code.startswith(code) and known_code[len(letters)].isdigit() for known_code in all_codes
    ):
        return
    names = {rule.name: rule.code for rule in registry.ALL}
    if code in names:
        raise WrongValueError(f'a list of codes: `{code}` is "{names[code]}"')
    raise WrongValueError(f"a list of codes: unknown rule `{code}`{did_you_mean(code, [*all_codes, 'ALL'])}")


def _ignores(value: Any, base: Path) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise WrongValueError('a table such as { "legacy/**" = ["SIS304"] }')
    return {glob: _codes(codes, base) for glob, codes in value.items()}


def _severities(value: Any, base: Path) -> dict[str, Severity]:
    if not isinstance(value, dict):
        raise WrongValueError('a table such as { SIS501 = "error" }')
    severities = {}
    for code, name in value.items():
        _require_code(code)
        if name == "note":
            raise WrongValueError(f'"error" or "warning" for {code}: a note means that something was not checked')
        if name not in ("error", "warning"):
            suggestion = did_you_mean(str(name), ["error", "warning"])
            raise WrongValueError(f'"error" or "warning" for {code}, not {name!r}{suggestion}')
        severities[code] = Severity(name)
    return severities


def _paths(value: Any, base: Path) -> dict[str, Path]:
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise WrongValueError('a table such as { "db.events" = "events/v3.metadata.json" }')
    return {name: base / path for name, path in value.items()}


def _path(value: Any, base: Path) -> Path:
    if not isinstance(value, str) or not value:
        raise WrongValueError("a path")
    return base / value


def _string(value: Any, base: Path) -> str:
    if not isinstance(value, str) or not value:
        raise WrongValueError("a string")
    return value


def _engine(value: Any, base: Path) -> str:
    if value not in BY_NAME:
        names = ", ".join(f'"{engine.name}"' for engine in ENGINES)
        raise WrongValueError(f"one of {names}{did_you_mean(str(value), BY_NAME)}")
    return str(value)


def _seconds(value: Any, base: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 600:
        raise WrongValueError("a number of seconds up to 600")
    return float(value)


def _patterns(value: Any, base: Path) -> tuple[str, ...]:
    regex = package("regex")  # the one that is used later; it takes time to load

    patterns = _strings(value, base)
    if len(patterns) > _MAX_ITEMS:
        raise WrongValueError(f"a list of at most {_MAX_ITEMS} regular expressions")
    for pattern in patterns:
        try:
            matches_empty = regex.compile(pattern).match("") is not None
        except regex.error as error:
            raise WrongValueError(f"a list of regular expressions: `{pattern}`: {error}") from None
        if matches_empty:
            raise WrongValueError(f"a list of regular expressions: `{pattern}` matches the empty string")
    return patterns


def _names(value: Any, base: Path) -> tuple[str, ...]:
    names = _strings(value, base)
    for name in names:
        parts = name.removeprefix(".").split(".")
        if not all(part.isidentifier() for part in parts) or (name[:1] == "." and len(parts) > 1):
            raise WrongValueError(f'a list of functions such as ["jobs.run_sql", ".run"]: `{name}` is not a name')
    return names


def _flag(value: Any, base: Path) -> bool:
    if not isinstance(value, bool):
        raise WrongValueError("true or false")
    return value


def _version_of(name: str, oldest: Version) -> Reader:
    def version(value: Any, base: Path) -> str:
        try:
            is_known = minor_version.parsed(value if isinstance(value, str) else "") >= oldest
        except ValueError:
            is_known = False
        if not is_known:
            raise WrongValueError(f'a version of {name} in quotes, "{minor_version.text(oldest)}" or later')
        return str(value)

    return version


_iceberg = _version_of("Iceberg", iceberg_versions.OLDEST)
_spark = _version_of("Spark", spark_versions.OLDEST)
KEYS: Mapping[str, Reader] = {
    "select": _codes,
    "extend-select": _codes,
    "ignore": _codes,
    "per-file-ignores": _ignores,
    "severity": _severities,
    "metadata": _paths,
    "ddl": _globs,
    "scripts": _globs,
    "catalog": _string,
    "catalog-timeout": _seconds,
    "default-catalog": _string,
    "default-namespace": _string,
    "case-sensitive": _flag,
    "engine": _engine,
    "iceberg": _iceberg,
    "spark": _spark,
    "exclude": _strings,
    "respect-gitignore": _flag,
    "placeholders": _patterns,
    "callables": _names,
    "procedures": _strings,
    "dbt-manifest": _path,
}

# The JSON schema of each reader; the readers check more, for example that a code exists.
_STRING_SCHEMA = {"type": "string", "minLength": 1}
_VERSION_SCHEMA = {"type": "string", "pattern": r"^[0-9]+\.[0-9]+([.-].*)?$"}
_STRINGS_SCHEMA = {"type": "array", "items": {"type": "string"}}
_CODE_SCHEMA = {"type": "string", "pattern": "^(ALL|[A-Za-z]+[0-9]*)$"}
_CODES_SCHEMA = {"type": "array", "items": _CODE_SCHEMA}
SCHEMAS: Mapping[Reader, Mapping[str, Any]] = {
    _codes: _CODES_SCHEMA,
    _ignores: {"type": "object", "additionalProperties": _CODES_SCHEMA},
    _severities: {
        "type": "object",
        "propertyNames": _CODE_SCHEMA,
        "additionalProperties": {"enum": ["error", "warning"]},
    },
    _paths: {"type": "object", "additionalProperties": {"type": "string"}},
    _strings: _STRINGS_SCHEMA,
    _globs: _STRINGS_SCHEMA,
    _patterns: {"type": "array", "maxItems": _MAX_ITEMS, "items": {"type": "string", "format": "regex"}},
    _names: {"type": "array", "items": {"type": "string", "pattern": r"^\.?\w+(\.\w+)*$"}},
    _string: _STRING_SCHEMA,
    _engine: {"enum": list(BY_NAME)},
    _iceberg: _VERSION_SCHEMA,
    _spark: _VERSION_SCHEMA,
    _seconds: {"type": "number", "exclusiveMinimum": 0, "maximum": 600},
    _path: _STRING_SCHEMA,
    _flag: {"type": "boolean"},
}

# What each key is for, as the documentation lists them.
PURPOSE: Mapping[str, str] = {
    "select": "rules to run: codes or prefixes of codes",
    "extend-select": "additional rules to run, even if a shorter code in `ignore` skips them",
    "ignore": "rules to skip",
    "per-file-ignores": "rules to skip for files that match a glob",
    "severity": "severity of a rule's findings; the longest matching code wins",
    "metadata": "a table's metadata file, relative to the file with the settings",
    "ddl": "globs of SQL files to load table definitions from, in this order, before each check",
    "scripts": "globs of SQL files that form one script each, in the order of the numbers in their names",
    "catalog": "a catalog of pyiceberg's configuration to look up tables in, if the command line or the environment"
    " variable `ICEBERG_SQL_CATALOGS` names it, too",
    "catalog-timeout": "seconds to wait for each answer of the catalog; 5 by default",
    "default-catalog": "catalog for unqualified table names",
    "default-namespace": "namespace for unqualified table names",
    "case-sensitive": "the session's spark.sql.caseSensitive",
    "engine": "the engine that the statements are for: `spark`, `databricks`, `hive`, `athena`, `trino`, `flink` or"
    " `clickhouse`; a comment `-- dialect: hive` before a file's first statement has precedence",
    "iceberg": "the version of Iceberg that runs the statements, such as `1.7`: what it does not have yet is an error; "
    "the newest by default",
    "spark": "the version of Spark that runs the statements, such as `4.3`, if its grammar is newer than that of the "
    "newest that Iceberg has a runtime for",
    "exclude": "globs of files and folders to skip",
    "respect-gitignore": "whether to skip files that git ignores",
    "placeholders": "regular expressions for placeholders that a program replaces before the text reaches Spark",
    "callables": "functions that pass SQL to Spark: `jobs.run_sql` as imported, `run_sql`, or `.run` for a method",
    "procedures": "procedures in `system` that a catalog has besides Iceberg's, such as `rewrite_datafiles`",
    "dbt-manifest": "dbt's `manifest.json`, relative to the file with the settings, instead of the project's own",
}


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """The clause `; did you mean ...?` if a candidate is similar to the word; else an empty text."""
    from difflib import get_close_matches

    matches = get_close_matches(word, list(candidates), n=1, cutoff=0.5)
    return f"; did you mean `{matches[0]}`?" if matches else ""
