package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;

/**
 * Where the values of an expression over a plan's rows come from: the same expression over the columns of a leaf.
 *
 * <p>Invariant: in each row of the plan the expression is null, or has its value for a row of the leaf for which the
 * conditions on the leaf's columns are true.
 */
public final class ValueOrigin {
  /** Operators without new values in the columns of an input, but for nulls. */
  private static final Set<String> PASSING = Set.of("Aggregate", "CollectMetrics", "Distinct", "Filter", "Generate",
    "GlobalLimit", "Join", "LocalLimit", "Offset", "Project", "RebalancePartitions", "Repartition",
    "RepartitionByExpression", "ResolvedHint", "Sample", "Sort", "SubqueryAlias", "Tail", "Window");

  public final Expression expression;
  /** Null if the expression is a constant. */
  public final LogicalPlan leaf;
  /** Of the filters between. */
  public final List<Expression> conditions;

  private ValueOrigin(Expression expression, LogicalPlan leaf, List<Expression> conditions) {
    this.expression = expression;
    this.leaf = leaf;
    this.conditions = conditions;
  }

  /**
   * The origins of an expression, several below a UNION; null if they are not known.
   *
   * @param constraints receives conditions on the expression alone that are true where it is not null, with `subject` in
   *   its place
   */
  public static List<ValueOrigin> of(LogicalPlan plan, Expression e, Expression subject, List<Expression> constraints) {
    List<ValueOrigin> origins = new ArrayList<>();
    return collect(plan, e, new ArrayList<Expression>(), subject, constraints, origins) ? origins : null;
  }

  private static boolean collect(LogicalPlan plan, Expression e, List<Expression> conditions, Expression subject,
    List<Expression> constraints, List<ValueOrigin> origins) {
    if (!Predicates.isEvaluable(e)) return false;
    if (e.references().isEmpty() || plan.children().isEmpty()) {
      origins.add(new ValueOrigin(e, e.references().isEmpty() ? null : plan, conditions));
      return true;
    }
    if (plan instanceof Union) {
      for (LogicalPlan input : ScalaTypes.list(plan.children())) {
        Expression below = Predicates.substituted(e, Predicates.columns(plan, input));
        // What a filter of one input says is not true of the others.
        List<Expression> ofInput = new ArrayList<>();
        if (!collect(input, below, new ArrayList<Expression>(), subject, ofInput, origins)) return false;
      }
      return true;
    }
    if (!PASSING.contains(plan.nodeName())) return false;
    List<Expression> all = new ArrayList<>(conditions);
    if (plan instanceof Filter)
      for (Expression condition : Predicates.conjuncts(((Filter) plan).condition())) {
        if (!Predicates.isEvaluable(condition)) continue;
        all.add(condition);
        if (e instanceof AttributeReference) addConstraint(condition, (AttributeReference) e, subject, constraints);
      }
    Expression below = Predicates.substituted(e, definitions(plan));
    if (below.references().isEmpty()) return collect(plan, below, all, subject, constraints, origins);
    for (int i = 0; i < plan.children().size(); i++) {
      LogicalPlan input = (LogicalPlan) plan.children().apply(i);
      if (!below.references().subsetOf(input.outputSet())) continue;
      // Another expression than a column may have a value for a row that is null in all columns.
      if (plan instanceof Join && JoinTypes.addsNulls((Join) plan, i) && !(below instanceof AttributeReference))
        return false;
      return collect(input, below, all, subject, constraints, origins);
    }
    return false;
  }

  private static void addConstraint(
    Expression condition, AttributeReference e, Expression subject, List<Expression> constraints) {
    Map<ExprId, Expression> names = new HashMap<>();
    names.put(e.exprId(), subject);
    boolean isOfItAlone = condition.references().size() == 1 && condition.references().contains(e);
    if (isOfItAlone) constraints.add(Predicates.substituted(Calls.beforePushDown(condition), names));
  }

  private static Map<ExprId, Expression> definitions(LogicalPlan plan) {
    if (plan instanceof Project) return Predicates.aliases((Project) plan);
    Map<ExprId, Expression> result = new HashMap<>();
    if (plan instanceof Aggregate)
      for (NamedExpression e : ScalaTypes.list(((Aggregate) plan).aggregateExpressions()))
        if (e instanceof Alias) result.put(e.exprId(), ((Alias) e).child());
    return result;
  }
}
