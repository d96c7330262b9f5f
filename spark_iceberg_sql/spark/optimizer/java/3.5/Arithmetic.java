package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.EvalMode;
import scala.Enumeration;

/** How Spark's own sums say what becomes of an overflow. */
public final class Arithmetic {
  private Arithmetic() {}

  /** It wraps, as in Java. */
  public static Enumeration.Value wrapping() { return EvalMode.LEGACY(); }
}
