package sparkicebergsql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.Decimal;

/**
 * The comparisons of a join's condition between its probe side and its build side, and the predicates on the probe side
 * that they imply with the values of the build side.
 *
 * <p>Invariant: a row of the probe side for which an implied predicate is not true joins no row of the build side.
 */
public final class JoinTerms {
  /** The maximum number of different rows of the build side that are kept; of more, only the extremes are. */
  private static final int MAXIMUM_ROWS = 10000;
  /** The maximum number of values in IN; Iceberg compares bounds with 200 at most. */
  private static final int MAXIMUM_VALUES = 200;
  /** IN with more values is for partition fields alone. */
  private static final int MAXIMUM_PARTITION_VALUES = 1000;
  /** From this number of values on, the rule `prune` takes their span. */
  private static final int MAXIMUM_SOLVED = 16;
  /** The maximum number of ranges: as many as an Intervals has. */
  private static final int MAXIMUM_RANGES = 32;

  private final List<Expression> probes = new ArrayList<>(), builds = new ArrayList<>();
  private final List<String> operators = new ArrayList<>();

  /**
   * The comparisons by which files may be left out: to read the rows of the build side for another one gains nothing.
   *
   * <p>condition: of the join. probe: its side that may be read less. build: the columns of the other side.
   */
  public JoinTerms(Expression condition, LogicalPlan probe, AttributeSet build) {
    for (Expression conjunct : Predicates.conjuncts(condition)) add(conjunct, probe, build);
  }

  private void add(Expression conjunct, LogicalPlan probe, AttributeSet build) {
    String operator = conjunct.getClass().getSimpleName();
    boolean isComparison = conjunct instanceof EqualTo || conjunct instanceof LessThan
      || conjunct instanceof LessThanOrEqual || conjunct instanceof GreaterThan
      || conjunct instanceof GreaterThanOrEqual;
    if (!isComparison || !conjunct.deterministic()) return;
    Expression left = (Expression) conjunct.children().apply(0), right = (Expression) conjunct.children().apply(1);
    if (!left.dataType().equals(right.dataType()) || !Predicates.isExact(left.dataType())) return;
    if (isOf(left, probe.outputSet()) && isOf(right, build)) add(probe, left, operator, right);
    else if (isOf(right, probe.outputSet()) && isOf(left, build)) add(probe, right, turned(operator), left);
  }

  private void add(LogicalPlan probe, Expression term, String operator, Expression build) {
    if (JoinPushDown.isPrunable(probe, term)) add(term, operator, build);
  }

  private void add(Expression probe, String operator, Expression build) {
    probes.add(Calls.beforePushDown(probe));
    operators.add(operator);
    builds.add(build);
  }

  private static boolean isOf(Expression e, AttributeSet columns) {
    return e.references().size() > 0 && e.references().subsetOf(columns);
  }

  private static String turned(String operator) {
    if (operator.startsWith("Less")) return operator.replace("Less", "Greater");
    return operator.replace("Greater", "Less");
  }

  private JoinTerms() {}

  /** What `probe IN values` implies. */
  public static List<Expression> impliedBy(Expression probe, Object[] values) {
    JoinTerms terms = new JoinTerms();
    if (!Predicates.isExact(probe.dataType())) return new ArrayList<Expression>();
    terms.add(probe, "EqualTo", probe);
    Rows rows = new Rows(1);
    for (Object value : values)
      if (value != null) rows.add(new Object[] {value});
    return terms.implied(rows);
  }

  public boolean isEmpty() { return probes.isEmpty(); }

  /** The implied predicates; none if the build side has no row that can join, or too many. */
  public List<Expression> implied(BuildSide build) {
    Rows rows = new Rows(probes.size());
    return build.read(builds, rows) ? implied(rows) : new ArrayList<Expression>();
  }

  private List<Expression> implied(Rows rows) {
    List<Expression> result = new ArrayList<>();
    if (rows.count == 0) return result;
    for (int i = 0; i < probes.size(); i++)
      if (operators.get(i).equals("EqualTo")) addEquality(i, rows, result);
    // Alone as well: Iceberg takes nothing of ranges whose other terms it cannot evaluate.
    for (int i = 0; i < probes.size(); i++)
      if (!operators.get(i).equals("EqualTo")) result.add(bounds(i, rows.all));
    for (int i = 0; i < probes.size(); i++) addRanges(i, rows, result);
    return result;
  }

  private void addEquality(int i, Rows rows, List<Expression> result) {
    Set<Object> values = rows.values(i);
    if (values == null || values.size() > MAXIMUM_PARTITION_VALUES) return;
    List<Expression> literals = new ArrayList<>();
    for (Object value : values) literals.add(literal(i, value));
    Expression probe = (Expression) probes.get(i);
    if (values.size() > 1) result.add(new In(probe, ScalaTypes.seq(literals)));
    else result.add(new EqualTo(probe, (Expression) literals.get(0)));
  }

  /** Adds the ranges of one term's values, together with what the other terms imply within each range. */
  private void addRanges(int i, Rows rows, List<Expression> result) {
    if (operators.get(i).equals("EqualTo")) {
      Set<Object> values = rows.values(i);
      boolean isColumn = PartitionLayout.isColumn((Expression) probes.get(i));
      if (values != null && values.size() <= (isColumn ? MAXIMUM_VALUES : MAXIMUM_SOLVED) && !hasRanges()) return;
    } else if (i > 0) {
      return; // in the ranges of the first term
    }
    Expression either = null;
    for (Range range : rows.ranges(i)) {
      Expression all = null;
      for (int j = 0; j < probes.size(); j++) {
        if (j != i && operators.get(j).equals("EqualTo")) continue;
        Expression bounds = bounds(j, range);
        all = all == null ? bounds : new And(all, bounds);
      }
      either = either == null ? all : new Or(either, all);
    }
    result.add(either);
  }

  private boolean hasRanges() {
    for (String operator : operators)
      if (!operator.equals("EqualTo")) return true;
    return false;
  }

  private Expression bounds(int i, Range range) {
    Expression probe = (Expression) probes.get(i), low = literal(i, range.low[i]), high = literal(i, range.high[i]);
    switch ((String) operators.get(i)) {
      case "LessThan":
        return new LessThan(probe, high);
      case "LessThanOrEqual":
        return new LessThanOrEqual(probe, high);
      case "GreaterThan":
        return new GreaterThan(probe, low);
      case "GreaterThanOrEqual":
        return new GreaterThanOrEqual(probe, low);
      default:
        if (range.low[i].equals(range.high[i])) return new EqualTo(probe, low);
        return new And(new GreaterThanOrEqual(probe, low), new LessThanOrEqual(probe, high));
    }
  }

  private Expression literal(int i, Object value) {
    return new ImpliedLiteral(value, ((Expression) builds.get(i)).dataType());
  }

  /** The least and the greatest value of each term in some rows. */
  static final class Range {
    final Object[] low, high;

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

  /** The different rows of values, and the span of all. */
  static final class Rows implements BuildSide.Receiver {
    final int width;
    long count;
    Range all;
    private Set<List<Object>> rows = new HashSet<>();

    Rows(int width) { this.width = width; }

    @Override
    public void add(Object[] row) {
      count++;
      if (all == null) all = new Range(row);
      all.add(row);
      if (rows == null) return;
      rows.add(Arrays.asList(row));
      if (rows.size() > MAXIMUM_ROWS) rows = null;
    }

    /** The different values of a term, in order; null if there are too many. */
    Set<Object> values(int i) {
      if (rows == null) return null;
      Set<Object> values = new TreeSet<>();
      for (List<Object> row : rows) values.add(row.get(i));
      return values;
    }

    /** The rows in ranges of a term's values, divided at the widest gaps. */
    List<Range> ranges(int i) {
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
