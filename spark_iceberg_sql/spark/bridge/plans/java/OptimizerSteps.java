package sparkicebergsql;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.QueryPlanningTracker;
import org.apache.spark.sql.catalyst.optimizer.Optimizer;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Subquery;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.unsafe.Platform;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction0;

/**
 * A session's optimizer, run step by step on one plan: the result, and the plan and its subqueries just before
 * filters are pushed into the scans. In the result, filters have been converted by the scan, and the query's conjuncts
 * can no longer be recognized.
 */
public final class OptimizerSteps {
  private final List<LogicalPlan> beforePushDown = new ArrayList<>();
  private final Map<String, Rule<LogicalPlan>> rules = new HashMap<>();

  /** The plans whose filters are still above their relations: subqueries first, in optimization order. */
  public List<LogicalPlan> beforePushDown() { return beforePushDown; }

  /** A rule by its name; null if the session does not have it. */
  public Object rule(String name) { return rules.get(name); }

  /** The optimized plan. Rules keep what they know of a statement with the tracker of its planning. */
  public LogicalPlan optimized(final Optimizer optimizer, final LogicalPlan plan) {
    QueryPlanningTracker tracker = new QueryPlanningTracker(Option.empty());
    return (LogicalPlan) QueryPlanningTracker.withTracker(tracker, new AbstractFunction0<Object>() {
      @Override
      public Object apply() {
        try {
          return run(optimizer, plan);
        } catch (Exception e) {
          Platform.throwException(e); // Function0 declares none
          return null;
        }
      }
    });
  }

  private LogicalPlan run(Optimizer optimizer, LogicalPlan plan) throws Exception {
    Iterator<?> batches = optimizer.batches().iterator();
    while (batches.hasNext()) {
      Object batch = batches.next();
      List<Rule<LogicalPlan>> batchRules = rules(batch);
      for (Rule<LogicalPlan> rule : batchRules)
        if (rule.ruleName().endsWith(".V2ScanRelationPushDown")) beforePushDown.add(plan);
      int rounds = rounds(batch);
      for (int i = 0; i < rounds; i++) {
        LogicalPlan last = plan;
        for (Rule<LogicalPlan> rule : batchRules) {
          rules.put(rule.ruleName(), rule);
          if (rule.ruleName().endsWith("OptimizeSubqueries")) subqueries(optimizer, plan);
          // It has each scan plan its files: of a million, that takes seconds.
          if (rule.ruleName().endsWith(".V2ScanPartitioningAndOrdering") && !RowGroups.mayBeNeeded(plan)) continue;
          plan = (LogicalPlan) rule.apply(plan);
        }
        if (plan.fastEquals(last)) break;
      }
    }
    return plan;
  }

  /** The rule OptimizeSubqueries runs the whole optimizer on each subquery: this keeps the plans in between. */
  private void subqueries(Optimizer optimizer, LogicalPlan node) throws Exception {
    Iterator<?> plans = node.subqueries().iterator();
    while (plans.hasNext()) run(optimizer, new Subquery((LogicalPlan) plans.next(), false));
    Iterator<?> children = node.children().iterator();
    while (children.hasNext()) subqueries(optimizer, (LogicalPlan) children.next());
  }

  // Batch and Strategy are protected in Scala: their accessors are public in the JVM.
  @SuppressWarnings("unchecked")
  private static List<Rule<LogicalPlan>> rules(Object batch) throws Exception {
    List<Rule<LogicalPlan>> rules = new ArrayList<>();
    Iterator<?> iterator = ((Seq<?>) value(batch, "rules")).iterator();
    while (iterator.hasNext()) rules.add((Rule<LogicalPlan>) iterator.next());
    return rules;
  }

  private static int rounds(Object batch) throws Exception {
    return ((Integer) value(value(batch, "strategy"), "maxIterations")).intValue();
  }

  private static Object value(Object target, String name) throws Exception {
    Method accessor = target.getClass().getMethod(name, new Class<?>[0]);
    accessor.setAccessible(true);
    return accessor.invoke(target, new Object[0]);
  }
}
