package sparkicebergsql;

import java.util.Set;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.*;

/**
 * Comparisons that Iceberg's Parquet reader decides by Bloom filters, where it may read these in part: see BloomFilters.
 *
 * <p>Only =, <=> and IN ask them. A range with the value at both ends keeps the same rows, files and partitions, but for
 * those of buckets.
 */
public final class BloomComparisons {
  /** Types that Iceberg orders otherwise than Spark, or not at all. */
  private static final Set<String> UNORDERED = Set.of("UUID", "FLOAT", "DOUBLE", "BOOLEAN");

  private BloomComparisons() {}

  /** Whether an expression compares a column with a constant by such a filter. layout: of its table; may be null. */
  public static boolean isIn(Expression e, PartitionLayout layout) {
    boolean isEqual = e instanceof EqualTo || e instanceof EqualNullSafe;
    if (layout == null || !isEqual && !(e instanceof In) && !(e instanceof InSet)) return false;
    Expression column = OrcConstants.column(e);
    // Two columns are compared by a join.
    if (column == null || isEqual && !other(e, column).references().isEmpty()) return false;
    return layout.mayMissEqualValues(column);
  }

  /** Such a comparison as a range, or several; null if there is none that Iceberg takes for the same. */
  public static Expression ranges(Expression e, PartitionLayout layout) {
    Expression column = OrcConstants.column(e);
    Types.NestedField field = layout.field(column);
    if (field == null || UNORDERED.contains(field.type().typeId().name())) return null;
    if (e instanceof In || e instanceof InSet) {
      if (e.children().apply(0) != column) return null;
      Expression equal = Predicates.equalToAny(column, e);
      return equal == null ? null : ranges(equal, column);
    }
    return ranges(e, column);
  }

  private static Expression ranges(Expression e, Expression column) {
    if (e instanceof Or) {
      Expression left = ranges(((Or) e).left(), column), right = ranges(((Or) e).right(), column);
      return left == null || right == null ? null : new Or(left, right);
    }
    Expression value = other(e, column);
    if (!(value instanceof Literal) || ((Literal) value).value() == null) return null;
    Expression range = new And(new GreaterThanOrEqual(column, value), new LessThanOrEqual(column, value));
    return e instanceof EqualNullSafe && column.nullable() ? new And(new IsNotNull(column), range) : range;
  }

  /** The side of a comparison that is not the column. */
  private static Expression other(Expression e, Expression column) {
    return (Expression) e.children().apply(e.children().apply(0) == column ? 1 : 0);
  }
}
