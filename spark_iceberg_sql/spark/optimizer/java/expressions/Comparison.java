package sparkicebergsql;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** The comparison operators, by the simple names of Spark's classes. */
public enum Comparison {
  EQ("EqualTo", "EqualNullSafe"),
  NE,
  LT("LessThan"),
  LE("LessThanOrEqual"),
  GT("GreaterThan"),
  GE("GreaterThanOrEqual");

  private final String[] spark;

  Comparison(String... spark) { this.spark = spark; }

  /** Null if an expression is not a comparison. */
  public static Comparison of(Expression e) { return (Comparison) Rows.BY_NAME.get(e.getClass().getSimpleName()); }

  /** The operator with its operands swapped. */
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

  /** A separate class: with Janino, values() is null while the enum is initialized. */
  private static final class Rows {
    static final Map<String, Comparison> BY_NAME = new HashMap<>();

    static {
      for (Comparison c : Comparison.values())
        for (String name : c.spark) BY_NAME.put(name, c);
    }
  }
}
