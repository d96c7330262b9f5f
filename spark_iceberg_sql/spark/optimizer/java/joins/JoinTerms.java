package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.*;

/**
 * The comparisons of a join's condition between its probe side and its build side, and the predicates on the probe side
 * that they imply with the values of the build side.
 *
 * <p>Invariant: a row of the probe side for which an implied predicate is not true joins no row of the build side.
 */
public final class JoinTerms {
  /** The maximum number of values in IN; Iceberg compares bounds with 200 at most. */
  private static final int MAXIMUM_VALUES = 200;
  /** IN with more values is for partition fields alone. */
  private static final int MAXIMUM_PARTITION_VALUES = 1000;
  /** From this number of values on, the rule `prune` takes their span. */
  private static final int MAXIMUM_SOLVED = 16;

  private final List<Expression> probes = new ArrayList<>(), builds = new ArrayList<>();
  private final List<String> operators = new ArrayList<>();

  /** All comparisons between columns of the probe side and columns of the build side. */
  public JoinTerms(Expression condition, AttributeSet probe, AttributeSet build) {
    for (Expression conjunct : Predicates.conjuncts(condition)) add(conjunct, probe, build);
  }

  private void add(Expression conjunct, AttributeSet probe, AttributeSet build) {
    String operator = conjunct.getClass().getSimpleName();
    boolean isComparison = conjunct instanceof EqualTo || conjunct instanceof LessThan
      || conjunct instanceof LessThanOrEqual || conjunct instanceof GreaterThan
      || conjunct instanceof GreaterThanOrEqual;
    if (!isComparison || !conjunct.deterministic()) return;
    Expression left = (Expression) conjunct.children().apply(0), right = (Expression) conjunct.children().apply(1);
    if (!left.dataType().equals(right.dataType()) || !Predicates.isExact(left.dataType())) return;
    if (isOf(left, probe) && isOf(right, build)) add(left, operator, right);
    else if (isOf(right, probe) && isOf(left, build)) add(right, turned(operator), left);
  }

  private void add(Expression probe, String operator, Expression build) {
    probes.add(Calls.beforePushDown(probe));
    operators.add(operator);
    builds.add(build);
  }

  private void copy(JoinTerms other, int i) {
    probes.add(other.probes.get(i));
    operators.add(other.operators.get(i));
    builds.add(other.builds.get(i));
  }

  /** Some of the comparisons, by their indexes. */
  public JoinTerms part(List<Integer> indexes) {
    JoinTerms part = new JoinTerms();
    for (Integer i : indexes) part.copy(this, i.intValue());
    return part;
  }

  public int size() { return probes.size(); }

  public Expression probe(int i) { return (Expression) probes.get(i); }

  public Expression build(int i) { return (Expression) builds.get(i); }

  public boolean isEquality(int i) { return operators.get(i).equals("EqualTo"); }

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
    JoinRows rows = new JoinRows(1);
    for (Object value : values)
      if (value != null) rows.add(new Object[] {value});
    return terms.implied(rows);
  }

  public boolean isEmpty() { return probes.isEmpty(); }

  /** The implied predicates; none if the build side has no row that can join, or too many. */
  public List<Expression> implied(BuildSide build) {
    JoinRows rows = new JoinRows(probes.size());
    return build.read(builds, rows) ? implied(rows) : new ArrayList<Expression>();
  }

  /** The predicates that rows of the build side imply: the values of its expressions in this order. */
  public List<Expression> implied(JoinRows rows) {
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

  private void addEquality(int i, JoinRows rows, List<Expression> result) {
    Set<Object> values = rows.values(i);
    if (values == null || values.size() > MAXIMUM_PARTITION_VALUES) return;
    List<Expression> literals = new ArrayList<>();
    for (Object value : values) literals.add(literal(i, value));
    Expression probe = (Expression) probes.get(i);
    if (values.size() > 1) result.add(new In(probe, ScalaTypes.seq(literals)));
    else result.add(new EqualTo(probe, (Expression) literals.get(0)));
  }

  /** Adds the ranges of one term's values, together with what the other terms imply within each range. */
  private void addRanges(int i, JoinRows rows, List<Expression> result) {
    if (operators.get(i).equals("EqualTo")) {
      Set<Object> values = rows.values(i);
      boolean isColumn = PartitionLayout.isColumn((Expression) probes.get(i));
      if (values != null && values.size() <= (isColumn ? MAXIMUM_VALUES : MAXIMUM_SOLVED) && !hasRanges()) return;
    } else if (i > 0) {
      return; // in the ranges of the first term
    }
    Expression either = null;
    for (JoinRows.Range range : rows.ranges(i)) {
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

  private Expression bounds(int i, JoinRows.Range range) {
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
}
