package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.EvalMode;
import scala.Enumeration;

/** The overflow mode of Spark's arithmetic expressions. */
public final class Arithmetic {
  private Arithmetic() {}

  /** Overflow wraps, as in Java. */
  public static Enumeration.Value wrapping() { return EvalMode.LEGACY(); }
}
