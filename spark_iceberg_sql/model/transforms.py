"""One record per partition transform: DDL rules, SQL functions, plans and docs all read them.

Spec: Partition Transforms (source types, result types), Appendix B (hash values).
To add a transform that Iceberg has a function for, add a record to TRANSFORMS.
"""

from __future__ import annotations

from spark_iceberg_sql.model.transform_record import Transform, TransformParameter

_TIMESTAMPS = ("timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns")
_TIMES = ("date", *_TIMESTAMPS)
_ANY = (
    "boolean", "int", "long", "float", "double", "decimal", "date", "time", *_TIMESTAMPS,
    "string", "uuid", "fixed", "binary", "unknown",
)  # fmt: skip
_UNIT = "there is one transform per time unit"
_HOURS_OF_A_MONTH = 365.2425 * 24 / 12
_FINER = "file statistics prune by anything finer"


def _time(
    name: str,
    result: str,
    summary: str,
    result_text: str,
    *,
    hours: float | None = None,
    months: int | None = None,
    iso_width: int,
    other_names: tuple[tuple[tuple[str, ...], str], ...],
    extra: tuple[str, ...] = (),
    suggestion: int | None = None,
    wraps: tuple[str, ...] = (),
    date_trunc_units: tuple[str, ...],
    value_functions: tuple[str, ...] = (),
    clickhouse_functions: tuple[str, ...],
    hive_columns: tuple[str, ...],
    pattern_letters: str,
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
        granularity=hours if months is None else months * _HOURS_OF_A_MONTH,
        months=months,
        iso_width=iso_width,
        spark_function=plural,
        iceberg_class=f"{plural.capitalize()}Function",
        spark_parses=(plural,),
        order_preserving=True,
        wraps=wraps,
        suggestion=suggestion,
        other_names=other_names,
        date_trunc_units=date_trunc_units,
        value_functions=value_functions,
        clickhouse_transforms=(f"iceberg{name.capitalize()}",),
        clickhouse_functions=clickhouse_functions,
        hive_columns=hive_columns,
        pattern_letters=pattern_letters,
        summary=summary,
        example=("TIMESTAMP_NTZ '2017-11-16 22:31:08'", result_text),
    )


TRANSFORMS: tuple[Transform, ...] = (
    Transform(
        name="identity",
        spellings=("identity",),
        functions=("iceberg_identity",),
        is_identity=True,
        order_preserving=True,
        sources=_ANY,
        accepts="any primitive column except variant, geometry and geography",
        clickhouse_functions=("identity",),
        other_names=(
            (("list", "value", "lower", "upper", "trim", "col", "column"), "each value is a separate partition"),
        ),
        summary="the value itself",
        example=("'iceberg'", "iceberg"),
    ),
    Transform(
        name="bucket",
        spellings=("bucket",),
        functions=("iceberg_bucket",),
        sources=("int", "long", "decimal", "date", "time", *_TIMESTAMPS, "string", "uuid", "fixed", "binary"),
        accepts="an integer, decimal, date, timestamp, string, uuid or binary column",
        parameter=TransformParameter("n", "number of buckets", 16, keyword="num_buckets"),
        result="int",
        suffix="bucket",
        spark_function="bucket",
        iceberg_class="BucketFunction",
        spark_parses=("bucket",),
        clickhouse_transforms=("icebergBucket", "icebergBucketTransform"),
        clickhouse_hash=("icebergHash", "34", "2017239379"),
        hashes=True,
        suggestion=2,
        other_names=(
            (
                ("hash", "xxhash64", "murmur3", "mod", "pmod", "hash_bucket", "cluster", "clustered"),
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
        parameter=TransformParameter("w", "width", 4, keyword="width"),
        suffix="trunc",
        spark_function="truncate",
        clickhouse_transforms=("icebergTruncate",),
        iceberg_class="TruncateFunction",
        order_preserving=True,
        truncates=True,
        wraps=("int", "long"),
        narrow_as_int=True,
        checks_precision=True,
        suggestion=3,
        other_names=(
            (
                ("substring", "substr", "left", "prefix", "trunc", "truncated", "range", "range_bucket"),
                "it keeps the first characters of a string and rounds numbers down",
            ),
            (("floor", "round", "div"), "it rounds numbers down"),
        ),
        summary=(
            "a number rounded down to a multiple of w (a decimal: of w units of its last digit), "
            "or the first w characters or bytes"
        ),
        example=("4, 'iceberg'", "iceb"),
    ),
    _time(
        "year",
        "int",
        "whole years since 1970, in UTC",
        "47",
        months=12,
        iso_width=len("2024"),
        other_names=(
            (("decade", "decades", "century"), "a query over a decade prunes by years as well"),
            (("yearly", "date_year", "yyyy", "yy"), _UNIT),
        ),
        date_trunc_units=("year", "yyyy", "yy"),
        clickhouse_functions=("toyear", "toyearnumsinceepoch", "torelativeyearnum", "tostartofyear"),
        pattern_letters="yuY",
        hive_columns=("year", "yr", "yyyy", "y", "p_year"),
    ),
    _time(
        "month",
        "int",
        "whole months since January 1970, in UTC",
        "574",
        months=1,
        iso_width=len("2024-05"),
        suggestion=1,
        other_names=(
            (("quarter", "quarters"), "a query over a quarter prunes by months as well"),
            (("toyyyymm", "monthly", "date_month", "mm", "mon"), _UNIT),
        ),
        date_trunc_units=("month", "mon", "mm"),
        clickhouse_functions=("toyyyymm", "tomonthnumsinceepoch", "torelativemonthnum", "tostartofmonth"),
        pattern_letters="MLQqm",
        hive_columns=("month", "mon", "mth", "mm", "m", "p_month"),
    ),
    _time(
        "day",
        "date",
        "the day, in UTC",
        "2017-11-16",
        hours=24,
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
        date_trunc_units=("day", "dd"),
        value_functions=("to_date", "date", "dayofmonth"),
        clickhouse_functions=("toyyyymmdd", "todate", "todate32", "torelativedaynum", "tostartofday"),
        pattern_letters="dDEewW",
        hive_columns=("day", "dy", "dd", "d", "p_day"),
    ),
    _time(
        "hour",
        "int",
        "whole hours since 1970-01-01 00:00 UTC",
        "419686",
        hours=1,
        extra=("date_hour",),
        wraps=_TIMESTAMPS,
        iso_width=len("2024-05-17T10"),
        other_names=(
            (("minute", "minutes", "second", "seconds"), _FINER),
            (("tostartofhour", "hourly", "day_hour", "datehour"), _UNIT),
        ),
        date_trunc_units=("hour",),
        clickhouse_functions=("torelativehournum", "tostartofhour"),
        pattern_letters="HhKk",
        hive_columns=("hour", "hr", "hh", "h", "p_hour"),
    ),
    Transform(
        name="void",
        spellings=("void",),
        functions=("iceberg_void",),
        sources=(*_ANY, "variant", "geometry", "geography"),
        accepts="any column",
        suffix="null",
        is_void=True,
        in_ddl=False,
        summary="always null: what format version 1 leaves in place of a dropped partition field",
        example=("34", "NULL"),
    ),
)

BY_NAME = {transform.name: transform for transform in TRANSFORMS}
# Spelling in DDL, in lower case, to its record (void too: the rule about it needs the record).
BY_SPELLING = {spelling: transform for transform in TRANSFORMS for spelling in transform.spellings}
BY_FUNCTION = {function: transform for transform in TRANSFORMS for function in transform.functions}
# The catalog that Iceberg's expressions spec reserves, and its functions, in lower case, to those of a session.
SPEC_CATALOG = "iceberg_functions"
SPEC_FUNCTIONS = {**{t.name: t.functions[0] for t in TRANSFORMS if not t.is_void}, "if_else": "if"}
# What occurs, in any case, in SQL that calls one of these functions or of `catalog.system`: a regular expression.
FUNCTION_CALL = rf"\biceberg_\w+\s*\(|\b{SPEC_CATALOG}`?\s*\.|\.\s*system\s*\."
BY_SUFFIX = {transform.suffix: transform for transform in TRANSFORMS if transform.suffix}
# Other engines' names, in lower case, to the nearest transform and the reason why it serves.
BY_OTHER_NAME = {
    name: (transform, why) for transform in TRANSFORMS for names, why in transform.other_names for name in names
}
# The transforms suggested for a column, best first.
SUGGESTED = tuple(sorted((t for t in TRANSFORMS if t.suggestion is not None), key=lambda t: t.suggestion or 0))
IDENTITY = next(t for t in TRANSFORMS if t.is_identity)
# The first suggestion that spreads values evenly, and the first that makes a date of one.
HASH = next(t for t in SUGGESTED if t.hashes)
DATE = next(t for t in SUGGESTED if t.result == "date")
# Coarse to fine.
TIMES = tuple(sorted((t for t in TRANSFORMS if t.granularity), key=lambda t: t.granularity or 0, reverse=True))
# ClickHouse's functions in PARTITION BY, lower case, to the record: for the transform, and with the same partitions.
BY_CLICKHOUSE_TRANSFORM = {name.lower(): t for t in TRANSFORMS for name in t.clickhouse_transforms}
BY_CLICKHOUSE_FUNCTION = {name: t for t in TRANSFORMS for name in t.clickhouse_functions}
# Classes of pyiceberg, to the record.
BY_PYICEBERG_CLASS = {t.pyiceberg_class: t for t in TRANSFORMS if t.in_ddl}
SPARK_PARSES = frozenset(spelling for t in TRANSFORMS for spelling in t.spark_parses)


def find_transform(call: str | None) -> Transform | None:
    """The transform that a call in DDL names; identity without a call; None if there is no such transform."""
    return BY_SPELLING.get("identity" if call is None else call.lower())
