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

MOST = 1_000
_TIMES = ("date", "timestamp", "timestamptz")
# Of percentile_approx: a commit has its share of the rows, give or take 0.001 %.
_ACCURACY = 100_000


def checked(commits: object, using: str) -> int:
    """The number of commits. Raises IcebergSqlError if it is not a valid one, or if not every row is read."""
    if isinstance(commits, bool) or not isinstance(commits, int) or not 1 <= commits <= MOST:
        raise IcebergSqlError(
            f"commits must be a whole number from 1 to {MOST:,}, not {commits!r}",
            argument="commits",
        )
    if commits > 1 and using != "data":
        raise IcebergSqlError(
            f"the files of a commit are only known from every row: using => 'data', not '{using}'",
            argument="commits",
        )
    return commits


def numbered(frame: DataFrame, spec: Spec, schema: Schema, commits: int, name: str) -> DataFrame:
    """The rows, with the number of their commit in an integer column.

    In the order of the spec's first field over a date or a timestamp, each commit has the same number of
    rows; rows of the same time are in the same commit. Without such a field, and for rows without a time, the
    commit is random.
    """
    # By the row's position, so that a second reading draws the same.
    drawn = fn.pmod(fn.xxhash64(fn.monotonically_increasing_id()), fn.lit(commits)).cast("int")
    field = ordered_by(spec, schema)
    if field is None:
        return frame.withColumn(name, drawn)
    path = dotted(column_path(field, schema))
    time = f"unix_micros(cast({path} AS timestamp))"
    shares = [n / commits for n in range(1, commits)]
    found = frame.select(
        fn.percentile_approx(fn.expr(time), shares, _ACCURACY),
        fn.count(fn.lit(1)),
        fn.count(fn.expr(time)),
    ).first()
    assert found is not None
    cuts, rows, times = found
    if not times:
        return frame.withColumn(name, drawn)
    at = fn.expr(_search(time, cuts, 0, commits - 1))
    # `random_commit` only where it is needed: no filter is pushed below it.
    return frame.withColumn(
        name, at if rows == times else fn.when(fn.expr(time).isNull(), drawn).otherwise(at)
    )


def ordered_by(spec: Spec, schema: Schema) -> PartitionField | None:
    """The field whose source column is the arrival time of a row; None if there is none."""
    return next((f for f in spec.fields if schema.types[f.source_id].name in _TIMES), None)


def order_text(spec: Spec, schema: Schema) -> str:
    """The assumed order of arrival, as text."""
    field = ordered_by(spec, schema)
    return f"rows in the order of {field.source}" if field else "rows in no order"


def _search(time: str, cuts: Sequence[int], low: int, high: int) -> str:
    """The commit of a time that is not null, by a binary search of the cuts, as SQL."""
    if low == high:
        return str(low)
    middle = (low + high) // 2
    lower, upper = _search(time, cuts, low, middle), _search(time, cuts, middle + 1, high)
    return f"if({time} <= {cuts[middle]}, {lower}, {upper})"
