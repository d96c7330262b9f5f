package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * Evaluates the conditions that Iceberg cannot, such as <code>substr(ds, 7, 2) = '05'</code>, on the partition tuples
 * of the files, with Spark's own evaluation, and adds the values for which they may be true: the scan reads no file of
 * the others.
 */
public class Values extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    return (LogicalPlan) plan.transform(ScalaTypes.rewrite(new Filters()));
  }

  /** The filters directly above relations. */
  static class Filters implements ScalaTypes.Replacement {
    @Override
    public boolean isFor(Object node) {
      return node instanceof Filter && PartitionLayout.of(((Filter) node).child()) != null;
    }

    @Override
    public Object of(Object node) {
      Filter filter = (Filter) node;
      try {
        Filter narrowed = narrowed(filter);
        return narrowed == null ? filter : narrowed;
      } catch (RuntimeException e) {
        return filter; // an error here must not fail the query
      }
    }
  }

  /** Null if no values can be excluded. */
  private static Filter narrowed(Filter filter) {
    if (!filter.condition().deterministic() || !isPartitioned(PartitionLayout.of(filter.child()))) return null;
    List<Expression> conjuncts = new ArrayList<>(), opaque = new ArrayList<>();
    FileCondition.split(filter.condition(), conjuncts);
    for (Expression conjunct : conjuncts)
      if (conjunct.references().size() > 0 && FileCondition.converted(conjunct) == null) opaque.add(conjunct);
    SnapshotFiles files = opaque.isEmpty() ? null : SnapshotFiles.of(filter.child());
    if (files == null) return null;
    List<PartitionTerm> terms = new ArrayList<>();
    for (Expression conjunct : opaque) PartitionTerm.collect(conjunct, files, terms);
    PartitionTuples tuples = terms.isEmpty() ? null : PartitionTuples.of(files);
    if (tuples == null) return null;
    conjuncts.removeAll(opaque);
    ExactPredicates predicates = new ExactPredicates(files, tuples, conjuncts);
    Expression result = filter.condition();
    for (Expression conjunct : opaque) {
      Expression implied = predicates.impliedBy(conjunct);
      if (implied != null) result = new And(result, implied);
    }
    return result == filter.condition() ? null : new Filter(result, files.pinned);
  }

  private static boolean isPartitioned(PartitionLayout layout) {
    for (PartitionSpec spec : layout.table().specs().values())
      for (PartitionField field : spec.fields())
        if (!field.transform().isVoid()) return true;
    return false;
  }

  @Override
  protected String check(SparkSession session) {
    return null;
  }
}
