"""What the rule `prune` implies for a predicate, held against every row without running a query.

A query costs a tenth of a second of planning and tasks, and few predicates are wrong about a row. So many more are
put to the rule alone: a row of the table that the filter takes and the implied range does not makes a suspect,
which the caller then tries in earnest.
"""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark import jvm_rules

PROBE = """package sparkicebergsql.adversary;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.runtime.AbstractPartialFunction;
public class Probe {
  /** Columns by their place in the relation. */
  static class Bind extends AbstractPartialFunction {
    final LogicalPlan relation;
    Bind(LogicalPlan relation) { this.relation = relation; }
    public boolean isDefinedAt(Object e) { return e instanceof Attribute; }
    public Object applyOrElse(Object e, scala.Function1 otherwise) {
      if (!isDefinedAt(e)) return otherwise.apply(e);
      Attribute a = (Attribute) e;
      for (int i = 0; i < relation.output().size(); i++)
        if (((Attribute) relation.output().apply(i)).exprId().equals(a.exprId()))
          return new BoundReference(i, a.dataType(), true);
      throw new IllegalStateException(a.name());
    }
  }

  /** How many rows the condition takes and what it implies does not; rows: of the relation, column by column. */
  public static int lost(Expression condition, Expression implied, LogicalPlan relation, InternalRow[] rows) {
    Expression asked = (Expression) condition.transform(new Bind(relation));
    Expression answered = (Expression) implied.transform(new Bind(relation));
    int lost = 0;
    for (int i = 0; i < rows.length; i++) if (isTrue(asked, rows[i]) && !isTrue(answered, rows[i])) lost++;
    return lost;
  }
  static boolean isTrue(Expression e, InternalRow row) {
    try {
      return Boolean.TRUE.equals(e.eval(row));
    } catch (RuntimeException failed) {
      return false;
    }
  }
}
"""
FAILS = (PySparkException, Py4JError)


class Implied:
    """The rule of a session, and a class in its JVM that evaluates what it says for rows."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        loader = jvm_rules.compile_java(PROBE, "Probe.java", jvm_rules.context_loader())
        self.probe = jvm_rules.instance(loader, "sparkicebergsql.adversary.Probe")
        self.rule = prune_rule(spark)

    def suspects(self, table: str, view: str, predicates: list[str]) -> tuple[list[str], int]:
        """The predicates that imply too much for a row of the table, and how many imply anything.

        table: its name. view: its rows without Iceberg. The rules are as the session has them.
        """
        source = self.spark.table(table)
        columns = ", ".join(source.columns)
        plan = SparkSession.sql(self.spark, f"SELECT {columns} FROM {view}")._jdf.queryExecution()
        rows = plan.executedPlan().executeCollect()
        found, known = [], 0
        for predicate in predicates:
            try:
                lost = self._lost(source, predicate, rows)
            except FAILS:
                continue  # Spark does not take it, or fails to optimise it
            known += lost >= 0
            if lost > 0:
                found.append(predicate)
        return found, known

    def _lost(self, source: Any, predicate: str, rows: Any) -> int:
        plan = source.where(predicate)._jdf.queryExecution().optimizedPlan()
        if plan.nodeName() != "Filter" or plan.child().nodeName() != "DataSourceV2ScanRelation":
            return -1
        relation = plan.child().relation()
        added = self.rule.implied(plan.condition(), relation)
        if added is None:
            return -1
        return int(self.probe.lost(plan.condition(), added, relation, rows))


def prune_rule(spark: SparkSession) -> Any:
    """The rule itself, among those of the session's optimizer."""
    batches = spark._jsparkSession.sessionState().optimizer().batches()
    for b in range(batches.size()):
        rules = batches.apply(b).rules()
        for r in range(rules.size()):
            if rules.apply(r).ruleName() == "sparkicebergsql.Prune":
                return rules.apply(r)
    raise LookupError("the rule `prune` is not there")
