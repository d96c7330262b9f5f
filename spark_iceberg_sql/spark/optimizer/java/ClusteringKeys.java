package sparkicebergsql;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;

/** The columns of a plan that are keys of a join, a group or a window: those by which Spark would shuffle rows. */
public final class ClusteringKeys {
  private final Set<ExprId> keys = new HashSet<>();
  /** By the name of a column in a query, the column that it is. */
  private final Map<ExprId, ExprId> origins = new HashMap<>();

  private ClusteringKeys() {}

  /** Those of a plan, without its subqueries. */
  public static ClusteringKeys of(LogicalPlan plan) {
    ClusteringKeys result = new ClusteringKeys();
    result.addAll(plan);
    Set<ExprId> queried = new HashSet<>(result.keys);
    for (ExprId key : queried) {
      ExprId origin = key;
      for (int steps = 0; origin != null && steps < 100; steps++) {
        result.keys.add(origin);
        origin = (ExprId) result.origins.get(origin);
      }
    }
    return result;
  }

  public boolean isEmpty() { return keys.isEmpty(); }

  /** Whether a column is a key, by any name. */
  public boolean contain(Attribute column) { return keys.contains(column.exprId()); }

  private void addAll(LogicalPlan plan) {
    if (plan instanceof Join) {
      for (Expression conjunct : Predicates.conjuncts(condition((Join) plan)))
        if (conjunct instanceof EqualTo || conjunct instanceof EqualNullSafe) {
          add((Expression) ((BinaryComparison) conjunct).left());
          add((Expression) ((BinaryComparison) conjunct).right());
        }
    } else if (plan instanceof Aggregate) {
      for (Expression e : ScalaTypes.list(((Aggregate) plan).groupingExpressions())) add(e);
    } else if (plan instanceof Window) {
      for (Expression e : ScalaTypes.list(((Window) plan).partitionSpec())) add(e);
    }
    for (Expression e : ScalaTypes.list(plan.expressions()))
      if (e instanceof Alias && ((Alias) e).child() instanceof AttributeReference)
        origins.put(((Alias) e).exprId(), ((AttributeReference) ((Alias) e).child()).exprId());
    for (LogicalPlan child : ScalaTypes.list(plan.children())) addAll(child);
  }

  private static Expression condition(Join join) {
    return join.condition().isEmpty() ? null : (Expression) join.condition().get();
  }

  private void add(Expression e) {
    if (e instanceof Alias) e = ((Alias) e).child();
    if (e instanceof AttributeReference) keys.add(((AttributeReference) e).exprId());
  }
}
