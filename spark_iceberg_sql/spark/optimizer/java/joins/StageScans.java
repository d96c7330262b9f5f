package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.DynamicPruningExpression;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.InSubqueryExec;
import org.apache.spark.sql.execution.ScalarSubquery;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.Option;

/**
 * The scans of a stage that is about to run, narrowed by the subqueries that it would wait for in any case: scalar
 * ones in its filters, and Spark's dynamic pruning, which Iceberg applies to partition values alone.
 */
public final class StageScans {
  private StageScans() {}

  /** The plan of a stage with narrower scans; the argument itself if there is nothing to narrow. */
  public static SparkPlan narrowed(SparkPlan plan) throws ReflectiveOperationException {
    if (plan instanceof BatchScanExec) return narrowed((BatchScanExec) plan, null);
    List<SparkPlan> children = new ArrayList<>();
    boolean isChanged = false;
    for (SparkPlan child : ScalaTypes.list(plan.children())) {
      boolean isFiltered = plan instanceof FilterExec && child instanceof BatchScanExec;
      SparkPlan result =
        isFiltered ? narrowed((BatchScanExec) child, ((FilterExec) plan).condition()) : narrowed(child);
      isChanged |= result != child;
      children.add(result);
    }
    return isChanged ? (SparkPlan) plan.withNewChildren(ScalaTypes.seq(children)) : plan;
  }

  private static SparkPlan narrowed(BatchScanExec exec, Expression condition) throws ReflectiveOperationException {
    List<Expression> waiting = new ArrayList<>();
    for (Expression conjunct : Predicates.conjuncts(condition))
      if (conjunct.deterministic() && hasScalar(conjunct)) waiting.add(conjunct);
    for (Expression filter : ScalaTypes.list(exec.runtimeFilters()))
      if (filter instanceof DynamicPruningExpression) waiting.add(((DynamicPruningExpression) filter).child());
    DataSourceV2ScanRelation scanned = waiting.isEmpty() ? null : scanned(exec);
    if (scanned == null) return exec;
    List<Expression> predicates = new ArrayList<>();
    for (Expression e : waiting)
      if (NarrowedScan.isPrunable(e, scanned) && mayGain(e, scanned)) predicates.addAll(results(e));
    DataSourceV2ScanRelation result = NarrowedScan.of(scanned, predicates);
    return result == scanned ? exec : with(exec, result);
  }

  private static boolean mayGain(Expression e, DataSourceV2ScanRelation scanned) {
    boolean isFiltered = e instanceof InSubqueryExec && PartitionLayout.isColumn(((InSubqueryExec) e).child());
    return !isFiltered || Clustering.isFinerThanPartitions(((InSubqueryExec) e).child(), scanned);
  }

  /** The scan as the planner received it; null if it is not known, or cannot be built again. */
  private static DataSourceV2ScanRelation scanned(BatchScanExec exec) {
    Option<LogicalPlan> link = exec.logicalLink();
    DataSourceV2ScanRelation leaf = link.isEmpty() ? null : leaf((LogicalPlan) link.get(), exec);
    return leaf != null && NarrowedScan.isCandidate(leaf) ? leaf : null;
  }

  private static DataSourceV2ScanRelation leaf(LogicalPlan plan, BatchScanExec exec) {
    if (plan instanceof DataSourceV2ScanRelation)
      return ((DataSourceV2ScanRelation) plan).scan() == exec.scan() ? (DataSourceV2ScanRelation) plan : null;
    for (LogicalPlan child : ScalaTypes.list(plan.children())) {
      DataSourceV2ScanRelation leaf = leaf(child, exec);
      if (leaf != null) return leaf;
    }
    return null;
  }

  private static boolean hasScalar(Expression e) {
    if (e instanceof ScalarSubquery) return true;
    for (Expression child : ScalaTypes.list(e.children()))
      if (hasScalar(child)) return true;
    return false;
  }

  /** What a condition on a subquery's result implies, once the subquery has run. */
  @SuppressWarnings("unchecked")
  private static List<Expression> results(Expression e) {
    if (!(e instanceof InSubqueryExec)) return hasScalar(e) ? List.of(withResults(e)) : List.of();
    InSubqueryExec in = (InSubqueryExec) e;
    in.updateResult();
    Option<?> values = (Option<?>) (Object) in.values();
    return values.isEmpty() ? List.of() : JoinTerms.impliedBy(in.child(), (Object[]) values.get());
  }

  private static Expression withResults(Expression e) {
    return (Expression) e.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object x) {
        return x instanceof ScalarSubquery;
      }

      @Override
      public Object of(Object x) {
        ScalarSubquery subquery = (ScalarSubquery) x;
        subquery.updateResult();
        return new ImpliedLiteral(subquery.eval(null), subquery.dataType());
      }
    }));
  }

  /** The node with another scan; its other arguments differ between the versions of Spark. */
  private static SparkPlan with(BatchScanExec exec, DataSourceV2ScanRelation scanned) {
    Object[] arguments = new Object[exec.productArity()];
    for (int i = 0; i < arguments.length; i++) {
      Object argument = exec.productElement(i);
      arguments[i] = argument == exec.scan() ? scanned.scan() : argument;
    }
    return (SparkPlan) exec.makeCopy(arguments);
  }
}
