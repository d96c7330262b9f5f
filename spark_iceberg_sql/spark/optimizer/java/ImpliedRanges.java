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
  private static final int MOST_VALUES = 16;

  private final PartitionLayout layout;
  private final boolean written;

  /** A column and what is implied for it. */
  public static final class Found {
    public final Expression column;
    public Intervals values;
    Found(Expression column, Intervals values) {
      this.column = column;
      this.values = values;
    }
  }

  /** layout: of the filtered table, or null. written: only comparisons of the columns themselves. */
  public ImpliedRanges(PartitionLayout layout, boolean written) {
    this.layout = layout;
    this.written = written;
  }

  /** The column's canonical expression to Found; empty where nothing is implied. */
  public Map<Expression, Found> of(Expression predicate) {
    if (predicate instanceof And) {
      Map<Expression, Found> result = new LinkedHashMap<>();
      List<Expression> rest = new ArrayList<>();
      for (Expression c : conjuncts(predicate)) {
        Map<Expression, Found> one = of(c);
        if (one.isEmpty()) rest.add(c);
        for (Expression key : one.keySet()) {
          Found found = (Found) one.get(key), known = (Found) result.get(key);
          if (known == null) result.put(key, found);
          else known.values = known.values.intersect(found.values);
        }
      }
      for (Found f : result.values())
        if (!written) f.values = CyclicParts.refine(f.values, f.column, rest);
      return result;
    }
    if (predicate instanceof Or) {
      Map<Expression, Found> left = of(((Or) predicate).left()), result = new LinkedHashMap<>();
      if (left.isEmpty()) return left;
      Map<Expression, Found> right = of(((Or) predicate).right());
      for (Expression key : left.keySet()) {
        Found a = (Found) left.get(key), b = (Found) right.get(key);
        if (b != null) put(result, new Found(a.column, a.values.union(b.values)));
      }
      return result;
    }
    Map<Expression, Found> result = new LinkedHashMap<>();
    try {
      put(result, atom(predicate));
    } catch (RuntimeException e) {
      // After an overflow, an invalid date or a null, nothing is implied.
    }
    return result;
  }

  public static List<Expression> conjuncts(Expression e) {
    List<Expression> result = new ArrayList<>();
    if (e instanceof And) {
      result.addAll(conjuncts(((And) e).left()));
      result.addAll(conjuncts(((And) e).right()));
    } else result.add(e);
    return result;
  }

  private static void put(Map<Expression, Found> result, Found found) {
    if (found != null && !found.values.isAll()) result.put(found.column.canonicalized(), found);
  }

  private Found atom(Expression e) {
    if (e instanceof Not) {
      Expression c = ((Not) e).child();
      if (c instanceof EqualTo) return comparison((BinaryComparison) c, NE);
      List<Object> values = values(c);
      if (values == null || values.size() > MOST_VALUES) return null;
      Found found = null;
      for (Object v : values) {
        Found one = solve((Expression) c.children().apply(0), NE, v);
        if (one == null) return null;
        if (found == null) found = one;
        else found.values = found.values.intersect(one.values);
      }
      return found;
    }
    Comparison op = Comparison.of(e);
    if (op != null) return comparison((BinaryComparison) e, op);
    if (e instanceof StartsWith || e instanceof Like) return prefix(e);
    List<Object> values = values(e);
    if (values == null || values.isEmpty()) return null;
    Expression f = (Expression) e.children().apply(0);
    if (values.size() > MOST_VALUES) {
      Object least = values.get(0), greatest = least;
      for (Object v : values) {
        if (compare(v, least) < 0) least = v;
        if (compare(v, greatest) > 0) greatest = v;
      }
      Found from = solve(f, GE, least), to = solve(f, LE, greatest);
      return from == null || to == null ? null : new Found(from.column, from.values.intersect(to.values));
    }
    Found found = null;
    for (Object v : values) {
      Found one = solve(f, EQ, v);
      if (one == null) return null;
      if (found == null) found = one;
      else found.values = found.values.union(one.values);
    }
    return found;
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

  private Found comparison(BinaryComparison c, Comparison op) {
    boolean literalRight = c.right() instanceof Literal;
    Expression f = (Expression) c.children().apply(literalRight ? 0 : 1);
    Expression l = (Expression) c.children().apply(literalRight ? 1 : 0);
    if (!(l instanceof Literal) || ((Literal) l).value() == null || !l.dataType().equals(f.dataType())) return null;
    if (!literalRight) op = op.turned();
    return solve(f, op, ((Literal) l).value());
  }

  private Found solve(Expression f, Comparison op, Object value) {
    MonotonicExpression s = steps(f);
    if (s == null) return null;
    if (s.direction < 0) op = op.turned();
    if (s.count == 0) {
      long v = ((Number) value).longValue();
      if (v == Intervals.GREATEST) return null;
      Intervals below = Intervals.of(Intervals.LEAST, op == LE ? v + 1 : v);
      Intervals above = Intervals.of(op == GE ? v : v + 1, Intervals.GREATEST);
      if (op == EQ) return new Found(f, Intervals.of(v, v + 1));
      return new Found(f, op == NE ? below.union(above) : op == LT || op == LE ? below : above);
    }
    Crossing c = new Crossing(s, f, value);
    if (op == NE) return new Found(s.column, c.values(LT).union(c.values(GT)));
    return new Found(s.column, c.values(op));
  }

  /** Null if nothing is known, or if Iceberg prunes itself, since the expression is a partition field. */
  private MonotonicExpression steps(Expression f) {
    if (f instanceof Literal || f.dataType() instanceof StringType && !MonotonicExpression.isText(f)) return null;
    if (written && !PartitionLayout.isColumn(f)) return null;
    MonotonicExpression s = MonotonicExpression.of(f);
    if (s == null || layout == null) return s;
    String transform = PartitionLayout.transform(f);
    boolean isPushed = transform != null && layout.everywhere(s.column, transform) && layout.faults(s.column).isEmpty();
    Transform wrapping = layout.wrapping(s.column);
    return isPushed || wrapping != null && wrapping.truncates ? null : s;
  }

  private Found prefix(Expression e) {
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
    return new Found(s.column, new Crossing(s, f, UTF8String.fromString(text)).prefixed());
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
      for (Expression w : steps.written()) {
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
    private long start() { return least(false, false); }

    /** The point from which on it is above the value. */
    private long end() { return least(true, false); }

    private long least(boolean above, boolean prefix) {
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

    Intervals prefixed() { return between(start(), least(true, true)); }

    private Intervals between(long start, long end) {
      boolean open = start == steps.first, endless = end == steps.last + 1;
      if (start >= end) end = start + 1; // no value is equal: one point, since a set must not be empty
      Intervals result = Intervals.of(
        open ? Intervals.LEAST : start - steps.margin(start), endless ? Intervals.GREATEST : end + steps.margin(end));
      boolean edge = open || endless || start > steps.last || end <= steps.first + 1;
      if (steps.before == MonotonicExpression.ANYTHING || edge && steps.before == MonotonicExpression.APART)
        result = result.union(Intervals.of(Intervals.LEAST, steps.first));
      if (steps.beyond == MonotonicExpression.ANYTHING || edge && steps.beyond == MonotonicExpression.APART)
        result = result.union(Intervals.of(steps.last + 1, Intervals.GREATEST));
      return result;
    }
  }
}
