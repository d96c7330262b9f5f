"""Keys and passwords in the arguments of table functions, and the places where they must not appear."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from secrets import token_hex
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.functions.metadata_functions import NAMES
from spark_iceberg_sql.model.functions.table_functions import ALL_FUNCTIONS, ARGUMENT_NAMES, Function, Value
from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.spark.bridge.jvm import configuration
from spark_iceberg_sql.spark.bridge.jvm.gateway import Refusal
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.session_settings import COLLECTION
from spark_iceberg_sql.spark.tables.warn_once import warn_once

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLLECTIONS = COLLECTION.key.removesuffix("NAME.ARGUMENT")
_REDACTED = "***"
_SECRET_ARGUMENTS = frozenset(
    name
    for function in ALL_FUNCTIONS
    for argument in function.arguments
    if argument.secret
    for name in (argument.name, *argument.aliases)
)


class _SecretValue:
    """A secret value that is not shown when its container is printed."""

    def __init__(self, value: str) -> None:
        self.value = value


_vault: dict[str, _SecretValue] = {}
_SHORTEST = 4  # no store has shorter keys, and masking one letter would reveal its positions

# Patterns that Spark itself redacts: in the text of plans, and in the settings that its event log records for each
# execution. A plan's text may be long: hence the possessive quantifiers, and, before each long lookbehind, one
# character that fails at once nearly everywhere.
_NAMES = "|".join(sorted(NAMES))
_WITHOUT = {n.lower() for f in ALL_FUNCTIONS if not f.has_secrets for n in f.names}
_WITH_SECRETS = "|".join(sorted(NAMES - _WITHOUT))
_CALLS = rf"(?i)(?=\], \[)(?<=UnresolvedTableValuedFunction \[(?:{_WITH_SECRETS}))\], \[[^\n]*"
_SIMPLE = r"""[^()'"\\/-]++|-(?!-)|/(?!\*)|'[^'\\]*+'|"[^"\\]*+\""""
_ARGUMENTS = f"(?:{_SIMPLE})*+"
for _ in range(3):  # nested brackets
    _ARGUMENTS = rf"(?:{_SIMPLE}|\({_ARGUMENTS}\))*+"
# The arguments of a call in a statement that its own plan quotes: CREATE VIEW, DESCRIBE. If they contain comments,
# escapes or deeper nesting, all text after them is redacted, since their end is unknown.
_TEXTS = (
    rf"(?i)(?<=\()(?<=\b(?:{_NAMES})\s{{0,9}}\()"
    rf"(?:{_ARGUMENTS}(?=\))|(?s:.*+))"
)
_SETS = r"(?<=\.)(?<=spark\.iceberg_sql\.collection\.)[^\n]*"
_KEYS = (
    r"(?i)spark\.iceberg_sql\.collection\.|spark\.sql\.catalog\.[^.]+\.(?:header\.|"
    r".*(?:key|credential|secret|token|password|connection-string))|//[^/@\s]*:[^/@\s]*@"
)
_REDACTION_SETTINGS = {  # setting -> Spark's default, the added pattern
    "spark.sql.redaction.string.regex": ("", f"{_CALLS}|{_TEXTS}|{_SETS}"),
    "spark.sql.redaction.options.regex": ("(?i)url", _KEYS),
}
# The process's settings that Spark redacts in its UI and its event log.
_PROCESS_REDACTION = ("spark.redaction.regex", r"(?i)secret|password|token|access[.]?key")


def redaction(user_pattern: str | None = None) -> dict[str, str]:
    """The start-up setting that redacts secrets in the session's other start-up settings.

    user_pattern: the caller's own value for it.
    """
    name, default = _PROCESS_REDACTION
    return {name: _joined(user_pattern or default, _KEYS)}


def _joined(user_pattern: str, own_pattern: str) -> str:
    return user_pattern if own_pattern in user_pattern else "|".join(filter(None, (user_pattern, own_pattern)))


def hide_secrets() -> None:
    """Make the active session hide the functions' arguments in plans, and named collections.

    Each call with a secret does this again, since newSession() does not inherit it.
    """
    for name, (default, own_pattern) in _REDACTION_SETTINGS.items():
        user_pattern = configuration.setting(name) or default
        if own_pattern not in user_pattern:
            configuration.set_setting(name, _joined(user_pattern, own_pattern))
    for name, value in redaction(configuration.process_setting(_PROCESS_REDACTION[0])).items():
        if configuration.process_setting(name) != value:
            configuration.set_process_setting(name, value)


def is_secret(setting: str, value: str) -> bool:
    """True if a catalog's setting is a credential, by its name or by a password inside a URL."""
    return (
        re.search(f"{_PROCESS_REDACTION[1]}|{_KEYS}".replace("(?i)", ""), f"{setting} {value}", re.IGNORECASE)
        is not None
    )


def hide_setting(name: str) -> None:
    """Make Spark redact a session setting in the properties of jobs, which its event log keeps.

    Spark redacts only settings that the process has, too.
    """
    if not configuration.process_setting(name):
        configuration.set_process_setting(name, _REDACTED)


def collection(spark: SparkSession, name: str, **arguments: str) -> None:
    """Create a named collection whose secret values never enter Spark's configuration.

    spark: the session. name: an identifier, passed as the first argument of a table function. arguments:
    those of the table functions, such as url, endpoint, access_key_id, secret_access_key.
    Raises IcebergSqlError for a name that is not an identifier, and an argument that no table function has or that
    has no value.
    """
    if not name.isidentifier():
        raise IcebergSqlError(f"`{name}` is not a valid name for a collection", help="letters, digits and _")
    for key, value in arguments.items():
        if key.lower() not in ARGUMENT_NAMES:
            similar = similar_names(key.lower(), sorted(ARGUMENT_NAMES)) or sorted(ARGUMENT_NAMES)
            raise IcebergSqlError(f"no table function has the argument `{key}`", help=f"write {' or '.join(similar)}")
        if value is None:
            raise IcebergSqlError(f"`{key}` is None", help="leave it out, or pass a value")
    for key, value in arguments.items():
        spark.conf.set(f"{COLLECTIONS}{name}.{key}", _store_secret(value) if key in _SECRET_ARGUMENTS else value)


def settings_of(name: str) -> Mapping[str, str] | None:
    """A named collection's settings by argument name; None if it has none."""
    hide_collection_secrets()
    settings = configuration.settings(f"{COLLECTIONS}{name}.")
    return {key: _vault[value].value if value in _vault else value for key, value in settings.items()} or None


def hide_collection_secrets() -> None:
    """Move the secrets of all collections out of the active session's configuration.

    Spark copies it into the properties of every job, and from there into its event log.
    """
    for key, value in configuration.settings(COLLECTIONS).items():
        if key.rpartition(".")[2] in _SECRET_ARGUMENTS and value not in _vault:
            configuration.set_setting(COLLECTIONS + key, _store_secret(value))
            name, _, argument = key.rpartition(".")
            warn_once(
                f"`{COLLECTIONS}{key}` was set in plain text: the result of SET contains it, and so do the "
                "properties of the jobs that ran before this statement, which an event log keeps; create "
                f"the collection with spark_iceberg_sql.collection(spark, '{name}', {argument}=...)"
            )


def _store_secret(value: str) -> str:
    """The placeholder for a secret in the configuration; cloned sessions have it as well."""
    token = f"{_REDACTED}{token_hex(8)}"
    _vault[token] = _SecretValue(value)
    return token


class Secrets:
    """The secret values of one call, to be removed from messages about it."""

    def __init__(self) -> None:
        self._values: set[str] = set()

    def collect(self, function: Function, values: Mapping[str, Value]) -> None:
        """Collect the secret values of a call, and the parts of a connection string."""
        for argument in function.arguments:
            value = values.get(argument.name)
            if argument.secret and isinstance(value, str):
                if not self._values:
                    hide_secrets()
                self._values.add(value)
                self._values.update(part.split("=", 1)[1] for part in value.split(";") if _is_key(part))
            elif isinstance(value, str):
                self._values.update(_SIGNATURE.findall(value))

    def redact(self, refusal: Refusal) -> Refusal:
        """The same refusal without the secrets."""
        parameters = {name: self.redact_text(text) for name, text in refusal.parameters.items()}
        return Refusal(refusal.condition, **parameters)

    def redact_text(self, text: str) -> str:
        """A text without the secrets."""
        # The longest first: a secret may contain another one.
        for secret in sorted(self._values, key=len, reverse=True):
            if len(secret) >= _SHORTEST:
                text = text.replace(secret, _REDACTED)
        return text


# A URL with one is refused, and the refusal may quote the URL.
_SIGNATURE = re.compile(r"[?&](?:sig|X-Amz-Signature)=([^&\s]+)", re.IGNORECASE)


def _is_key(part: str) -> bool:
    name, _, value = part.partition("=")
    return bool(value) and name.lower() in ("accountkey", "sharedaccesssignature")


def warn_of_exposed_secret(
    function: Function,
    values: Mapping[str, Value],
    call_values: Iterable[Value],
    literals: Iterable[Value],
    statement: str | None = None,
) -> None:
    """Raise a Python warning if a secret is in the statement's text or in its plan.

    call_values: the values of the call itself, without a collection's. literals: those among them that are literals of
    the plan. statement: its text, if it has no plan yet.
    """
    text = statement or relations.statement_text() or ""
    # A parameter's value is a literal, too, but not in the text.
    literals_in_text = {str(value) for value in literals if str(value) in text}
    value_texts = {str(value) for value in call_values}
    for argument in function.arguments:
        value = values.get(argument.name)
        if not argument.secret or value is None or str(value) not in value_texts:
            continue
        if argument.name == "connection_string" and not any(map(_is_key, str(value).split(";"))):
            continue
        if str(value) not in literals_in_text:
            where = (
                "comes from a parameter, a variable or a subquery, so the query's plan contains it, and "
                "listeners receive that plan (Spark's event log also keeps the DECLARE of a variable)"
            )
        elif _VIEW.match(text):
            where = (
                "is in the statement's text, which a view stores permanently, SHOW CREATE TABLE shows, "
                "and histories and error messages quote"
            )
        else:
            where = (
                "is in the statement's text, which histories and error messages quote, as do "
                "Spark's debug log and, for CACHE TABLE ... AS, its UI and event log"
            )
        warnings.warn(
            f"`{argument.name}` of {function.name} {where}; put it in a named collection: "
            f"spark_iceberg_sql.collection(spark, 'NAME', {argument.name}=...), or the setting "
            f"{COLLECTIONS}NAME.{argument.name}, and then {function.name}('NAME', ...)",
            stacklevel=2,
        )
        return


_VIEW = re.compile(r"\s*create\s+(?:or\s+replace\s+)?view\b", re.IGNORECASE)
