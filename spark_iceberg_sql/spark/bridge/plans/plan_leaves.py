"""The leaves of an optimized plan: the scans, other relations and deletes of whole files, with those of its
subqueries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, from_seq, java_class, scala_object
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.plans import schemas
from spark_iceberg_sql.spark.bridge.plans.expressions import node_class, pretty, split
from spark_iceberg_sql.spark.bridge.plans.scan_metrics import limited_scans, scans

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
class PlanLeaf:
    """A leaf of an optimized plan.

    class_name, node: of the plan's node. runtime_columns: the columns filtered at run time by the rows of
    another scan. is_first: whether it is that other scan, which Spark runs separately. may_stop: whether a
    LIMIT may end it before it has read all its files; of `leaves`, whether it is below a LIMIT.
    """

    class_name: str
    node: Java
    runtime_columns: tuple[str, ...] = ()
    is_first: bool = False
    may_stop: bool = False


def leaves(plan: Java) -> Iterator[PlanLeaf]:
    """The leaves of an optimized plan, including those of its subqueries, in plan order."""
    yield from _leaves(plan, ())


def read_leaves(spark: SparkSession, plan: Java) -> list[PlanLeaf]:
    """Like `leaves`, but with only as many equal scans as the physical plan has, which reuses their rows."""
    optimized_leaves = list(leaves(plan))
    scan_texts = [_scan_text(leaf.node.scan()) if leaf.class_name == _SCAN else "" for leaf in optimized_leaves]
    counts = Counter(scan_text for scan_text in scan_texts if scan_text)
    if all(count == 1 for count in counts.values()) and not any(leaf.may_stop for leaf in optimized_leaves):
        return optimized_leaves
    physical = _physical(spark, plan)
    physical_scans = [] if physical is None else scans(physical)
    limited_texts = {_scan_text(node.scan()) for node in limited_scans(physical)} if physical else set()
    optimized_leaves = [
        replace(leaf, may_stop=bool(scan_text) and scan_text in limited_texts)
        for leaf, scan_text in zip(optimized_leaves, scan_texts, strict=True)
    ]
    physical_counts = Counter(_scan_text(node.scan()) for node in physical_scans)
    kept_leaves: list[PlanLeaf] = []
    occurrences: Counter[str] = Counter()
    for leaf, scan_text in zip(optimized_leaves, scan_texts, strict=True):
        occurrences[scan_text] += 1
        # A scan that the physical plan does not have by this name is shown.
        if not scan_text or occurrences[scan_text] <= (physical_counts[scan_text] or counts[scan_text]):
            kept_leaves.append(leaf)
    return kept_leaves


def _scan_text(scan: Java) -> str:
    """A text that is equal for equal scans; empty if a scan has no description, as rows from metadata before
    Spark 4.1.
    """
    try:
        return f"{node_class(scan)} {scan.description()} {scan.readSchema().json()}"
    except JVM_ERRORS:
        return ""


def _physical(spark: SparkSession, plan: Java) -> Java | None:
    """The physical plan for an optimized one, after the reuse of equal exchanges and subqueries; None if unknown."""
    session = gateway.java_session(spark)
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
    node: Java, runtime_columns: tuple[str, ...], *, is_first: bool = False, may_stop: bool = False
) -> Iterator[PlanLeaf]:
    name = node_class(node)
    children = from_seq(node.children())
    if name == "DeleteFromTable" and _is_of_all_rows(node):
        yield PlanLeaf(name, node)
        return
    if not children:
        yield PlanLeaf(name, node, runtime_columns, is_first, may_stop)
    may_stop = may_stop or name in _LIMITS
    # The subqueries of dynamic filters: a join's own is part of the join, and read once.
    join_queries: list[Java] = []
    separate_queries: list[Java] = []
    if name == "Filter":
        for conjunct in split(node.condition()):
            if node_class(conjunct) == "DynamicPruningSubquery":
                runtime_columns += (pretty(conjunct.pruningKey()),)
                (join_queries if conjunct.onlyInBroadcast() else separate_queries).append(conjunct.buildQuery())
            elif node_class(conjunct) == "DynamicPruningExpression":
                runtime_columns += tuple(pretty(value) for value in from_seq(conjunct.child().values()))
                separate_queries.append(conjunct.child().query().plan())
    # A run-time filter applies to the scan below it through projections, and not beyond any other node.
    elif name != "Project":
        runtime_columns = ()
    for child in children:
        yield from _leaves(child, runtime_columns, is_first=is_first, may_stop=may_stop)
    for plan in separate_queries:
        yield from _leaves(plan, (), is_first=True)
    dynamic = {plan.hashCode() for plan in (*join_queries, *separate_queries)}
    if name in _ROW_LEVEL:  # its condition, which its query has too, is not evaluated
        return
    for plan in from_seq(node.subqueries()):
        if plan.hashCode() not in dynamic:
            yield from _leaves(plan, (), is_first=is_first)


def _is_of_all_rows(delete: Java) -> bool:
    """True if a DELETE, as optimized, is of all rows of a table, without a condition."""
    condition = str(delete.condition().sql()).lower()
    return node_class(delete.table()) in (_RELATION, _SCAN) and condition == "true"


def relation_name(node: Java) -> str:
    """The name of the relation that a leaf of a plan reads; the leaf's class if it has none."""
    if node_class(node) in DELETES:
        return relation_name(node.table())
    if node_class(node) == _SCAN:
        return relation_name(node.relation())
    if node_class(node) == _RELATION:
        return str(node.table().name())
    table = getattr(node, "catalogTable", None) if node_class(node) == "LogicalRelation" else None
    catalog_table = gateway.from_option(table()) if table is not None else None
    if catalog_table is None and node_class(node) == "HiveTableRelation":
        catalog_table = node.tableMeta()
    return str(catalog_table.identifier().unquotedString()) if catalog_table is not None else node_class(node)


def relation_names(plan: Java) -> list[str]:
    """The tables that an analyzed plan refers to, in plan order."""
    names = [relation_name(leaf) for leaf in from_seq(plan.collectLeaves()) if _is_table(leaf)]
    return list(dict.fromkeys(names))


_ICEBERG = ("org.apache.iceberg.spark.source.SparkTable", schemas.WITH_SCHEMA, "sparkicebergsql.TextTable")


def iceberg_tables(frame: DataFrame) -> list[Java]:
    """Spark's tables for the Iceberg tables that a DataFrame refers to, in plan order; those of subqueries last."""
    return iceberg_tables_of(frame._jdf.queryExecution().analyzed())


def iceberg_tables_of(plan: Java) -> list[Java]:
    """The same for an analyzed plan."""
    tables = [
        leaf.table()
        for part in (plan, *from_seq(plan.subqueriesAll()))
        for leaf in from_seq(part.collectLeaves())
        if node_class(leaf) == _RELATION
    ]
    return [table for table in tables if str(table.getClass().getName()) in _ICEBERG]


def _is_table(leaf: Java) -> bool:
    return node_class(leaf) in (_RELATION, "LogicalRelation", "HiveTableRelation")


def files_read(frame: DataFrame, name: str) -> tuple[int, int] | None:
    """The files and bytes that a query reads of a table of Spark's own formats, by its partitions; None if unknown.

    name: the table's, in lower case and without backticks, its catalog aside.
    """
    count = size = 0
    has_relation = False
    for leaf in leaves(frame._jdf.queryExecution().optimizedPlan()):
        if leaf.class_name != "LogicalRelation" or not relation_name(leaf.node).lower().endswith(name):
            continue
        if node_class(leaf.node.relation()) != "HadoopFsRelation":
            return None
        files = leaf.node.relation().location()
        if node_class(files) == "CatalogFileIndex":
            files = files.filterPartitions(gateway.to_seq(()))
        has_relation = True
        count += len(files.inputFiles())
        size += int(files.sizeInBytes())
    return (count, size) if has_relation else None
