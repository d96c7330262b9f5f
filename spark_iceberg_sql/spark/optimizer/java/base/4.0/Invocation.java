package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import scala.Option;

/** A static call of one of Iceberg's functions, which Spark pushes into the scan if it contains the function. */
public final class Invocation {
  private Invocation() {}

  public static boolean isPushed(StaticInvoke call) { return !call.scalarFunction().isEmpty(); }

  /** The call in the form that is pushed down. */
  public static Expression pushed(StaticInvoke call) { return call; }

  /** The call without its function. */
  public static StaticInvoke plain(StaticInvoke s) {
    return new StaticInvoke(s.staticObject(), s.dataType(), s.functionName(), s.arguments(), s.inputTypes(),
      s.propagateNull(), s.returnNullable(), s.isDeterministic(), Option.empty());
  }
}
