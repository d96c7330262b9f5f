package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.util.TypeUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import scala.math.Ordering;

/**
 * The value of an expression over the rows of a data file, where it is the same for all of them: by the file's partition
 * tuple, by equal bounds, or since a monotonic expression has one value at both bounds.
 *
 * <p>Invariant: {@link #of} a file is the value for each of its rows, deleted ones included, or UNKNOWN.
 */
public final class ConstantExpression {
  /** Not a value: the rows may differ. */
  public static final Object UNKNOWN = new Object();
  /** How many ranges of one value are kept while a query is planned. */
  private static final int RANGES = 10000;

  private final Expression expression;
  private final SnapshotFiles files;
  /** Null if no partition field has its values. */
  private PartitionFieldTerm term;
  /** Of a column with bounds; null for any other expression. */
  private Types.NestedField field;
  /** The argument of a monotonic expression, and the expression as its function; null for any other. */
  private MonotonicExpression monotonic;
  private Types.NestedField source;
  private SingleColumnFunction function;
  private final List<ConstantExpression> children = new ArrayList<>();
  /** The expression over a row of its children's values. */
  private Expression bound;
  /** By their lower ends, ranges of the monotonic expression's column in which it has one value. */
  private final TreeMap<Long, ConstantRange> ranges = new TreeMap<>();

  /** Up to an upper end, its values are one. */
  private static final class ConstantRange {
    long upper;
    final Object value;

    ConstantRange(long upper, Object value) {
      this.upper = upper;
      this.value = value;
    }
  }

  public ConstantExpression(Expression e, SnapshotFiles files) {
    expression = e;
    this.files = files;
    if (e instanceof Literal || !Predicates.isEvaluable(e)) return;
    if (e instanceof AttributeReference || Calls.call(e) != null) term = PartitionFieldTerm.of(e, files);
    if (e instanceof AttributeReference) {
      field = trusted(e);
      return;
    }
    monotonic = monotonic(e);
    source = monotonic == null ? null : trusted(monotonic.column);
    if (source != null) function = new SingleColumnFunction(e, monotonic.column);
    List<Expression> inputs = new ArrayList<>();
    int index = 0;
    for (Expression child : arguments(e)) {
      // Literals stay: Spark takes some arguments, such as formats, from them alone.
      if (!(child instanceof Literal)) children.add(new ConstantExpression(child, files));
      inputs.add(child instanceof Literal ? child : new BoundReference(index++, child.dataType(), true));
    }
    Expression call = Calls.call(e), evaluated = call == null ? e : Calls.plain(call);
    if (!children.isEmpty()) bound = (Expression) evaluated.withNewChildren(ScalaTypes.seq(inputs));
  }

  private Types.NestedField trusted(Expression column) {
    Types.NestedField result = column instanceof AttributeReference ? files.field(column) : null;
    return result != null && SnapshotFiles.isKnown(result.type()) ? result : null;
  }

  /** The children of an expression; a month has one value where its date, truncated to months, has. */
  private static List<Expression> arguments(Expression e) {
    Expression call = Calls.call(e);
    List<Expression> children = ScalaTypes.list((call == null ? e : call).children());
    ExpressionKind kind = ExpressionKind.of(e);
    Expression x = kind == null || kind.grain == null ? null : (Expression) children.get(0);
    if (x == null) return children;
    if (kind.grain == ExpressionKind.Grain.MONTHS && x.dataType().equals(DataTypes.DateType))
      return List.of((Expression) new TruncDate(x, text("MONTH")));
    if (kind == ExpressionKind.HOUR && x.dataType().equals(DataTypes.TimestampType))
      return List.of((Expression) new TruncTimestamp(text("HOUR"), x, ((TimeZoneAwareExpression) e).timeZoneId()));
    return children;
  }

  private static Literal text(String unit) { return new Literal(UTF8String.fromString(unit), DataTypes.StringType); }

  /** An expression, or its comparison with a literal, as monotonic in a column; null if it is not. */
  private static MonotonicExpression monotonic(Expression e) {
    boolean isRange = e instanceof LessThan || e instanceof LessThanOrEqual || e instanceof GreaterThan
      || e instanceof GreaterThanOrEqual;
    if (!isRange) return MonotonicExpression.of(e);
    Expression left = (Expression) ((BinaryComparison) e).left(), right = (Expression) ((BinaryComparison) e).right();
    return right instanceof Literal ? MonotonicExpression.of(left)
      : left instanceof Literal     ? MonotonicExpression.of(right)
                                    : null;
  }

  /**
   * Whether files are likely to have one value of it, as far as the table's specs and schema tell: the manifests are
   * not read for that.
   */
  public static boolean isPlausible(Expression e, PartitionLayout layout) {
    if (e instanceof Literal) return true;
    if (!Predicates.isEvaluable(e)) return false;
    if (e instanceof AttributeReference) {
      Types.NestedField field = layout.field(e);
      if (field == null || !SnapshotFiles.isKnown(field.type())) return false;
      return e.dataType().equals(DataTypes.DateType) || layout.isField(e);
    }
    MonotonicExpression m = monotonic(e);
    if (m != null && m.column instanceof AttributeReference && layout.field(m.column) != null) return true;
    if (Calls.call(e) != null) {
      Expression column = PartitionLayout.source(Calls.call(e));
      return column instanceof AttributeReference && layout.transformsOf(column).contains(PartitionLayout.transform(e));
    }
    boolean isPlausible = !e.children().isEmpty();
    for (Expression child : arguments(e)) isPlausible &= isPlausible(child, layout);
    return isPlausible;
  }

  /** The partition field that has its values; null if none has. */
  public PartitionFieldTerm term() { return term; }

  /** The value for all rows of a file, whose bounds of the expression's columns are loaded; or UNKNOWN. */
  public Object of(DataFile file) {
    try {
      return value(file);
    } catch (RuntimeException e) {
      return UNKNOWN; // the query itself fails, if it reads such rows
    }
  }

  private Object value(DataFile file) {
    if (expression instanceof Literal) return ((Literal) expression).value();
    if (term != null) {
      PartitionSpec spec = (PartitionSpec) files.table.specs().get(Integer.valueOf(file.specId()));
      if (term.index(spec) >= 0) return PartitionFieldTerm.values(List.of(term), spec, file.partition()).get(0);
    }
    if (field != null) return ofColumn(file);
    Object result = UNKNOWN;
    if (source != null) result = ofSource(file);
    return result == UNKNOWN && bound != null ? ofChildren(file) : result;
  }

  private Object ofColumn(DataFile file) {
    Long nulls = nulls(file, field);
    if (nulls == null) return UNKNOWN;
    if (nulls.longValue() == file.recordCount()) return null;
    Object lower = SnapshotFiles.lower(file, field), upper = SnapshotFiles.upper(file, field);
    return nulls.longValue() == 0 && lower != null && lower.equals(upper) ? lower : UNKNOWN;
  }

  /** The number of nulls of a field in a file; null if it is unknown. */
  public static Long nulls(DataFile file, Types.NestedField field) {
    Long nulls = SnapshotFiles.nulls(file, field);
    return nulls == null && field.isRequired() ? Long.valueOf(0) : nulls;
  }

  /** By the bounds of the column that the expression is monotonic in. */
  private Object ofSource(DataFile file) {
    Long nulls = nulls(file, source);
    if (nulls == null || nulls.longValue() != 0) return UNKNOWN;
    Object lower = SnapshotFiles.lower(file, source), upper = SnapshotFiles.upper(file, source);
    if (!(lower instanceof Number) || !(upper instanceof Number)) return UNKNOWN;
    return ofRange(((Number) lower).longValue(), ((Number) upper).longValue());
  }

  /** Files of one day lie within a few ranges: each is evaluated once. */
  private Object ofRange(long lower, long upper) {
    Map.Entry<Long, ConstantRange> floor = ranges.floorEntry(Long.valueOf(lower));
    ConstantRange range = floor == null ? null : (ConstantRange) floor.getValue();
    if (range != null && upper <= range.upper) return range.value;
    List<Object> values = atTurningPoints(lower, upper);
    if (values == null || !isSame(values)) return UNKNOWN;
    Object value = values.get(0);
    if (range != null && range.value.equals(value)) {
      List<Object> all = atTurningPoints(((Long) floor.getKey()).longValue(), upper);
      if (all != null && isSame(all)) range.upper = upper;
    }
    if (range != null && range.upper == upper) return value;
    if (ranges.size() < RANGES) ranges.put(Long.valueOf(lower), new ConstantRange(upper, value));
    return value;
  }

  /** Between these values are those of all rows whose column is not null; null if that is not certain. */
  private List<Object> atTurningPointsOfBounds(DataFile file) {
    Object lower = SnapshotFiles.lower(file, source), upper = SnapshotFiles.upper(file, source);
    if (!(lower instanceof Number) || !(upper instanceof Number)) return null;
    return atTurningPoints(((Number) lower).longValue(), ((Number) upper).longValue());
  }

  private List<Object> atTurningPoints(long lower, long upper) {
    List<Long> points = monotonic.turningPoints(lower, upper);
    if (points == null) return null;
    List<Object> values = new ArrayList<>();
    for (Long point : points) {
      Object value = function.at(point.longValue());
      if (value == null) return null;
      values.add(value);
    }
    return values;
  }

  private static boolean isSame(List<Object> values) {
    for (Object value : values)
      if (!value.equals(values.get(0))) return false;
    return true;
  }

  private Object ofChildren(DataFile file) {
    boolean isAnd = expression instanceof And, isOr = expression instanceof Or, isComplete = true;
    Object[] values = new Object[children.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = ((ConstantExpression) children.get(i)).of(file);
      if (isAnd && Boolean.FALSE.equals(values[i]) || isOr && Boolean.TRUE.equals(values[i])) return values[i];
      isComplete &= values[i] != UNKNOWN;
      if (!isComplete && !isAnd && !isOr) return UNKNOWN;
    }
    return isComplete ? bound.eval(new GenericInternalRow(values)) : UNKNOWN;
  }

  /**
   * The least and the greatest value of the rows of a file where it is not null, and as a third whether it may be null;
   * null if that is unknown.
   */
  public Object[] range(DataFile file) {
    Object value = of(file);
    if (value != UNKNOWN) return new Object[] {value, value, Boolean.valueOf(value == null)};
    Types.NestedField column = field == null ? source : field;
    if (column == null) return null;
    List<Object> values = null;
    try {
      if (field == null) values = atTurningPointsOfBounds(file);
    } catch (RuntimeException e) {
      return null;
    }
    Object lower = SnapshotFiles.lower(file, column), upper = SnapshotFiles.upper(file, column);
    if (field != null && lower != null && upper != null) values = List.of(lower, upper);
    if (values == null) return null;
    Object minimum = values.get(0), maximum = minimum;
    for (Object v : values) {
      if (compare(expression.dataType(), v, minimum) < 0) minimum = v;
      if (compare(expression.dataType(), v, maximum) > 0) maximum = v;
    }
    Long nulls = nulls(file, column);
    return new Object[] {minimum, maximum, Boolean.valueOf(nulls == null || nulls.longValue() != 0)};
  }

  /** In Spark's order of a type. */
  public static int compare(DataType type, Object a, Object b) {
    return ((Ordering<Object>) TypeUtils.getInterpretedOrdering(type)).compare(a, b);
  }
}
