"""The records that Python and Java exchange (java_records.py), each declared once.

Constants, written into the Java classes of the functions and rules: FunctionRow, TransformRow, RuleRow, ReleaseRow.
All others are exchanged as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql.spark.bridge.jvm.java_records import constants_source, exchange_source


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionRow:
    """A function iceberg_* or iceberg... of ClickHouse under one of its names, for TransformFunction.java.

    function: Iceberg's function; None if the value is the source column's. always_null: for the void transform.
    is_hash: whether the value is the hash that Iceberg's function divides into buckets. counts_days: whether the value
    of Iceberg's function, a date, is returned as days since 1970. hashed: source types that Iceberg's function does not
    accept, so that the value is computed from their hash.
    narrow_as_int: whether tinyint and smallint are cast to int first. checks_precision: whether a decimal that exceeds
    its precision is an error. result: the type of its value; None for that of the source column. accepted: source
    types. listed: those that a message lists. parameter, noun, minimum, maximum: of the first argument; a parameter of
    None means that there is none. usage, arguments, examples: for DESCRIBE FUNCTION.
    """

    name: str
    function: str | None
    always_null: bool
    is_hash: bool
    counts_days: bool
    hashed: tuple[str, ...]
    narrow_as_int: bool
    checks_precision: bool
    result: str | None
    accepted: tuple[str, ...]
    listed: tuple[str, ...]
    parameter: str | None
    noun: str
    minimum: int
    maximum: int
    usage: str
    arguments: str
    examples: str


@dataclass(frozen=True, slots=True)
class SpecFunctionRow:
    """A function of the catalog that Iceberg's expressions spec reserves, for SpecFunctions.java.

    name: in that catalog. function: the session's function that computes it.
    """

    name: str
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformRow:
    """A partition transform with a function of Iceberg's, for Transform.java.

    name: in a spec. function: for SparkFunctions.load. iceberg_class: how the name of its class begins. unit: of time
    that it counts, such as `DAYS`; None for others. has_parameter: whether its first argument is a number.
    wraps: source types for which the value may overflow.
    """

    name: str
    function: str
    iceberg_class: str
    unit: str | None
    has_parameter: bool
    preserves_order: bool
    hashes: bool
    truncates: bool
    checks_precision: bool
    wraps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """An optimizer rule, for RuleRegistry.java.

    java_class: its full name. phase: as iceberg_rules() shows it. injection: the name of its Phase. switch_key: of
    the session's configuration. issues: those that it corrects, separated by commas.
    """

    name: str
    java_class: str
    phase: str
    injection: str
    switch_key: str
    description: str
    issues: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredRow:
    """The files of a table from whose metadata rows of a query come, from ReadNotes.java.

    files: their number. total_files, total_bytes: of the snapshot's data files; the bytes are None if it does not say.
    """

    table: str
    files: int
    total_files: int
    total_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleSideRow:
    """One side of a join, or the rows of a group or a window, from ShuffleReasons.java.

    table: its name. columns: by key, the table's column that it is, by its path; empty for another expression.
    fields: the table's partition fields whose values follow from the keys. bytes: as of a ShuffleRow.
    """

    table: str
    columns: tuple[str, ...]
    fields: tuple[str, ...]
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleRow:
    """A join, a group or a window, from ShuffleReasons.java: by what its rows are grouped, or why they are shuffled.

    operator: `join`, `group` or `window`. keys: as SQL. tables: those with the keys. fields: the partition fields by
    which their rows are grouped without a shuffle; None if they are not. is_partitioned: whether all are Iceberg
    tables, and one has a partition field whose values follow from the keys. reason: why the rows are not grouped.
    statement: with which they would be, after the files are rewritten if it changes a table; None if there is none.
    bytes: of the rows that a shuffle moves, or would move, about; of all tables. sides: those that are Iceberg tables.
    """

    operator: str
    keys: str
    tables: tuple[str, ...]
    fields: str | None
    is_shuffled: bool
    is_broadcast: bool
    is_partitioned: bool
    reason: str | None
    statement: str | None
    bytes: int
    sides: tuple[ShuffleSideRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRow:
    """The versions that a jar was built for, and digests of its Java files, for Extension.java."""

    spark: str
    scala: str
    iceberg: str
    rules_digest: str
    functions_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingFiles:
    """The data files in other specs than the current one, and the steps of their rewrite: by FilesOfOtherSpecs.java."""

    files: int
    bytes: int
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongBoundsRow:
    """A column whose bounds are wrong in some data files: insight.wrong_bounds.WrongBounds, by FileBounds.java."""

    column: str
    kind: str
    fact: str
    issue: str
    remedy: str
    files: int
    bytes: int
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundText:
    """A statement's text with its parameter markers replaced, and where: by Parameters.java."""

    text: str
    replacements: tuple[ReplacedMarker, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacedMarker:
    """A parameter marker, and the text in its place. start, end: UTF-16 offsets."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTotal:
    """A number of data files, and their bytes."""

    files: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """What rewrite_data_files would do, by RewrittenFiles.java.

    files, bytes: the data files it reads. file_reduction: by how many files it reduces their number; groups that would
    not become fewer files do not count.
    """

    files: int
    bytes: int
    file_reduction: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFile:
    """A data file that was written into the driver's memory, by MemoryWriter.java.

    rows_at_target: the number of rows at which it reached the target size, which is known to a part of one; 0 if it did
    not.
    """

    rows: int
    bytes: int
    rows_at_target: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecFiles:
    """The data files of one partition spec, by FileCounts.java."""

    spec_id: int
    files: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotFilters:
    """The data files and manifests of a snapshot, and what each of several filters keeps, by FilterFileCounts.java.

    specs: by the id of the spec.
    """

    files: int
    bytes: int
    manifests: int
    specs: dict[str, FileTotal]
    filters: tuple[FilterFiles, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterFiles:
    """The files of a snapshot that a filter keeps.

    by_partitions: the files that it keeps by their partition values alone. complete: the files of which it keeps all
    rows. pruned_by: the partition fields that prune files. without_bounds: files without
    bounds, by column. specs: the files kept, by the id of the spec.
    """

    manifests: int
    by_partitions: FileTotal
    kept: FileTotal
    complete: FileTotal
    pruned_by: tuple[PruningFields, ...]
    without_bounds: dict[str, FileTotal]
    specs: dict[str, FileTotal]


@dataclass(frozen=True, slots=True, kw_only=True)
class PruningFields:
    """Partition fields of one spec that together prune files: the terms of a predicate's projection."""

    terms: tuple[PartitionTerm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionTerm:
    """A partition field's transform, in Iceberg's notation, and its source column."""

    transform: str
    column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionFiles:
    """A partition's data files, and those that a scan reads, by ScanFiles.java."""

    spec_id: int
    files: int
    bytes: int
    files_read: int
    bytes_read: int
    values: tuple[PartitionValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionValue:
    """A partition field's value in a partition.

    name: of the field. transform: in Iceberg's notation, `bucket[16]`. text: the readable value; in quotes if it
    is a string that reads like nothing, null or several values. number: a numeric value, such as days since 1970; None
    for any other.
    """

    name: str
    transform: str
    text: str
    number: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """A file of a folder, by Listing.java."""

    location: str
    size: int
    modified_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderContent:
    """The names directly in a folder, by Folders.java."""

    folders: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFile:
    """A file of a store's listing, for FileFacts.java. address: without its scheme."""

    address: str
    modified_ms: int
    etag: str | None


CONSTANTS = (FunctionRow, SpecFunctionRow, TransformRow, RuleRow, ReleaseRow)
# Each after those that it contains.
EXCHANGED = (
    WrongBoundsRow, AnsweredRow, ShuffleSideRow, ShuffleRow, ReplacedMarker, BoundText, FileTotal, Rewrite, SpecFiles,
    PartitionTerm, PruningFields,
    FilterFiles, SnapshotFilters, PartitionValue, PartitionFiles, ListedFile, FolderContent,
    StoreFile, PendingFiles, MemoryFile,
)  # fmt: skip


def declarations() -> str:
    """All generated classes, without the constants: compiled classes that use them depend on it."""
    return "".join([*(constants_source(row, ()) for row in CONSTANTS), *map(exchange_source, EXCHANGED)])
