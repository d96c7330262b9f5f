package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OverwriteByExpression;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/** The expressions of a plan that Spark translates for the scan of a table, or that become parts of others that it does. */
public final class TranslatedExpressions {
  private TranslatedExpressions() {}

  /** Whether a plan has a table for which Spark translates expressions. */
  public static boolean areIn(LogicalPlan plan) {
    if (plan instanceof DataSourceV2Relation || plan instanceof RowLevelWrite || plan instanceof OverwriteByExpression)
      return true;
    if (Calls.isTranslated(plan)) return true;
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (areIn(child)) return true;
    return false;
  }

  /** A plan with its conditions, which keep the rows for which they are true, and its other expressions mapped. */
  public static LogicalPlan mapped(LogicalPlan plan, ScalaTypes.Mapping<Expression, Expression> conditions,
    ScalaTypes.Mapping<Expression, Expression> values) {
    return (LogicalPlan) plan.transform(ScalaTypes.rewrite(new Nodes(conditions, values)));
  }

  private static boolean isOfCondition(Object node) {
    return node instanceof Filter || node instanceof Join || node instanceof RowLevelWrite
      || node instanceof OverwriteByExpression;
  }

  /** The operators of a plan. */
  static class Nodes implements ScalaTypes.Replacement {
    private final ScalaTypes.Mapping<Expression, Expression> conditions;
    private final ScalaTypes.Mapping<Expression, Expression> values;

    Nodes(ScalaTypes.Mapping<Expression, Expression> conditions, ScalaTypes.Mapping<Expression, Expression> values) {
      this.conditions = conditions;
      this.values = values;
    }

    @Override
    public boolean isFor(Object node) {
      return isOfCondition(node) || node instanceof Project || node instanceof Aggregate || node instanceof Sort;
    }

    @Override
    public Object of(Object node) {
      return ((LogicalPlan) node).mapExpressions(isOfCondition(node) ? conditions : values);
    }
  }
}
