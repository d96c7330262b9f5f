"""The report on the joins of a query: storage-partitioned or not, and the settings that are missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.report.sql_text import html
from spark_iceberg_sql.report.terminal import plural
from spark_iceberg_sql.safe_output import join_visible

# The settings of Spark 4.1 and Iceberg that a storage-partitioned join depends on: key, value, meaning.
_BUCKETING = "spark.sql.sources.v2.bucketing."
SETTINGS: tuple[tuple[str, str, str], ...] = (
    ("spark.sql.iceberg.planning.preserve-data-grouping", "true", "Iceberg reports the partitions of a scan"),
    (f"{_BUCKETING}enabled", "true", "Spark uses the reported partitions"),
    (f"{_BUCKETING}pushPartValues.enabled", "true", "one side may have partitions that the other does not"),
    ("spark.sql.requireAllClusterKeysForCoPartition", "false", "the join may have more keys than the partitioning"),
    (
        f"{_BUCKETING}allowJoinKeysSubsetOfPartitionKeys.enabled",
        "true",
        "the partitioning may have more fields than the join has keys",
    ),
    (
        f"{_BUCKETING}allowCompatibleTransforms.enabled",
        "true",
        "the transforms may differ if one number of buckets divides the other",
    ),
    (f"{_BUCKETING}partiallyClusteredDistribution.enabled", "false", "compatible transforms require it to be off"),
    (f"{_BUCKETING}shuffle.enabled", "true", "Spark shuffles one side only, into the partitions of the other"),
)


@dataclass(frozen=True, slots=True)
class Join:
    """One join of a query.

    condition: its equalities. tables: the tables on both sides. shuffles: how many sides are shuffled now.
    best: how many with the `sets` of the report. is_broadcast: one side is broadcast, so neither is shuffled.
    is_stored: whether the rows of both sides stay in their tables' partitions; otherwise a join that shuffles
    no side uses the shuffle of a join below it, or compares all pairs of rows. why: what prevents a
    storage-partitioned join, even with `sets`; None if nothing does.
    """

    JSON_PROPERTIES: ClassVar[tuple[str, ...]] = ("happens",)
    condition: str
    tables: tuple[str, ...]
    shuffles: int
    best: int
    is_broadcast: bool
    is_stored: bool
    why: str | None = None

    @property
    def happens(self) -> bool:
        """True for a storage-partitioned join: rows match by partition, none is shuffled or broadcast."""
        return self.is_stored and self.shuffles == 0 and not self.is_broadcast


@dataclass(frozen=True, slots=True, repr=False)
class JoinReport(Result):
    """The joins of a query.

    sets: the smallest set of SET statements with the fewest shuffles; planned, not run.
    """

    JSON_PROPERTIES: ClassVar[tuple[str, ...]] = ("happens",)
    joins: tuple[Join, ...]
    sets: tuple[str, ...] = ()

    @property
    def happens(self) -> bool:
        """True if all joins are storage-partitioned."""
        return bool(self.joins) and all(join.happens for join in self.joins)

    def rows(self) -> Iterator[tuple[str | int | None, ...]]:
        """One row per join."""
        for join in self.joins:
            answer = "broadcast" if join.is_broadcast else "yes" if join.happens else "no"
            yield (
                join.condition,
                ", ".join(join.tables),
                answer,
                join.shuffles,
                join.best,
                "; ".join(self.sets) or None if join.best < join.shuffles else None,
                join.why,
            )

    def __str__(self) -> str:
        return join_visible(self._lines()) or "the query has no join"

    def _repr_html_(self) -> str:
        """The joins as a table, under what to do."""
        stored = sum(join.happens for join in self.joins)
        headline = f"{stored:,} of {plural(len(self.joins), 'join')} read both sides without a shuffle"
        if self.sets:
            headline += "; with these settings, fewer sides are shuffled:"
        sets = "\n".join(f"{statement};" for statement in self.sets)
        rows = [
            [markup.html_text(part or "") for part in (" with ".join(j.tables), j.condition, _join_status(j), j.why)]
            for j in self.joins
        ]
        return markup.box(
            f"<p>{headline}</p>" if self.joins else "<p>the query has no join</p>",
            f"<pre>{html(sets)}</pre>" if sets else "",
            markup.table(["tables", "on", "join", "why"], rows) if rows else "",
        )

    def _lines(self) -> Iterator[str]:
        for join in self.joins:
            yield f"{' with '.join(join.tables) or 'no table'} on {join.condition}: {_join_status(join)}"
            if join.why is not None:
                yield f"  {join.why}"
        if self.sets:
            yield "with fewer shuffles:"
            yield from (f"  {statement};" for statement in self.sets)


def _join_status(join: Join) -> str:
    if join.is_broadcast:
        return "a broadcast join, which shuffles neither side"
    if join.happens:
        return "storage-partitioned: no shuffle"
    if join.shuffles == 0:
        return "not storage-partitioned, although it shuffles neither side"
    text = f"not storage-partitioned: {join.shuffles} of 2 sides are shuffled"
    return text + (f", {join.best} with the settings below" if join.best < join.shuffles else "")
