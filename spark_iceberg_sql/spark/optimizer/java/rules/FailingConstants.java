package sparkicebergsql;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.KnownNullable;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * Withholds constants whose evaluation fails, as <code>1 / 0</code> in <code>coalesce(v, 1 / 0)</code>.
 *
 * <p>Such a constant stays in the plan, since no row may ever need it. Spark 4.1 replaces constants by their values when
 * it translates an expression for a scan, and tries again as long as what comes back is a constant but no literal: the
 * query is planned for ever (SPARK-58428). A constant within a KnownNullable has no translation, and fails where a row needs it.
 */
public class FailingConstants extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    Withheld withheld = new Withheld();
    return TranslatedExpressions.areIn(plan) ? TranslatedExpressions.mapped(plan, withheld, withheld) : plan;
  }

  /** Hides what fails, as a whole. */
  static class Withheld extends ScalaTypes.Mapping<Expression, Expression> {
    @Override
    protected Object of(Object o) {
      Expression e = (Expression) o;
      if (e instanceof Literal || e instanceof KnownNullable) return e;
      boolean isConstant = e.foldable() && !(e instanceof NamedExpression) && !(e instanceof SortOrder);
      if (!isConstant) return e.mapChildren(this);
      return fails(e) ? new KnownNullable(e) : e;
    }
  }

  private static boolean fails(Expression constant) {
    try {
      constant.eval(InternalRow.empty());
      return false;
    } catch (Exception e) {
      return true;
    }
  }

  /** Withholds a constant that fails, and no other. */
  @Override
  protected String check(SparkSession session) {
    try {
      LogicalPlan plan = session.sessionState().analyzer().execute(session.sessionState().sqlParser().parsePlan(
        "SELECT x FROM VALUES (5) AS t (x) WHERE coalesce(x, element_at(array(7), 0)) = 3 + 4"));
      Withheld withheld = new Withheld();
      String hidden = TranslatedExpressions.mapped(plan, withheld, withheld).toString();
      return hidden.contains("knownnullable(element_at") && hidden.contains("(3 + 4)") ? null : hidden;
    } catch (ParseException e) {
      return e.toString();
    }
  }
}
