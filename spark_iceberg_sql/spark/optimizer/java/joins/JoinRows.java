package sparkicebergsql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.types.Decimal;

/** The different rows of the values of a join's build side, and the span of all. */
public final class JoinRows implements BuildSide.Receiver {
  /** The maximum number of different rows that are kept; of more, only the extremes are. */
  private static final int MAXIMUM_ROWS = 10000;
  /** The maximum number of ranges: as many as an Intervals has. */
  private static final int MAXIMUM_RANGES = 32;

  public final int width;
  public long count;
  public Range all;
  private Set<List<Object>> rows = new HashSet<>();

  public JoinRows(int width) { this.width = width; }

  @Override
  public void add(Object[] row) {
    count++;
    if (all == null) all = new Range(row);
    all.add(row);
    if (rows == null) return;
    rows.add(Arrays.asList(row));
    if (rows.size() > MAXIMUM_ROWS) rows = null;
  }

  /** Adds rows of which only the least and the greatest value of each term are known. */
  public void addSpan(Object[] low, Object[] high) {
    add(low);
    add(high);
    rows = null;
  }

  /** The different values of a term, in order; null if there are too many. */
  public Set<Object> values(int i) {
    if (rows == null) return null;
    Set<Object> values = new TreeSet<>();
    for (List<Object> row : rows) values.add(row.get(i));
    return values;
  }

  /** The rows in ranges of a term's values, divided at the widest gaps. */
  public List<Range> ranges(int i) {
    if (rows == null) return List.of(all);
    List<List<Object>> sorted = new ArrayList<>(rows);
    Collections.sort(sorted, new ByValue(i));
    Set<Integer> starts = starts(sorted, i);
    List<Range> ranges = new ArrayList<>();
    for (int r = 0; r < sorted.size(); r++) {
      Object[] row = ((List<Object>) sorted.get(r)).toArray();
      if (r == 0 || starts.contains(Integer.valueOf(r))) ranges.add(new Range(row));
      ((Range) ranges.get(ranges.size() - 1)).add(row);
    }
    return ranges;
  }

  /** Where ranges after the first start in sorted rows. */
  private Set<Integer> starts(List<List<Object>> sorted, int i) {
    List<Gap> gaps = new ArrayList<>();
    for (int r = 1; r < sorted.size(); r++) {
      Object previous = ((List<Object>) sorted.get(r - 1)).get(i), value = ((List<Object>) sorted.get(r)).get(i);
      double width = width(previous, value);
      if (Clustering.compare(previous, value) < 0 && width > 1) gaps.add(new Gap(r, width));
    }
    Collections.sort(gaps, new ByWidth());
    Set<Integer> starts = new HashSet<>();
    for (int g = 0; g < gaps.size() && g < MAXIMUM_RANGES - 1; g++)
      starts.add(Integer.valueOf(((Gap) gaps.get(g)).start));
    return starts;
  }

  /** A number that grows with the distance of two values. */
  private static double width(Object previous, Object value) {
    if (value instanceof Number) return ((Number) value).doubleValue() - ((Number) previous).doubleValue();
    if (value instanceof Decimal) return 1 + ((Decimal) value).toDouble() - ((Decimal) previous).toDouble();
    String a = previous.toString(), b = value.toString();
    int same = 0;
    while (same < a.length() && same < b.length() && a.charAt(same) == b.charAt(same)) same++;
    return 1 + 1.0 / (1 + same);
  }

  /** The least and the greatest value of each term in some rows. */
  public static final class Range {
    public final Object[] low, high;

    Range(Object[] row) {
      low = Arrays.copyOf(row, row.length);
      high = Arrays.copyOf(row, row.length);
    }

    void add(Object[] row) {
      for (int i = 0; i < row.length; i++) {
        if (Clustering.compare(row[i], low[i]) < 0) low[i] = row[i];
        if (Clustering.compare(row[i], high[i]) > 0) high[i] = row[i];
      }
    }
  }

  /** A place where a range may start, and the distance from the value ahead of it. */
  static final class Gap {
    final int start;
    final double width;

    Gap(int start, double width) {
      this.start = start;
      this.width = width;
    }
  }

  /** Rows in the order of a term's values. */
  static final class ByValue implements Comparator<Object> {
    private final int i;

    ByValue(int i) { this.i = i; }

    @Override
    public int compare(Object a, Object b) {
      return Clustering.compare(((List<?>) a).get(i), ((List<?>) b).get(i));
    }
  }

  /** Gaps, the widest first. */
  static final class ByWidth implements Comparator<Object> {
    @Override
    public int compare(Object a, Object b) {
      return Double.compare(((Gap) b).width, ((Gap) a).width);
    }
  }
}
