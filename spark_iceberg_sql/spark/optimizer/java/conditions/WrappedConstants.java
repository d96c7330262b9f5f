package sparkicebergsql;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.KnownNullable;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.types.DataTypes;

/**
 * Comparisons of a column with constants where partition values overflow (see PartitionOverflow).
 *
 * <p>Iceberg transforms the constant as it transforms values. So <code>v &gt; -2147483648</code> is no range of the values
 * of truncate(1000, v), whatever the files have: that constant becomes 2147483296.
 */
public final class WrappedConstants {
  private WrappedConstants() {}

  /** Whether a comparison of order has a constant whose transform wraps around. */
  public static boolean isIn(Expression e, PartitionLayout layout) {
    Expression column = column(e);
    if (column == null || layout == null || layout.wrapping(column) == null) return false;
    Object constant = constant(e, column).value();
    if (!(constant instanceof Number)) return false;
    boolean isLong = column.dataType().equals(DataTypes.LongType);
    boolean isWhole = isLong || column.dataType().equals(DataTypes.IntegerType);
    for (String transform : layout.transformsOf(column))
      if (PartitionOverflow.isBeyond(transform, isWhole, isLong, ((Number) constant).longValue())) return true;
    return false;
  }

  /** Whether a comparison of order has a time since 1970 as its constant: no time before is counted beyond 1970. */
  public static boolean isSince1970(Expression e) {
    Expression column = column(e);
    Object value = column == null ? null : constant(e, column).value();
    return value instanceof Long && ((Long) value).longValue() >= 0;
  }

  /** Whether a condition has such a comparison anywhere. */
  public static boolean areIn(Expression e, PartitionLayout layout) {
    if (isIn(e, layout)) return true;
    for (Expression child : ScalaTypes.list(e.children()))
      if (areIn(child, layout)) return true;
    return false;
  }

  /** The column that &lt;, &lt;=, &gt; or &gt;= compares with a literal; null for any other expression. */
  public static Expression column(Expression e) {
    boolean isOrder = e instanceof LessThan || e instanceof LessThanOrEqual || e instanceof GreaterThan
      || e instanceof GreaterThanOrEqual;
    if (!isOrder) return null;
    Expression left = child(e, 0), right = child(e, 1);
    if (PartitionLayout.isColumn(left)) return right instanceof Literal ? left : null;
    return PartitionLayout.isColumn(right) && left instanceof Literal ? right : null;
  }

  /** The literal that a column is compared with. */
  private static Literal constant(Expression e, Expression column) {
    return (Literal) (column == child(e, 0) ? child(e, 1) : child(e, 0));
  }

  private static Expression child(Expression e, int i) { return (Expression) e.children().apply(i); }

  /**
   * A comparison of a column with constants, so that the files whose values of truncate have wrapped around are read for it; null
   * if it is none.
   *
   * <p>Their bounds are right.
   */
  public static Expression keeping(Expression e, PartitionLayout layout) {
    if (e instanceof EqualTo || e instanceof EqualNullSafe || e instanceof In || e instanceof InSet) {
      // What a value equals has the same partition value, also if that has wrapped around.
      for (Expression child : ScalaTypes.list(e.children()))
        if (!PartitionLayout.isColumn(child) && child.references().size() > 0) return null;
      return e;
    }
    Expression column = column(e);
    if (column == null || constant(e, column).value() == null) return null;
    Literal constant = constant(e, column);
    Literal bound = new ImpliedLiteral(constant.value(), constant.dataType());
    Expression range = compared(e, column, column, bound);
    for (Expression wrapped : wrapped(column, layout)) range = new Or(range, wrapped);
    return new And(compared(e, column, new KnownNullable(column), constant), range);
  }

  // Iceberg transforms both ends of such a range to the one value that wrapped around, and keeps the range itself as the
  // condition on the rows and on a file's groups of rows.

  /** For each width of truncate, the range of the values for which it wraps around. */
  private static List<Expression> wrapped(Expression column, PartitionLayout layout) {
    boolean isLong = column.dataType().equals(DataTypes.LongType);
    List<Expression> ranges = new ArrayList<>();
    for (String transform : new LinkedHashSet<String>(layout.transformsOf(column))) {
      long width = PartitionOverflow.width(transform, true);
      if (width == 0 || !PartitionOverflow.wraps(width, isLong)) continue;
      ranges.add(
        new And(new GreaterThanOrEqual(column, ImpliedLiteral.of(PartitionOverflow.minimum(isLong), column.dataType())),
          new LessThanOrEqual(
            column, ImpliedLiteral.of(PartitionOverflow.lastWrapped(width, isLong), column.dataType()))));
    }
    return ranges;
  }

  // A new node: `withNewChildren` would keep the old one, since for Spark an added literal equals the query's.
  private static Expression compared(Expression e, Expression column, Expression operand, Expression constant) {
    boolean isLeft = column == child(e, 0);
    Expression left = isLeft ? operand : constant, right = isLeft ? constant : operand;
    if (e instanceof LessThan) return new LessThan(left, right);
    if (e instanceof LessThanOrEqual) return new LessThanOrEqual(left, right);
    return e instanceof GreaterThan ? (Expression) new GreaterThan(left, right) : new GreaterThanOrEqual(left, right);
  }
}
