package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.spark.functions.SparkFunctions;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.CheckOverflow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.V2ExpressionUtils;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructType;

/**
 * Removes the precision check from <code>iceberg_truncate(w, decimal)</code> if the value is only compared.
 *
 * <p>Truncation rounds down, so for the lowest values of a decimal(p, s) the result may exceed p digits:
 * iceberg_truncate then fails, and so does writing the row into a table with this partition field. The check prevents
 * push-down. A comparison does not need it: the value is correct before it is stored.
 */
public class Decimals extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    return Calls.in(plan) ? (LogicalPlan) plan.transformAllExpressions(ScalaTypes.rewrite(new Comparisons())) : plan;
  }

  /** What does not need the check of its operands. */
  static class Comparisons implements ScalaTypes.Replacement {
    @Override
    public boolean isFor(Object e) {
      return e instanceof BinaryComparison || e instanceof In || e instanceof InSet || e instanceof IsNull
        || e instanceof IsNotNull;
    }

    @Override
    public Object of(Object e) {
      return ((Expression) e).mapChildren(new Unchecked());
    }
  }

  /** Replaces a check by the call within it. */
  static class Unchecked extends ScalaTypes.Mapping<Expression, Expression> {
    @Override
    protected Object of(Object e) {
      if (!(e instanceof CheckOverflow)) return e;
      Expression child = ((CheckOverflow) e).child();
      return Calls.call(child) != null ? child : e;
    }
  }

  /**
   * Runs the rule on truncate(50, p) = 1.00 with its check. Without the rule, such filters return correct results but
   * do not prune.
   */
  @Override
  protected String check(SparkSession session) {
    StructType source = new StructType().add("p", new DecimalType(4, 2));
    LogicalPlan rows = LocalRelation.fromExternalRows(ScalaTypes.columns(source), ScalaTypes.seq(new ArrayList<Row>()));
    List<Expression> arguments =
      List.of(new Literal(Integer.valueOf(50), DataTypes.IntegerType), (Expression) rows.output().apply(0));
    StructType types = new StructType().add("w", DataTypes.IntegerType).add("p", new DecimalType(4, 2));
    String function = null;
    for (Transform transform : Transform.all())
      if (transform.checksPrecision) function = transform.function;
    if (function == null) return null;
    ScalarFunction<?> bound = (ScalarFunction<?>) SparkFunctions.load(function).bind(types);
    Expression call = V2ExpressionUtils.resolveScalarFunction(bound, ScalaTypes.seq(arguments));
    Expression checked = new CheckOverflow(Calls.withheld(call), new DecimalType(4, 2), false);
    LogicalPlan plan = rewrite(new Filter(new IsNotNull(checked), rows));
    Object compared = ((IsNotNull) ((Filter) plan).condition()).child();
    return Calls.call(compared) != null ? null : "it leaves the check in a filter: " + plan;
  }
}
