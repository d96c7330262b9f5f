"""Table properties whose values Iceberg's Java code parses: the values each accepts, and what fails otherwise."""

from __future__ import annotations

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.runtime.iceberg_names import TABLE_PROPERTIES
from spark_iceberg_sql.model.runtime.iceberg_values import ENUMERATIONS, PROPERTY_TYPES
from spark_iceberg_sql.records import record
from spark_iceberg_sql.similar_names import CERTAIN, similar_name

_INTEGER = regex(r"[+-]?[0-9]{1,19}")
_DECIMAL = regex(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[dDfF]?|NaN")
_INT = 2**31
_LONG = 2**63
ALWAYS = "every commit"
INSERT = "every INSERT"
SCAN = "every query"
EXPIRE = "`expire_snapshots`"


@record(frozen=True, slots=True)
class TypedProperty:
    """A property with a type.

    failing_operation: fails with any other value. is_refused: true if the DDL itself fails.

    bits: width of the accepted integer, or 0 for a decimal. choices: accepted values, if there are only these.
    minimum: of the integer, at CREATE.
    """

    failing_operation: str
    is_refused: bool = False
    bits: int = 0
    choices: tuple[str, ...] = ()
    minimum: int = -_LONG

    def takes(self, value: str) -> bool:
        """True if Iceberg accepts the value."""
        if self.choices:
            return value.lower() in self.choices
        if not self.bits:
            return _DECIMAL.fullmatch(value) is not None
        if not _INTEGER.fullmatch(value):
            return False
        limit = _INT if self.bits == 32 else _LONG
        return max(-limit, self.minimum) <= int(value) < limit

    @property
    def expects(self) -> str:
        """The accepted values, as messages describe them."""
        if self.choices:
            return "one of " + ", ".join(f"'{word}'" for word in self.choices)
        if not self.bits:
            return "a number"
        return "an integer" if self.minimum < 0 else f"an integer of at least {self.minimum}"


_FORMATS = ("parquet", "orc", "avro")
_BITS = {"int": 32, "long": 64}


def _choices(enumeration: str) -> tuple[str, ...]:
    return tuple(constant.replace("_", "-") for constant in ENUMERATIONS[enumeration])


_MODES, _LEVELS, _DISTRIBUTIONS = map(_choices, ("row-level-mode", "isolation-level", "distribution-mode"))
_ROW_CHANGES = (("write.delete", "DELETE"), ("write.update", "UPDATE"), ("write.merge", "MERGE"))
# Read by none but a DELETE, UPDATE or MERGE that writes files of deletes.
_DELETE_FILES = "a merge-on-read DELETE"
_STATUS_CHECK = "a commit without an answer"
_ORC_SCAN = "a vectorized query of ORC files"


def _numbers() -> dict[str, TypedProperty]:
    """The properties that the runtime reads as numbers, with what fails: it reads them late."""
    numbers = {}
    for name, type_ in PROPERTY_TYPES.items():
        if name.endswith(".") or type_ == "boolean" or name in ("format-version", "encryption.data-key-length"):
            continue
        operation = next(operation for prefix, operation in _FAILING_OPERATIONS if name.startswith(prefix))
        numbers[name] = TypedProperty(operation, bits=_BITS.get(type_, 0), minimum=-_LONG)
    return numbers


_FAILING_OPERATIONS = (
    ("commit.status-check.", _STATUS_CHECK),
    ("write.metadata.", ALWAYS),
    ("write.delete.", _DELETE_FILES),
    ("write.", INSERT),
    ("commit.", INSERT),
    ("history.", EXPIRE),
    ("read.orc.", _ORC_SCAN),
    ("read.", SCAN),
)

PROPERTIES: dict[str, TypedProperty] = {
    **_numbers(),
    **{
        f"commit.retry.{key}": TypedProperty(ALWAYS, True, 32, minimum=0)
        for key in ("num-retries", "min-wait-ms", "max-wait-ms", "total-timeout-ms")
    },
    "write.metadata.metrics.max-inferred-column-defaults": TypedProperty(ALWAYS, True, 32),
    "write.metadata.compression-codec": TypedProperty(ALWAYS, True, choices=("none", "gzip")),
    "commit.manifest.min-count-to-merge": TypedProperty(INSERT, bits=32),
    "write.summary.partition-limit": TypedProperty(INSERT, bits=32),
    "write.parquet.compression-level": TypedProperty(INSERT, bits=32),
    "write.parquet.compression-codec": TypedProperty(INSERT, choices=ENUMERATIONS["parquet-codec"]),
    "write.delete.parquet.compression-codec": TypedProperty(_DELETE_FILES, choices=ENUMERATIONS["parquet-codec"]),
    "write.orc.compression-codec": TypedProperty(INSERT, choices=ENUMERATIONS["orc-codec"]),
    "write.orc.compression-strategy": TypedProperty(INSERT, choices=ENUMERATIONS["orc-strategy"]),
    "write.avro.compression-codec": TypedProperty(INSERT, choices=ENUMERATIONS["avro-codec"]),
    "write.distribution-mode": TypedProperty(INSERT, choices=_DISTRIBUTIONS),
    "write.format.default": TypedProperty(INSERT, choices=_FORMATS),
    "write.delete.format.default": TypedProperty(INSERT, choices=_FORMATS),
    "write.delete.granularity": TypedProperty(_DELETE_FILES, choices=_choices("delete-granularity")),
    "write.delete.mode": TypedProperty("every DELETE", choices=_MODES),
    "write.update.mode": TypedProperty("every UPDATE", choices=_MODES),
    "write.merge.mode": TypedProperty("every MERGE", choices=_MODES),
    "write.delete.isolation-level": TypedProperty("every DELETE", choices=_LEVELS),
    "write.update.isolation-level": TypedProperty("every UPDATE", choices=_LEVELS),
    "write.merge.isolation-level": TypedProperty("every MERGE", choices=_LEVELS),
    **{
        f"{key}.distribution-mode": TypedProperty(f"every {name}", choices=_DISTRIBUTIONS) for key, name in _ROW_CHANGES
    },
    "read.data-planning-mode": TypedProperty(SCAN, choices=_choices("planning-mode")),
    "read.delete-planning-mode": TypedProperty(SCAN, choices=_choices("planning-mode")),
}
# Failures that the data of most tables, or most days, do not meet.
RARE_FAILURES = frozenset({_DELETE_FILES, _STATUS_CHECK, _ORC_SCAN, *(f"every {name}" for _, name in _ROW_CHANGES)})
# Keys that a table of format version 3 alone may have when it is created.
V3_KEYS = frozenset({"encryption.key-id", "encryption.data-key-length"})
# Java reads any value of these but `true` as false, without a word.
SWITCHES = frozenset(
    name
    for name in TABLE_PROPERTIES
    if PROPERTY_TYPES.get(name) == "boolean" or name.endswith(("enabled", "-uncompressed", "partitioned-paths"))
)
METRICS_OF_COLUMN = "write.metadata.metrics.column."
_PREFIXES = tuple(name for name in TABLE_PROPERTIES if name.endswith("."))
# Names of PyIceberg's, Flink's and Amoro's that resemble Iceberg's.
_OTHERS_PREFIXES = (
    "write.py-",
    "write.parquet.row-group-limit",
    "write.distribution.",
    "self-optimizing.",
    "snapshot.",
)


def similar_property(key: str) -> str | None:
    """The property that a misspelt key most likely means; None if it may be a key of the user's or of another engine.

    key: as in the statement; SIS410 reports what resembles `format-version`.
    """
    if key in PROPERTIES or key in TABLE_PROPERTIES or key.startswith((*_PREFIXES, *_OTHERS_PREFIXES)):
        return None
    candidates = {_letters(name): name for name in TABLE_PROPERTIES if "." in name}
    letters = _letters(key)
    if letters in candidates:
        return candidates[letters]
    similar = similar_name(letters, candidates, CERTAIN)
    return candidates.get(similar or "")


def _letters(key: str) -> str:
    """A key without its case and the marks between its words."""
    return key.lower().translate({ord(mark): None for mark in "-_. "})
