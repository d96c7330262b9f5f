package sparkicebergsql;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.Option;

/** Plans with grouped scans. */
public final class GroupedPlan {
  /** The number of scans of the plan in which a relation was grouped. */
  private static final TreeNodeTag<Integer> AMONG = new TreeNodeTag<Integer>("spark_iceberg_sql.grouped_among");

  private GroupedPlan() {}

  /**
   * A plan with scans that are grouped, and noted so.
   *
   * @param stages lists of scans whose rows come together
   */
  public static LogicalPlan of(LogicalPlan plan, List<List<GroupedScan>> stages) throws ReflectiveOperationException {
    int count = count(plan);
    Map<Object, LogicalPlan> relations = new IdentityHashMap<>();
    for (List<GroupedScan> stage : stages)
      for (GroupedScan scan : stage) {
        DataSourceV2ScanRelation relation = scan.noted(stage);
        relation.setTagValue(AMONG, Integer.valueOf(count));
        relations.put(scan.original, relation);
      }
    return with(plan, relations);
  }

  /** A plan with scans that are grouped, to be tried. */
  public static LogicalPlan tried(LogicalPlan plan, List<GroupedScan> scans) {
    Map<Object, LogicalPlan> relations = new IdentityHashMap<>();
    for (GroupedScan scan : scans) relations.put(scan.original, scan.relation);
    return with(plan, relations);
  }

  /** A plan as it was before scans of it were grouped. Each has a scan of its own, also where a subquery occurs twice. */
  public static LogicalPlan ungrouped(LogicalPlan plan) {
    return (LogicalPlan) plan.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object node) {
        return node instanceof DataSourceV2ScanRelation && GroupedScan.isGrouped((LogicalPlan) node);
      }

      @Override
      public Object of(Object node) {
        try {
          return GroupedScan.ungrouped((DataSourceV2ScanRelation) node);
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException(e);
        }
      }
    }));
  }

  /**
   * Whether scans were grouped when the plan was that of a subquery alone, and may be grouped with others now. Not those
   * of files that a write replaces, since that has this very scan.
   */
  public static boolean isOfSubquery(LogicalPlan plan) {
    int count = count(plan);
    boolean isOfSubquery = false;
    for (LogicalPlan leaf : ScalaTypes.list(plan.collectLeaves())) {
      if (!GroupedScan.isGrouped(leaf)) continue;
      Scan scan = ((DataSourceV2ScanRelation) leaf).scan();
      if (!scan.getClass().getName().equals(SparkScans.OF_QUERY)) return false;
      Option<Integer> among = leaf.getTagValue(AMONG);
      isOfSubquery |= among.isEmpty() || ((Integer) among.get()).intValue() < count;
    }
    return isOfSubquery;
  }

  /** The scans of a plan that are grouped, or could be. */
  private static int count(LogicalPlan plan) {
    int count = 0;
    for (LogicalPlan leaf : ScalaTypes.list(plan.collectLeaves()))
      if (GroupedScan.isCandidate(leaf) || GroupedScan.isGrouped(leaf)) count++;
    return count;
  }

  /** The plan with other relations, by the scans that they replace. */
  private static LogicalPlan with(LogicalPlan plan, final Map<Object, LogicalPlan> relations) {
    return (LogicalPlan) plan.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object node) {
        return node instanceof DataSourceV2ScanRelation
          && relations.containsKey(((DataSourceV2ScanRelation) node).scan());
      }

      @Override
      public Object of(Object node) {
        return relations.get(((DataSourceV2ScanRelation) node).scan());
      }
    }));
  }
}
