"""Table properties whose values Iceberg's Java code parses: the values each accepts, and what fails otherwise."""

from __future__ import annotations

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record

_INTEGER = regex(r"[+-]?[0-9]{1,19}")
_INT = 2**31
_LONG = 2**63
ALWAYS = "every commit"
INSERT = "every INSERT"
SCAN = "every query"


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
    "read.split.target-size": Property(SCAN, bits=64),
    "read.split.planning-lookback": Property(SCAN, bits=32),
    "read.split.open-file-cost": Property(SCAN, bits=64),
    "read.parquet.vectorization.batch-size": Property(SCAN, bits=32),
}
# Keys that a table of format version 3 alone may have when it is created.
V3_KEYS = frozenset({"encryption.key-id", "encryption.data-key-length"})
METRICS_OF_COLUMN = "write.metadata.metrics.column."
