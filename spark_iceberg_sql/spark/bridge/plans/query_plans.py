"""The logical plans of a statement that does not run: its scans, and the conjuncts above each relation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm import gateway as jvm
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, from_seq, java_class, scala_object
from spark_iceberg_sql.spark.bridge.plans.expressions import node_class, split

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_RELATION = "DataSourceV2Relation"
# Commands whose query Spark plans separately, and the accessor of that query.
_WITH_QUERY = {
    "CreateTableAsSelect": "query",
    "ReplaceTableAsSelect": "query",
    "CreateDataSourceTableAsSelectCommand": "query",
    "CacheTableAsSelect": "plan",
    "CacheTable": "table",
    "CreateIcebergView": "query",
    "CreateViewCommand": "plan",
}
# Statements that Spark runs while it analyses them.
_RUN_AT_ONCE = {
    "Call": "CALL",
    "CallStatement": "CALL",
    "UnresolvedExecuteImmediate": "EXECUTE IMMEDIATE",
    "ExecuteImmediateQuery": "EXECUTE IMMEDIATE",
    "CompoundBody": "a script",
}
_IMPLYING_RULES = {"prune": "sparkicebergsql.Prune", "values": "sparkicebergsql.Values"}


@dataclass(frozen=True, slots=True)
class QueryPlans:
    """The query plans of a statement.

    analyzed: before the optimizer. before_push_down: with the filters still above the relations, subqueries
    first. optimized: after all rules. implying_rules: those of this package's rules that add what a condition
    implies and that the session has, by name.
    """

    analyzed: Java
    before_push_down: tuple[Java, ...]
    optimized: Java
    implying_rules: dict[str, Java]


@dataclass(slots=True)
class FilteredRelation:
    """A relation before push-down.

    conjuncts: directly above it. higher_conjuncts: conjuncts further up that refer only to it, each with the
    node below which Spark did not push it.
    """

    relation: Java
    conjuncts: list[Java]
    higher_conjuncts: list[tuple[Java, str]] = field(default_factory=list)


def plan_statement(spark: SparkSession, statement: str | DataFrame) -> QueryPlans:
    """The plans of one statement in SQL, or of a DataFrame; nothing runs.

    Raises pyspark's exceptions for one that Spark refuses, and IcebergSqlError for what is neither.
    """
    state = jvm.java_session(spark).sessionState()
    if isinstance(statement, str):
        return _plans(state, parse_statement(state, statement))
    if not hasattr(statement, "_jdf"):
        raise IcebergSqlError(
            f"give a statement in SQL or a DataFrame of this session, not `{type(statement).__name__}`"
        )
    return _plans(state, statement._jdf.queryExecution().logical())


def parse_statement(state: Java, text: str) -> Java:
    """A statement's parsed plan (for EXPLAIN, the explained statement's), whose analysis runs nothing.

    state: the session's. Raises pyspark's ParseException, and IcebergSqlError for a statement that runs when it
    is analysed.
    """
    plan = state.sqlParser().parsePlan(text)
    if node_class(plan) == "ExplainCommand":
        plan = plan.logicalPlan()
    statement_name = _RUN_AT_ONCE.get(node_class(plan))
    if statement_name is not None:
        raise IcebergSqlError(
            f"{statement_name} cannot be planned without running it",
            help="give the query, DELETE, UPDATE or MERGE itself",
        )
    return plan


def of_condition(spark: SparkSession, condition: str, relation: Java) -> QueryPlans:
    """The plans of a filter on a relation. condition: SQL over its columns."""
    state = jvm.java_session(spark).sessionState()
    predicate = state.sqlParser().parseExpression(condition)
    return _plans(state, java_class(f"{_LOGICAL}.Filter")(predicate, relation))


_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"


def executions(state: Java, statement: Java) -> tuple[Java, Java]:
    """The QueryExecution of a parsed statement, and that of the query which Spark plans for it separately, if any.

    state: the session's. Without such a query, both are the same.
    """
    # As EXPLAIN does: a command is not executed.
    mode = scala_object("org.apache.spark.sql.execution.CommandExecutionMode").SKIP()
    execution = state.executePlan(statement, mode)
    analyzed = execution.analyzed()
    if node_class(analyzed) not in _WITH_QUERY:
        return execution, execution
    return execution, state.executePlan(getattr(analyzed, _WITH_QUERY[node_class(analyzed)])(), mode)


def _plans(state: Java, statement: Java) -> QueryPlans:
    statement_execution, execution = executions(state, statement)
    analyzed = statement_execution.analyzed()
    steps = compiler.instance(_loader(jvm.gateway(), "OptimizerSteps"), _java_name("OptimizerSteps"))
    optimized = steps.optimized(state.optimizer(), execution.withCachedData().clone())
    rules = {name: steps.rule(java_class) for name, java_class in _IMPLYING_RULES.items()}
    implying_rules = {name: rule for name, rule in rules.items() if rule is not None}
    return QueryPlans(analyzed, tuple(jvm.from_list(steps.beforePushDown())), optimized, implying_rules)


@lru_cache(maxsize=4)
def _loader(gateway: Java, name: str) -> Java:
    return compiler.compiled(__package__, name, compiler.base_loader())


def _java_name(name: str) -> str:
    return f"sparkicebergsql.{name}"


def is_command(node: Java) -> bool:
    """True if a leaf of a plan is a command, such as SET."""
    return bool(java_class(f"{_LOGICAL}.Command")._java_lang_class.isInstance(node))


def key(relation: Java) -> int:
    """The key of a relation in all plans of a statement: the id of its first column."""
    return int(relation.output().head().exprId().id())


# ---------------------------------------------------------------------------------- before push-down


def filtered_relations(plans: QueryPlans) -> dict[int, FilteredRelation]:
    """The relations of all plans before push-down, by their keys."""
    relations_by_key: dict[int, FilteredRelation] = {}
    higher_conjuncts: list[tuple[Java, str]] = []
    for plan in plans.before_push_down:
        _walk(plan, relations_by_key, higher_conjuncts, None)
    for conjunct, node_text in higher_conjuncts:
        references = conjunct.references()
        for filtered_relation in relations_by_key.values():
            if references.nonEmpty() and references.subsetOf(filtered_relation.relation.outputSet()):
                filtered_relation.higher_conjuncts.append((conjunct, node_text))
    return relations_by_key


def _walk(
    node: Java,
    relations_by_key: dict[int, FilteredRelation],
    higher_conjuncts: list[tuple[Java, str]],
    command_condition: Java | None,
) -> None:
    """Collect the relations below a node, and the conjuncts above joins and other nodes that may belong to
    them.
    """
    name = node_class(node)
    if name == "ReplaceData":  # its condition selects the files, not the filters below it
        command_condition = node.condition()
    if name in ("Filter", "Project", _RELATION):
        operation = scala_object("org.apache.spark.sql.catalyst.planning.PhysicalOperation")
        operation_parts = jvm.from_option(operation.unapply(node))
        if operation_parts is not None and (
            name != "Project" or node_class(operation_parts._3()) in ("Filter", _RELATION)
        ):
            conjuncts, child = from_seq(operation_parts._2()), operation_parts._3()
            if node_class(child) == _RELATION:
                if command_condition is not None and _is_target(child):
                    target_conjuncts = (
                        c for c in split(command_condition) if c.references().subsetOf(child.outputSet())
                    )
                    conjuncts = list(target_conjuncts)
                relations_by_key[key(child)] = FilteredRelation(child, conjuncts)
                return
            if name == "Filter" and not conjuncts:  # a filter by itself: not pushed through nondeterministic columns
                conjuncts, child = split(node.condition()), node.child()
            higher_conjuncts += [(conjunct, node_in_sql(child)) for conjunct in conjuncts]
            if name == "Filter":
                _walk(child, relations_by_key, higher_conjuncts, command_condition)
                return
    elif name == "Join":
        condition = jvm.from_option(node.condition())
        higher_conjuncts += [(c, node_in_sql(node)) for c in (split(condition) if condition else ())]
    for child in from_seq(node.children()):
        _walk(child, relations_by_key, higher_conjuncts, command_condition)


def _is_target(relation: Java) -> bool:
    return bool(node_class(relation.table()) == "RowLevelOperationTable")


def node_in_sql(node: Java) -> str:
    """A node in SQL terms: `a LEFT OUTER JOIN`, `GROUP BY`."""
    name = node_class(node)
    if name == "Join":
        return f"a {node.joinType().sql()} JOIN"
    if name == "Project":
        chosen = from_seq(node.projectList())
        return "a SELECT" + ("" if all(c.deterministic() for c in chosen) else _NONDETERMINISTIC)
    return _IN_SQL.get(name, name)


_NONDETERMINISTIC = " that is not deterministic"
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
    "Filter": "a filter" + _NONDETERMINISTIC,
}


def constant_rows(spark: SparkSession, query: str) -> list[Java] | None:
    """The rows of a query over constants, if the optimizer can evaluate it alone; otherwise None."""
    plan = plan_statement(spark, query).optimized
    if node_class(plan) != "LocalRelation":
        return None
    return from_seq(plan.data())
