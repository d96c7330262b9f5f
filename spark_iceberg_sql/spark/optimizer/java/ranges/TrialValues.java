package sparkicebergsql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.unsafe.types.UTF8String;

/** Values of a column on which a predicate is tested (see CounterexampleSearch): across its type, and around edges. */
public final class TrialValues {
  private static final long SECOND = 1000000L, HOUR = Clocks.HOUR, DAY = Clocks.DAY;
  // Distances from an edge: the smallest unit, a second and a minute; the half hours by which zones and DST differ; days
  // and a week; the beginnings of the next twelve months; one and two years.
  private static final long[] NEAR = {1, SECOND, 60 * SECOND, HOUR / 2, HOUR, 3 * HOUR / 2, 2 * HOUR, 3 * HOUR,
    12 * HOUR, DAY, 2 * DAY, 7 * DAY, 31 * DAY, 61 * DAY, 92 * DAY, 123 * DAY, 153 * DAY, 184 * DAY, 214 * DAY,
    245 * DAY, 275 * DAY, 306 * DAY, 337 * DAY, 366 * DAY, 731 * DAY};
  // The limits of a timestamp (-290307, 294246), of four digits (0, 9999) and of the derivations (99, 9899); the calendar
  // reforms of 1582 and 1752 and the centuries, which are not leap years; standard time (1883, 1892) and DST (1917 to
  // 1945); 1970; the end of 32-bit seconds (2038) and of 64-bit nanoseconds (2262).
  private static final int[] YEARS = {-290307, -100000, -20000, -9999, -4713, -2000, -1000, -100, -1, 0, 1, 2, 50, 99,
    100, 101, 500, 1000, 1400, 1500, 1582, 1583, 1600, 1700, 1752, 1800, 1850, 1883, 1892, 1900, 1905, 1911, 1917, 1925,
    1937, 1941, 1945, 1950, 1960, 1969, 1970, 1971, 1975, 1980, 1990, 1995, 2000, 2005, 2010, 2016, 2020, 2024, 2025,
    2026, 2030, 2037, 2038, 2039, 2050, 2100, 2200, 2262, 2400, 3000, 5000, 9000, 9898, 9899, 9900, 9999, 10000, 10001,
    20000, 100000, 246953, 246954, 294246};

  private TrialValues() {}

  /** unit: microseconds in one of the column's values; 0 if they are not times. */
  public static long[] around(Set<Long> edges, long unit) {
    List<Long> values = new ArrayList<>();
    for (long edge : edges) {
      values.add(Long.valueOf(edge));
      if (unit == 0) {
        for (long d = 1; d < 1L << 32; d = d * 3 + 1) add(values, edge, d);
        continue;
      }
      add(values, edge, 1);
      // With many ranges, the next one is always near.
      int count = edges.size() > 8 ? 10 : NEAR.length;
      for (int j = 1; j < count; j++)
        if (NEAR[j] >= unit) add(values, edge, NEAR[j] / unit);
    }
    long[] result = new long[values.size()];
    for (int i = 0; i < result.length; i++) result[i] = ((Long) values.get(i)).longValue();
    return result;
  }

  private static void add(List<Long> values, long edge, long distance) {
    values.add(Long.valueOf(edge - distance));
    values.add(Long.valueOf(edge + distance));
  }

  public static long[] times(boolean date) {
    long[] result = new long[YEARS.length + 12];
    int n = 0;
    for (int i = 0; i < YEARS.length; i++) {
      long day = java.time.LocalDate.of(YEARS[i], 1 + (i % 12), 1 + (i % 28)).toEpochDay();
      result[n++] = date ? day : day * DAY + (i % 24) * HOUR + i * 61 * SECOND;
    }
    long minimum = date ? Integer.MIN_VALUE : Long.MIN_VALUE, maximum = date ? Integer.MAX_VALUE : Long.MAX_VALUE;
    for (int i = 0; i < 6; i++) {
      long d = i == 0 ? 0 : 1L << (date ? 2 * i : 8 * i);
      result[n++] = minimum + d;
      result[n++] = maximum - d;
    }
    Arrays.sort(result);
    return result;
  }

  public static long[] numbers(boolean narrow) {
    int bits = narrow ? 31 : 63;
    long[] result = new long[4 * bits + 61];
    int n = 0;
    for (int i = 0; i < bits; i++) {
      result[n++] = 1L << i;
      result[n++] = -(1L << i);
      result[n++] = (1L << i) + (1L << i) / 2;
      result[n++] = -(1L << i) - (1L << i) / 3;
    }
    long minimum = narrow ? Integer.MIN_VALUE : Long.MIN_VALUE, maximum = narrow ? Integer.MAX_VALUE : Long.MAX_VALUE;
    for (int i = 0; i < 30; i++) {
      long d = i < 8 ? i : (1L << (i / 2)) * 5 + i;
      result[n++] = minimum + d;
      result[n++] = maximum - d;
    }
    result[n++] = 0;
    Arrays.sort(result);
    return result;
  }

  public static List<UTF8String> texts(Expression added) {
    List<UTF8String> result = new ArrayList<>();
    if (added instanceof Literal) {
      Object v = ((Literal) added).value();
      if (v instanceof UTF8String) {
        String s = v.toString();
        String[] suffixes = {"", "\u0000", " ", "a", "zz", "\uD83D\uDE00", s};
        for (String suffix : suffixes) result.add(UTF8String.fromString(s + suffix));
        if (s.length() > 0) result.add(UTF8String.fromString(s.substring(0, s.length() - 1)));
        result.add(UTF8String.fromString(s.toUpperCase()));
      }
    }
    for (Expression child : ScalaTypes.list(added.children())) result.addAll(texts(child));
    return result;
  }
}
