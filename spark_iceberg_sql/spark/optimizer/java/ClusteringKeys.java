package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;

/**
 * The keys of a plan's joins, groups and windows: those by which Spark would shuffle rows.
 *
 * <p>A key is an expression of the columns of scans. Keys that a join compares are one class: rows with the same value of
 * one and the other meet.
 */
public final class ClusteringKeys {
  /** The most names that a column may have above another. */
  private static final int NAMES = 30;

  /** By the name of a column in a query, what it is. */
  private final Map<ExprId, Expression> definitions = new HashMap<>();
  /** By each key, as Spark compares them, another one of its class; the last one has itself. */
  private final Map<Expression, Expression> links = new HashMap<>();
  private final Map<Expression, Integer> numbers = new HashMap<>();
  private final List<Expression> keys = new ArrayList<>();
  /** By a node, the keys that it compares. */
  private final Map<Object, List<Expression>> nodes = new IdentityHashMap<>();

  private ClusteringKeys() {}

  /** Those of a plan, without its subqueries. */
  public static ClusteringKeys of(LogicalPlan plan) {
    ClusteringKeys result = new ClusteringKeys();
    result.define(plan);
    result.addAll(plan);
    for (Expression key : result.keys) {
      Expression root = result.root(key);
      if (!result.numbers.containsKey(root)) result.numbers.put(root, Integer.valueOf(result.numbers.size()));
    }
    return result;
  }

  public boolean isEmpty() { return keys.isEmpty(); }

  /** All of them, in terms of the columns of scans. */
  public List<Expression> all() { return keys; }

  /** The class of a key. */
  public Integer number(Expression key) { return (Integer) numbers.get(root(key)); }

  /** The classes of the keys of a join, a group or a window; null if it has none, or others. */
  public Set<Integer> classes(LogicalPlan node) {
    List<Expression> compared = (List<Expression>) nodes.get(node);
    if (compared == null || compared.isEmpty()) return null;
    Set<Integer> classes = new LinkedHashSet<>();
    for (Expression key : compared) classes.add(number(key));
    return classes;
  }

  private void define(LogicalPlan plan) {
    for (Expression e : ScalaTypes.list(plan.expressions()))
      if (e instanceof Alias && e.deterministic()) definitions.put(((Alias) e).exprId(), ((Alias) e).child());
    for (LogicalPlan child : ScalaTypes.list(plan.children())) define(child);
  }

  private void addAll(LogicalPlan plan) {
    if (plan instanceof Join) {
      addEqualities((Join) plan);
    } else if (plan instanceof Aggregate) {
      for (Expression e : ScalaTypes.list(((Aggregate) plan).groupingExpressions())) add(plan, e);
    } else if (plan instanceof Window) {
      for (Expression e : ScalaTypes.list(((Window) plan).partitionSpec())) add(plan, e);
    }
    for (LogicalPlan child : ScalaTypes.list(plan.children())) addAll(child);
  }

  private void addEqualities(Join join) {
    Expression condition = join.condition().isEmpty() ? null : (Expression) join.condition().get();
    for (Expression conjunct : Predicates.conjuncts(condition)) {
      if (conjunct instanceof EqualTo) {
        Expression left = (Expression) ((EqualTo) conjunct).left(), right = (Expression) ((EqualTo) conjunct).right();
        boolean isSwapped = isOf(right, join.left()) && isOf(left, join.right());
        if (!isSwapped && !(isOf(left, join.left()) && isOf(right, join.right()))) continue;
        Expression first = add(join, left), second = add(join, right);
        if (first != null && second != null) links.put(root(first), root(second));
      } else if (conjunct instanceof EqualNullSafe) {
        nodes.put(join, null); // Spark joins on two expressions of each side
        return;
      }
    }
  }

  private static boolean isOf(Expression e, LogicalPlan side) {
    return !e.references().isEmpty() && e.references().subsetOf(side.outputSet());
  }

  /** The key of an expression; null if it is none. */
  private Expression add(LogicalPlan node, Expression e) {
    if (e instanceof Alias) e = ((Alias) e).child();
    if (e.foldable() || !e.deterministic()) return null;
    Expression key = origin(e);
    if (!links.containsKey(key.canonicalized())) {
      links.put(key.canonicalized(), key.canonicalized());
      keys.add(key);
    }
    List<Expression> compared = (List<Expression>) nodes.get(node);
    if (compared == null) nodes.put(node, compared = new ArrayList<>());
    compared.add(key);
    return key;
  }

  /** An expression in terms of the columns of scans. */
  private Expression origin(Expression e) {
    for (int names = 0; names < NAMES; names++) {
      Expression defined = Predicates.substituted(e, definitions);
      if (defined == e) return e;
      e = defined;
    }
    return e;
  }

  private Expression root(Expression key) {
    Expression e = key.canonicalized();
    while (true) {
      Expression next = (Expression) links.get(e);
      if (next == null || next.equals(e)) return e;
      e = next;
    }
  }
}
