package sparkicebergsql;

import static sparkicebergsql.Comparison.*;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The ranges that a predicate implies for each column: rows outside them cannot satisfy it.
 *
 * <p>A comparison of a monotonic expression (see MonotonicExpression) with a literal is solved by bisection: Spark
 * evaluates the user's own expression for about sixty values of the column, so a bound is correct for the time zone,
 * calendar and ANSI mode of the query. If an evaluation fails or returns null, nothing is implied.
 */
public final class ImpliedRanges {
  /** With more values than this in IN, their span is used. */
  private static final int MAXIMUM_VALUES = 16;

  private final PartitionLayout layout;
  private final boolean isLiteralOnly;

  /** A column and what is implied for it. */
  public static final class ColumnRanges {
    public final Expression column;
    public Intervals values;
    ColumnRanges(Expression column, Intervals values) {
      this.column = column;
      this.values = values;
    }
  }

  /** layout: of the filtered table, or null. isLiteralOnly: only comparisons of the columns themselves count. */
  public ImpliedRanges(PartitionLayout layout, boolean isLiteralOnly) {
    this.layout = layout;
    this.isLiteralOnly = isLiteralOnly;
  }

  /** The column's canonical expression to its ranges; empty where nothing is implied. */
  public Map<Expression, ColumnRanges> of(Expression predicate) {
    if (predicate instanceof And) {
      Map<Expression, ColumnRanges> result = new LinkedHashMap<>();
      List<Expression> unsolved = new ArrayList<>();
      for (Expression c : Predicates.conjuncts(predicate)) {
        Map<Expression, ColumnRanges> ofConjunct = of(c);
        if (ofConjunct.isEmpty()) unsolved.add(c);
        for (Expression key : ofConjunct.keySet()) {
          ColumnRanges added = (ColumnRanges) ofConjunct.get(key), ranges = (ColumnRanges) result.get(key);
          if (ranges == null) result.put(key, added);
          else ranges.values = ranges.values.intersect(added.values);
        }
      }
      for (ColumnRanges f : result.values())
        if (!isLiteralOnly) f.values = CyclicParts.refine(f.values, f.column, unsolved);
      return result;
    }
    if (predicate instanceof Or) {
      Map<Expression, ColumnRanges> left = of(((Or) predicate).left()), result = new LinkedHashMap<>();
      if (left.isEmpty()) return left;
      Map<Expression, ColumnRanges> right = of(((Or) predicate).right());
      for (Expression key : left.keySet()) {
        ColumnRanges a = (ColumnRanges) left.get(key), b = (ColumnRanges) right.get(key);
        if (b != null) put(result, new ColumnRanges(a.column, a.values.union(b.values)));
      }
      return result;
    }
    Map<Expression, ColumnRanges> result = new LinkedHashMap<>();
    try {
      put(result, atom(predicate));
    } catch (RuntimeException e) {
      // After an overflow, an invalid date or a null, nothing is implied.
    }
    return result;
  }

  private static void put(Map<Expression, ColumnRanges> result, ColumnRanges ranges) {
    if (ranges != null && !ranges.values.isAll()) result.put(ranges.column.canonicalized(), ranges);
  }

  private ColumnRanges atom(Expression e) {
    if (e instanceof Not) {
      Expression c = ((Not) e).child();
      if (c instanceof EqualTo) return comparison((BinaryComparison) c, NE);
      List<Object> values = values(c);
      if (values == null || values.size() > MAXIMUM_VALUES) return null;
      ColumnRanges ranges = null;
      for (Object v : values) {
        ColumnRanges solved = solve((Expression) c.children().apply(0), NE, v);
        if (solved == null) return null;
        if (ranges == null) ranges = solved;
        else ranges.values = ranges.values.intersect(solved.values);
      }
      return ranges;
    }
    Comparison op = Comparison.of(e);
    if (op != null) return comparison((BinaryComparison) e, op);
    if (e instanceof StartsWith || e instanceof Like) return prefix(e);
    List<Object> values = values(e);
    if (values == null || values.isEmpty()) return null;
    Expression f = (Expression) e.children().apply(0);
    if (values.size() > MAXIMUM_VALUES) {
      Object minimum = values.get(0), maximum = minimum;
      for (Object v : values) {
        if (compare(v, minimum) < 0) minimum = v;
        if (compare(v, maximum) > 0) maximum = v;
      }
      ColumnRanges from = solve(f, GE, minimum), to = solve(f, LE, maximum);
      return from == null || to == null ? null : new ColumnRanges(from.column, from.values.intersect(to.values));
    }
    ColumnRanges ranges = null;
    for (Object v : values) {
      ColumnRanges solved = solve(f, EQ, v);
      if (solved == null) return null;
      if (ranges == null) ranges = solved;
      else ranges.values = ranges.values.union(solved.values);
    }
    return ranges;
  }

  /** The non-null values of IN; null if it is not an IN, or not over literals. */
  private static List<Object> values(Expression e) {
    List<Object> result = new ArrayList<>();
    if (e instanceof In) {
      DataType type = ((In) e).value().dataType();
      for (Expression x : ScalaTypes.list(((In) e).list())) {
        if (!(x instanceof Literal) || !((Literal) x).dataType().equals(type)) return null;
        if (((Literal) x).value() != null) result.add(((Literal) x).value());
      }
      return result;
    }
    if (!(e instanceof InSet)) return null;
    for (Object v : ScalaTypes.list(((InSet) e).hset()))
      if (v != null) result.add(v);
    return result;
  }

  private ColumnRanges comparison(BinaryComparison c, Comparison op) {
    boolean literalRight = c.right() instanceof Literal;
    Expression f = (Expression) c.children().apply(literalRight ? 0 : 1);
    Expression l = (Expression) c.children().apply(literalRight ? 1 : 0);
    if (!(l instanceof Literal) || ((Literal) l).value() == null || !l.dataType().equals(f.dataType())) return null;
    if (!literalRight) op = op.turned();
    return solve(f, op, ((Literal) l).value());
  }

  private ColumnRanges solve(Expression f, Comparison op, Object value) {
    MonotonicExpression s = steps(f);
    if (s == null) return null;
    if (s.direction < 0) op = op.turned();
    if (s.count == 0) {
      long v = ((Number) value).longValue();
      if (v == Intervals.MAXIMUM) return null;
      Intervals below = Intervals.of(Intervals.MINIMUM, op == LE ? v + 1 : v);
      Intervals above = Intervals.of(op == GE ? v : v + 1, Intervals.MAXIMUM);
      if (op == EQ) return new ColumnRanges(f, Intervals.of(v, v + 1));
      return new ColumnRanges(f, op == NE ? below.union(above) : op == LT || op == LE ? below : above);
    }
    Crossing c = new Crossing(s, f, value);
    if (op == NE) return new ColumnRanges(s.column, c.values(LT).union(c.values(GT)));
    return new ColumnRanges(s.column, c.values(op));
  }

  /** Null if nothing is known, or if Iceberg prunes itself, since the expression is a partition field. */
  private MonotonicExpression steps(Expression f) {
    if (f instanceof Literal || f.dataType() instanceof StringType && !MonotonicExpression.isText(f)) return null;
    if (isLiteralOnly && !PartitionLayout.isColumn(f)) return null;
    MonotonicExpression s = MonotonicExpression.of(f);
    if (s == null || layout == null) return s;
    String transform = PartitionLayout.transform(f);
    boolean isPushed =
      transform != null && layout.isFieldOfAllSpecs(s.column, transform) && layout.faults(s.column).isEmpty();
    Transform wrapping = layout.wrapping(s.column);
    return isPushed || wrapping != null && wrapping.truncates ? null : s;
  }

  private ColumnRanges prefix(Expression e) {
    Expression f = (Expression) e.children().apply(0);
    Expression p = (Expression) e.children().apply(1);
    if (!(p instanceof Literal) || ((Literal) p).value() == null || !MonotonicExpression.isText(f)) return null;
    String text = ((Literal) p).value().toString();
    if (e instanceof Like) {
      char escape = ((Like) e).escapeChar();
      int end = 0;
      while (end < text.length() && "%_".indexOf(text.charAt(end)) < 0 && text.charAt(end) != escape) end++;
      text = text.substring(0, end);
    }
    MonotonicExpression s = text.isEmpty() ? null : steps(f);
    if (s == null || s.direction < 0) return null;
    return new ColumnRanges(s.column, new Crossing(s, f, UTF8String.fromString(text)).prefixed());
  }

  /** Of two values as Spark holds them, of one type. */
  @SuppressWarnings("unchecked")
  public static int compare(Object a, Object b) {
    if (!(a instanceof Double)) return ((Comparable<Object>) a).compareTo(b);
    double x = ((Double) a).doubleValue(), y = ((Double) b).doubleValue();
    if (x != x || y != y) throw new ArithmeticException("NaN");
    return x < y ? -1 : x > y ? 1 : 0;
  }

  /** The point at which an expression reaches a value. */
  static final class Crossing {
    private final MonotonicExpression steps;
    private final SingleColumnFunction expression;
    private final Object value;

    Crossing(MonotonicExpression steps, Expression e, Object value) {
      this.steps = steps;
      this.value = value;
      expression = new SingleColumnFunction(e, steps.column);
      for (Expression w : steps.dates()) {
        DataType t = w.dataType();
        SingleColumnFunction date = new SingleColumnFunction(w, steps.column);
        if (!MonotonicExpression.hasFourDigits(t, date.at(steps.first))
          || !MonotonicExpression.hasFourDigits(t, date.at(steps.last)))
          throw new ArithmeticException("a year without four digits");
      }
    }

    /**
     * The least value of the column from which on the expression is at or above the value; last + 1 if there is none.
     */
    private long start() { return firstAtOrAbove(false, false); }

    /** The point from which on it is above the value. */
    private long end() { return firstAtOrAbove(true, false); }

    // Bisection, at most 64 evaluations. Invariant: below `from` the value is not reached, at `to` and beyond it is. The
    // midpoint of two longs without overflow is from Warren, Hacker's Delight, section 2-5.
    private long firstAtOrAbove(boolean above, boolean prefix) {
      long from = steps.first, to = steps.last + 1;
      while (from < to) {
        long middle = (from & to) + ((from ^ to) >> 1);
        Object v = expression.at(middle);
        if (v == null) throw new ArithmeticException("null");
        int c = steps.direction * compare(v, value);
        boolean is = above ? c > 0 : c >= 0;
        if (prefix && is && ((UTF8String) v).startsWith((UTF8String) value)) is = false;
        if (is) to = middle;
        else from = middle + 1;
      }
      return from;
    }

    Intervals values(Comparison op) {
      if (op == EQ) return between(start(), end());
      if (op == GE || op == GT) return between(op == GE ? start() : end(), steps.last + 1);
      return between(steps.first, op == LE ? end() : start());
    }

    Intervals prefixed() { return between(start(), firstAtOrAbove(true, true)); }

    private Intervals between(long start, long end) {
      boolean open = start == steps.first, endless = end == steps.last + 1;
      if (start >= end) end = start + 1; // no value is equal: one point, since a set must not be empty
      Intervals result = Intervals.of(
        open ? Intervals.MINIMUM : start - steps.margin(start), endless ? Intervals.MAXIMUM : end + steps.margin(end));
      boolean edge = open || endless || start > steps.last || end <= steps.first + 1;
      if (steps.below == MonotonicExpression.ANYTHING || edge && steps.below == MonotonicExpression.APART)
        result = result.union(Intervals.of(Intervals.MINIMUM, steps.first));
      if (steps.above == MonotonicExpression.ANYTHING || edge && steps.above == MonotonicExpression.APART)
        result = result.union(Intervals.of(steps.last + 1, Intervals.MAXIMUM));
      return result;
    }
  }
}
