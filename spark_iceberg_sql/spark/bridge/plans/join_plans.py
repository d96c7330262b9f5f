"""The joins of a statement's physical plan, under settings that differ from the session's; nothing runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import gateway, sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, from_option, from_seq
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.plans.expressions import node_class, pretty
from spark_iceberg_sql.spark.bridge.plans.query_plans import executions, parse_statement

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_BROADCAST = ("BroadcastHashJoinExec", "BroadcastNestedLoopJoinExec")
_BY_KEYS = ("ClusteredDistribution", "OrderedDistribution")
_JOINS = ("SortMergeJoinExec", "ShuffledHashJoinExec", "CartesianProductExec", *_BROADCAST)


@dataclass(frozen=True, slots=True)
class JoinSide:
    """One side of a join.

    keys: the join keys as SQL. keys_are_columns: whether all are columns. types: of the keys. scans: the
    scans below it. is_stored: whether its rows stay in the partitions of the tables.
    """

    keys: tuple[str, ...]
    keys_are_columns: bool
    types: tuple[str, ...]
    scans: tuple[Java, ...]
    is_stored: bool


@dataclass(frozen=True, slots=True)
class PlannedJoin:
    """A join. is_broadcast: whether one side is sent to all executors. shuffles: how many sides are shuffled."""

    condition: str
    is_broadcast: bool
    shuffles: int
    left: JoinSide
    right: JoinSide


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """The joins of a plan.

    reuses_partitions: whether an operator other than a join relies on the partitions of a table, or one above a join
    that does; also where only a shuffle for another join is between them: an adaptive plan may broadcast instead.
    """

    joins: tuple[PlannedJoin, ...]
    reuses_partitions: bool


class SessionCopy:
    """A copy of a session in which settings can be tried; the session itself is not changed.

    names: the parts of each catalog table's name, by the name that the table itself has.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._session = sessions.clone(gateway.java_session(spark))
        self._conf = self._session.sessionState().conf()
        self.names: dict[str, tuple[str, ...]] = {}

    def value(self, key: str) -> str:
        """A setting's value, or its default; empty if it has neither."""
        try:
            return str(self._conf.getConfString(key)).lower()
        except JVM_ERRORS:  # Spark does not know Iceberg's settings
            return ""

    def planned(self, text: str, settings: Mapping[str, str]) -> PlannedQuery:
        """The joins of a statement's plan under the given settings. Raises pyspark's exceptions if Spark refuses it."""
        previous = {key: self._conf.getConfString(key) if self._conf.contains(key) else None for key in settings}
        try:
            for key, value in settings.items():
                self._conf.setConfString(key, value)
            with gateway.active(self._session):
                state = self._session.sessionState()
                _, execution = executions(state, parse_statement(state, text))
                self.names |= _names(execution.analyzed())
                plan = execution.executedPlan()
                return PlannedQuery(tuple(_joins(plan)), _reuses_partitions(plan, False, False))
        finally:
            for key, old in previous.items():
                if old is None:
                    self._conf.unsetConf(key)
                else:
                    self._conf.setConfString(key, old)


def _names(plan: Java) -> dict[str, tuple[str, ...]]:
    names = {}
    for leaf in from_seq(plan.collectLeaves()):
        if node_class(leaf) != "DataSourceV2Relation":
            continue
        catalog, identifier = from_option(leaf.catalog()), from_option(leaf.identifier())
        if catalog is not None and identifier is not None:
            parts = (catalog.name(), *identifier.namespace(), identifier.name())
            names[str(leaf.table().name())] = tuple(map(str, parts))
    return names


def _joins(node: Java) -> Iterator[PlannedJoin]:
    # Its initial plan has all shuffles; the final one exists only after a run.
    if node_class(node) == "AdaptiveSparkPlanExec":
        yield from _joins(node.initialPlan())
        return
    children = from_seq(node.children())
    if node_class(node) in _JOINS:
        left, right = children
        yield PlannedJoin(
            _condition(node),
            node_class(node) in _BROADCAST,
            sum(_is_shuffled(side) for side in children),
            _side(node, "leftKeys", left),
            _side(node, "rightKeys", right),
        )
    for child in children:
        yield from _joins(child)
    for plan in from_seq(node.subqueries()):  # those of dynamic filters are joins' own
        if node_class(plan) == "SubqueryExec" and not str(plan.name()).startswith("dynamicpruning"):
            yield from _joins(plan)


def _reuses_partitions(node: Java, is_relied_on: bool, is_without_shuffle: bool) -> bool:
    """PlannedQuery's of a part of a plan.

    is_relied_on: whether an operator above relies on the node's partitions. is_without_shuffle: whether one would if
    the next shuffle above were not there.
    """
    kind = node_class(node)
    if kind == "AdaptiveSparkPlanExec":
        return _reuses_partitions(node.initialPlan(), is_relied_on, is_without_shuffle)
    children = from_seq(node.children())
    if kind == "BroadcastExchangeExec":
        below = (False, False)
    elif kind == "ShuffleExchangeExec":
        below = (is_without_shuffle, is_without_shuffle)
    elif any(node_class(needed) in _BY_KEYS for needed in from_seq(node.requiredChildDistribution())):
        is_join = kind in _JOINS
        if (is_relied_on or not is_join) and any(_is_stored(child.outputPartitioning()) for child in children):
            return True
        below = (True, is_relied_on and is_join)
    else:
        below = (is_relied_on, is_without_shuffle)
    return any(_reuses_partitions(plan, *below) for plan in children) or any(
        _reuses_partitions(plan, False, False) for plan in from_seq(node.subqueries())
    )


def _condition(join: Java) -> str:
    if node_class(join) in ("CartesianProductExec", "BroadcastNestedLoopJoinExec"):
        return "no equality"
    pairs = zip(from_seq(join.leftKeys()), from_seq(join.rightKeys()), strict=True)
    return " AND ".join(f"{a.sql()} = {b.sql()}" for a, b in pairs)


def _side(join: Java, keys: str, child: Java) -> JoinSide:
    join_keys = []
    if node_class(join) not in ("CartesianProductExec", "BroadcastNestedLoopJoinExec"):
        join_keys = from_seq(getattr(join, keys)())
    return JoinSide(
        tuple(pretty(key) for key in join_keys),
        all(node_class(key) == "AttributeReference" for key in join_keys),
        tuple(str(key.dataType().sql()).lower() for key in join_keys),
        tuple(_scans(child)),
        _is_stored(child.outputPartitioning()),
    )


def _is_stored(partitioning: Java) -> bool:
    """True if a partitioning is that of tables, as a scan reports it; after a join it may be several."""
    if node_class(partitioning) == "PartitioningCollection":
        return any(_is_stored(member) for member in from_seq(partitioning.partitionings()))
    return node_class(partitioning) == "KeyGroupedPartitioning"


def _is_shuffled(node: Java) -> bool:
    if node_class(node) == "ShuffleExchangeExec":
        return True
    if node_class(node) in _JOINS:
        return False
    return any(_is_shuffled(child) for child in from_seq(node.children()))


def _scans(node: Java) -> Iterator[Java]:
    children = from_seq(node.children())
    if not children:
        yield node
    for child in children:
        yield from _scans(child)
