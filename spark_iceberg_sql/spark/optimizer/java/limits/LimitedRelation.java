package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;

/** A limit over a relation, with nothing in between but deterministic projections and filters, and possibly a sort. */
public final class LimitedRelation {
  private final LocalLimit limit;
  private final List<Map<ExprId, Expression>> projections = new ArrayList<>();
  /** The number of rows, those that OFFSET skips included. */
  public final int count;
  /** Null if the rows are in no order. */
  public final Sort sort;
  /** The filter directly above the relation, or null. */
  public final Filter filter;
  public final LogicalPlan relation;

  private LimitedRelation(LocalLimit limit, int count, Sort sort, Filter filter, LogicalPlan relation) {
    this.limit = limit;
    this.count = count;
    this.sort = sort;
    this.filter = filter;
    this.relation = relation;
  }

  /** Null for any other plan. */
  public static LimitedRelation of(LocalLimit limit) {
    Expression n = limit.limitExpr();
    if (!(n instanceof Literal) || !(((Literal) n).value() instanceof Integer)) return null;
    List<Map<ExprId, Expression>> projections = new ArrayList<>();
    LogicalPlan plan = limit.child();
    Sort sort = null;
    Filter filter = null;
    while (plan instanceof Project || plan instanceof Sort) {
      if (!isDeterministic(plan)) return null;
      if (plan instanceof Sort) {
        if (sort != null || !((Sort) plan).global()) return null;
        sort = (Sort) plan;
      } else if (sort != null) {
        projections.add(Predicates.aliases((Project) plan));
      }
      plan = (LogicalPlan) plan.children().apply(0);
    }
    if (plan instanceof Filter) {
      if (!isDeterministic(plan)) return null;
      filter = (Filter) plan;
      plan = filter.child();
    }
    if (PartitionLayout.of(plan) == null || !Positions.isFree(plan)) return null;
    LimitedRelation result =
      new LimitedRelation(limit, ((Integer) ((Literal) n).value()).intValue(), sort, filter, plan);
    result.projections.addAll(projections);
    return result;
  }

  private static boolean isDeterministic(LogicalPlan plan) {
    for (Expression e : ScalaTypes.list(plan.expressions()))
      if (!e.deterministic()) return false;
    return true;
  }

  /** The first order of the sort, over the relation's columns. */
  public SortOrder order() {
    Expression result = (Expression) sort.order().apply(0);
    for (Map<ExprId, Expression> projection : projections) result = Predicates.substituted(result, projection);
    return (SortOrder) result;
  }

  /** The condition of the filter; null if there is none. */
  public Expression condition() { return filter == null ? null : filter.condition(); }

  /** The plan with one more condition on the relation, which is replaced by the same at a fixed snapshot. */
  public LogicalPlan with(Expression condition, LogicalPlan pinned) {
    Expression all = filter == null ? condition : new And(filter.condition(), condition);
    return replaced(limit, filter == null ? relation : filter, new Filter(all, pinned));
  }

  private static LogicalPlan replaced(LogicalPlan plan, LogicalPlan old, LogicalPlan replacement) {
    if (plan == old) return replacement;
    LogicalPlan child = replaced((LogicalPlan) plan.children().apply(0), old, replacement);
    return (LogicalPlan) plan.withNewChildren(ScalaTypes.seq(List.of(child)));
  }
}
