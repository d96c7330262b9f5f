"""Table properties whose values Iceberg's Java code parses: the values each accepts, and what fails otherwise."""

from __future__ import annotations

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.iceberg_names import TABLE_PROPERTIES
from spark_iceberg_sql.records import record

_INTEGER = regex(r"[+-]?[0-9]{1,19}")
_INT = 2**31
_LONG = 2**63
ALWAYS = "every commit"
INSERT = "every INSERT"
SCAN = "every query"
EXPIRE = "`expire_snapshots`"


@record(frozen=True, slots=True)
class Property:
    """A property with a type.

    failing_operation: fails with any other value. is_refused: true if the DDL itself fails.

    bits: width of the accepted integer, or 0. choices: accepted values otherwise. minimum: of the integer,
    at CREATE.
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
        if not _INTEGER.fullmatch(value):
            return False
        limit = _INT if self.bits == 32 else _LONG
        return max(-limit, self.minimum) <= int(value) < limit

    @property
    def expects(self) -> str:
        """The accepted values, as messages describe them."""
        if self.choices:
            return "one of " + ", ".join(f"'{word}'" for word in self.choices)
        return "an integer" if self.minimum < 0 else f"an integer of at least {self.minimum}"


_FORMATS = ("parquet", "orc", "avro")
_MODES = ("copy-on-write", "merge-on-read")
_LEVELS = ("serializable", "snapshot")
_ROW_CHANGES = (("write.delete", "DELETE"), ("write.update", "UPDATE"), ("write.merge", "MERGE"))
_DISTRIBUTIONS = ("none", "hash", "range")
_CODECS = ("uncompressed", "snappy", "gzip", "lzo", "brotli", "lz4", "zstd", "lz4_raw")
_PAGES =(
    "page-size-bytes", "page-row-limit", "dict-size-bytes", "row-group-check-min-record-count",
    "bloom-filter-max-bytes", "compression-level",
)  # fmt: skip

PROPERTIES: dict[str, Property] = {
    **{
        f"commit.retry.{key}": Property(ALWAYS, True, 32, minimum=0)
        for key in ("num-retries", "min-wait-ms", "max-wait-ms", "total-timeout-ms")
    },
    "write.metadata.previous-versions-max": Property(ALWAYS, False, 32),
    "write.metadata.metrics.max-inferred-column-defaults": Property(ALWAYS, True, 32),
    "write.metadata.compression-codec": Property(ALWAYS, True, choices=("none", "gzip")),
    "commit.manifest.target-size-bytes": Property(INSERT, bits=64),
    "commit.manifest.min-count-to-merge": Property(INSERT, bits=32),
    "write.summary.partition-limit": Property(INSERT, bits=32),
    "write.target-file-size-bytes": Property(INSERT, bits=64),
    "write.spark.advisory-partition-size-bytes": Property(INSERT, bits=64),
    "write.parquet.row-group-size-bytes": Property(INSERT, bits=32),
    **{f"write.parquet.{key}": Property(INSERT, bits=32) for key in _PAGES},
    "write.parquet.compression-codec": Property(INSERT, choices=_CODECS),
    "write.distribution-mode": Property(INSERT, choices=_DISTRIBUTIONS),
    "write.format.default": Property(INSERT, choices=_FORMATS),
    "write.delete.format.default": Property(INSERT, choices=_FORMATS),
    "write.delete.mode": Property("every DELETE", choices=_MODES),
    "write.update.mode": Property("every UPDATE", choices=_MODES),
    "write.merge.mode": Property("every MERGE", choices=_MODES),
    "write.delete.isolation-level": Property("every DELETE", choices=_LEVELS),
    "write.update.isolation-level": Property("every UPDATE", choices=_LEVELS),
    "write.merge.isolation-level": Property("every MERGE", choices=_LEVELS),
    **{f"{key}.distribution-mode": Property(f"every {name}", choices=_DISTRIBUTIONS) for key, name in _ROW_CHANGES},
    "history.expire.max-snapshot-age-ms": Property(EXPIRE, bits=64),
    "history.expire.max-ref-age-ms": Property(EXPIRE, bits=64),
    "history.expire.min-snapshots-to-keep": Property(EXPIRE, bits=32),
    "read.split.target-size": Property(SCAN, bits=64),
    "read.split.planning-lookback": Property(SCAN, bits=32),
    "read.split.open-file-cost": Property(SCAN, bits=64),
    "read.parquet.vectorization.batch-size": Property(SCAN, bits=32),
}
# Keys that a table of format version 3 alone may have when it is created.
V3_KEYS = frozenset({"encryption.key-id", "encryption.data-key-length"})
# Java reads any value of these but `true` as false, without a word.
SWITCHES = frozenset(
    name for name in TABLE_PROPERTIES if name.endswith(("enabled", "-uncompressed", "partitioned-paths"))
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
# One wrong letter or two, not another word.
_MIN_SIMILARITY = 0.92


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
    from difflib import get_close_matches  # imported only for an unknown key: the command starts sooner

    return next((candidates[name] for name in get_close_matches(letters, candidates, 1, _MIN_SIMILARITY)), None)


def _letters(key: str) -> str:
    """A key without its case and the marks between its words."""
    return key.lower().translate({ord(mark): None for mark in "-_. "})
