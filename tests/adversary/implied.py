"""The range that the rule `prune` adds for a predicate, tested on every row without running a query.

A query costs a tenth of a second of planning and tasks, and few predicates reveal a wrong row. So many more are
tested on the rule alone: a row of the table that satisfies the filter but not the implied range makes the predicate a
suspect, which the caller then runs as a query.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from pyspark.sql import SparkSession

from adversary.harness import Harness
from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.optimizer import injection

PROBE = """package sparkicebergsql.adversary;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.Option;
import scala.runtime.AbstractPartialFunction;
import sparkicebergsql.ScalaTypes;
public class Probe {
  /** Columns by their index in the relation. */
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

  /** The columns of a project below, replaced by their expressions. */
  static class Inline extends AbstractPartialFunction {
    final Map of = new HashMap();
    void add(scala.collection.immutable.Seq columns) {
      for (int i = 0; i < columns.size(); i++) {
        Expression column = (Expression) columns.apply(i);
        if (column instanceof Alias) of.put(((Alias) column).exprId(), ((Alias) column).child());
      }
    }
    Expression all(Expression e) {
      Expression next = (Expression) e.transform(this);
      return next.fastEquals(e) ? e : all(next);
    }
    public boolean isDefinedAt(Object e) { return e instanceof Attribute && of.containsKey(((Attribute) e).exprId()); }
    public Object applyOrElse(Object e, scala.Function1 otherwise) {
      return isDefinedAt(e) ? of.get(((Attribute) e).exprId()) : otherwise.apply(e);
    }
  }

  /**
   * For each predicate over the table: how many rows satisfy it but not the range it implies; -1 if it implies
   * nothing, or Spark refuses it. rows: of the table, column by column. All predicates are columns of one plan,
   * since a plan costs more than its expressions.
   */
  public static int[] lost(SparkSession session, LogicalPlan table, Rule guard, Object prune, InternalRow[] rows,
      List predicates) throws Exception {
    SparkSession.setActiveSession(session);
    Method implied = prune.getClass().getMethod("implied", Expression.class, LogicalPlan.class);
    int[] lost = new int[predicates.size()];
    Arrays.fill(lost, -1);
    List asked = new ArrayList();
    for (int i = 0; i < lost.length; i++)
      asked.add(alias(session.sessionState().sqlParser().parseExpression((String) predicates.get(i)), i));
    Project analyzed = (Project) session.sessionState().analyzer().execute(project(table, asked));
    asked.clear();
    for (int i = table.output().size(); i < analyzed.projectList().size(); i++)
      if (((Expression) analyzed.projectList().apply(i)).resolved()) asked.add(analyzed.projectList().apply(i));
    Project optimized = (Project) session.sessionState().optimizer().execute(project(analyzed.child(), asked));
    Inline inline = new Inline();
    LogicalPlan below = optimized.child();
    for (; below instanceof Project; below = ((Project) below).child())  // for common subexpressions
      inline.add(((Project) below).projectList());
    LogicalPlan relation = ((DataSourceV2ScanRelation) below).relation();
    for (int i = relation.output().size(); i < optimized.projectList().size(); i++) {
      Alias column = (Alias) optimized.projectList().apply(i);
      try {
        Object offered = guard.apply(new Filter(inline.all(column.child()), relation));
        if (!(offered instanceof Filter)) continue;
        Expression condition = ((Filter) offered).condition();
        Object answer = implied.invoke(prune, condition, relation);
        if (answer != null)
          lost[Integer.parseInt(column.name())] = lost(condition, (Expression) answer, relation, rows);
      } catch (InvocationTargetException refused) {
        continue;
      }
    }
    return lost;
  }
  static Expression alias(Expression e, int number) {
    return new Alias(e, "" + number, NamedExpression.newExprId(), EMPTY, Option.empty(), EMPTY);
  }
  static final scala.collection.immutable.Seq EMPTY = ScalaTypes.seq(new ArrayList());
  /** The table's columns, without which only parts of its structs are read, and these. */
  static Project project(LogicalPlan table, List columns) {
    List all = new ArrayList();
    for (int i = 0; i < table.output().size(); i++) all.add(table.output().apply(i));
    all.addAll(columns);
    return new Project(ScalaTypes.seq(all), table);
  }
  static int lost(Expression condition, Expression implied, LogicalPlan relation, InternalRow[] rows) {
    Expression asked = (Expression) condition.transform(new Bind(relation));
    Expression answered = (Expression) implied.transform(new Bind(relation));
    int lost = 0;
    for (int i = 0; i < rows.length; i++) if (!isTrue(answered, rows[i]) && isTrue(asked, rows[i])) lost++;
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
_CALL = re.compile(r"\b(?!timestamp_micros|date_from_unix_date)(\w+)\(")
PART = 200  # predicates per plan


class Implied:
    """The rules of a session, and a class in its JVM that evaluates their ranges on rows."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        loader = compiler.compiled(injection.__package__, "ScalaTypes", compiler.context_loader())
        loader = compiler.compile_java(PROBE, "Probe.java", loader)
        self.probe = compiler.instance(loader, "sparkicebergsql.adversary.Probe")
        self.guard = optimizer_rule(harness.spark, "Guard")
        self.prune = optimizer_rule(harness.spark, "Prune")

    def suspects(self, table: str, view: str, predicates: list[str]) -> tuple[list[str], int]:
        """The predicates whose range excludes a matching row, and how many imply a range at all.

        table: its name. view: its rows without Iceberg. The session's current rules are used.
        """
        columns = ", ".join(self.harness.spark.table(table).columns)
        plan = self.harness.sql(f"SELECT {columns} FROM {view}")._jdf.queryExecution()
        rows = plan.executedPlan().executeCollect()

        session = self.harness.spark._jsparkSession
        table_plan = self.harness.spark.table(table)._jdf.queryExecution().analyzed()
        rules = self.guard, self.prune
        lost: list[Any] = []
        for at in range(0, len(predicates), PART):
            lost += self.harness.split(
                predicates[at : at + PART], lambda part: list(self.probe.lost(session, table_plan, *rules, rows, part))
            )
        lost = [n if isinstance(n, int) else -1 for n in lost]  # Spark refuses it
        wrong_predicates = [p for p, n in zip(predicates, lost, strict=True) if n > 0]
        return _varied(wrong_predicates), sum(n >= 0 for n in lost)


def _varied(predicates: list[str]) -> list[str]:
    """The same predicates, starting with one for each set of functions: many may have the same cause."""
    counts: Counter[frozenset[str]] = Counter()

    def turn(predicate: str) -> int:
        functions = frozenset(_CALL.findall(predicate))
        counts[functions] += 1
        return counts[functions]

    return [p for _, p in sorted(((turn(p), p) for p in predicates), key=lambda pair: pair[0])]


def optimizer_rule(spark: SparkSession, name: str) -> Any:
    """The rule object in the session's optimizer."""
    batches = spark._jsparkSession.sessionState().optimizer().batches()
    for b in range(batches.size()):
        rules = batches.apply(b).rules()
        for r in range(rules.size()):
            if rules.apply(r).ruleName() == f"sparkicebergsql.{name}":
                return rules.apply(r)
    raise LookupError(f"there is no rule {name}")
