package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.DataType;

/**
 * A set of whole numbers as sorted, disjoint, non-touching intervals [from, to): the values that a column may have.
 *
 * <p>Timestamps are microseconds and dates are days since 1970, as in Spark. The least long as `from` and the greatest
 * as `to` mean unbounded.
 */
public final class Intervals {
  public static final long MINIMUM = Long.MIN_VALUE, MAXIMUM = Long.MAX_VALUE;
  public static final Intervals ALL = of(MINIMUM, MAXIMUM);
  /** With more pieces than this, the filter costs more than the scan saves. */
  private static final int MAXIMUM_SIZE = 32;

  // Invariant: sorted, from < to, and each `to` is below the next `from`. union and intersect rely on it: each passes
  // once over both lists, and returns such a list.
  /** {from, to} each. */
  private final List<long[]> intervals;

  private Intervals(List<long[]> intervals) { this.intervals = intervals; }

  /** [from, to); empty where from >= to. */
  public static Intervals of(long from, long to) {
    List<long[]> intervals = new ArrayList<>();
    if (from < to) intervals.add(new long[] {from, to});
    return new Intervals(intervals);
  }

  public int size() { return intervals.size(); }
  public long from(int i) { return ((long[]) intervals.get(i))[0]; }
  public long to(int i) { return ((long[]) intervals.get(i))[1]; }
  public boolean isAll() { return size() == 1 && from(0) == MINIMUM && to(0) == MAXIMUM; }

  public Intervals union(Intervals other) {
    List<long[]> result = new ArrayList<>();
    int i = 0, j = 0;
    while (i < size() || j < other.size()) {
      long[] next = j == other.size() || i < size() && from(i) <= other.from(j) ? (long[]) intervals.get(i++)
                                                                                : (long[]) other.intervals.get(j++);
      long[] last = result.isEmpty() ? null : (long[]) result.get(result.size() - 1);
      if (last == null || next[0] > last[1]) result.add(next.clone());
      else last[1] = Math.max(last[1], next[1]);
    }
    return new Intervals(result);
  }

  public Intervals intersect(Intervals other) {
    List<long[]> result = new ArrayList<>();
    for (int i = 0, j = 0; i < size() && j < other.size();) {
      long from = Math.max(from(i), other.from(j)), to = Math.min(to(i), other.to(j));
      if (from < to) result.add(new long[] {from, to});
      if (to(i) < other.to(j)) i++;
      else j++;
    }
    return new Intervals(result);
  }

  /** The values, and those up to a distance before each. */
  public Intervals earlier(long distance) {
    Intervals result = of(0, 0);
    for (int i = 0; i < size(); i++) {
      long from = from(i) < MINIMUM + distance ? MINIMUM : from(i) - distance;
      result = result.union(of(from, to(i)));
    }
    return result;
  }

  public boolean contains(Intervals other) { return other.intersect(this).same(other); }

  /** The same set, or one interval around it if it has too many pieces. */
  public Intervals coarse() { return size() <= MAXIMUM_SIZE ? this : of(from(0), to(size() - 1)); }

  private boolean same(Intervals other) {
    if (size() != other.size()) return false;
    for (int i = 0; i < size(); i++)
      if (from(i) != other.from(i) || to(i) != other.to(i)) return false;
    return true;
  }

  /**
   * That a column has one of the values, without the bounds that it is compared with; null if there is no other.
   *
   * @param compared the values that the query's own comparisons leave; ALL if there are none
   */
  public Expression condition(Expression column, Intervals compared) {
    DataType type = column.dataType();
    Expression result = null;
    boolean isSingle = size() == 1 && compared.size() == 1;
    for (int i = 0; i < size(); i++) {
      Expression from = null, to = null;
      if (from(i) != MINIMUM && !(isSingle && compared.from(0) == from(i)))
        from = new GreaterThanOrEqual(column, ImpliedLiteral.of(from(i), type));
      if (to(i) != MAXIMUM && !(isSingle && compared.to(0) == to(i)))
        to = new LessThan(column, ImpliedLiteral.of(to(i), type));
      Expression interval = from == null ? to : to == null ? from : new And(from, to);
      if (interval == null) return null;
      result = result == null ? interval : new Or(result, interval);
    }
    return result;
  }
}
