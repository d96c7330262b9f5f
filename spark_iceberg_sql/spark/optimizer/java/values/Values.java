package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.parser.ParseException;
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
  static class Filters extends Attempt {
    @Override
    public boolean isFor(Object node) {
      return node instanceof Filter && PartitionLayout.of(((Filter) node).child()) != null;
    }

    @Override
    protected Object replacement(Object node) {
      return narrowed((Filter) node);
    }
  }

  /** Null if no values can be excluded. */
  private static Filter narrowed(Filter filter) {
    SnapshotFiles files = Positions.isFree(filter.child()) ? files(filter.condition(), filter.child()) : null;
    Expression implied = files == null ? null : implied(filter.condition(), files);
    if (implied == null || MisreadComparisons.areIn(implied, files.layout)) return null;
    Map<ExprId, PartitionLayout> layouts = new HashMap<>();
    for (Attribute column : ScalaTypes.list(filter.child().output())) layouts.put(column.exprId(), files.layout);
    // Within an OR, Iceberg 1.11 fails on an IN for a null partition value.
    implied = (Expression) new NullPartitions(layouts, false, false).apply(implied);
    return new Filter(new And(filter.condition(), implied), files.pinned);
  }

  /** What a condition on an Iceberg relation implies for its partition values; null if nothing. */
  public Expression implied(Expression condition, LogicalPlan relation) {
    SnapshotFiles files = files(condition, relation);
    return files == null ? null : implied(condition, files);
  }

  @Override
  public boolean readsAhead(LogicalPlan node, Table table, Set<Integer> columns) {
    PartitionLayout layout = node instanceof Filter ? PartitionLayout.of(((Filter) node).child()) : null;
    if (layout == null || !layout.isOf(table) || !isPartitioned(layout)) return false;
    if (Predicates.hasFailingConstant(((Filter) node).condition())) return false; // failing_constants runs later
    for (Expression conjunct : opaque(((Filter) node).condition()))
      for (Attribute column : ScalaTypes.list(conjunct.references().toSeq()))
        if (!layout.transformsOf(column).isEmpty()) return true;
    return false;
  }

  /** Null if a condition cannot gain by partition values. */
  private static SnapshotFiles files(Expression condition, LogicalPlan relation) {
    boolean isCandidate = condition.deterministic() && isPartitioned(PartitionLayout.of(relation));
    return isCandidate && !opaque(condition).isEmpty() ? SnapshotFiles.of(relation) : null;
  }

  /** The conjuncts that Iceberg cannot evaluate. */
  private static List<Expression> opaque(Expression condition) {
    List<Expression> opaque = new ArrayList<>();
    for (Expression conjunct : Predicates.conjuncts(condition))
      if (conjunct.references().size() > 0 && FileCondition.converted(conjunct) == null) opaque.add(conjunct);
    return opaque;
  }

  private static Expression implied(Expression condition, SnapshotFiles files) {
    List<Expression> opaque = opaque(condition), others = Predicates.conjuncts(condition), implied = new ArrayList<>();
    List<PartitionFieldTerm> terms = new ArrayList<>();
    for (Expression conjunct : opaque)
      if (ExactPredicates.isCandidate(conjunct, files)) PartitionFieldTerm.collect(conjunct, files, terms);
    PartitionTuples tuples = terms.isEmpty() ? null : PartitionTuples.of(files, terms);
    if (tuples == null) return null;
    others.removeAll(opaque);
    ExactPredicates predicates = new ExactPredicates(files, tuples, others);
    for (Expression conjunct : opaque) {
      Expression added = predicates.impliedBy(conjunct);
      if (added != null) implied.add(added);
    }
    return Predicates.conjunction(implied);
  }

  private static boolean isPartitioned(PartitionLayout layout) {
    for (PartitionSpec spec : layout.table().specs().values())
      for (PartitionField field : spec.fields())
        if (!field.transform().isVoid()) return true;
    return false;
  }

  /** Tests a predicate that Iceberg cannot evaluate on a table whose two files differ in their partition values. */
  @Override
  protected String check(SparkSession session) {
    try {
      String pushed = TrialTable.scan(
        session, "SELECT y FROM t WHERE x % 10 = 5", TrialTable.partitioned(new int[][] {{15, 15}, {26, 26}}));
      boolean isExact = pushed.contains("15") && !pushed.contains("26");
      return isExact ? null : "a predicate on partition values does not imply those for which it is true: " + pushed;
    } catch (ParseException e) {
      return e.toString();
    }
  }
}
