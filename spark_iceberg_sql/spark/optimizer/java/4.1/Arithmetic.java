package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.NumericEvalContext;

/** How Spark's own sums say what becomes of an overflow. */
public final class Arithmetic {
  private Arithmetic() {}

  /** It wraps, as in Java. */
  public static NumericEvalContext wrapping() { return new NumericEvalContext(EvalMode.LEGACY(), false); }
}
