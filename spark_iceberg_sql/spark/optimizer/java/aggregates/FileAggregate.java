package sparkicebergsql;

import java.util.HashSet;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** An aggregate function, computed from the metadata of data files all of whose rows it aggregates. */
public final class FileAggregate {
  /** What is computed. ROWS counts them; DISTINCT counts values. */
  public enum Kind { ROWS, COUNT, MIN, MAX, DISTINCT }

  public final Kind kind;
  /** Null for ROWS. */
  public final Expression argument;
  private ConstantExpression constant;
  /** Of the column that is the argument; null if it is an expression. */
  private Types.NestedField field;

  private FileAggregate(Kind kind, Expression argument) {
    this.kind = kind;
    this.argument = argument;
  }

  /** argument: in the relation's columns; null if there is not exactly one. Null for other functions. */
  public static FileAggregate of(AggregateExpression e, Expression argument) {
    if (argument == null || e.filter().isDefined() || !e.mode().toString().equals("Complete")) return null;
    AggregateFunction function = e.aggregateFunction();
    if (function instanceof Min) return new FileAggregate(Kind.MIN, argument);
    if (function instanceof Max) return new FileAggregate(Kind.MAX, argument);
    if (!(function instanceof Count)) return null;
    if (e.isDistinct()) return new FileAggregate(Kind.DISTINCT, argument);
    boolean isLiteral = argument instanceof Literal && ((Literal) argument).value() != null;
    return isLiteral ? new FileAggregate(Kind.ROWS, null) : new FileAggregate(Kind.COUNT, argument);
  }

  /** Whether files may have it, as far as the schema tells. */
  public boolean isPlausible(PartitionLayout layout) {
    if (kind == Kind.ROWS) return true;
    if (kind == Kind.DISTINCT && argument.dataType().equals(DataTypes.DoubleType)) return false;
    if (argument instanceof AttributeReference && kind != Kind.DISTINCT) {
      Types.NestedField column = layout.field(argument);
      if (column == null) return false;
      if (kind == Kind.COUNT ? column.type().isPrimitiveType() : isExact(column)) return true;
    }
    return isOrdered(argument.dataType()) && ConstantExpression.isPlausible(argument, layout);
  }

  /** Values whose order and equality is that of Java's objects. */
  private static boolean isOrdered(DataType t) {
    return !t.equals(DataTypes.DoubleType) && !t.equals(DataTypes.FloatType)
      && (!t.typeName().startsWith("string") || t.equals(DataTypes.StringType));
  }

  /** Whether the bounds of a column are the values of rows: those of text are cut. */
  private static boolean isExact(Types.NestedField field) {
    return SnapshotFiles.isKnown(field.type()) && !field.type().equals(Types.StringType.get());
  }

  /** Prepares for the files of a snapshot. */
  public void bind(SnapshotFiles files) {
    if (kind == Kind.ROWS) return;
    constant = new ConstantExpression(argument, files);
    field = argument instanceof AttributeReference ? files.field(argument) : null;
  }

  /**
   * Its value over all rows of a file without deletes: a count, the least or greatest value, or the only value for
   * DISTINCT; null where no value is; UNKNOWN.
   */
  public Object of(DataFile file) {
    if (kind == Kind.ROWS) return Long.valueOf(file.recordCount());
    Object exact = bound(file);
    if (exact != null) return exact;
    Object value = constant.of(file);
    boolean isKnown = value != ConstantExpression.UNKNOWN;
    if (kind == Kind.COUNT && isKnown) return Long.valueOf(value == null ? 0 : file.recordCount());
    if (isKnown || field == null || kind == Kind.DISTINCT) return value;
    if (kind == Kind.COUNT) {
      Long nulls = ConstantExpression.nulls(file, field);
      boolean isCount = nulls != null && nulls.longValue() >= 0 && nulls.longValue() <= file.recordCount();
      return isCount ? Long.valueOf(file.recordCount() - nulls.longValue()) : ConstantExpression.UNKNOWN;
    }
    return ConstantExpression.UNKNOWN;
  }

  /** The bound that is the least or the greatest value; null if there is none, or another function. */
  private Object bound(DataFile file) {
    if (field == null || kind != Kind.MIN && kind != Kind.MAX || !isExact(field)) return null;
    // ORC's bounds of timestamps are rounded to milliseconds.
    if (file.format() != FileFormat.PARQUET) return null;
    return kind == Kind.MIN ? SnapshotFiles.lower(file, field) : SnapshotFiles.upper(file, field);
  }

  /** The state for no rows. */
  public Object empty() { return kind == Kind.DISTINCT ? new HashSet<Object>() : isCount() ? Long.valueOf(0) : null; }

  /** A state with the value of one more file. */
  @SuppressWarnings("unchecked")
  public Object with(Object state, Object value) {
    if (kind == Kind.DISTINCT) {
      if (value != null) ((Set<Object>) state).add(value);
      return state;
    }
    if (isCount()) return Long.valueOf(Math.addExact(((Long) state).longValue(), ((Long) value).longValue()));
    if (state == null || value == null) return state == null ? value : state;
    int order = ConstantExpression.compare(argument.dataType(), value, state);
    return (kind == Kind.MIN ? order < 0 : order > 0) ? value : state;
  }

  /** The function's value of a state. */
  public Object result(Object state) { return kind == Kind.DISTINCT ? Long.valueOf(((Set<?>) state).size()) : state; }

  private boolean isCount() { return kind == Kind.ROWS || kind == Kind.COUNT; }

  /** The function over the values that it has for parts of the rows; null if there is none. */
  public Expression merged(Attribute value) {
    switch (kind) {
      case MIN:
        return new Min(value).toAggregateExpression();
      case MAX:
        return new Max(value).toAggregateExpression();
      case DISTINCT:
        return null;
      default:
        // Not null, like a count.
        Expression sum = new Sum(value).toAggregateExpression();
        return new Coalesce(ScalaTypes.seq(java.util.List.of(sum, new Literal(Long.valueOf(0), DataTypes.LongType))));
    }
  }
}
