package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.DynamicPruningSubquery;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;

/** Predicates on the output of an operator, moved to its inputs, down to the scans. */
public final class JoinPushDown {
  private static final List<String> KEEP_LEFT =
    List.of("Inner", "Cross", "LeftOuter", "LeftSemi", "LeftAnti", "ExistenceJoin");
  private static final List<String> KEEP_RIGHT = List.of("Inner", "Cross", "RightOuter");

  private JoinPushDown() {}

  /** Whether files of a scan below an operator may be left out by a comparison of an expression on its output. */
  public static boolean isPrunable(LogicalPlan plan, Expression compared) {
    return isPrunable(plan, new IsNotNull(compared), false);
  }

  /** isFiltered: whether Spark's dynamic pruning compares the partition values with the same rows. */
  private static boolean isPrunable(LogicalPlan plan, Expression predicate, boolean isFiltered) {
    if (NarrowedScan.isCandidate(plan)) {
      DataSourceV2ScanRelation scanned = (DataSourceV2ScanRelation) plan;
      return NarrowedScan.isPrunable(predicate, scanned)
        && (!isFiltered || Clustering.isFinerThanPartitions(compared(predicate), scanned));
    }
    boolean isFilteredHere = isFiltered || isDynamicallyPruned(plan, compared(predicate));
    for (int i = 0; i < plan.children().size(); i++)
      for (Expression moved : below(plan, i, List.of(predicate)))
        if (isPrunable((LogicalPlan) plan.children().apply(i), moved, isFilteredHere)) return true;
    return false;
  }

  private static Expression compared(Expression predicate) { return (Expression) predicate.children().apply(0); }

  /** Of another expression than a column, Iceberg takes nothing. */
  private static boolean isDynamicallyPruned(LogicalPlan plan, Expression compared) {
    if (!(plan instanceof Filter) || !PartitionLayout.isColumn(compared)) return false;
    for (Expression conjunct : Predicates.conjuncts(((Filter) plan).condition()))
      if (conjunct instanceof DynamicPruningSubquery
        && ((DynamicPruningSubquery) conjunct).pruningKey().semanticEquals(compared))
        return true;
    return false;
  }

  /** Whether a scan below an operator can be built again. */
  public static boolean hasCandidate(LogicalPlan plan) {
    if (NarrowedScan.isCandidate(plan)) return true;
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (hasCandidate(child)) return true;
    return false;
  }

  /** The predicates on an operator's output that hold for the rows of an input that it needs. */
  public static List<Expression> below(LogicalPlan plan, int child, List<Expression> predicates) {
    List<Expression> result = new ArrayList<>();
    if (predicates.isEmpty() || !isTransparent(plan, child)) return result;
    LogicalPlan input = (LogicalPlan) plan.children().apply(child);
    for (Expression predicate : predicates) {
      Expression moved = predicate;
      if (plan instanceof Project) moved = Predicates.substituted(predicate, Predicates.aliases((Project) plan));
      if (plan instanceof Union) moved = Predicates.substituted(predicate, Predicates.columns(plan, input));
      if (moved.references().subsetOf(input.outputSet()) && moved.deterministic()) result.add(moved);
    }
    return result;
  }

  private static boolean isTransparent(LogicalPlan plan, int child) {
    if (plan instanceof Join) return (child == 0 ? KEEP_LEFT : KEEP_RIGHT).contains(JoinTypes.name((Join) plan));
    return plan instanceof Project || plan instanceof Filter || plan instanceof Union || plan instanceof Generate
      || plan instanceof Sort;
  }
}
