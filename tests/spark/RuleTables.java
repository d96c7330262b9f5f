package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;

/** Calls the classes behind the rule `prune` for test_java_tables.py. Intervals are text: `from:to from:to`. */
public class RuleTables {
  private static Intervals read(String text) {
    Intervals all = Intervals.of(0, 0);
    for (String interval : text.trim().split(" +")) {
      if (interval.isEmpty()) continue;
      String[] ends = interval.split(":");
      all = all.union(Intervals.of(end(ends[0]), end(ends[1])));
    }
    return all;
  }

  private static long end(String text) {
    return text.equals("least") ? Intervals.MINIMUM
      : text.equals("greatest") ? Intervals.MAXIMUM
                                : Long.parseLong(text);
  }

  private static String show(Intervals values) {
    List<String> intervals = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      String from = values.from(i) == Intervals.MINIMUM ? "least" : "" + values.from(i);
      intervals.add(from + ":" + (values.to(i) == Intervals.MAXIMUM ? "greatest" : "" + values.to(i)));
    }
    return String.join(" ", intervals);
  }

  public String union(String a, String b) { return show(read(a).union(read(b))); }

  public String intersect(String a, String b) { return show(read(a).intersect(read(b))); }

  public String of(String from, String to) { return show(Intervals.of(end(from), end(to))); }

  public String coarse(String a) { return show(read(a).coarse()); }

  public boolean contains(String a, String b) { return read(a).contains(read(b)); }

  public boolean isAll(String a) { return read(a).isAll(); }

  /** What a predicate implies: `column from:to ...`, one column per line; empty if nothing. */
  public String implied(Expression predicate) {
    Set<String> lines = new TreeSet<>();
    for (ImpliedRanges.ColumnRanges ranges : new ImpliedRanges(null, false).of(predicate).values())
      lines.add(ranges.column.toString().replaceAll("#\\d+L?", "") + " " + show(ranges.values));
    return String.join("\n", lines);
  }

  /** The values of a column that the predicate keeps. */
  public String refine(String values, Expression predicate) {
    List<Expression> columns = new ArrayList<>();
    columns(predicate, columns);
    return show(CyclicParts.refine(read(values), (Expression) columns.get(0), List.of(predicate)));
  }

  private static void columns(Expression e, List<Expression> out) {
    if (e instanceof AttributeReference || e instanceof GetStructField) out.add(e);
    else
      for (Expression child : ScalaTypes.list(e.children())) columns(child, out);
  }

  /**
   * `direction first last before beyond far near reach`, null if an expression is not monotonic. far, near: the
   * margin far from and at the zone's last transition. reach: how long after it the margin is larger.
   */
  public String monotonic(Expression e, long change) {
    MonotonicExpression s = MonotonicExpression.of(e);
    if (s == null) return null;
    long far = s.margin(change + 20000 * unit(change)), near = s.margin(change), reach = 0;
    if (near != far) {
      long to = 20000 * unit(change);
      while (reach + 1 < to) {
        long middle = (reach + to) / 2;
        if (s.margin(change + middle) == far) to = middle;
        else reach = middle;
      }
    }
    String[] behaviours = {"TOTAL", "APART", "ANYTHING"};
    return String.join(" ", "" + s.direction, "" + s.first, "" + s.last, behaviours[s.below], behaviours[s.above],
      "" + far, "" + near, "" + reach);
  }

  /** A day, for a transition in microseconds or in days. */
  private static long unit(long change) { return Math.abs(change) < 1000000L ? 1 : Clocks.DAY; }

  /** The kinds of an expression and its parts. */
  public String kinds(Expression e) {
    Set<String> names = new TreeSet<>();
    kinds(e, names);
    return String.join(" ", names);
  }

  private static void kinds(Expression e, Set<String> out) {
    if (ExpressionKind.of(e) != null) out.add(ExpressionKind.of(e).spark);
    for (Expression child : ScalaTypes.list(e.children())) kinds(child, out);
  }

  /** All of them. */
  public String kinds() {
    Set<String> names = new TreeSet<>();
    for (ExpressionKind kind : ExpressionKind.values()) names.add(kind.spark);
    return String.join(" ", names);
  }
}
