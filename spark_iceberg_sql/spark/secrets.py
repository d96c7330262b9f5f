"""Keys and passwords in the arguments of table functions, and where they must not show."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from secrets import token_hex
from typing import TYPE_CHECKING

from spark_iceberg_sql.diagnostics import IcebergSqlError
from spark_iceberg_sql.spark import jvm_tables
from spark_iceberg_sql.spark.jvm import Refusal
from spark_iceberg_sql.spark.signatures import FUNCTIONS, Function, Value

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLLECTIONS = "spark.iceberg_sql.collection."
_REDACTED = "***"
_SECRET = frozenset(
    name
    for function in FUNCTIONS
    for argument in function.arguments
    if argument.secret
    for name in (argument.name, *argument.also)
)
_vault: dict[str, str] = {}
_SHORTEST = 4  # no store has shorter keys, and hiding one letter would show where it stands

# What Spark hides of its own accord: in the text of plans, and in the settings that its event log
# keeps of each execution.
_CALLS = r"(?i)(?<=UnresolvedTableValuedFunction \[iceberg)(?:_?(?:S3|Azure))?\], \[[^\n]*"
_SETS = r"(?<=spark\.iceberg_sql\.collection\.)[^\n]*"
_HIDDEN = {  # setting -> Spark's default, what we add
    "spark.sql.redaction.string.regex": ("", f"{_CALLS}|{_SETS}"),
    "spark.sql.redaction.options.regex": ("(?i)url", r"(?i)spark\.iceberg_sql\.collection\."),
}


def hide() -> None:
    """Have the active session hide our functions' arguments in plans, and named collections.

    Each call that has a secret does it anew: newSession() does not inherit it.
    """
    for name, (default, ours) in _HIDDEN.items():
        theirs = jvm_tables.setting(name) or default
        if ours not in theirs:
            jvm_tables.set_setting(name, f"{theirs}|{ours}" if theirs else ours)


def collection(spark: SparkSession, name: str, **arguments: str) -> None:
    """Make a named collection whose secret values never enter Spark's configuration.

    spark: the session. name: an identifier, the first argument of a table function. arguments: of the
    functions that are to use it, such as url, endpoint, access_key_id, secret_access_key.
    Raises IcebergSqlError for a name that is no identifier.
    """
    if not name.isidentifier():
        raise IcebergSqlError(f"`{name}` is no name for a collection\nhelp: letters, digits and _")
    for key, value in arguments.items():
        kept = _kept(value) if key in _SECRET else value
        spark.conf.set(f"{COLLECTIONS}{name}.{key}", kept)


def settings_of(name: str) -> Mapping[str, str] | None:
    """A named collection's settings by argument name; None where it has none."""
    sweep()
    settings = jvm_tables.settings(f"{COLLECTIONS}{name}.")
    return {key: _vault.get(value, value) for key, value in settings.items()} or None


def sweep() -> None:
    """Move the secrets of all collections out of the active session's configuration, which Spark
    copies into the properties of every job, and from there into its event log.
    """
    for key, value in jvm_tables.settings(COLLECTIONS).items():
        if key.rpartition(".")[2] in _SECRET and value not in _vault:
            jvm_tables.set_setting(COLLECTIONS + key, _kept(value))


def _kept(value: str) -> str:
    """What stands for a secret in the configuration; cloned sessions have it, too."""
    token = f"{_REDACTED}{token_hex(8)}"
    _vault[token] = value
    return token


class Secrets:
    """The secret values of one call, to be taken out of what is said about it."""

    def __init__(self) -> None:
        self._values: set[str] = set()

    def learn(self, function: Function, values: Mapping[str, Value]) -> None:
        """Note the secret ones among a call's values, and the parts of a connection string."""
        for argument in function.arguments:
            value = values.get(argument.name)
            if argument.secret and isinstance(value, str):
                if not self._values:
                    hide()
                self._values.add(value)
                self._values.update(
                    part.split("=", 1)[1] for part in value.split(";") if _is_key(part)
                )

    def out_of(self, refusal: Refusal) -> Refusal:
        """The same refusal without them."""
        found = dict(refusal.parameters)
        for name, text in found.items():
            for secret in sorted(self._values, key=len, reverse=True):
                if len(secret) >= _SHORTEST:
                    text = text.replace(secret, _REDACTED)
            found[name] = text
        return Refusal(refusal.condition, **found)


def _is_key(part: str) -> bool:
    name, _, value = part.partition("=")
    return bool(value) and name.lower() in ("accountkey", "sharedaccesssignature")


def warn_of_literals(
    function: Function, values: Mapping[str, Value], literals: Iterable[Value]
) -> None:
    """A Python warning where a secret stands in the statement's own text."""
    text = (
        jvm_tables.statement() or ""
    )  # a parameter's value is a literal, too, but not in the text
    written = {str(value) for value in literals if str(value) in text}
    for argument in function.arguments:
        value = values.get(argument.name)
        if argument.secret and value is not None and str(value) in written:
            if argument.name == "connection_string" and not any(
                map(_is_key, str(value).split(";"))
            ):
                continue
            warnings.warn(
                f"`{argument.name}` of {function.name} stands in the statement's text, where histories "
                f"and error messages quote it; put it into a named collection: "
                f"spark_iceberg_sql.collection(spark, 'NAME', {argument.name}=...), or the setting "
                f"{COLLECTIONS}NAME.{argument.name}, and then {function.name}('NAME', ...)",
                stacklevel=2,
            )
            return
