package sparkicebergsql;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** How a comparison compares, by the simple names of Spark's classes. */
public enum Comparison {
  EQ("EqualTo", "EqualNullSafe"),
  NE,
  LT("LessThan"),
  LE("LessThanOrEqual"),
  GT("GreaterThan"),
  GE("GreaterThanOrEqual");

  private final String[] spark;

  Comparison(String... spark) { this.spark = spark; }

  /** Null where an expression is no comparison. */
  public static Comparison of(Expression e) { return (Comparison) Rows.BY_NAME.get(e.getClass().getSimpleName()); }

  /** The same with its sides exchanged. */
  public Comparison turned() {
    switch (this) {
      case LT:
        return GT;
      case LE:
        return GE;
      case GT:
        return LT;
      case GE:
        return LE;
      default:
        return this;
    }
  }

  /** A class of its own: with Janino values() is null while the enum itself is initialized. */
  private static final class Rows {
    static final Map<String, Comparison> BY_NAME = new HashMap<>();

    static {
      for (Comparison c : Comparison.values())
        for (String name : c.spark) BY_NAME.put(name, c);
    }
  }
}
