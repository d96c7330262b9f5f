package sparkicebergsql;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.exchange.Exchange;

/**
 * Rows that a plan needs twice, as those of a common table expression: Spark reads and shuffles them once, and uses the
 * shuffle again. Grouped they are read twice.
 */
public final class SharedShuffles {
  private final Set<Object> exchanges = new HashSet<>();
  private final Set<Object> scans = Collections.newSetFromMap(new IdentityHashMap<Object, Boolean>());

  private SharedShuffles() {}

  /** Whether a plan may have such rows: with scans that read the same. */
  public static boolean arePossible(List<GroupedScan> scans, SparkSession session) {
    Set<Object> different = new HashSet<>();
    for (GroupedScan scan : scans) different.add(scan.original);
    return different.size() < scans.size() && session.sessionState().conf().exchangeReuseEnabled();
  }

  /** The scans of a physical plan that Spark does not run, since it has the same shuffle elsewhere. */
  public static Set<Object> scans(SparkPlan plan) {
    SharedShuffles shared = new SharedShuffles();
    shared.visit(plan, false);
    return shared.scans;
  }

  private void visit(SparkPlan node, boolean isShared) {
    if (node instanceof BatchScanExec && isShared) scans.add(TrialScan.tried((BatchScanExec) node));
    boolean isAgain = isShared || node instanceof Exchange && !exchanges.add(node.canonicalized());
    for (SparkPlan child : ScalaTypes.list(node.children())) visit(child, isAgain);
  }
}
