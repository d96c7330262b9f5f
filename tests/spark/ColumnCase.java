package sparkicebergsql.probes;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.And;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.expressions.Not;
import org.apache.iceberg.expressions.Or;
import org.apache.iceberg.expressions.UnboundPredicate;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** A column with a few values, and predicates of each operator on it, with their truth as Spark has it. */
public final class ColumnCase {
  public static final int ID = 1;
  public final String name, path;
  public final Type type;
  /** In Spark's order; null is the last one, unless the column is required. */
  public final List<Object> values = new ArrayList<>();
  public final Schema schema;
  public final boolean isNested;

  private ColumnCase(String name, Type type, boolean isNested, boolean isRequired, Object[] values) {
    this.name = name;
    this.type = type;
    this.isNested = isNested;
    this.values.addAll(Arrays.asList(values));
    if (!isRequired) this.values.add(null);
    Types.NestedField field =
      isRequired ? Types.NestedField.required(ID, "x", type) : Types.NestedField.optional(ID, "x", type);
    Types.NestedField struct = Types.NestedField.optional(2, "s", Types.StructType.of(new Types.NestedField[] {field}));
    schema = new Schema(new Types.NestedField[] {isNested ? struct : field});
    path = isNested ? "s.x" : "x";
  }

  private static ByteBuffer bytes(int a, int b) {
    byte[] all = {(byte) a, (byte) b};
    return ByteBuffer.wrap(b < 0 ? Arrays.copyOf(all, a < 0 ? 0 : 1) : all);
  }

  public static List<ColumnCase> all() {
    Object[] ints = {-7, 0, 5, 12};
    Object[] texts = {"", "a", "ab", "abc", "b"};
    return List.of(new ColumnCase("int", Types.IntegerType.get(), false, false, ints),
      new ColumnCase("required int", Types.IntegerType.get(), false, true, ints),
      new ColumnCase("struct field", Types.IntegerType.get(), true, false, ints),
      new ColumnCase("string", Types.StringType.get(), false, false, texts),
      new ColumnCase("required string", Types.StringType.get(), false, true, texts),
      new ColumnCase("double", Types.DoubleType.get(), false, false, new Object[] {-1.5, -0.0, 0.0, 2.5, Double.NaN}),
      new ColumnCase("decimal", Types.DecimalType.of(9, 2), false, false,
        new Object[] {new BigDecimal("-1.25"), new BigDecimal("0.00"), new BigDecimal("2.50")}),
      new ColumnCase("date", Types.DateType.get(), false, false, new Object[] {-40, 0, 1}),
      new ColumnCase(
        "timestamp", Types.TimestampType.withZone(), false, false, new Object[] {-1L, 0L, 86400000000L, 200000000000L}),
      new ColumnCase("binary", Types.BinaryType.get(), false, false,
        new Object[] {bytes(-1, -1), bytes(0, -1), bytes(0, 255), bytes(255, 0)}),
      new ColumnCase("uuid", Types.UUIDType.get(), false, false,
        new Object[] {new UUID(1L, 5L), new UUID(2L, -5L), new UUID(-3L, 7L)}));
  }

  /** Predicates by the name of their operator. */
  public Map<String, List<Expression>> predicates() {
    Map<String, List<Expression>> result = new LinkedHashMap<>();
    add(result, "isNull", Expressions.isNull(path));
    add(result, "notNull", Expressions.notNull(path));
    if (type.typeId() == Type.TypeID.DOUBLE) {
      add(result, "isNaN", Expressions.isNaN(path));
      add(result, "notNaN", Expressions.notNaN(path));
    }
    List<Object> constants = new ArrayList<>(values);
    constants.remove(null);
    constants.remove(Double.valueOf(Double.NaN));
    for (Object v : constants) {
      Expression lt = Expressions.lessThan(path, v), gt = Expressions.greaterThan(path, v);
      Expression lte = Expressions.lessThanOrEqual(path, v), gte = Expressions.greaterThanOrEqual(path, v);
      Expression eq = Expressions.equal(path, v);
      add(result, "lt", lt);
      add(result, "lte", lte);
      add(result, "gt", gt);
      add(result, "gte", gte);
      add(result, "eq", eq);
      add(result, "notEq", Expressions.notEqual(path, v));
      add(result, "not lt", Expressions.not(lt));
      add(result, "not eq", Expressions.not(eq));
      add(result, "eq or isNull", Expressions.or(eq, Expressions.isNull(path)));
      add(result, "lt or gt", Expressions.or(lt, gt));
      add(result, "notNull and lt", Expressions.and(Expressions.notNull(path), lt));
      add(result, "notNull and notEq", Expressions.and(Expressions.notNull(path), Expressions.notEqual(path, v)));
      for (Object w : constants) {
        if (v == w) continue;
        Expression in = Expressions.in(path, new Object[] {v, w});
        add(result, "in", in);
        add(result, "notIn", Expressions.notIn(path, new Object[] {v, w}));
        add(result, "not in", Expressions.not(in));
        add(result, "notNull and notIn",
          Expressions.and(Expressions.notNull(path), Expressions.notIn(path, new Object[] {v, w})));
        add(result, "not (gte and lte)", Expressions.not(Expressions.and(gte, Expressions.lessThanOrEqual(path, w))));
      }
    }
    if (type.typeId() != Type.TypeID.STRING) return result;
    for (String prefix : List.of("", "a", "ab", "b", "abcd")) {
      Expression starts = Expressions.startsWith(path, prefix), other = Expressions.notStartsWith(path, prefix);
      add(result, "startsWith", starts);
      add(result, "notStartsWith", other);
      add(result, "not startsWith", Expressions.not(starts));
      add(result, "notNull and notStartsWith", Expressions.and(Expressions.notNull(path), other));
    }
    return result;
  }

  private static void add(Map<String, List<Expression>> predicates, String operator, Expression e) {
    if (!predicates.containsKey(operator)) predicates.put(operator, new ArrayList<Expression>());
    ((List<Expression>) predicates.get(operator)).add(e);
  }

  /** The sets of at most so many values. */
  public List<List<Object>> rowSets(int maximum) {
    List<List<Object>> result = new ArrayList<>();
    for (int bits = 0; bits < 1 << values.size(); bits++) {
      if (Integer.bitCount(bits) > maximum) continue;
      List<Object> rows = new ArrayList<>();
      for (int i = 0; i < values.size(); i++)
        if ((bits & 1 << i) != 0) rows.add(values.get(i));
      result.add(rows);
    }
    return result;
  }

  public static boolean isNaN(Object value) { return value instanceof Double && ((Double) value).isNaN(); }

  /** In Spark's order. */
  public int compare(Object a, Object b) {
    if (a instanceof ByteBuffer) return Arrays.compareUnsigned(array((ByteBuffer) a), array((ByteBuffer) b));
    if (a instanceof CharSequence)
      return Arrays.compareUnsigned(
        a.toString().getBytes(StandardCharsets.UTF_8), b.toString().getBytes(StandardCharsets.UTF_8));
    if (a instanceof UUID) return a.toString().compareTo(b.toString());
    if (a instanceof Double) return Double.compare(((Double) a).doubleValue() + 0.0, ((Double) b).doubleValue() + 0.0);
    if (a instanceof Integer) return ((Integer) a).compareTo((Integer) b);
    if (a instanceof Long) return ((Long) a).compareTo((Long) b);
    return ((BigDecimal) a).compareTo((BigDecimal) b);
  }

  public static byte[] array(ByteBuffer buffer) {
    byte[] result = new byte[buffer.remaining()];
    ((ByteBuffer) buffer.duplicate()).get(result);
    return result;
  }

  /** Whether a predicate is true for a value of the column, as SQL has it; null if that is unknown. */
  public Boolean truth(Expression e, Object value) {
    if (e == Expressions.alwaysTrue() || e == Expressions.alwaysFalse()) return e == Expressions.alwaysTrue();
    if (e instanceof And) return all(truth(((And) e).left(), value), truth(((And) e).right(), value));
    if (e instanceof Or) return not(all(not(truth(((Or) e).left(), value)), not(truth(((Or) e).right(), value))));
    if (e instanceof Not) return not(truth(((Not) e).child(), value));
    UnboundPredicate<?> predicate = (UnboundPredicate<?>) e;
    if (predicate.op() == Expression.Operation.IS_NULL) return value == null;
    if (predicate.op() == Expression.Operation.NOT_NULL) return value != null;
    // As in Spark, a null is not NaN.
    if (predicate.op() == Expression.Operation.IS_NAN) return isNaN(value);
    if (value == null) return null;
    switch (predicate.op()) {
      case NOT_NAN:
        return !isNaN(value);
      case IN:
        return isIn(predicate, value);
      case NOT_IN:
        return !isIn(predicate, value);
      case STARTS_WITH:
        return value.toString().startsWith(predicate.literal().value().toString());
      case NOT_STARTS_WITH:
        return !value.toString().startsWith(predicate.literal().value().toString());
      default:
        return compared(predicate.op(), compare(value, predicate.literal().value()));
    }
  }

  private static Boolean compared(Expression.Operation op, int order) {
    switch (op) {
      case LT:
        return order < 0;
      case LT_EQ:
        return order <= 0;
      case GT:
        return order > 0;
      case GT_EQ:
        return order >= 0;
      case EQ:
        return order == 0;
      case NOT_EQ:
        return order != 0;
      default:
        throw new IllegalArgumentException(op.toString());
    }
  }

  private boolean isIn(UnboundPredicate<?> predicate, Object value) {
    for (Object literal : predicate.literals())
      if (compare(value, ((Literal<?>) literal).value()) == 0) return true;
    return false;
  }

  private static Boolean all(Boolean a, Boolean b) {
    if (Boolean.FALSE.equals(a) || Boolean.FALSE.equals(b)) return Boolean.FALSE;
    return a == null || b == null ? null : Boolean.TRUE;
  }

  private static Boolean not(Boolean a) { return a == null ? null : Boolean.valueOf(!a.booleanValue()); }

  public boolean isTrue(Expression e, Object value) { return Boolean.TRUE.equals(truth(e, value)); }
}
