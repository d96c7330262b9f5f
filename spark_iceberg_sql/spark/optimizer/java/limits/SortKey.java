package sparkicebergsql;

import java.util.Map;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StringType;

/**
 * What rows are sorted by: a column, or an expression that is monotonic in one, such as iceberg_days(ts) or
 * date_trunc('month', ts).
 */
public final class SortKey {
  public final Expression expression, column;
  public final Types.NestedField field;
  /** Null for the column itself. */
  private final SingleColumnFunction function;
  /** The call of a transform of the column that preserves the order of all its values, or null. */
  private final Expression call;

  private SortKey(Expression expression, Expression column, Types.NestedField field) {
    this.expression = expression;
    this.column = column;
    this.field = field;
    function = PartitionLayout.isColumn(expression) ? null : new SingleColumnFunction(expression, column);
    call = orderedSource(expression) == null ? null : Calls.call(expression);
  }

  /** Null if the column's bounds cannot be relied on. expression: one for which there is a {@link #column}. */
  public static SortKey of(Expression expression, SnapshotFiles files) {
    return of(expression, files.field(column(expression)));
  }

  /** By bounds that may be wrong, which can show that nothing is to be gained; the check of them reads all manifests. */
  public static SortKey unchecked(Expression expression, SnapshotFiles files) {
    return of(expression, files.uncheckedField(column(expression)));
  }

  private static SortKey of(Expression expression, Types.NestedField field) {
    Expression column = column(expression);
    if (field == null || !SnapshotFiles.isKnown(field.type())) return null;
    SortKey key = new SortKey(expression, column, field);
    // Rows whose column is null must come where Spark sorts nulls.
    return key.function != null && key.function.of(null) != null ? null : key;
  }

  /** The column of an expression over which it is monotonic; null if there is none. */
  public static Expression column(Expression e) {
    if (PartitionLayout.isColumn(e)) return e;
    Expression source = orderedSource(e);
    if (source != null) return source;
    if (e.dataType() instanceof StringType && !MonotonicExpression.isText(e)) return null;
    MonotonicExpression steps = MonotonicExpression.of(e);
    return steps == null ? null : steps.column;
  }

  /** The column in the call of a transform that preserves the order of all values; null for any other expression. */
  private static Expression orderedSource(Expression e) {
    Expression call = Calls.call(e);
    Transform transform = call == null || PartitionLayout.transform(call) == null ? null : Transform.of(call);
    if (transform == null || !transform.preservesOrder) return null;
    Expression source = PartitionLayout.source(call);
    return source == null || transform.wraps(source.dataType()) ? null : source;
  }

  /** The key of a row with this value of the column. */
  public Object value(Object columnValue) { return function == null ? columnValue : function.of(columnValue); }

  /** Whether {@link #value} preserves the order of all values, at any time and without exceptions. */
  public boolean isOrdered() {
    // Iceberg counts some times before 1970 to the unit before: see PartitionOverflow.
    return function == null || call != null && (Transform.of(call).unit == null || isDate());
  }

  private boolean isDate() { return column.dataType().equals(DataTypes.DateType); }

  /**
   * The values of the column for which the key may come after a value; null if that is not known.
   *
   * @param isDescending whether greater keys come first
   */
  public Intervals later(Object value, boolean isDescending) {
    Literal literal = new Literal(value, expression.dataType());
    return solved(isDescending ? new LessThan(expression, literal) : new GreaterThan(expression, literal));
  }

  private Intervals solved(Expression comparison) {
    Map<Expression, ImpliedRanges.ColumnRanges> ranges = new ImpliedRanges(null, false).of(comparison);
    ImpliedRanges.ColumnRanges ofColumn = (ImpliedRanges.ColumnRanges) ranges.get(column.canonicalized());
    return ofColumn == null ? null : ofColumn.values;
  }

  /**
   * A condition on the column that all rows satisfy whose key is not after a value; null if there is none.
   *
   * @param value null for the rows without a key
   * @param isDescending whether greater keys come first
   * @param withNulls whether rows without a key satisfy it as well
   */
  public Expression notAfter(Object value, boolean isDescending, boolean withNulls, PartitionLayout layout) {
    Expression range = value == null ? null : range(value, isDescending, layout);
    if (value != null && range == null) return null;
    Expression isNull = new IsNull(column), result = range == null ? isNull : range;
    if (range != null && column.nullable()) {
      // For Iceberg, a partition value of null is below all others.
      result = withNulls ? (Expression) new Or(range, isNull) : new And(new IsNotNull(column), range);
    }
    if (function == null) return result;
    boolean isPrecise = call == null || !(column.dataType() instanceof DecimalType);
    if (withNulls && !isPrecise) return null; // null where the truncated value has too many digits
    if (call != null) return result;
    Expression kept = value == null ? null : compared(expression, value, isDescending);
    if (withNulls) kept = kept == null ? new IsNull(expression) : new Or(kept, new IsNull(expression));
    return CounterexampleSearch.finds(kept, result, column) ? null : result;
  }

  private Expression range(Object value, boolean isDescending, PartitionLayout layout) {
    if (function == null) return compared(column, value, isDescending);
    if (MonotonicExpression.of(expression) != null) {
      Intervals values = solved(compared(expression, value, isDescending));
      return values == null ? null : values.coarse().condition(column, Intervals.ALL);
    }
    // A truncated value is a lower bound of the value.
    if (Transform.of(call).truncates && isDescending) return compared(column, value, true);
    return layout.isCorrectFor(call) ? compared(Calls.offered(call), value, isDescending) : null;
  }

  private static Expression compared(Expression e, Object value, boolean isDescending) {
    Literal literal = new ImpliedLiteral(value, e.dataType());
    return isDescending ? (Expression) new GreaterThanOrEqual(e, literal) : new LessThanOrEqual(e, literal);
  }
}
