"""The types of settings' values: what each accepts, the message for what it does not accept, and its JSON schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.model.engines import BY_NAME, ENGINES
from spark_iceberg_sql.model.runtime import iceberg_versions, minor_version, spark_versions
from spark_iceberg_sql.model.runtime.minor_version import Version
from spark_iceberg_sql.optional_dependencies import package
from spark_iceberg_sql.similar_names import did_you_mean

_MAX_ITEMS = 200  # globs or patterns of a setting
_T_co = TypeVar("_T_co", covariant=True)


class WrongValueError(ValueError):
    """A value that a setting does not accept; `str` describes what it accepts."""


class ValueType(Generic[_T_co]):
    """A type of values.

    read: the value for what a file or the command line has, relative to a folder; raises WrongValueError. schema: the
    JSON schema; `read` checks more, for example that a code exists.
    """

    def __init__(self, read: Callable[[Any, Path], _T_co], schema: Mapping[str, Any]) -> None:
        self.read, self.schema = read, schema


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


def _version_of(name: str, oldest: Version) -> Callable[[Any, Path], str]:
    def version(value: Any, base: Path) -> str:
        try:
            is_known = minor_version.parsed(value if isinstance(value, str) else "") >= oldest
        except ValueError:
            is_known = False
        if not is_known:
            raise WrongValueError(f'a version of {name} in quotes, "{minor_version.text(oldest)}" or later')
        return str(value)

    return version


_STRING_SCHEMA = {"type": "string", "minLength": 1}
_VERSION_SCHEMA = {"type": "string", "pattern": r"^[0-9]+\.[0-9]+([.-].*)?$"}
_STRINGS_SCHEMA = {"type": "array", "items": {"type": "string"}}
_CODE_SCHEMA = {"type": "string", "pattern": "^(ALL|[A-Za-z]+[0-9]*)$"}
_CODES_SCHEMA = {"type": "array", "items": _CODE_SCHEMA}
_SEVERITIES_SCHEMA = {
    "type": "object",
    "propertyNames": _CODE_SCHEMA,
    "additionalProperties": {"enum": ["error", "warning"]},
}

STRING = ValueType(_string, _STRING_SCHEMA)
STRINGS = ValueType(_strings, _STRINGS_SCHEMA)
GLOBS = ValueType(_globs, _STRINGS_SCHEMA)
CODES = ValueType(_codes, _CODES_SCHEMA)
CODES_BY_GLOB = ValueType(_ignores, {"type": "object", "additionalProperties": _CODES_SCHEMA})
SEVERITIES = ValueType(_severities, _SEVERITIES_SCHEMA)
PATH = ValueType(_path, _STRING_SCHEMA)
PATHS = ValueType(_paths, {"type": "object", "additionalProperties": {"type": "string"}})
PATTERNS = ValueType(
    _patterns, {"type": "array", "maxItems": _MAX_ITEMS, "items": {"type": "string", "format": "regex"}}
)
NAMES = ValueType(_names, {"type": "array", "items": {"type": "string", "pattern": r"^\.?\w+(\.\w+)*$"}})
ENGINE = ValueType(_engine, {"enum": list(BY_NAME)})
ICEBERG_VERSION = ValueType(_version_of("Iceberg", iceberg_versions.OLDEST), _VERSION_SCHEMA)
SPARK_VERSION = ValueType(_version_of("Spark", spark_versions.OLDEST), _VERSION_SCHEMA)
SECONDS = ValueType(_seconds, {"type": "number", "exclusiveMinimum": 0, "maximum": 600})
FLAG = ValueType(_flag, {"type": "boolean"})
