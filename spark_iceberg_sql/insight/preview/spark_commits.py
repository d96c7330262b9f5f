"""The commits of a stream: a column with the number of the commit in which each row of a source arrives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as fn

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.specs import column_path
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MAX_COMMITS = 1_000
_TIME_TYPES = ("date", "timestamp", "timestamptz")
# Of percentile_approx: a commit has its share of the rows, give or take 0.001 %.
_ACCURACY = 100_000


def check_commits(commits: object, using: str) -> None:
    """Raise IcebergSqlError if a number of commits is not a valid one, or if not every row is read."""
    if isinstance(commits, bool) or not isinstance(commits, int) or not 1 <= commits <= MAX_COMMITS:
        raise IcebergSqlError(
            f"commits must be a whole number from 1 to {MAX_COMMITS:,}, not {commits!r}", argument="commits"
        )
    if commits > 1 and using != "data":
        raise IcebergSqlError(
            f"the files of a commit are only known from every row: using => 'data', not '{using}'", argument="commits"
        )


def with_commit_numbers(frame: DataFrame, spec: Spec, schema: Schema, commits: int, name: str) -> DataFrame:
    """The rows, with the number of their commit in an integer column.

    In the order of the spec's first field over a date or a timestamp, each commit has the same number of
    rows; rows of the same time are in the same commit. Without such a field, and for rows without a time, the
    commit is random.
    """
    # By the row's position, so that a second reading draws the same.
    random_commit = fn.pmod(fn.xxhash64(fn.monotonically_increasing_id()), fn.lit(commits)).cast("int")
    field = arrival_field(spec, schema)
    if field is None:
        return frame.withColumn(name, random_commit)
    path = dotted(column_path(field, schema))
    time = f"unix_micros(cast({path} AS timestamp))"
    shares = [n / commits for n in range(1, commits)]
    quantiles = frame.select(
        fn.percentile_approx(fn.expr(time), shares, _ACCURACY), fn.count(fn.lit(1)), fn.count(fn.expr(time))
    ).first()
    assert quantiles is not None
    cuts, rows, timed_rows = quantiles
    if not timed_rows:
        return frame.withColumn(name, random_commit)
    commit_of_time = fn.expr(_search_sql(time, cuts, 0, commits - 1))
    # `random_commit` only where it is needed: no filter is pushed below it.
    return frame.withColumn(
        name,
        commit_of_time
        if rows == timed_rows
        else fn.when(fn.expr(time).isNull(), random_commit).otherwise(commit_of_time),
    )


def arrival_field(spec: Spec, schema: Schema) -> PartitionField | None:
    """The field whose source column is the arrival time of a row; None if there is none."""
    return next((f for f in spec.fields if schema.types[f.source_id].name in _TIME_TYPES), None)


def arrival_text(spec: Spec, schema: Schema) -> str:
    """The assumed order of arrival, as text."""
    field = arrival_field(spec, schema)
    return f"rows in the order of {field.source}" if field else "rows in no order"


def _search_sql(time: str, cuts: Sequence[int], low: int, high: int) -> str:
    """The commit of a time that is not null, by a binary search of the cuts, as SQL."""
    if low == high:
        return str(low)
    middle = (low + high) // 2
    lower, upper = _search_sql(time, cuts, low, middle), _search_sql(time, cuts, middle + 1, high)
    return f"if({time} <= {cuts[middle]}, {lower}, {upper})"
