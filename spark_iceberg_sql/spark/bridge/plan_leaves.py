"""The leaves of an optimized plan: the scans, other relations and deletes of whole files, with those of its
subqueries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge import jvm, schemas
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.expressions import kind, pretty, split
from spark_iceberg_sql.spark.bridge.jvm import Java, from_seq, java_class, scala_object
from spark_iceberg_sql.spark.bridge.scan_metrics import limited_scans, scans

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_RELATION = "DataSourceV2Relation"
_SCAN = "DataSourceV2ScanRelation"
_ROW_LEVEL = ("ReplaceData", "WriteDelta")
_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"
# Deletes of whole files, which read none: the second, of all files, has the table's scan below it.
DELETES = ("DeleteFromTableWithFilters", "DeleteFromTable")
_LIMITS = ("GlobalLimit", "LocalLimit")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf of an optimized plan.

    class_name, node: of the plan's node. runtime_columns: the columns filtered at run time by the rows of
    another scan. is_first: whether it is that other scan, which Spark runs separately. may_stop: whether a
    LIMIT may end it before it has read all its files; of `leaves`, whether it is below a LIMIT.
    """

    kind: str
    node: Java
    runtime: tuple[str, ...] = ()
    is_first: bool = False
    may_stop: bool = False


def leaves(plan: Java) -> Iterator[Leaf]:
    """The leaves of an optimized plan, including those of its subqueries, in plan order."""
    yield from _leaves(plan, ())


def read_leaves(spark: SparkSession, plan: Java) -> list[Leaf]:
    """Like `leaves`, but with only as many equal scans as the physical plan has, which reuses their rows."""
    found = list(leaves(plan))
    names = [_scan_text(leaf.node.scan()) if leaf.kind == _SCAN else "" for leaf in found]
    counts = Counter(name for name in names if name)
    if all(count == 1 for count in counts.values()) and not any(leaf.may_stop for leaf in found):
        return found
    physical = _physical(spark, plan)
    every = [] if physical is None else scans(physical)
    ended = {_scan_text(node.scan()) for node in limited_scans(physical)} if physical else set()
    found = [
        replace(leaf, may_stop=bool(name) and name in ended)
        for leaf, name in zip(found, names, strict=True)
    ]
    read = Counter(_scan_text(node.scan()) for node in every)
    kept: list[Leaf] = []
    seen: Counter[str] = Counter()
    for leaf, name in zip(found, names, strict=True):
        seen[name] += 1
        # A scan that the physical plan does not have by this name is shown.
        if not name or seen[name] <= (read[name] or counts[name]):
            kept.append(leaf)
    return kept


def _scan_text(scan: Java) -> str:
    """A text that is equal for equal scans; empty if a scan has no description, as rows from metadata before
    Spark 4.1.
    """
    try:
        return f"{kind(scan)} {scan.description()} {scan.readSchema().json()}"
    except JVM_ERRORS:
        return ""


def _physical(spark: SparkSession, plan: Java) -> Java | None:
    """The physical plan for an optimized one, after the reuse of equal exchanges and subqueries; None if unknown."""
    session = jvm.java_session(spark)
    answer = java_class(f"{_LOGICAL}.ReturnAnswer")(plan)
    execution = scala_object("org.apache.spark.sql.execution.QueryExecution")
    try:
        physical = session.sessionState().planner().plan(answer).next()
        prepared = execution.prepareExecutedPlan(session, physical.clone())
        reuse = scala_object("org.apache.spark.sql.execution.reuse.ReuseExchangeAndSubquery")
        return reuse.apply(prepared)
    except JVM_ERRORS:  # then the scans of the optimized plan are shown
        return None


def _leaves(
    node: Java, runtime: tuple[str, ...], *, is_first: bool = False, may_stop: bool = False
) -> Iterator[Leaf]:
    name = kind(node)
    children = from_seq(node.children())
    if name == "DeleteFromTable" and _is_of_all_rows(node):
        yield Leaf(name, node)
        return
    if not children:
        yield Leaf(name, node, runtime, is_first, may_stop)
    may_stop = may_stop or name in _LIMITS
    # The subqueries of dynamic filters: a join's own is part of the join, and read once.
    shared: list[Java] = []
    apart: list[Java] = []
    if name == "Filter":
        for conjunct in split(node.condition()):
            if kind(conjunct) == "DynamicPruningSubquery":
                runtime += (pretty(conjunct.pruningKey()),)
                (shared if conjunct.onlyInBroadcast() else apart).append(conjunct.buildQuery())
            elif kind(conjunct) == "DynamicPruningExpression":
                runtime += tuple(pretty(value) for value in from_seq(conjunct.child().values()))
                apart.append(conjunct.child().query().plan())
    # A run-time filter applies to the scan below it through projections, and not beyond any other node.
    elif name != "Project":
        runtime = ()
    for child in children:
        yield from _leaves(child, runtime, is_first=is_first, may_stop=may_stop)
    for plan in apart:
        yield from _leaves(plan, (), is_first=True)
    dynamic = {plan.hashCode() for plan in (*shared, *apart)}
    if name in _ROW_LEVEL:  # its condition, which its query has too, is not evaluated
        return
    for plan in from_seq(node.subqueries()):
        if plan.hashCode() not in dynamic:
            yield from _leaves(plan, (), is_first=is_first)


def _is_of_all_rows(delete: Java) -> bool:
    """True if a DELETE, as optimized, is of all rows of a table, without a condition."""
    condition = str(delete.condition().sql()).lower()
    return kind(delete.table()) in (_RELATION, _SCAN) and condition == "true"


def relation_name(node: Java) -> str:
    """The name of the relation that a leaf of a plan reads; the leaf's class if it has none."""
    if kind(node) in DELETES:
        return relation_name(node.table())
    if kind(node) == _SCAN:
        return relation_name(node.relation())
    if kind(node) == _RELATION:
        return str(node.table().name())
    table = getattr(node, "catalogTable", None) if kind(node) == "LogicalRelation" else None
    found = jvm.from_option(table()) if table is not None else None
    if found is None and kind(node) == "HiveTableRelation":
        found = node.tableMeta()
    return str(found.identifier().unquotedString()) if found is not None else kind(node)


def relation_names(plan: Java) -> list[str]:
    """The tables that an analyzed plan refers to, in plan order."""
    names = [relation_name(leaf) for leaf in from_seq(plan.collectLeaves()) if _is_table(leaf)]
    return list(dict.fromkeys(names))


_ICEBERG = (
    "org.apache.iceberg.spark.source.SparkTable",
    schemas.WITH_SCHEMA,
    "sparkicebergsql.TextTable",
)


def iceberg_tables(frame: DataFrame) -> list[Java]:
    """Spark's tables for the Iceberg tables that a DataFrame refers to, in plan order; those of subqueries last."""
    plan = frame._jdf.queryExecution().analyzed()
    tables = [
        leaf.table()
        for part in (plan, *from_seq(plan.subqueriesAll()))
        for leaf in from_seq(part.collectLeaves())
        if kind(leaf) == _RELATION
    ]
    return [table for table in tables if str(table.getClass().getName()) in _ICEBERG]


def _is_table(leaf: Java) -> bool:
    return kind(leaf) in (_RELATION, "LogicalRelation", "HiveTableRelation")


def files_read(frame: DataFrame, name: str) -> tuple[int, int] | None:
    """The files and bytes that a query reads of a table of Spark's own formats, by its partitions; None if unknown.

    name: the table's, in lower case and without backticks, its catalog aside.
    """
    count = size = 0
    found = False
    for leaf in leaves(frame._jdf.queryExecution().optimizedPlan()):
        if leaf.kind != "LogicalRelation" or not relation_name(leaf.node).lower().endswith(name):
            continue
        if kind(leaf.node.relation()) != "HadoopFsRelation":
            return None
        files = leaf.node.relation().location()
        if kind(files) == "CatalogFileIndex":
            files = files.filterPartitions(jvm.to_seq(()))
        found = True
        count += len(files.inputFiles())
        size += int(files.sizeInBytes())
    return (count, size) if found else None
