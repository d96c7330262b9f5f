"""The options of Iceberg's writers and readers, `.option('write-format', 'orc')`, `t WITH ('split-size' = '1')`."""

from __future__ import annotations

from collections.abc import Mapping

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.runtime.iceberg_values import ENUMERATIONS, READ_OPTIONS, WRITE_OPTIONS
from spark_iceberg_sql.model.runtime.properties import TypedProperty
from spark_iceberg_sql.records import record
from spark_iceberg_sql.similar_names import CERTAIN, similar_name

_BITS = {"int": 32, "long": 64}
_FORMATS = ("parquet", "orc", "avro")
_CHOICES = {
    "write-format": _FORMATS,
    "delete-format": _FORMATS,
    "distribution-mode": ENUMERATIONS["distribution-mode"],
    "delete-granularity": ENUMERATIONS["delete-granularity"],
    "isolation-level": ENUMERATIONS["isolation-level"],
}
# Read by a part of the writes alone: overwrites, and statements that write files of deletes.
_OF_SOME_WRITES = frozenset({"delete-format", "delete-granularity", "isolation-level", "target-delete-file-size-bytes"})
# Every other number is read by streams, increments or vectorized reads alone.
_OF_ALL_READS = frozenset({"split-size", "lookback", "file-open-cost"})
_SIZE = regex(r"([0-9]{1,9})\s*([kmgt])i?b?")


@record(frozen=True, slots=True)
class WrongOption:
    """An option that a writer refuses or ignores. is_refused: every write with it fails. of_key: its name is wrong."""

    reason: str
    help: str
    is_refused: bool
    of_key: bool = False


def wrong_option(key: str, value: str | None) -> WrongOption | None:
    """What is wrong with an option of a writer to an Iceberg table; None if nothing is known to be.

    value: as text; None if it is unknown.
    """
    return _wrong(key, value, WRITE_OPTIONS, READ_OPTIONS, "write")


def wrong_read_option(key: str, value: str | None) -> WrongOption | None:
    """As `wrong_option`, of a reader."""
    return _wrong(key, value, READ_OPTIONS, WRITE_OPTIONS, "read")


def _wrong(
    key: str, value: str | None, options: Mapping[str, str], others: Mapping[str, str], operation: str
) -> WrongOption | None:
    types = {name.lower(): type_ for name, type_ in options.items()}
    type_ = types.get(key.lower())  # Spark ignores the case of their names
    if type_ is None:
        return _misspelt(key, options, others)
    if value is None:
        return None
    if type_ == "boolean":
        if value.lower() in ("true", "false"):
            return None
        return WrongOption(
            f"Iceberg reads `{value}` as false: `{key}` must be true or false", "write 'true' or 'false'", False
        )
    choices = _CHOICES.get(key.lower(), ())
    if not choices and type_ not in _BITS:
        return None
    values = TypedProperty("", bits=_BITS.get(type_, 0), choices=choices)
    if values.takes(value):
        return None
    help_ = f"write {values.expects}"
    if key.lower().endswith("-bytes") and (size := _SIZE.fullmatch(value.strip().lower())) is not None:
        help_ = f"write the number of bytes: '{int(size[1]) << 10 * ' kmgt'.index(size[2])}'"
    name = key.lower()
    is_refused = name in _OF_ALL_READS if operation == "read" else name not in _OF_SOME_WRITES
    fails = f": every {operation} would fail" if is_refused else ""
    return WrongOption(f"`{key}` must be {values.expects}, not `{value}`{fails}", help_, is_refused)


def _misspelt(key: str, options: Mapping[str, str], others: Mapping[str, str]) -> WrongOption | None:
    """A name that resembles one of `options`: Iceberg ignores it."""
    if key.lower() in map(str.lower, others) or "." in key or key.startswith("snapshot-property"):
        return None
    names = {_letters(name): name for name in options if "-" in name}
    similar = names.get(_letters(key))
    if similar is None:
        similar = names.get(similar_name(_letters(key), names, CERTAIN) or "")
    if similar is None:
        return None
    return WrongOption(
        f"Iceberg ignores the option `{key}`: it has none of this name", f"write '{similar}'", False, True
    )


def _letters(key: str) -> str:
    return key.lower().translate({ord(mark): None for mark in "-_ "})
