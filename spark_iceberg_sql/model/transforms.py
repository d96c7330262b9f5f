"""THE TABLE: one record per partition transform. DDL rules, SQL functions, plans and docs all read it.

Spec: Partition Transforms (source types, result types), Appendix B (hash values).
To add a transform, add a record to TRANSFORMS; nothing else names one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from spark_iceberg_sql.model.types import Primitive, Type

MAX_PARAMETER = 2**31 - 1

_TIMESTAMPS = ("timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns")
_TIMES = ("date", *_TIMESTAMPS)
_ANY = (
    "boolean", "int", "long", "float", "double", "decimal", "date", "time", *_TIMESTAMPS,
    "string", "uuid", "fixed", "binary", "unknown",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameter:
    """A transform's leading integer: bucket's number of buckets, truncate's width.

    name: in signatures. noun: in messages. minimum, maximum: the range that the spec allows.
    example: a sensible value.
    """

    name: str
    noun: str
    example: int
    minimum: int = 1
    maximum: int = MAX_PARAMETER


@dataclass(frozen=True, slots=True)
class Transform:
    """A partition transform.

    name: in table metadata. spellings: the names that PARTITIONED BY and PARTITION FIELD accept.
    functions: the SQL functions. sources: the Iceberg types that it accepts. accepts: the same, for
    messages. result: the Iceberg type of its value; None: the source's own. suffix: of the default name of
    its field in CREATE; None: the source's own name. granularity: rank among the time transforms,
    coarse to fine. iso_width: how much of an ISO date and time, 2024-05-17T10:30, it keeps.
    spark_function: its name in Iceberg's Spark runtime, if any. iceberg_class: prefix of that
    function's class name. wraps: the source types for which its value overflows near the ends of the
    range and wraps around. in_ddl: whether Spark's DDL has it. spark_parses: the
    spellings that Spark's own parser accepts in CREATE. order_preserving: whether it is monotonic in the
    source, except at the ends of a type. hashes: whether it is a hash modulo the parameter.
    truncates: whether it rounds a number down to a multiple of the parameter, and cuts a string to that
    length. narrow_as_int: whether the function treats tinyint and smallint as the int that the table
    stores. checks_precision: whether a decimal can exceed its precision, so that the function checks it.
    suggestion: rank among the transforms suggested for a column that it accepts, best first. other_names: its
    names in other engines, each group with the reason why this transform serves. summary: one sentence
    for DESCRIBE FUNCTION. example: the function's arguments in SQL, and its result.
    """

    name: str
    spellings: tuple[str, ...]
    functions: tuple[str, ...]
    sources: tuple[str, ...]
    accepts: str
    summary: str
    parameter: Parameter | None = None
    result: str | None = None
    suffix: str | None = None
    granularity: int | None = None
    iso_width: int | None = None
    spark_function: str | None = None
    iceberg_class: str | None = None
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
    example: tuple[str, str] = ("", "")

    @property
    def is_identity(self) -> bool:
        """Whether it returns the value unchanged."""
        return self.name == "identity"

    @property
    def is_void(self) -> bool:
        """Whether it is what format version 1 leaves in place of a dropped field."""
        return self.name == "void"

    @property
    def begins_at_midnight(self) -> bool:
        """Whether its values are days, months or years."""
        return self.iso_width is not None and self.iso_width <= len("2024-05-17")

    @property
    def spelling(self) -> str:
        """The name to write in DDL: the one in Iceberg's own documentation."""
        return self.spellings[-1] if self.granularity is None else self.spellings[1]

    def takes(self, source: Type) -> bool:
        """Whether the spec allows the transform on a column of this type."""
        return isinstance(source, Primitive) and source.name in self.sources

    def clause(self, source: str, parameter: int | None = None) -> str:
        """The DDL clause over a source column's text, `bucket(16, id)`."""
        if self.is_identity:
            return source
        if self.parameter is None:
            return f"{self.spelling}({source})"
        return f"{self.spelling}({parameter or self.parameter.example}, {source})"

    def create_name(self, source: str) -> str:
        """The default field name that CREATE TABLE gives, `id_bucket` (PartitionSpec.Builder)."""
        return source if self.suffix is None else f"{source}_{self.suffix}"

    def alter_name(self, source: str, parameter: int | None) -> str:
        """The default field name that ALTER TABLE ADD gives, `id_bucket_16` (PartitionNameGenerator)."""
        name = self.create_name(source)
        return name if self.parameter is None else f"{name}_{parameter}"


_UNIT = "there is one transform per time unit"
_FINER = "file statistics prune by anything finer"


def _time(
    name: str,
    rank: int,
    result: str,
    what: str,
    answer: str,
    *,
    iso_width: int,
    other_names: tuple[tuple[tuple[str, ...], str], ...],
    extra: tuple[str, ...] = (),
    suggestion: int | None = None,
    wraps: tuple[str, ...] = (),
) -> Transform:
    plural = f"{name}s"
    return Transform(
        name=name,
        spellings=(name, plural, *extra),
        functions=(f"iceberg_{name}", f"iceberg_{plural}"),
        sources=_TIMES if name != "hour" else _TIMESTAMPS,
        accepts="a date or a timestamp" if name != "hour" else "a timestamp",
        result=result,
        suffix=name,
        granularity=rank,
        iso_width=iso_width,
        spark_function=plural,
        iceberg_class=f"{plural.capitalize()}Function",
        spark_parses=(plural,),
        order_preserving=True,
        wraps=wraps,
        suggestion=suggestion,
        other_names=other_names,
        summary=what,
        example=("TIMESTAMP_NTZ '2017-11-16 22:31:08'", answer),
    )


TRANSFORMS: tuple[Transform, ...] = (
    Transform(
        name="identity",
        spellings=("identity",),
        functions=("iceberg_identity",),
        order_preserving=True,
        sources=_ANY,
        accepts="any primitive column except variant, geometry and geography",
        other_names=(
            (
                ("list", "value", "lower", "upper", "trim", "col", "column"),
                "each value is a separate partition",
            ),
        ),
        summary="the value itself",
        example=("'iceberg'", "iceberg"),
    ),
    Transform(
        name="bucket",
        spellings=("bucket",),
        functions=("iceberg_bucket",),
        sources=(
            "int",
            "long",
            "decimal",
            "date",
            "time",
            *_TIMESTAMPS,
            "string",
            "uuid",
            "fixed",
            "binary",
        ),
        accepts="an integer, decimal, date, time, timestamp, string, uuid or binary column",
        parameter=Parameter("n", "number of buckets", 16),
        result="int",
        suffix="bucket",
        spark_function="bucket",
        iceberg_class="BucketFunction",
        spark_parses=("bucket",),
        hashes=True,
        suggestion=2,
        other_names=(
            (
                (
                    "hash",
                    "xxhash64",
                    "murmur3",
                    "mod",
                    "pmod",
                    "hash_bucket",
                    "cluster",
                    "clustered",
                ),
                "it hashes the value",
            ),
            (
                ("zorder", "z_order", "hilbert", "sort", "order"),
                "to sort within files, use `ALTER TABLE ... WRITE ORDERED BY`",
            ),
        ),
        summary="the bucket, from 0 to n - 1, of the value's 32-bit Murmur3 hash",
        example=("16, 34", "3"),
    ),
    Transform(
        name="truncate",
        spellings=("truncate",),
        functions=("iceberg_truncate",),
        sources=("int", "long", "decimal", "string", "binary"),
        accepts="an integer, decimal, string or binary column",
        parameter=Parameter("w", "width", 4),
        suffix="trunc",
        spark_function="truncate",
        iceberg_class="TruncateFunction",
        order_preserving=True,
        truncates=True,
        wraps=("int", "long"),
        narrow_as_int=True,
        checks_precision=True,
        suggestion=3,
        other_names=(
            (
                (
                    "substring",
                    "substr",
                    "left",
                    "prefix",
                    "trunc",
                    "truncated",
                    "range",
                    "range_bucket",
                ),
                "it keeps the first characters of a string and rounds numbers down",
            ),
            (("floor", "round", "div"), "it rounds numbers down"),
        ),
        summary="a number rounded down to a multiple of w, or the first w characters or bytes",
        example=("4, 'iceberg'", "iceb"),
    ),
    _time(
        "year",
        0,
        "int",
        "whole years since 1970, in UTC",
        "47",
        iso_width=len("2024"),
        other_names=(
            (("decade", "decades", "century"), "a query over a decade prunes by years as well"),
            (("yearly", "date_year", "yyyy", "yy"), _UNIT),
        ),
    ),
    _time(
        "month",
        1,
        "int",
        "whole months since January 1970, in UTC",
        "574",
        iso_width=len("2024-05"),
        suggestion=1,
        other_names=(
            (("quarter", "quarters"), "a query over a quarter prunes by months as well"),
            (("toyyyymm", "monthly", "date_month", "mm", "mon"), _UNIT),
        ),
    ),
    _time(
        "day",
        2,
        "date",
        "the day, in UTC",
        "2017-11-16",
        extra=("date",),
        iso_width=len("2024-05-17"),
        suggestion=0,
        other_names=(
            (
                ("week", "weeks", "weekofyear", "isoweek", "dayofweek", "dayofyear"),
                "a query over a week prunes by days as well",
            ),
            (("date_trunc", "timestamp_trunc", "datetime_trunc"), _UNIT),
            (("to_date", "todate", "date_day", "daily", "dd"), _UNIT),
        ),
    ),
    _time(
        "hour",
        3,
        "int",
        "whole hours since 1970-01-01 00:00 UTC",
        "419686",
        extra=("date_hour",),
        wraps=_TIMESTAMPS,
        iso_width=len("2024-05-17T10"),
        other_names=(
            (("minute", "minutes", "second", "seconds"), _FINER),
            (("tostartofhour", "hourly", "day_hour", "datehour"), _UNIT),
        ),
    ),
    Transform(
        name="void",
        spellings=("void",),
        functions=("iceberg_void",),
        sources=(*_ANY, "variant", "geometry", "geography"),
        accepts="any column",
        suffix="null",
        in_ddl=False,
        summary="always null: what format version 1 leaves in place of a dropped partition field",
        example=("34", "NULL"),
    ),
)

BY_NAME = {transform.name: transform for transform in TRANSFORMS}
# What a user may write in DDL, lower case, to its record (void too: the rule about it wants the record).
BY_SPELLING = {spelling: transform for transform in TRANSFORMS for spelling in transform.spellings}
BY_FUNCTION = {function: transform for transform in TRANSFORMS for function in transform.functions}
BY_SUFFIX = {transform.suffix: transform for transform in TRANSFORMS if transform.suffix}
# The names of other engines, lower case, to the transform that comes nearest, and why it will do.
BY_OTHER_NAME = {
    name: (transform, why)
    for transform in TRANSFORMS
    for names, why in transform.other_names
    for name in names
}
# What is suggested for a column, best first.
SUGGESTED = tuple(
    sorted((t for t in TRANSFORMS if t.suggestion is not None), key=lambda t: t.suggestion or 0)
)
IDENTITY = next(t for t in TRANSFORMS if t.is_identity)
# The first suggestion that spreads values evenly, and the first that makes a date of one.
HASH = next(t for t in SUGGESTED if t.hashes)
DATE = next(t for t in SUGGESTED if t.result == "date")
TIMES = tuple(
    sorted((t for t in TRANSFORMS if t.granularity is not None), key=lambda t: t.granularity or 0)
)
SPARK_PARSES = frozenset(spelling for t in TRANSFORMS for spelling in t.spark_parses)


def spelled(call: str | None) -> Transform | None:
    """The transform that a call in DDL names; without a call it is identity. None if there is none."""
    return BY_SPELLING.get("identity" if call is None else call.lower())


_METADATA = re.compile(r"^([a-z_]+)\[(\d+)\]$")


@dataclass(frozen=True, slots=True)
class BoundTransform:
    """A transform with its parameter, as a partition field has it: `bucket[16]`, `day`."""

    transform: Transform
    parameter: int | None = None

    def __str__(self) -> str:
        name = self.transform.name
        return name if self.parameter is None else f"{name}[{self.parameter}]"

    @property
    def is_void(self) -> bool:
        """Whether it is what v1 leaves in place of a dropped field."""
        return self.transform.is_void

    def clause(self, source: str) -> str:
        """The DDL clause over a source column's text."""
        return self.transform.clause(source, self.parameter)


def from_metadata(text: str) -> BoundTransform:
    """The transform of a partition field in metadata.json, `bucket[16]`.

    One that this table does not have (a later spec's) keeps its name and takes any source: what it
    allows is not known, so nothing is said against it.
    """
    match = _METADATA.match(text)
    name, parameter = (match.group(1), int(match.group(2))) if match else (text, None)
    known = BY_NAME.get(name)
    if known is None or (known.parameter is None) != (parameter is None):
        known = Transform(
            text, (text,), (), _ANY, "any column", "not in this version of the spec", in_ddl=False
        )
        parameter = None
    return BoundTransform(known, parameter)


VOID = BoundTransform(BY_NAME["void"])
