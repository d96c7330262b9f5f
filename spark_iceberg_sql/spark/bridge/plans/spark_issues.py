"""Known faults of Spark's storage-partitioned joins that cost rows: by their issue, with the setting that they need.

The rule `colocate` does nothing in a session that has one of these settings. To add one: a record here, its setting in
Colocate.java, and its query in tests/spark/test_spark_issues.py.
"""

from __future__ import annotations

from dataclasses import dataclass

_BUCKETING = "spark.sql.sources.v2.bucketing."


@dataclass(frozen=True, slots=True)
class SparkIssue:
    """A fault of Spark with which a query returns other rows.

    reference: such as `SPARK-59121`. cost: what goes wrong, as a sentence. setting: the key that must be `true` for it.
    present_in, absent_in: the versions of Spark where its query was tried, and returned other rows or the same; both
    are empty where the fault rests on its report alone.
    """

    reference: str
    cost: str
    setting: str
    present_in: tuple[str, ...] = ()
    absent_in: tuple[str, ...] = ()


ISSUES: tuple[SparkIssue, ...] = (
    SparkIssue(
        "SPARK-59121",
        "rows that were joined by a common divisor of two numbers of buckets are taken for rows in the buckets of one "
        "table: a second join loses rows",
        f"{_BUCKETING}allowCompatibleTransforms.enabled",
        present_in=("4.1.4", "4.0.5"),
        absent_in=("3.5.9",),  # it does not have the setting
    ),
    SparkIssue(
        "SPARK-58968",
        "partitions by more fields than a window or a group has keys are taken for whole groups: several rows have "
        "number 1",
        f"{_BUCKETING}allowJoinKeysSubsetOfPartitionKeys.enabled",
        present_in=("4.1.4", "4.0.5"),
        absent_in=("3.5.9",),  # it does not have the setting
    ),
    SparkIssue(
        "SPARK-59050",
        "rows shuffled into the partitions of one table are taken for all rows of their keys: a second join loses rows",
        f"{_BUCKETING}shuffle.enabled",
        # Outer joins of a table that lacks keys, with a second join or a group above, and random joins lost no row on
        # 4.1.4 and 4.0.5; this is not its query.
    ),
    SparkIssue(
        "SPARK-59054",
        "keys that are equal but not the same object, of the types BINARY, FLOAT and DOUBLE, may be shuffled into "
        "different partitions",
        f"{_BUCKETING}shuffle.enabled",
        # Two joins on BINARY keys lost no row on 4.1.4 and 4.0.5; these shuffle both sides by FLOAT and DOUBLE.
    ),
    SparkIssue(
        "SPARK-55848",
        "rows of one partition that are split among tasks are taken for whole groups: DISTINCT, groups and windows "
        "return a key several times",
        f"{_BUCKETING}partiallyClusteredDistribution.enabled",
        absent_in=("4.1.4", "4.0.5", "3.5.9"),  # each shuffles once more above such a join
    ),
)


def issues_of(statement: str | None) -> list[SparkIssue]:
    """The faults whose setting a SET statement turns off."""
    return [issue for issue in ISSUES if statement == f"SET {issue.setting} = false"]
