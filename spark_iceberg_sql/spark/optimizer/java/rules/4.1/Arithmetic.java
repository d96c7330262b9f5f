package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.NumericEvalContext;

/** The overflow mode of Spark's arithmetic expressions. */
public final class Arithmetic {
  private Arithmetic() {}

  /** Overflow wraps, as in Java. */
  public static NumericEvalContext wrapping() { return new NumericEvalContext(EvalMode.LEGACY(), false); }
}
