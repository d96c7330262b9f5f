package sparkicebergsql;

import org.apache.iceberg.spark.functions.SparkFunctions;
import org.apache.spark.sql.catalyst.expressions.ApplyFunctionExpression;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.StructType;

/**
 * A static call of one of Iceberg's functions. It does not contain the function, so Spark does not push it into the
 * scan. Iceberg's rule ReplaceStaticInvoke loads the function by its class, and its result is pushed down.
 */
public final class Invocation {
  private Invocation() {}

  public static boolean isPushed(StaticInvoke call) { return false; }

  /** The call in the form that is pushed down; the call itself if there is no function for its class. */
  public static Expression pushed(StaticInvoke call) {
    UnboundFunction function = SparkFunctions.loadFunctionByClass(call.staticObject());
    if (function == null) return call;
    StructType types = new StructType();
    for (int i = 0; i < call.arguments().size(); i++) {
      Expression argument = (Expression) call.arguments().apply(i);
      types = types.add("_" + i, argument.dataType(), argument.nullable());
    }
    BoundFunction bound = function.bind(types);
    if (!(bound instanceof ScalarFunction)) return call;
    return new ApplyFunctionExpression((ScalarFunction<?>) bound, call.arguments());
  }

  public static StaticInvoke plain(StaticInvoke call) { return call; }
}
