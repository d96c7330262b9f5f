package sparkicebergsql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;

/**
 * Predicates that Iceberg cannot evaluate, as conditions on partition values that it can: Spark's own evaluation decides
 * for each value that the snapshot's files have.
 *
 * <p>Invariant: a row of the snapshot for which the predicate is true satisfies the condition. A predicate that fails
 * for a value may be true for it: then the query fails on the rows with this value, if it reads them.
 */
public final class ExactPredicates {
  /** The maximum number of values, and of combinations of values, of one condition. */
  private static final int VALUES = 10000, COMBINATIONS = 200;
  private final SnapshotFiles files;
  private final PartitionTuples tuples;
  private final List<Expression> others;

  /** others: conjuncts by which Iceberg skips files itself. */
  public ExactPredicates(SnapshotFiles files, PartitionTuples tuples, List<Expression> others) {
    this.files = files;
    this.tuples = tuples;
    this.others = others;
  }

  /** Whether {@link #impliedBy} may find a condition, whatever values the files have. */
  public static boolean isCandidate(Expression e, SnapshotFiles files) {
    if (e instanceof And) return isCandidate(((And) e).left(), files) || isCandidate(((And) e).right(), files);
    if (e instanceof Or) return isCandidate(((Or) e).left(), files) && isCandidate(((Or) e).right(), files);
    return FileCondition.converted(e) != null || bound(e, files, new ArrayList<PartitionFieldTerm>()) != null;
  }

  /** A predicate over a row of the values of its terms, which are added to a list; null if other values decide, too. */
  private static Expression bound(Expression e, SnapshotFiles files, List<PartitionFieldTerm> terms) {
    if (Predicates.isEvaluable(e)) PartitionFieldTerm.collect(e, files, terms);
    Expression bound = terms.isEmpty() ? null : PartitionFieldTerm.bound(e, files, terms);
    return bound == null || !bound.references().isEmpty() ? null : bound;
  }

  /** The condition that a predicate implies, with what Iceberg can evaluate of it; null if it implies none. */
  public Expression impliedBy(Expression e) {
    if (e instanceof And) {
      Expression left = impliedBy(((And) e).left()), right = impliedBy(((And) e).right());
      return left == null ? right : right == null ? left : new And(left, right);
    }
    if (e instanceof Or) {
      Expression left = impliedBy(((Or) e).left()), right = left == null ? null : impliedBy(((Or) e).right());
      return right == null ? null : new Or(left, right);
    }
    if (FileCondition.converted(e) != null) return e;
    List<PartitionFieldTerm> terms = new ArrayList<>();
    Expression bound = bound(e, files, terms);
    return bound == null ? null : decided(bound, terms);
  }

  /** predicate: over a row of the terms' values. */
  private Expression decided(Expression predicate, List<PartitionFieldTerm> terms) {
    List<Expression> scanned = new ArrayList<>();
    for (Expression other : others) {
      Expression bound = Predicates.isEvaluable(other) ? PartitionFieldTerm.bound(other, files, terms) : other;
      if (bound.references().isEmpty()) scanned.add(bound);
    }
    Set<List<Object>> accepted = new LinkedHashSet<>(), rejected = new LinkedHashSet<>();
    boolean isComplete = true;
    for (Integer id : tuples.specs()) {
      PartitionSpec spec = (PartitionSpec) files.table.specs().get(id);
      if (!PartitionFieldTerm.hasAll(terms, spec)) {
        isComplete = false;
        continue;
      }
      for (StructLike tuple : tuples.of(id)) {
        List<Object> values = PartitionFieldTerm.values(terms, spec, tuple);
        if (accepted.contains(values) || rejected.contains(values)) continue;
        InternalRow row = new GenericInternalRow(values.toArray());
        boolean isScanned = true;
        for (Expression other : scanned) isScanned &= mayBeTrue(other, row);
        if (isScanned) (mayBeTrue(predicate, row) ? accepted : rejected).add(values);
      }
    }
    if (rejected.isEmpty()) return null;
    if (isComplete) return accepted.isEmpty() ? Literal.FalseLiteral() : any(terms, accepted);
    // Files of other specs have values that are not known, but not the rejected ones.
    return terms.size() > 1 || rejected.size() > VALUES ? null : excluded(terms, rejected);
  }

  private static boolean mayBeTrue(Expression predicate, InternalRow row) {
    try {
      return Boolean.TRUE.equals(predicate.eval(row));
    } catch (Exception e) {
      return true;
    }
  }

  /** Whether a row has one of several tuples of values; null if there are too many. */
  private static Expression any(List<PartitionFieldTerm> terms, Set<List<Object>> accepted) {
    Expression last = ((PartitionFieldTerm) terms.get(terms.size() - 1)).expression;
    Map<List<Object>, Set<Object>> byFirst = new LinkedHashMap<>();
    for (List<Object> tuple : accepted) {
      List<Object> first = tuple.subList(0, tuple.size() - 1);
      if (!byFirst.containsKey(first)) byFirst.put(first, new LinkedHashSet<Object>());
      ((Set<Object>) byFirst.get(first)).add(tuple.get(tuple.size() - 1));
    }
    if (accepted.size() > VALUES || byFirst.size() > COMBINATIONS) return null;
    Expression result = null;
    for (List<Object> first : byFirst.keySet()) {
      Expression both = Predicates.any(last, (Set<Object>) byFirst.get(first));
      for (int i = 0; both != null && i < first.size(); i++)
        both = new And(
          Predicates.any(((PartitionFieldTerm) terms.get(i)).expression, Collections.singleton(first.get(i))), both);
      if (both == null) return null;
      result = result == null ? both : new Or(result, both);
    }
    return result;
  }

  /** Whether a row has none of the values of the only term. */
  private static Expression excluded(List<PartitionFieldTerm> terms, Set<List<Object>> rejected) {
    Set<Object> values = new LinkedHashSet<>();
    for (List<Object> tuple : rejected) values.add(tuple.get(0));
    return Predicates.none(((PartitionFieldTerm) terms.get(0)).expression, values);
  }
}
