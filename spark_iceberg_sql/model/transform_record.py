"""The record type of a partition transform, and the names and clauses that follow from it."""

from __future__ import annotations

from sys import intern

from spark_iceberg_sql.model.types import Primitive, Type
from spark_iceberg_sql.records import record

MAX_PARAMETER = 2**31 - 1


@record(frozen=True, slots=True)
class TransformParameter:
    """A transform's leading integer: bucket's number of buckets, truncate's width.

    name: in signatures. noun: in messages. minimum, maximum: the range that the spec allows.
    example: a sensible value. keyword: its name in pyiceberg's class.
    """

    name: str
    noun: str
    example: int
    minimum: int = 1
    maximum: int = MAX_PARAMETER
    keyword: str | None = None


@record(frozen=True, slots=True)
class Transform:
    """A partition transform.

    name: in table metadata. spellings: the names that PARTITIONED BY and PARTITION FIELD accept.
    functions: the SQL functions. sources: the Iceberg types that it accepts. accepts: the same, for messages. result:
    the Iceberg type of its value; None: the source's own. suffix: of the default name of its field in CREATE; None: the
    source's own name. granularity: the mean length of its unit in hours, if it is one of time. months: in
    its unit, whose length varies then. iso_width: how much of an ISO date and time, 2024-05-17T10:30, it keeps.
    spark_function: its name in Iceberg's Spark runtime, if any. iceberg_class: prefix of that function's class name.
    wraps: the source types for which its value overflows near the ends of the range and wraps around. is_identity:
    whether it returns the value unchanged. is_void: whether it is what format version 1 leaves in place of a dropped
    field. in_ddl: whether Spark's DDL has it. spark_parses: the spellings that Spark's own parser accepts in CREATE.
    order_preserving: whether it is monotonic in the source, except at the ends of a type. hashes: whether it is a hash
    modulo the parameter.
    truncates: whether it rounds a number down to a multiple of the parameter, and cuts a string to that length.
    narrow_as_int: whether the function treats tinyint and smallint as the int that the table stores. checks_precision:
    whether a decimal can exceed its precision, so that the function checks it.
    suggestion: rank among the transforms suggested for a column that it accepts, best first. other_names: its names in
    other engines, each group with the reason why this transform serves. date_trunc_units: the units of Spark's
    `date_trunc` and `trunc` that round to its values. value_functions: SQL functions on values that correspond to it,
    besides those of its own names. clickhouse_transforms: ClickHouse's functions for the transform itself.
    clickhouse_functions: its others, lower case, with the same partitions. clickhouse_hash: its function for the hash
    alone, and an example: the arguments, and the result.
    hive_columns: usual names of a Hive partition column that holds this part of a time. pattern_letters: of this part
    in the patterns of Java and strftime, Spark's own first. summary: one sentence for DESCRIBE FUNCTION. example: the
    function's arguments in SQL, and its result.
    """

    name: str
    spellings: tuple[str, ...]
    functions: tuple[str, ...]
    sources: tuple[str, ...]
    accepts: str
    summary: str
    parameter: TransformParameter | None = None
    result: str | None = None
    suffix: str | None = None
    granularity: float | None = None
    months: int | None = None
    iso_width: int | None = None
    spark_function: str | None = None
    iceberg_class: str | None = None
    is_identity: bool = False
    is_void: bool = False
    in_ddl: bool = True
    spark_parses: tuple[str, ...] = ()
    order_preserving: bool = False
    hashes: bool = False
    truncates: bool = False
    wraps: tuple[str, ...] = ()
    narrow_as_int: bool = False
    checks_precision: bool = False
    suggestion: int | None = None
    other_names: tuple[tuple[tuple[str, ...], str], ...] = ()
    date_trunc_units: tuple[str, ...] = ()
    value_functions: tuple[str, ...] = ()
    clickhouse_transforms: tuple[str, ...] = ()
    clickhouse_functions: tuple[str, ...] = ()
    clickhouse_hash: tuple[str, str, str] | None = None
    hive_columns: tuple[str, ...] = ()
    pattern_letters: str = ""
    example: tuple[str, str] = ("", "")

    @property
    def begins_at_midnight(self) -> bool:
        """True if its values are days, months or years."""
        return self.iso_width is not None and self.iso_width <= len("2024-05-17")

    @property
    def spelling(self) -> str:
        """The name to write in DDL: the one in Iceberg's own documentation."""
        return self.spellings[-1] if self.granularity is None else self.spellings[1]

    @property
    def pyiceberg_class(self) -> str:
        """Its class in `pyiceberg.transforms`."""
        return f"{self.name.capitalize()}Transform"

    @property
    def pyiceberg_text(self) -> str:
        """An example of its name in pyiceberg and in table metadata, `bucket[16]`."""
        return self.name if self.parameter is None else f"{self.name}[{self.parameter.example}]"

    def takes(self, source: Type) -> bool:
        """True if the spec allows the transform on a column of this type."""
        return isinstance(source, Primitive) and source.name in self.sources

    def clause(self, source: str, parameter: int | None = None) -> str:
        """The DDL clause over a source column's text, `bucket(16, id)`."""
        if self.is_identity:
            return source
        if self.parameter is None:
            return f"{self.spelling}({source})"
        return f"{self.spelling}({self.parameter.example if parameter is None else parameter}, {source})"

    def create_name(self, source: str) -> str:
        """The default field name that CREATE TABLE gives, `id_bucket` (PartitionSpec.Builder)."""
        return source if self.suffix is None else intern(f"{source}_{self.suffix}")

    def alter_name(self, source: str, parameter: int | None) -> str:
        """The default field name that ALTER TABLE ADD gives, `id_bucket_16` (PartitionNameGenerator)."""
        name = self.create_name(source)
        return name if self.parameter is None else f"{name}_{parameter}"
