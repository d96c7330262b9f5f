package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * A literal that says in EXPLAIN what the rule has done. To all else it is the literal that it extends.
 *
 * <p>A bound that no query wrote is shown as <code>2024-01-01 00:00:00 (implied)</code>, and a literal of the query as
 * <code>2024 (implies ts &gt;= ...)</code>. Executors know nothing of this class: it travels as a plain literal.
 */
public class ImpliedLiteral extends Literal {
  private static final long serialVersionUID = 1L;
  private final String note;

  public ImpliedLiteral(Object value, DataType type) { this(value, type, null); }

  /** note: what a literal of the query implies; null for a bound. */
  public ImpliedLiteral(Object value, DataType type, String note) {
    super(value, type);
    this.note = note;
  }

  /** A date, timestamp or whole number, as Spark holds them. */
  public static ImpliedLiteral of(long value, DataType type) {
    boolean narrow = type.equals(DataTypes.DateType) || type.equals(DataTypes.IntegerType);
    if (narrow) return new ImpliedLiteral(Integer.valueOf(Math.toIntExact(value)), type);
    return new ImpliedLiteral(Long.valueOf(value), type);
  }

  /** Whether an expression is a literal that no query wrote. */
  public static boolean isBound(Object e) { return e instanceof ImpliedLiteral && ((ImpliedLiteral) e).note == null; }

  @Override
  public String toString() { return super.toString() + (note == null ? " (implied)" : " (implies " + note + ")"); }

  protected Object writeReplace() { return new Literal(value(), dataType()); }
}
