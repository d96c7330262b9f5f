package sparkicebergsql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.exchange.Exchange;

/**
 * Rows that a plan needs twice, as those of a common table expression: Spark reads and shuffles them once, and uses the
 * shuffle again. Grouped they are read twice.
 */
public final class SharedShuffles {
  /** The most bytes that are read again, of those of the others: it takes about as long to read rows as to shuffle them. */
  private static final double READ_AGAIN = 0.6;

  private final Set<Object> exchanges = new HashSet<>();
  private final Set<Object> scans = Collections.newSetFromMap(new IdentityHashMap<Object, Boolean>());

  private SharedShuffles() {}

  /** Whether a plan may have such rows: with scans that read the same. */
  public static boolean arePossible(LogicalPlan plan, SparkSession session) {
    Set<Object> different = new HashSet<>();
    boolean isAgain = false;
    for (LogicalPlan leaf : ScalaTypes.list(plan.collectLeaves()))
      if (leaf instanceof DataSourceV2ScanRelation) isAgain |= !different.add(((DataSourceV2ScanRelation) leaf).scan());
    return isAgain && session.sessionState().conf().exchangeReuseEnabled();
  }

  /** The scans of a physical plan that Spark does not run, since it has the same shuffle elsewhere. */
  public static Set<Object> scans(SparkPlan plan) {
    SharedShuffles shared = new SharedShuffles();
    shared.visit(plan, false);
    return shared.scans;
  }

  /**
   * Of scans whose rows come together, those parts because of which Spark would read more again than it would shuffle
   * less: of all of them, since a shuffle that one part no longer has may be the one that another uses again.
   *
   * @param stages lists of scans whose rows come together
   * @param ungrouped the scans that Spark does not run without the grouping
   * @param grouped those that it does not run with it
   */
  public static List<List<GroupedScan>> readTooMuch(
    List<List<GroupedScan>> stages, Set<Object> ungrouped, Set<Object> grouped) throws ReflectiveOperationException {
    List<Object> again = new ArrayList<>();
    for (Object scan : ungrouped)
      if (!grouped.contains(replaced(scan, stages))) again.add(scan);
    List<List<GroupedScan>> affected = new ArrayList<>();
    Map<Object, Long> sizes = new HashMap<>(); // scans that read the same are equal
    long once = 0, twice = 0;
    for (List<GroupedScan> stage : stages) {
      boolean isAffected = false;
      for (GroupedScan scan : stage) isAffected |= again.contains(scan.original);
      if (!isAffected) continue;
      affected.add(stage);
      for (GroupedScan scan : stage) {
        long size = ShuffleSide.bytes(scan.relation);
        sizes.put(scan.original, Long.valueOf(size));
        once += size;
      }
    }
    for (Object scan : again)
      if (sizes.containsKey(scan)) twice += ((Long) sizes.get(scan)).longValue();
    // A scan that is not grouped still has the shuffle that those which read the same have no longer.
    return twice > (once - twice) * READ_AGAIN ? affected : new ArrayList<List<GroupedScan>>();
  }

  /** What a scan is with the grouping. */
  private static Object replaced(Object scan, List<List<GroupedScan>> stages) {
    for (List<GroupedScan> stage : stages)
      for (GroupedScan grouped : stage)
        if (grouped.original == scan) return grouped.relation.scan();
    return scan;
  }

  private void visit(SparkPlan node, boolean isShared) {
    if (node instanceof BatchScanExec && isShared) scans.add(TrialScan.tried((BatchScanExec) node));
    boolean isAgain = isShared || node instanceof Exchange && !exchanges.add(node.canonicalized());
    for (SparkPlan child : ScalaTypes.list(node.children())) visit(child, isAgain);
  }
}
