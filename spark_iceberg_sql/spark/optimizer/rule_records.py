"""The optimizer rules: a record of each.

To add a rule, write `java/rules/<Name>.java` (a class that extends SwitchedRule) and add a record to RULES.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from spark_iceberg_sql.spark.optimizer.iceberg_issues import ISSUES
from spark_iceberg_sql.spark.session_settings import PREFIX

PACKAGE = "sparkicebergsql"
# Tests this Iceberg for known faults.
PROBES = "IssueProbes"
# What the rules know of tables and scans, for Python.
FACTS = "RelationFacts"
# The rules whose absence costs more than time: a warning says what.
SAFETY = (
    "bounds",
    "conflicts",
    "copies",
    "failing_constants",
    "floats",
    "null_constants",
    "require_filter",
    "updates",
    "writers",
)


class Phase(Enum):
    """When a rule runs: before the optimizer, with its other rules, once before filters are pushed into the scan,
    after, or while the query runs, after each of its stages."""

    BEFORE_OPTIMIZER = "before the optimizer"
    BEFORE_PUSH_DOWN = "before push-down"
    JUST_BEFORE_PUSH_DOWN = "just before push-down"
    AFTER_PUSH_DOWN = "after push-down"
    AT_RUN_TIME = "while the query runs"


@dataclass(frozen=True, slots=True)
class OptimizerRule:
    """An optimizer rule.

    name: in iceberg_rules(). java: its class, and the name of its file. summary: one
    sentence. if_disabled: what its absence means to the user, for the warning.
    """

    name: str
    java: str
    phase: Phase
    summary: str
    if_disabled: str

    @property
    def switch(self) -> str:
        """The key in the session's configuration that enables it when `true` and disables it when `false`; that of
        `require_filter` holds what the session requires.
        """
        return f"{PREFIX}{self.name}"

    @property
    def issues(self) -> str:
        """The issues that it corrects, separated by commas."""
        return ", ".join(issue.reference for issue in ISSUES if issue.rule == self.name)

    @property
    def excluded(self) -> str:
        """Its name for `spark.sql.optimizer.excludedRules`."""
        return f"{PACKAGE}.{self.java}"


# Those before push-down run before OptimizeMetadataOnlyDeleteFromTable, the first pre-CBO rule: a rule that
# is injected there would come too late for DELETE. (excludedRules holds the class names: they are public.)
RULES: tuple[OptimizerRule, ...] = (
    OptimizerRule(
        name="aggregates",
        java="Aggregates",
        phase=Phase.JUST_BEFORE_PUSH_DOWN,
        summary="answers count, min, max and DISTINCT by groups from the metadata, and reads the files of other groups",
        if_disabled="aggregates in groups return correct results but read the files that metadata answers",
    ),
    OptimizerRule(
        name="bounds",
        java="Bounds",
        phase=Phase.BEFORE_PUSH_DOWN,
        summary=(
            "keeps the rows of files whose bounds or partition values are wrong, such as imported TIMESTAMP(MILLIS)"
        ),
        if_disabled="filters on a column with wrong bounds lose rows, as they do in Iceberg alone",
    ),
    OptimizerRule(
        name="common_expressions",
        java="CommonExpressions",
        phase=Phase.BEFORE_OPTIMIZER,
        summary="lets DELETE and MERGE run with BETWEEN or nullif of an expression",
        if_disabled="copy-on-write DELETE and MERGE with conditions such as abs(v) BETWEEN 1 AND 5 fail",
    ),
    OptimizerRule(
        name="conflicts",
        java="Conflicts",
        phase=Phase.AFTER_PUSH_DOWN,
        summary="refuses a DELETE with snapshot isolation if another writer has replaced rows that it removes",
        if_disabled="a DELETE with merge-on-read and snapshot isolation leaves rows that another writer has replaced",
    ),
    OptimizerRule(
        name="copies",
        java="Copies",
        phase=Phase.AFTER_PUSH_DOWN,
        summary="refuses a write to a table whose metadata refers to another location",
        if_disabled="DataFrame writers write through a copied table into the original",
    ),
    OptimizerRule(
        name="decimals",
        java="Decimals",
        phase=Phase.BEFORE_PUSH_DOWN,
        summary="pushes down comparisons with iceberg_truncate of a decimal",
        if_disabled="filters on iceberg_truncate of a decimal return correct results but do not prune",
    ),
    OptimizerRule(
        name="failing_constants",
        java="FailingConstants",
        phase=Phase.BEFORE_PUSH_DOWN,
        summary="withholds constants that fail, as 1 / 0 in coalesce(v, 1 / 0), which Spark 4.1 plans for ever",
        if_disabled="queries with a constant such as 1 / 0 or CAST('a' AS INT) beside a column never end in Spark 4.1",
    ),
    OptimizerRule(
        name="guard",
        java="Guard",
        phase=Phase.BEFORE_PUSH_DOWN,
        summary="pushes down comparisons with Iceberg's functions only where the scan returns correct results",
        if_disabled="filters on iceberg_* functions return correct results but do not prune",
    ),
    OptimizerRule(
        name="null_constants",
        java="NullConstants",
        phase=Phase.BEFORE_PUSH_DOWN,
        summary="withholds expressions with a null constant on which Spark fails, as that of (v = 3000000000) IS TRUE",
        if_disabled="comparisons of an INT column with a constant beyond INT fail under IS TRUE, <=> and coalesce, as "
        "does IN with a null of a BINARY column",
    ),
    OptimizerRule(
        name="fast",
        java="Fast",
        phase=Phase.AFTER_PUSH_DOWN,
        summary="evaluates Iceberg's remaining time functions with Spark's built-in expressions",
        if_disabled="time functions return the same values at Iceberg's own speed",
    ),
    OptimizerRule(
        name="floats",
        java="Floats",
        phase=Phase.BEFORE_PUSH_DOWN,
        summary="keeps the rows with NaN and -0.0, which Iceberg does not compare as Spark does",
        if_disabled="filters on FLOAT and DOUBLE columns lose rows with NaN and -0.0, as they do in Iceberg alone",
    ),
    OptimizerRule(
        name="joins",
        java="Joins",
        phase=Phase.AT_RUN_TIME,
        summary="prunes a table by the values of a broadcast join's other side, once these are known",
        if_disabled="a join with a few values of another table reads all files",
    ),
    OptimizerRule(
        name="prune",
        java="Prune",
        phase=Phase.BEFORE_PUSH_DOWN,
        summary="adds the range on the column that predicates such as year(ts) = 2024 imply, so that scans prune",
        if_disabled="predicates on expressions return correct results but do not prune",
    ),
    OptimizerRule(
        name="merge",
        java="Merge",
        phase=Phase.BEFORE_PUSH_DOWN,
        summary="adds to a MERGE the range of the target's columns that the values of its source imply",
        if_disabled="MERGE reads all files of the target, and every commit of another writer is a conflict",
    ),
    OptimizerRule(
        name="require_filter",
        java="RequireFilter",
        phase=Phase.AFTER_PUSH_DOWN,
        summary="refuses to read more of a partitioned table than is allowed without a filter on a partition field",
        if_disabled="statements read partitioned tables without a filter, whatever the tables' properties require",
    ),
    OptimizerRule(
        name="colocate",
        java="Colocate",
        phase=Phase.AFTER_PUSH_DOWN,
        summary="joins and groups tables by their partition fields without a shuffle, where that should be faster",
        if_disabled="joins and groups by the partition fields of tables shuffle the rows",
    ),
    # After those that look for Iceberg's own scans.
    OptimizerRule(
        name="updates",
        java="Updates",
        phase=Phase.AFTER_PUSH_DOWN,
        summary="lets the two reads of an UPDATE with a subquery choose their files one after the other, not at once",
        if_disabled="a copy-on-write UPDATE with a subquery may keep rows twice, as it does with Iceberg alone",
    ),
    OptimizerRule(
        name="values",
        java="Values",
        phase=Phase.JUST_BEFORE_PUSH_DOWN,
        summary="reads only files whose partition values may match predicates that Iceberg cannot evaluate",
        if_disabled="predicates that Iceberg cannot evaluate return correct results but do not prune",
    ),
    OptimizerRule(
        name="limit",
        java="Limit",
        phase=Phase.JUST_BEFORE_PUSH_DOWN,
        summary="reads only a few files that surely hold the rows of WHERE ... LIMIT",
        if_disabled="WHERE ... LIMIT returns as many rows and may read more files",
    ),
    OptimizerRule(
        name="topk",
        java="TopK",
        phase=Phase.JUST_BEFORE_PUSH_DOWN,
        summary="reads only the files that may hold the first rows of ORDER BY ... LIMIT",
        if_disabled="ORDER BY ... LIMIT returns the same rows and reads all files",
    ),
    OptimizerRule(
        name="writers",
        java="Writers",
        phase=Phase.BEFORE_PUSH_DOWN,
        summary="sorts the rows of a write that may open more writers, one for each partition, than the memory holds; "
        "warns of it otherwise, and of an overwrite of partitions that leaves rows in other specs",
        if_disabled="a write into many partitions may run out of memory, and an overwrite leave rows in other specs, "
        "without a warning",
    ),
)
