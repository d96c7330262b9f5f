package sparkicebergsql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.*;

/**
 * A predicate, on a partition value or on a column's ranges, that is true for all rows of some data files and false for
 * all rows of others, so that a scan reads the first alone.
 */
public final class SeparatingPredicate {
  private static final int VALUES = 10000, RANGES = 64, ROUNDS = 32;
  public final Expression predicate;
  /** The files that may have rows for which it is true. */
  public final boolean[] accepted;

  private SeparatingPredicate(Expression predicate, boolean[] accepted) {
    this.predicate = predicate;
    this.accepted = accepted;
  }

  /** How many files it excludes. */
  public int excluded() {
    int count = 0;
    for (boolean isAccepted : accepted)
      if (!isAccepted) count++;
    return count;
  }

  /** What a predicate may be about: its value or range for each file. */
  public interface Subject {
    /** True for all rows of the selected files; null if there is none. */
    SeparatingPredicate of(boolean[] selected);
  }

  /**
   * A predicate that is true for all rows of the selected files and excludes others; null if none is known.
   *
   * @param isExact whether it must be true for all rows of the files that it accepts; these may be more than selected
   */
  public static SeparatingPredicate of(List<Subject> subjects, boolean[] selected, boolean isExact) {
    SeparatingPredicate result = conjunction(subjects, selected);
    for (int round = 0; isExact && result != null && !Arrays.equals(result.accepted, selected); round++) {
      selected = result.accepted; // a file that is accepted in part is selected
      result = round == ROUNDS ? null : conjunction(subjects, selected);
    }
    return result;
  }

  /** The predicates that exclude most files, and those that exclude some of the others. */
  private static SeparatingPredicate conjunction(List<Subject> subjects, boolean[] selected) {
    SeparatingPredicate result = null;
    List<SeparatingPredicate> predicates = new ArrayList<>();
    for (Subject subject : subjects) predicates.add(subject.of(selected));
    while (true) {
      SeparatingPredicate best = result;
      for (SeparatingPredicate p : predicates) {
        SeparatingPredicate both = p == null || result == null ? p : result.and(p);
        if (both != null && both.excluded() > (best == null ? 0 : best.excluded())) best = both;
      }
      if (best == result) return result;
      result = best;
    }
  }

  private SeparatingPredicate and(SeparatingPredicate other) {
    boolean[] both = new boolean[accepted.length];
    for (int i = 0; i < both.length; i++) both[i] = accepted[i] && other.accepted[i];
    return new SeparatingPredicate(new And(predicate, other.predicate), both);
  }

  /** A partition field. */
  public static final class OfTerm implements Subject {
    private final PartitionFieldTerm term;
    private final Object[] values;

    public OfTerm(PartitionFieldTerm term, SnapshotFiles files, List<DataFile> list) {
      this.term = term;
      values = new Object[list.size()];
      for (int i = 0; i < values.length; i++) {
        DataFile file = (DataFile) list.get(i);
        PartitionSpec spec = (PartitionSpec) files.table.specs().get(Integer.valueOf(file.specId()));
        values[i] = term.index(spec) < 0 ? ConstantExpression.UNKNOWN
                                         : PartitionFieldTerm.values(List.of(term), spec, file.partition()).get(0);
      }
    }

    @Override
    public SeparatingPredicate of(boolean[] selected) {
      Set<Object> set = new LinkedHashSet<>();
      for (int i = 0; i < values.length; i++)
        if (selected[i]) set.add(values[i]);
      if (set.contains(ConstantExpression.UNKNOWN) || set.size() > VALUES) return null;
      Expression any = Predicates.any(term.expression, set);
      if (any == null) return null;
      boolean[] accepted = new boolean[values.length];
      for (int i = 0; i < values.length; i++)
        accepted[i] = values[i] == ConstantExpression.UNKNOWN || set.contains(values[i]);
      return new SeparatingPredicate(any, accepted);
    }
  }

  /** A column of whole numbers, dates or timestamps, by its bounds. */
  public static final class OfColumn implements Subject {
    private final Attribute column;
    private final long[] lower, upper;
    private final boolean[] isBounded, isNullable;

    public OfColumn(Attribute column, Types.NestedField field, List<DataFile> list) {
      this.column = column;
      int n = list.size();
      lower = new long[n];
      upper = new long[n];
      isBounded = new boolean[n];
      isNullable = new boolean[n];
      for (int i = 0; i < n; i++) {
        DataFile file = (DataFile) list.get(i);
        Long nulls = ConstantExpression.nulls(file, field);
        isNullable[i] = nulls == null || nulls.longValue() != 0;
        Object minimum = SnapshotFiles.lower(file, field), maximum = SnapshotFiles.upper(file, field);
        isBounded[i] = minimum != null && maximum != null;
        lower[i] = isBounded[i] ? ((Number) minimum).longValue() : Long.MAX_VALUE;
        upper[i] = isBounded[i] ? ((Number) maximum).longValue() : Long.MIN_VALUE;
        // A file of nulls alone has an empty range.
        isBounded[i] |= nulls != null && nulls.longValue() == file.recordCount();
      }
    }

    /** Whether its bounds are numbers of long. */
    public static boolean isFor(Types.NestedField field) {
      switch (field.type().typeId()) {
        case INTEGER:
        case LONG:
        case DATE:
        case TIMESTAMP:
          return true;
        default:
          return false;
      }
    }

    @Override
    public SeparatingPredicate of(boolean[] selected) {
      List<long[]> ranges = new ArrayList<>();
      boolean hasNulls = false;
      for (int i = 0; i < selected.length; i++) {
        if (!selected[i]) continue;
        if (!isBounded[i]) return null;
        hasNulls |= isNullable[i];
        if (lower[i] <= upper[i]) ranges.add(new long[] {lower[i], upper[i]});
      }
      ranges = merged(ranges, others(selected));
      boolean[] accepted = new boolean[selected.length];
      for (int i = 0; i < selected.length; i++)
        accepted[i] = !isBounded[i] || hasNulls && isNullable[i] || isIn(ranges, lower[i], upper[i]);
      return new SeparatingPredicate(predicate(ranges, hasNulls), accepted);
    }

    private static boolean isIn(List<long[]> ranges, long lower, long upper) {
      for (Object range : ranges)
        if (lower <= ((long[]) range)[1] && upper >= ((long[]) range)[0]) return true;
      return false;
    }

    /** By lower bound, the greatest upper bound of the files up to it that are not selected. */
    private TreeMap<Long, Long> others(boolean[] selected) {
      List<long[]> ranges = new ArrayList<>();
      for (int i = 0; i < selected.length; i++)
        if (!selected[i] && lower[i] <= upper[i]) ranges.add(new long[] {lower[i], upper[i]});
      TreeMap<Long, Long> result = new TreeMap<>();
      long maximum = Long.MIN_VALUE;
      for (Object range : sorted(ranges)) {
        maximum = Math.max(maximum, ((long[]) range)[1]);
        result.put(Long.valueOf(((long[]) range)[0]), Long.valueOf(maximum));
      }
      return result;
    }

    private static List<long[]> sorted(List<long[]> ranges) {
      List<long[]> result = new ArrayList<>(ranges);
      Collections.sort(result, new Comparator<Object>() {
        @Override
        public int compare(Object a, Object b) {
          return Long.compare(((long[]) a)[0], ((long[]) b)[0]);
        }
      });
      return result;
    }

    /** In their order, ranges that cover these and between which other files are; one range if there are too many. */
    private static List<long[]> merged(List<long[]> ranges, TreeMap<Long, Long> others) {
      List<long[]> result = new ArrayList<>();
      long[] last = null;
      for (Object o : sorted(ranges)) {
        long[] range = (long[]) o;
        Map.Entry<Long, Long> other = last == null ? null : others.lowerEntry(Long.valueOf(range[0]));
        boolean isGap = last != null && other != null && ((Long) other.getValue()).longValue() > last[1];
        if (last == null || isGap && range[0] > last[1]) result.add(last = new long[] {range[0], range[1]});
        else last[1] = Math.max(last[1], range[1]);
      }
      if (result.size() <= RANGES) return result;
      long minimum = ((long[]) result.get(0))[0];
      result.clear();
      result.add(new long[] {minimum, last[1]});
      return result;
    }

    private Expression predicate(List<long[]> ranges, boolean hasNulls) {
      Expression result = hasNulls ? new IsNull(column) : null;
      for (Object o : ranges) {
        long[] range = (long[]) o;
        Literal minimum = ImpliedLiteral.of(range[0], column.dataType());
        Expression in = range[0] == range[1]
          ? (Expression) new EqualTo(column, minimum)
          : new And(new GreaterThanOrEqual(column, minimum),
              new LessThanOrEqual(column, ImpliedLiteral.of(range[1], column.dataType())));
        result = result == null ? in : new Or(result, in);
      }
      return result == null ? Literal.FalseLiteral() : result;
    }
  }
}
