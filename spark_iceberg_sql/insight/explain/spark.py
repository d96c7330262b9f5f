"""explain(spark, statement): the reads of a statement, from its plan and the tables' metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError, ReadError
from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.explain.conjuncts import FieldClause
from spark_iceberg_sql.insight.explain.model import Explanation, Scan
from spark_iceberg_sql.insight.explain.spark_conjuncts import Conjuncts
from spark_iceberg_sql.model import bound_transform
from spark_iceberg_sql.model.decimal_steps import decimal_step
from spark_iceberg_sql.model.types import from_metadata
from spark_iceberg_sql.spark.bridge.jvm import logs, sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.plans import (
    expression_data,
    expressions,
    iceberg_filters,
    plan_leaves,
    read_branches,
    read_notes,
    relations,
    shuffles,
)
from spark_iceberg_sql.spark.bridge.plans import query_plans as plans
from spark_iceberg_sql.spark.bridge.tables import metadata_faults
from spark_iceberg_sql.spark.gate import read_errors, unreadable_tables
from spark_iceberg_sql.spark.optimizer import bounds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Leaves of a plan that read nothing.
_NO_READ_LEAVES = ("LocalRelation", "OneRowRelation", "Range", "CTERelationRef", "LogicalRDD", "EmptyRelation")
_UNLESS_PRUNED = "unless a join or a subquery leaves out partitions at run time, "
_VIEWS = ("CreateIcebergView", "CreateViewCommand")


def explain(spark: SparkSession, statement: str | DataFrame) -> Explanation:
    """What each scan of a statement would read, and what each conjunct of its filters contributes.

    The statement is planned, as by EXPLAIN, and does not run; only the tables' metadata is read.

    spark: an installed session, or any other session with Iceberg. statement: a query, INSERT, DELETE, UPDATE
    or MERGE in SQL, or a DataFrame.
    Raises IcebergSqlError for a statement that reads no table, ReadError if a table's metadata cannot be read,
    pyspark's ParseException and AnalysisException for one that Spark refuses.
    """
    planning = read_errors.reading("the statement cannot be planned")
    shown = spark_progress.show_progress(spark, "explain")
    with planning, shown, sessions.working_in(spark), logs.without_error_logs(), relations.separate_origin():
        try:
            return _explain_plan(spark, statement)
        except JVM_ERRORS as error:
            if (fault := unreadable_tables.statement_fault(spark, error, statement)) is not None:
                raise fault from None
            raise


def _explain_plan(spark: SparkSession, statement: str | DataFrame) -> Explanation:
    query_plans = plans.plan_statement(spark, statement)
    filtered = plans.filtered_relations(query_plans)
    numbered_conjuncts = [
        (number, conjunct_pair)
        for number, scan_filters in filtered.items()
        for conjunct_pair in (*(conjunct for conjunct, _ in scan_filters.higher_conjuncts), *scan_filters.conjuncts)
    ]
    derived = expression_data.derived_conjuncts(numbered_conjuncts)
    scans: list[Scan] = []
    notes = []
    leaves = plan_leaves.read_leaves(spark, query_plans.optimized)
    for leaf in leaves:
        if leaf.class_name == "DataSourceV2ScanRelation":
            relation = leaf.node.relation()
            scan_key = plans.key(relation)
            derived_spans = frozenset(span for number, span in derived if number == scan_key)
            scan = _scan(spark, query_plans, leaf, filtered.pop(scan_key, None), derived_spans)
            if scan.refusal is not None and len(leaves) > 1:
                scan = replace(scan, refusal=_UNLESS_PRUNED + scan.refusal)
            if not _is_skipped(scan, leaf, scans):
                scans.append(scan)
        elif (row := read_notes.answered(leaf.node)) is not None:
            scans.append(Scan(row.table, 0, row.total_files, 0, row.total_bytes, note=read_notes.answer_text(row)))
        elif leaf.class_name in plan_leaves.DELETES:
            scans.append(_metadata_delete(leaf.node))
        elif not plans.is_command(leaf.node) and (
            leaf.class_name not in _NO_READ_LEAVES and not leaf.class_name.startswith("Resolved")
        ):
            scans.append(Scan(_name(leaf.node), note=_other_note(leaf.class_name)))
    for unread in filtered.values():
        name = _scan_title(unread.relation)
        if all(scan.table != name for scan in scans):
            notes.append(f"{name} is not read: the plan needs none of its rows")
    if not scans and not notes:
        read_names = plan_leaves.relation_names(query_plans.analyzed)
        if not read_names:
            raise IcebergSqlError("the statement reads no table\nhelp: explain a query, DELETE, UPDATE or MERGE")
        notes += [f"{name} is not read: the plan needs none of its rows" for name in read_names]
    if scans and expressions.node_class(query_plans.analyzed) in _VIEWS:
        notes.append("creating a view reads nothing: this is what its query reads")
    notes += shuffles.notes(query_plans.optimized)
    return Explanation(statement if isinstance(statement, str) else "", tuple(scans), tuple(dict.fromkeys(notes)))


def _scan(
    spark: SparkSession,
    query_plans: plans.QueryPlans,
    leaf: plan_leaves.PlanLeaf,
    filtered: plans.FilteredRelation | None,
    derived: frozenset[tuple[str, int, int]],
) -> Scan:
    relation, scan = leaf.node.relation(), leaf.node.scan()
    name = str(relation.table().name())
    table = iceberg_filters.iceberg_table(relation)
    if table is None:
        return Scan(name, note="not a table with Iceberg data files: what it reads is unknown")
    name = read_branches.scan_title(table)
    if (reason := metadata_faults.unusable_table(table)) is not None:
        raise ReadError(f"`{name}` cannot be read: {reason}")
    is_local = iceberg_filters.is_of_metadata(scan)
    metrics = None if is_local else iceberg_filters.planning_metrics(scan)
    if metrics is None and not is_local and iceberg_filters.kept_files(table, []) is not None:
        return Scan(name, note="an incremental read, whose planning counts no files: what it reads is unknown")
    conjuncts = Conjuncts(spark, relation, filtered, query_plans.implying_rules, partition_fields(table), derived)
    kept_files = iceberg_filters.kept_files(table, conjuncts.filters())
    if kept_files is None:
        return Scan(name, 0, 0, 0, 0, 0, 0, 0)
    combined = kept_files.filters[0]
    note = None
    if leaf.is_first:
        note = "read first, to find the files of the other scans that contain matching rows"
    elif filtered is None:
        note = "its filters are not shown: the plan changed before they were pushed into the scan"
    if metrics is None:
        read = (0, 0, combined.manifests)
        note = "answered from the manifests: no data file is read"
    else:
        read = (metrics["resultDataFiles"], metrics["totalDataFileSize"], metrics["scannedDataManifests"])
    current = str(table.table().spec().specId())
    return Scan(
        table=name,
        files=read[0],
        total_files=kept_files.files,
        bytes=read[1],
        total_bytes=kept_files.bytes,
        manifests=read[2],
        total_manifests=kept_files.manifests,
        partition_files=combined.by_partitions.files if filtered is not None and metrics else None,
        delete_files=metrics["resultDeleteFiles"] if metrics else 0,
        conjuncts=conjuncts.results(kept_files),
        runtime_filters=leaf.runtime_columns,
        old_specs=sum(total.files for spec, total in combined.specs.items() if spec != current)
        if filtered is not None and metrics
        else 0,
        note=note,
        at_most=leaf.may_stop and read[0] > 0,
        wrong_bounds=bounds.wrong_bounds(relation),
        reason=read_notes.reason(leaf.node),
        refusal=read_notes.refusal(scan),
    )


def _scan_title(relation: Java) -> str:
    table = iceberg_filters.iceberg_table(relation)
    return str(relation.table().name()) if table is None else read_branches.scan_title(table)


def _is_skipped(scan: Scan, leaf: plan_leaves.PlanLeaf, earlier: Sequence[Scan]) -> bool:
    """True if a scan that looks for the rows of another scan does not run, since neither has a file to read."""
    return leaf.is_first and any(
        other.table == scan.table and other.files == scan.files == 0 and "_file" in other.runtime_filters
        for other in earlier
    )


def _metadata_delete(node: Java) -> Scan:
    name = _name(node)
    relation = node.table()
    if expressions.node_class(relation) == "DataSourceV2ScanRelation":
        relation = relation.relation()
    table = iceberg_filters.iceberg_table(relation) if hasattr(relation, "table") else None
    if table is None:
        return Scan(name, note="not a table with Iceberg data files: what it reads is unknown")
    kept_files = iceberg_filters.kept_files(table, [])
    note = "whole files are removed from the metadata: no file is read or written"
    name = read_branches.title(name, read_branches.scanned_branch(table))
    if kept_files is None:
        return Scan(name, note=note)
    return Scan(name, 0, kept_files.files, 0, kept_files.bytes, None, kept_files.manifests, note=note)


def partition_fields(table: Java) -> tuple[FieldClause, ...]:
    """The partition fields of all specs of a SparkTable, except void ones."""
    result = []
    for text, source, _ in iceberg_filters.partition_fields(table):
        transform = bound_transform.from_metadata(text)
        if not transform.is_void:
            step = _decimal_step(table, source, transform.parameter) if transform.transform.truncates else None
            result.append(FieldClause(transform.clause(source), source, transform.transform.name, step))
    return tuple(result)


def _decimal_step(table: Java, source: str, width: int | None) -> str | None:
    data_type = table.table().schema().findType(source)
    if data_type is None or width is None:  # the column was dropped
        return None
    return decimal_step(from_metadata(str(data_type.toString())), width)


def _name(node: Java) -> str:
    return plan_leaves.relation_name(node)


def _other_note(class_name: str) -> str:
    if class_name == "InMemoryRelation":
        return "cached in memory: what it reads was decided when it was cached"
    return f"not an Iceberg table ({class_name}): what it reads is unknown"
