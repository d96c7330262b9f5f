package sparkicebergsql;

import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Searches for a value of a column that satisfies a predicate but is outside the range that Prune derived from it. If
 * there is one, or if too few values can be tried to exclude it, the range is not used.
 */
public final class CounterexampleSearch {
  private static final long SECOND = 1000000L, HOUR = 3600 * SECOND, DAY = 24 * HOUR;
  /** Limit of evaluated nodes: about a tenth of a second. */
  private static final long MAXIMUM_NODES = 8000000L;
  private static final int CHANGES = 40;

  private final Expression column;
  private final DataType type;
  private final SingleColumnFunction predicate, implied;
  private final Expression onColumn;
  /** Whether the implied set is one range: every value between two of its values belongs to it. */
  private final boolean isSingleRange;
  private final int cost;
  /** The compared expressions: canonical form to their values at the tried points. */
  private final Map<Expression, Object[]> valuesByExpression = new HashMap<>();
  private long budget = MAXIMUM_NODES;

  private CounterexampleSearch(Expression predicate, Expression implied, Expression column) {
    this.column = column;
    type = column.dataType();
    onColumn = restrictedTo(predicate, column);
    this.predicate = new SingleColumnFunction(onColumn, column);
    this.implied = new SingleColumnFunction(implied, column);
    isSingleRange = !(implied instanceof Or);
    cost = size(onColumn);
  }

  /** Whether there is such a value, or too few values could be tried to exclude it. */
  public static boolean finds(Expression predicate, Expression implied, Expression column) {
    try {
      return new CounterexampleSearch(predicate, implied, column).run(implied);
    } catch (CounterexampleFound e) {
      return true;
    }
  }

  /** Ends the search. */
  private static final class CounterexampleFound extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** The part of a predicate on the column alone: it accepts at least the same values. */
  private static Expression restrictedTo(Expression e, Expression column) {
    if (e instanceof And)
      return new And(restrictedTo(((And) e).left(), column), restrictedTo(((And) e).right(), column));
    if (e instanceof Or) return new Or(restrictedTo(((Or) e).left(), column), restrictedTo(((Or) e).right(), column));
    return isAlone(e, column) ? e : new Literal(Boolean.TRUE, DataTypes.BooleanType);
  }

  private static boolean isAlone(Expression e, Expression column) {
    if (e.semanticEquals(column)) return true;
    if (e instanceof Attribute || e instanceof PlanExpression || e instanceof Unevaluable
      || e instanceof UserDefinedExpression && Calls.function(e) == null || !e.deterministic())
      return false;
    for (Expression child : ScalaTypes.list(e.children()))
      if (!isAlone(child, column)) return false;
    return true;
  }

  private static int size(Expression e) {
    int n = 1;
    for (Expression child : ScalaTypes.list(e.children())) n += size(child);
    return n;
  }

  // The derivations rely on facts about some forty kinds of expression (ExpressionKind), any of which may be wrong or
  // change with Spark. So Spark itself evaluates the predicate where a mistake would show: at both edges of each range
  // and beyond (TrialValues.around), across the type and at its limits (times, numbers), at the DST transitions near an
  // edge with each half hour around them (changes), and where a compared expression crosses its constant (crossings).
  // Invariant: each tried value for which the predicate is true satisfies the implied condition; else the search ends.
  private boolean run(Expression added) {
    tryOut(null);
    if (type.equals(DataTypes.StringType)) {
      for (UTF8String text : TrialValues.texts(added)) tryOut((Object) text);
      return false;
    }
    boolean date = type.equals(DataTypes.DateType), time = MonotonicExpression.isTime(type);
    if (!time && !type.equals(DataTypes.IntegerType) && !type.equals(DataTypes.LongType)) return false;
    long[] spread = time ? TrialValues.times(date) : TrialValues.numbers(type.equals(DataTypes.IntegerType));
    Set<Long> edges = new HashSet<>();
    edges(added, edges);
    edges(onColumn, edges);
    long[] near = TrialValues.around(edges, time ? date ? DAY : 1 : 0);
    for (long x : near) tryOut(x);
    for (long x : spread) tryOut(x);
    if (time) changes(edges, date);
    long[] all = Arrays.copyOf(spread, spread.length + near.length);
    System.arraycopy(near, 0, all, spread.length, near.length);
    Arrays.sort(all);
    crossings(onColumn, all);
    return false;
  }

  private void tryOut(long x) {
    Object v = columnValue(x);
    if (((Number) v).longValue() == x) tryOut(v);
  }

  private Object columnValue(long x) {
    boolean narrow = type.equals(DataTypes.DateType) || type.equals(DataTypes.IntegerType);
    return narrow ? (Object) Integer.valueOf((int) x) : (Object) Long.valueOf(x);
  }

  private void tryOut(Object x) {
    spend(cost);
    if (isTrue(predicate, x) && !isTrue(implied, x)) throw new CounterexampleFound();
  }

  private void spend(int nodes) {
    budget -= nodes;
    if (budget < 0) throw new CounterexampleFound();
  }

  /** A row for which the predicate fails is not returned. */
  private static boolean isTrue(SingleColumnFunction e, Object x) {
    try {
      return Boolean.TRUE.equals(e.of(x));
    } catch (RuntimeException failed) {
      return false;
    }
  }

  /** The constants that the column itself is compared with. */
  private void edges(Expression e, Set<Long> out) {
    boolean compared = false;
    for (Expression c : ScalaTypes.list(e.children())) {
      compared |= c.semanticEquals(column);
      edges(c, out);
    }
    if (!compared) return;
    for (Expression c : ScalaTypes.list(e.children())) {
      if (!(c instanceof Literal) || !((Literal) c).dataType().equals(type)) continue;
      Object v = ((Literal) c).value();
      if (v instanceof Integer || v instanceof Long) out.add(Long.valueOf(((Number) v).longValue()));
    }
  }

  /** The DST transitions of all zones in the predicate: near an edge, or between the first and the last. */
  private void changes(Set<Long> edges, boolean date) {
    Set<ZoneId> zones = new HashSet<>();
    zones.add(DateTimeUtils.getZoneId(SQLConf.get().sessionLocalTimeZone()));
    zones(onColumn, zones);
    long unit = date ? DAY : 1, first = Long.MAX_VALUE, last = Long.MIN_VALUE;
    for (long edge : edges) {
      if (Math.abs(edge / (DAY / unit)) > 5000000L) continue;
      first = Math.min(first, edge * unit);
      last = Math.max(last, edge * unit);
      for (ZoneId zone : zones) changes(zone, edge * unit, edge * unit, unit, true);
    }
    if (first < last)
      for (ZoneId zone : zones) changes(zone, first, last, unit, false);
  }

  private void changes(ZoneId zone, long from, long to, long unit, boolean near) {
    if (zone.getRules().isFixedOffset()) return;
    ZoneOffsetTransition t = zone.getRules().nextTransition(Clocks.instant(from - 4 * DAY));
    for (int n = 0; t != null && n < CHANGES; n++) {
      long transition = t.getInstant().getEpochSecond() * SECOND;
      if (transition > to + 4 * DAY) return;
      long size = Math.abs(t.getDuration().getSeconds()) * SECOND;
      for (long d = 0; d <= size + 2 * HOUR; d += HOUR / 2) tryBothSides(transition, d, unit);
      if (near)
        for (long d = 0; d <= 26 * HOUR; d += HOUR / 2) tryBothSides(from, d, unit);
      t = zone.getRules().nextTransition(t.getInstant());
    }
  }

  private void tryBothSides(long center, long distance, long unit) {
    tryOut(Math.floorDiv(center - distance, unit));
    tryOut(Math.floorDiv(center + distance, unit));
    tryOut(Math.floorDiv(center - distance - 1, unit));
    tryOut(Math.floorDiv(center + distance - 1, unit));
  }

  private static void zones(Expression e, Set<ZoneId> out) {
    if (e instanceof TimeZoneAwareExpression && ((TimeZoneAwareExpression) e).timeZoneId().isDefined())
      out.add(((TimeZoneAwareExpression) e).zoneId());
    if (e instanceof UTCTimestamp && e.children().apply(1) instanceof Literal)
      out.add(DateTimeUtils.getZoneId(String.valueOf(((Literal) e.children().apply(1)).value())));
    for (Expression child : ScalaTypes.list(e.children())) zones(child, out);
  }

  /** The points between two of the values at which an expression reaches the constant that it is compared with. */
  private void crossings(Expression e, long[] values) {
    if (e instanceof BinaryComparison || e instanceof In) {
      Expression x = (Expression) e.children().apply(0);
      for (int i = 1; i < e.children().size(); i++) {
        Expression y = (Expression) e.children().apply(i);
        if (y instanceof Literal) crossings(x, ((Literal) y).value(), values);
        else if (x instanceof Literal) crossings(y, ((Literal) x).value(), values);
      }
    } else if (e instanceof InSet) {
      for (Object v : ScalaTypes.list(((InSet) e).hset())) crossings(((InSet) e).child(), v, values);
    } else if (e instanceof StartsWith && ((StartsWith) e).right() instanceof Literal) {
      crossings(((StartsWith) e).left(), ((Literal) ((StartsWith) e).right()).value(), values);
    } else if (e instanceof Like && ((Like) e).right() instanceof Literal) {
      String pattern = String.valueOf(((Literal) ((Like) e).right()).value()).replaceAll("%.*", "");
      // The characters that a date or a time can contain.
      for (int i = 0; i < " -0:".length(); i++)
        crossings(((Like) e).left(), UTF8String.fromString(pattern.replace('_', " -0:".charAt(i))), values);
    } else {
      for (Expression child : ScalaTypes.list(e.children())) crossings(child, values);
    }
  }

  private void crossings(Expression e, Object constant, long[] points) {
    if (constant == null || PartitionLayout.isColumn(e) || !(constant instanceof Comparable)) return;
    SingleColumnFunction f = new SingleColumnFunction(e, column);
    int nodes = size(e), sign = 0;
    Object[] values = values(e, f, points, nodes);
    long lastPoint = 0;
    for (int i = 0; i < points.length; i++) {
      int next = sign(values[i], constant);
      if (sign * next < 0
        && !(isSingleRange && isTrue(implied, columnValue(lastPoint)) && isTrue(implied, columnValue(points[i]))))
        between(f, lastPoint, points[i], sign, constant, nodes);
      if (next == 0) continue;
      sign = next;
      lastPoint = points[i];
    }
  }

  private Object[] values(Expression e, SingleColumnFunction f, long[] points, int nodes) {
    Object[] values = (Object[]) valuesByExpression.get(e.canonicalized());
    if (values != null) return values;
    values = new Object[points.length];
    for (int i = 0; i < points.length; i++) values[i] = value(f, points[i]);
    spend(nodes * points.length);
    valuesByExpression.put(e.canonicalized(), values);
    return values;
  }

  // Bisection. Invariant: the sign at `from` is that of the start, at `to` it is another. The midpoint of two longs
  // without overflow, rounded down, is from Warren, Hacker's Delight, section 2-5.
  private void between(SingleColumnFunction f, long from, long to, int sign, Object constant, int nodes) {
    while (from + 1 < to) {
      long middle = (from & to) + ((from ^ to) >> 1);
      spend(nodes);
      if (sign(value(f, middle), constant) == sign) from = middle;
      else to = middle;
    }
    tryOut(from);
    tryOut(to);
  }

  private static Object value(SingleColumnFunction f, long x) {
    try {
      return f.at(x);
    } catch (RuntimeException failed) {
      return null;
    }
  }

  /** -1 if a value is below the constant, 1 if above, 0 if equal or unknown. */
  private static int sign(Object v, Object constant) {
    try {
      return v == null ? 0 : Integer.signum(ImpliedRanges.compare(v, constant));
    } catch (RuntimeException failed) {
      return 0;
    }
  }
}
