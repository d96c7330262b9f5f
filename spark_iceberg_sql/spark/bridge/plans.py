"""The logical plans of a statement that does not run: its scans, and the conjuncts above each relation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge import compiler, jvm, lines
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.jvm import Java, from_seq, java_class, scala_object
from spark_iceberg_sql.syntax.identifiers import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_RELATION = "DataSourceV2Relation"
_SCAN = "DataSourceV2ScanRelation"
_ROW_LEVEL = ("ReplaceData", "WriteDelta")
# Commands whose query Spark plans separately -> the method that returns it.
_WITH_QUERY = {
    "CreateTableAsSelect": "query",
    "ReplaceTableAsSelect": "query",
    "CreateDataSourceTableAsSelectCommand": "query",
    "CacheTableAsSelect": "plan",
    "CacheTable": "table",
    "CreateIcebergView": "query",
    "CreateViewCommand": "plan",
}
# Statements that Spark runs when it analyses them.
_RUN_AT_ONCE = {
    "Call": "CALL",
    "CallStatement": "CALL",
    "UnresolvedExecuteImmediate": "EXECUTE IMMEDIATE",
    "ExecuteImmediateQuery": "EXECUTE IMMEDIATE",
    "CompoundBody": "a script",
}
_OURS = "sparkicebergsql.Prune"


@dataclass(frozen=True, slots=True)
class Plans:
    """A statement's plans.

    analyzed: before the optimizer. before: with the filters still above the relations, subqueries first.
    after: optimized. prune: this package's rule, if the session has it.
    """

    analyzed: Java
    before: tuple[Java, ...]
    after: Java
    prune: Java | None


@dataclass(slots=True)
class Filtered:
    """A relation before push-down.

    conjuncts: directly above it. above: conjuncts further up that refer only to it, with the node below which
    Spark did not push them.
    """

    relation: Java
    conjuncts: list[Java]
    above: list[tuple[Java, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Leaf:
    """What an optimized plan reads.

    kind: its class. node: the plan's. runtime: the columns filtered at run time by the rows of another
    scan. is_first: whether it is that other scan, which Spark runs separately.
    """

    kind: str
    node: Java
    runtime: tuple[str, ...] = ()
    is_first: bool = False


def planned(spark: SparkSession, text: str) -> Plans:
    """The plans of one statement; nothing runs. Raises pyspark's exceptions for one that Spark refuses."""
    state = jvm.java_session(spark).sessionState()
    return _plans(state, parsed(state, text))


def parsed(state: Java, text: str) -> Java:
    """A statement's parsed plan, of EXPLAIN that of what it explains; analysis of it runs nothing.

    state: the session's. Raises pyspark's ParseException, and IcebergSqlError for a statement that is run by
    its analysis.
    """
    plan = state.sqlParser().parsePlan(text)
    if _kind(plan) == "ExplainCommand":
        plan = plan.logicalPlan()
    words = _RUN_AT_ONCE.get(_kind(plan))
    if words is not None:
        raise IcebergSqlError(
            f"{words} cannot be planned without running it\n"
            "help: give the query, DELETE, UPDATE or MERGE itself"
        )
    return plan


def of_condition(spark: SparkSession, condition: str, relation: Java) -> Plans:
    """The plans of a filter on a relation. condition: SQL over its columns."""
    state = jvm.java_session(spark).sessionState()
    predicate = state.sqlParser().parseExpression(condition)
    return _plans(state, java_class(f"{_LOGICAL}.Filter")(predicate, relation))


_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"


def _plans(state: Java, statement: Java) -> Plans:
    # As EXPLAIN does: a command is not executed.
    mode = scala_object("org.apache.spark.sql.execution.CommandExecutionMode").SKIP()
    execution = state.executePlan(statement, mode)
    analyzed = execution.analyzed()
    if _kind(analyzed) in _WITH_QUERY:
        execution = state.executePlan(getattr(analyzed, _WITH_QUERY[_kind(analyzed)])(), mode)
    steps = compiler.instance(_loader(jvm.gateway(), "OptimizerSteps"), _class("OptimizerSteps"))
    after = steps.optimized(state.optimizer(), execution.withCachedData().clone())
    return Plans(analyzed, tuple(steps.before()), after, steps.rule(_OURS))


@lru_cache(maxsize=4)
def _loader(gateway: Java, name: str) -> Java:
    return compiler.compiled(__package__, name, compiler.context_loader())


def _class(name: str) -> str:
    return f"sparkicebergsql.{name}"


def _kind(node: Java) -> str:
    return str(node.getClass().getSimpleName()).removesuffix("$")


def kind(node: Java) -> str:
    """The simple name of a plan's or an expression's class."""
    return _kind(node)


def is_command(node: Java) -> bool:
    """Whether a leaf of a plan is a command, such as SET."""
    return bool(java_class(f"{_LOGICAL}.Command")._java_lang_class.isInstance(node))


def key(relation: Java) -> int:
    """The key of a relation in all plans of a statement: the id of its first column."""
    return int(relation.output().head().exprId().id())


# ---------------------------------------------------------------------------------- before push-down


def filtered(plans: Plans) -> dict[int, Filtered]:
    """The relations of all plans before push-down, by their keys."""
    found: dict[int, Filtered] = {}
    higher: list[tuple[Java, str]] = []
    for plan in plans.before:
        _walk(plan, found, higher, None)
    for conjunct, over in higher:
        references = conjunct.references()
        for one in found.values():
            if references.nonEmpty() and references.subsetOf(one.relation.outputSet()):
                one.above.append((conjunct, over))
    return found


def _walk(
    node: Java, found: dict[int, Filtered], higher: list[tuple[Java, str]], command: Java | None
) -> None:
    kind = _kind(node)
    if kind == "ReplaceData":  # its condition selects the files, not the filters below it
        command = node.condition()
    if kind in ("Filter", "Project", _RELATION):
        operation = scala_object("org.apache.spark.sql.catalyst.planning.PhysicalOperation")
        taken = jvm.from_option(operation.unapply(node))
        if taken is not None and (kind != "Project" or _kind(taken._3()) in ("Filter", _RELATION)):
            conjuncts, child = from_seq(taken._2()), taken._3()
            if _kind(child) == _RELATION:
                if command is not None and _is_target(child):
                    own = (c for c in split(command) if c.references().subsetOf(child.outputSet()))
                    conjuncts = list(own)
                found[key(child)] = Filtered(child, conjuncts)
                return
            if kind == "Filter" and not conjuncts:  # a filter of its own: not moved over randomness
                conjuncts, child = split(node.condition()), node.child()
            higher += [(conjunct, described(child)) for conjunct in conjuncts]
            if kind == "Filter":
                _walk(child, found, higher, command)
                return
    elif kind == "Join":
        condition = jvm.from_option(node.condition())
        higher += [(c, described(node)) for c in (split(condition) if condition else ())]
    for child in from_seq(node.children()):
        _walk(child, found, higher, command)


def _is_target(relation: Java) -> bool:
    return bool(_kind(relation.table()) == "RowLevelOperationTable")


def split(condition: Java) -> list[Java]:
    """The conjuncts of a condition."""
    operation = scala_object("org.apache.spark.sql.catalyst.planning.PhysicalOperation")
    return from_seq(operation.splitConjunctivePredicates(condition))


def described(node: Java) -> str:
    """A node in SQL terms: `a LEFT OUTER JOIN`, `GROUP BY`."""
    name = _kind(node)
    if name == "Join":
        return f"a {node.joinType().sql()} JOIN"
    if name == "Project":
        chosen = from_seq(node.projectList())
        return "a SELECT" + ("" if all(c.deterministic() for c in chosen) else _RANDOM)
    return _IN_SQL.get(name, name)


_RANDOM = " that is not deterministic"
_IN_SQL = {
    "Aggregate": "GROUP BY or an aggregate",
    "Window": "a window function",
    "GlobalLimit": "LIMIT",
    "LocalLimit": "LIMIT",
    "Offset": "OFFSET",
    "Union": "UNION",
    "Generate": "a generator such as explode",
    "Sample": "TABLESAMPLE",
    "Sort": "ORDER BY",
    "Except": "EXCEPT",
    "Intersect": "INTERSECT",
    "Expand": "GROUPING SETS",
    "Filter": "a filter" + _RANDOM,
}

# ---------------------------------------------------------------------------------- after the optimizer


def leaves(plan: Java) -> Iterator[Leaf]:
    """What an optimized plan reads, including its subqueries, in plan order."""
    yield from _leaves(plan, (), is_first=False)


def read_leaves(spark: SparkSession, plan: Java) -> list[Leaf]:
    """As `leaves`, but of equal scans only as many as the physical plan has: it reuses the rows of the others."""
    found = list(leaves(plan))
    names = [_scan_text(leaf.node.scan()) if leaf.kind == _SCAN else "" for leaf in found]
    counts = Counter(name for name in names if name)
    if all(count == 1 for count in counts.values()):
        return found
    read = Counter(map(_scan_text, _physical_scans(spark, plan)))
    kept: list[Leaf] = []
    seen: Counter[str] = Counter()
    for leaf, name in zip(found, names, strict=True):
        seen[name] += 1
        # A scan that the physical plan does not have by this name is shown.
        if not name or seen[name] <= (read[name] or counts[name]):
            kept.append(leaf)
    return kept


def _scan_text(scan: Java) -> str:
    return f"{_kind(scan)} {scan.description()} {scan.readSchema().json()}"


def _physical_scans(spark: SparkSession, plan: Java) -> Iterator[Java]:
    """The scans of the physical plan that a session makes of an optimized one, what is read twice left out."""
    session = jvm.java_session(spark)
    answer = java_class(f"{_LOGICAL}.ReturnAnswer")(plan)
    execution = scala_object("org.apache.spark.sql.execution.QueryExecution")
    try:
        physical = session.sessionState().planner().plan(answer).next()
        prepared = execution.prepareExecutedPlan(session, physical.clone())
        reuse = scala_object("org.apache.spark.sql.execution.reuse.ReuseExchangeAndSubquery")
        yield from _batch_scans(reuse.apply(prepared))
    except JVM_ERRORS:  # the optimized plan's are shown
        return


def _batch_scans(node: Java) -> Iterator[Java]:
    if _kind(node) == "BatchScanExec":
        yield node.scan()
    for child in (*from_seq(node.children()), *from_seq(node.subqueries())):
        yield from _batch_scans(child)


def _leaves(node: Java, runtime: tuple[str, ...], *, is_first: bool) -> Iterator[Leaf]:
    name = _kind(node)
    children = from_seq(node.children())
    if not children:
        yield Leaf(name, node, runtime, is_first)
    # The subqueries of dynamic filters: a join's own is part of the join, and read once.
    shared: list[Java] = []
    apart: list[Java] = []
    if name == "Filter":
        for conjunct in split(node.condition()):
            if _kind(conjunct) == "DynamicPruningSubquery":
                runtime += (pretty(conjunct.pruningKey()),)
                (shared if conjunct.onlyInBroadcast() else apart).append(conjunct.buildQuery())
            elif _kind(conjunct) == "DynamicPruningExpression":
                runtime += tuple(pretty(value) for value in from_seq(conjunct.child().values()))
                apart.append(conjunct.child().query().plan())
    elif name != "Project":
        runtime = ()
    for child in children:
        yield from _leaves(child, runtime, is_first=is_first)
    for plan in apart:
        yield from _leaves(plan, (), is_first=True)
    dynamic = {plan.hashCode() for plan in (*shared, *apart)}
    if name in _ROW_LEVEL:  # its condition, which its query has too, is not evaluated
        return
    for plan in from_seq(node.subqueries()):
        if plan.hashCode() not in dynamic:
            yield from _leaves(plan, (), is_first=is_first)


def pretty(expression: Java) -> str:
    """An expression as Spark names a result column: `lower(name)`."""
    package = scala_object("org.apache.spark.sql.catalyst.util.package")
    return lines.pretty_sql(package, expression)


def relation_name(node: Java) -> str:
    """The name of the relation that a leaf of a plan reads; the leaf's class if it has none."""
    if _kind(node) in ("DeleteFromTableWithFilters", "DeleteFromTable"):
        return relation_name(node.table())
    if _kind(node) == _RELATION:
        return str(node.table().name())
    table = getattr(node, "catalogTable", None) if _kind(node) == "LogicalRelation" else None
    found = jvm.from_option(table()) if table is not None else None
    if found is None and _kind(node) == "HiveTableRelation":
        found = node.tableMeta()
    return str(found.identifier().unquotedString()) if found is not None else _kind(node)


def relation_names(plan: Java) -> list[str]:
    """The tables that an analyzed plan refers to, in plan order."""
    names = [relation_name(leaf) for leaf in from_seq(plan.collectLeaves()) if _is_table(leaf)]
    return list(dict.fromkeys(names))


def _is_table(leaf: Java) -> bool:
    return _kind(leaf) in (_RELATION, "LogicalRelation", "HiveTableRelation")


# ---------------------------------------------------------------------------------- expressions


def sql(expression: Java) -> str:
    """An expression as SQL over bare column names."""
    text = pretty(expression).replace(" (implied)'", "'").replace(" (implied)", "")
    return text[1:-1] if text.startswith("(") and _balanced(text[1:-1]) else text


def query_text(expression: Java) -> str:
    """An expression as SQL that a query may have, over bare column names."""
    parts = re.split(r"('(?:[^'\\\\]|\\\\.)*')", str(expression.sql()))
    names = {str(a.sql()): quoted(str(a.name())) for a in attributes(expression)}
    for qualified in sorted(names, key=len, reverse=True):
        parts[::2] = (part.replace(qualified, names[qualified]) for part in parts[::2])
    text = "".join(parts)
    return text[1:-1] if text.startswith("(") and _balanced(text[1:-1]) else text


def _balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def conjunction(parts: list[Java]) -> Java:
    """The conjunction of predicates."""
    result, *rest = parts
    for part in rest:
        result = java_class(f"{jvm.EXPRESSIONS}.And")(result, part)
    return result


def disjuncts(condition: Java) -> list[Java]:
    """The sides of an OR."""
    operation = scala_object("org.apache.spark.sql.catalyst.planning.PhysicalOperation")
    return from_seq(operation.splitDisjunctivePredicates(condition))


def references(expression: Java) -> list[Java]:
    """The columns in an expression, without duplicates."""
    return from_seq(expression.references().toSeq())


def not_null(conjunct: Java, relation: Java) -> list[Java]:
    """The `IS NOT NULL` that Spark derives from a conjunct above a relation."""
    if not relation.conf().constraintPropagationEnabled():
        return []
    expressions = scala_object("org.apache.spark.sql.catalyst.expressions.ExpressionSet")
    own = expressions.apply(jvm.to_seq([conjunct]))
    return from_seq(relation.constructIsNotNullConstraints(own, relation.output()).toSeq())


def literals(expression: Java) -> list[Java]:
    """The leaves of an expression that are not columns."""
    leaves = from_seq(expression.collectLeaves())
    return [leaf for leaf in leaves if _kind(leaf) != "AttributeReference"]


def attributes(expression: Java) -> list[Java]:
    """The columns in an expression, with duplicates."""
    leaves = from_seq(expression.collectLeaves())
    return [leaf for leaf in leaves if _kind(leaf) == "AttributeReference"]


def constant_rows(spark: SparkSession, query: str) -> list[Java] | None:
    """The rows of a query over constants, if the optimizer can evaluate it alone; otherwise None."""
    plan = planned(spark, query).after
    if _kind(plan) != "LocalRelation":
        return None
    return from_seq(plan.data())
