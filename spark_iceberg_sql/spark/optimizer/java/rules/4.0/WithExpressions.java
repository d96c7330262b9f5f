package sparkicebergsql;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.CommonExpressionDef;
import org.apache.spark.sql.catalyst.expressions.CommonExpressionRef;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.With;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreePattern;

/** Expressions with a part that is computed once for several uses: what BETWEEN, nullif and others stand for. */
public final class WithExpressions {
  private WithExpressions() {}

  /** Whether a plan or a subquery of it has one. */
  public static boolean areIn(LogicalPlan plan) { return plan.containsPattern(TreePattern.WITH_EXPRESSION()); }

  /** The plan with such a part in place of each of its uses, unless it has another value each time. */
  public static LogicalPlan inlined(LogicalPlan plan) {
    return (LogicalPlan) plan.transformAllExpressionsWithSubqueries(ScalaTypes.rewrite(new Inlined()));
  }

  /** The expressions. */
  static class Inlined implements ScalaTypes.Replacement {
    @Override
    public boolean isFor(Object node) {
      return node instanceof With;
    }

    @Override
    public Object of(Object node) {
      With with = (With) node;
      Map<Object, Object> parts = new HashMap<>();
      for (CommonExpressionDef part : ScalaTypes.list(with.defs())) {
        if (!part.deterministic()) return with;
        parts.put(part.id(), part.child());
      }
      Expression result = (Expression) with.child().transform(ScalaTypes.rewrite(new Uses(parts)));
      return isFor(result) ? of(result) : result;
    }
  }

  /** The uses of these parts. */
  static class Uses implements ScalaTypes.Replacement {
    private final Map<Object, Object> parts;

    Uses(Map<Object, Object> parts) { this.parts = parts; }

    @Override
    public boolean isFor(Object node) {
      return node instanceof CommonExpressionRef && parts.containsKey(((CommonExpressionRef) node).id());
    }

    @Override
    public Object of(Object node) {
      return parts.get(((CommonExpressionRef) node).id());
    }
  }
}
