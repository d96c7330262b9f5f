package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.Literal;

/**
 * Comparisons with constants that ORC's reader takes for another value, or in another order than ORC's writer.
 *
 * <p>The least and the greatest text of a stripe are those by their bytes, as in Spark. The reader compares the constant with them
 * as Java does, by UTF-16, in which what is beyond U+FFFF comes before U+E000. Both orders agree on a constant without such characters,
 * whatever the file has. A date before Christ is taken for the one of the same year after Christ.
 */
public final class OrcConstants {
  /** 1 January 1 as a day, and how far the calendars may be apart. */
  private static final int FIRST_DAY = -719162, APART = 20;

  private OrcConstants() {}

  /** Whether an expression is such a comparison. layout: of the column's table; may be null. */
  public static boolean isIn(Expression e, PartitionLayout layout) {
    if (layout == null || !(e instanceof BinaryComparison) && !(e instanceof In) && !(e instanceof InSet)) return false;
    Expression column = column(e);
    return column != null && isAmbiguous(e) && layout.mayMisorderConstants(column);
  }

  /** The column that is compared; null if there is none. */
  public static Expression column(Expression e) {
    for (Expression child : ScalaTypes.list(e.children()))
      if (PartitionLayout.isColumn(child)) return child;
    return null;
  }

  private static boolean isAmbiguous(Expression e) {
    for (Expression child : ScalaTypes.list(e.children()))
      if (child instanceof Literal && isAmbiguous(((Literal) child).value())) return true;
    if (e instanceof InSet)
      for (Object value : ScalaTypes.list(((InSet) e).hset()))
        if (isAmbiguous(value)) return true;
    return false;
  }

  private static boolean isAmbiguous(Object value) {
    if (value instanceof Integer) return ((Integer) value).intValue() < FIRST_DAY + APART;
    if (value == null) return false;
    String units = value.toString();
    for (int i = 0; i < units.length(); i++)
      if (units.charAt(i) >= Character.MIN_SURROGATE) return true;
    return false;
  }
}
