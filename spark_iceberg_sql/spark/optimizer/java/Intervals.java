package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;

/**
 * A set of whole numbers as sorted, disjoint, non-touching intervals [from, to): the values that a column may have.
 *
 * <p>Timestamps are microseconds and dates are days since 1970, as in Spark. The least long as `from` and the greatest
 * as `to` mean unbounded.
 */
public final class Intervals {
  public static final long LEAST = Long.MIN_VALUE, GREATEST = Long.MAX_VALUE;
  public static final Intervals ALL = of(LEAST, GREATEST);
  /** With more pieces than this, the filter costs more than the scan saves. */
  private static final int MOST = 32;

  /** {from, to} each. */
  private final List<long[]> pieces;

  private Intervals(List<long[]> pieces) { this.pieces = pieces; }

  /** [from, to); empty where from >= to. */
  public static Intervals of(long from, long to) {
    List<long[]> pieces = new ArrayList<>();
    if (from < to) pieces.add(new long[] {from, to});
    return new Intervals(pieces);
  }

  public int size() { return pieces.size(); }
  public long from(int i) { return ((long[]) pieces.get(i))[0]; }
  public long to(int i) { return ((long[]) pieces.get(i))[1]; }
  public boolean isAll() { return size() == 1 && from(0) == LEAST && to(0) == GREATEST; }

  public Intervals union(Intervals other) {
    List<long[]> result = new ArrayList<>();
    int i = 0, j = 0;
    while (i < size() || j < other.size()) {
      long[] next = j == other.size() || i < size() && from(i) <= other.from(j) ? (long[]) pieces.get(i++)
                                                                                : (long[]) other.pieces.get(j++);
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
      long from = from(i) < LEAST + distance ? LEAST : from(i) - distance;
      result = result.union(of(from, to(i)));
    }
    return result;
  }

  public boolean contains(Intervals other) { return other.intersect(this).same(other); }

  /** The same set, or one interval around it if it has too many pieces. */
  public Intervals coarse() { return size() <= MOST ? this : of(from(0), to(size() - 1)); }

  private boolean same(Intervals other) {
    if (size() != other.size()) return false;
    for (int i = 0; i < size(); i++)
      if (from(i) != other.from(i) || to(i) != other.to(i)) return false;
    return true;
  }
}
