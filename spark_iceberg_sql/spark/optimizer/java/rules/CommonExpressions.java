package sparkicebergsql;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite;

/**
 * Lets DELETE and MERGE run with conditions such as <code>abs(v) BETWEEN 1 AND 5</code> and
 * <code>nullif(abs(v), 1) &gt; 2</code>.
 *
 * <p>From 4.0 on, Spark computes <code>abs(v)</code> once, as a column <code>_common_expr_0</code> of a projection below
 * the filter. It also replaces it in the condition of the statement itself, by which copy-on-write decides what files to
 * read: there is no such column there, and the statement fails, for DELETE in Iceberg and for MERGE in a subquery.
 * Before the optimizer starts, the expression is put back in each of its places.
 */
public class CommonExpressions extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    return WithExpressions.areIn(plan) && isWrite(plan) ? WithExpressions.inlined(plan) : plan;
  }

  private static boolean isWrite(LogicalPlan plan) {
    if (plan instanceof RowLevelWrite) return true;
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (isWrite(child)) return true;
    return false;
  }

  /** Puts expressions in place that have others within them. */
  @Override
  protected String check(SparkSession session) {
    try {
      LogicalPlan query = session.sessionState().sqlParser().parsePlan(
        "SELECT nullif(nullif(abs(x), 1), 2) BETWEEN 0 AND 3 FROM VALUES (5) AS t (x)");
      LogicalPlan inlined = WithExpressions.inlined(session.sessionState().analyzer().execute(query));
      return WithExpressions.areIn(inlined) || !inlined.resolved() ? inlined.toString() : null;
    } catch (ParseException e) {
      return e.toString();
    }
  }
}
