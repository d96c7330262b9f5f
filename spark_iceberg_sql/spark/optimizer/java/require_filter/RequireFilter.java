package sparkicebergsql;

import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Subquery;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;

/**
 * Refuses statements that read more of a partitioned table than its owner or the session allows without a filter on a
 * partition field.
 *
 * <p>The plan is not refused but its scan, when it is about to read: EXPLAIN and `explain` show why it prunes nothing.
 */
public class RequireFilter extends SwitchedRule {
  /** Iceberg's maintenance of a table, such as compute_table_stats, reads it with queries of its own. */
  private static final String[] MAINTENANCE = {
    "org.apache.iceberg.spark.actions.", "org.apache.iceberg.spark.procedures."};
  /** What runs the statements of clients: Spark Connect and JDBC. */
  private static final String[] SERVERS = {
    "org.apache.spark.sql.connect.execution.", "org.apache.spark.sql.hive.thriftserver."};
  private static final String[] EXPLANATIONS = {"org.apache.spark.sql.execution.command.ExplainCommand"};
  /** The option of a read of the rows that later snapshots have added. */
  private static final String START = "start-snapshot-id";

  /** The value of its switch is what the session requires, and tables have properties of their own. */
  @Override
  protected boolean isSwitchedOn(String value) {
    return true;
  }

  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    LogicalPlan result = (LogicalPlan) plan.transform(ScalaTypes.rewrite(new Scans(plan)));
    // Spark runs a subquery on another thread, and hides its error from a client behind one of its own.
    if (result != plan && plan instanceof Subquery && isRunByServer()) refuse(result);
    return result;
  }

  /** Refuses now what a join cannot prune while the query runs. */
  private static void refuse(LogicalPlan plan) {
    if (plan instanceof Join) return;
    if (plan instanceof DataSourceV2ScanRelation && ((DataSourceV2ScanRelation) plan).scan() instanceof UnfilteredScan)
      ((UnfilteredScan) ((DataSourceV2ScanRelation) plan).scan()).refuse();
    for (LogicalPlan child : ScalaTypes.list(plan.children())) refuse(child);
  }

  /** The scans of the plan. */
  static class Scans implements ScalaTypes.Replacement {
    private final LogicalPlan plan;

    Scans(LogicalPlan plan) { this.plan = plan; }

    @Override
    public boolean isFor(Object node) {
      return node instanceof DataSourceV2ScanRelation
        && SparkScans.readsFiles(((DataSourceV2ScanRelation) node).scan());
    }

    @Override
    public Object of(Object node) {
      DataSourceV2ScanRelation scanned = (DataSourceV2ScanRelation) node;
      try {
        Scan scan = refusing(scanned, plan);
        if (scan == null || isMaintenance()) return node;
        return SparkScans.replaced(scanned, (DataSourceV2Relation) scanned.relation(), scan);
      } catch (Exception e) { // of Iceberg's metadata, or of classes that another version has
        UnfilteredScan.report(String.valueOf(scanned.name()), e);
        return node;
      }
    }
  }

  /** The scan that refuses to read; null if this one may. */
  private static Scan refusing(DataSourceV2ScanRelation scanned, LogicalPlan plan) throws ReflectiveOperationException {
    Object relation = scanned.relation();
    PartitionLayout layout = PartitionLayout.of(relation);
    if (layout == null || ((DataSourceV2Relation) relation).options().containsKey(START)) return null;
    FilterRequirement requirement = FilterRequirement.of(layout.table(), scanned.conf());
    if (requirement == null) return null;
    return UnfilteredScan.of(scanned.scan(), (DataSourceV2Relation) relation, requirement, limit(plan, scanned, null));
  }

  /** The number of rows after which a LIMIT ends a scan; null if all rows are needed before. */
  private static Long limit(LogicalPlan plan, LogicalPlan scanned, Long limit) {
    if (plan == scanned) return limit;
    Long below = null;
    if (plan instanceof LocalLimit) below = Long.valueOf(number(((LocalLimit) plan).limitExpr()));
    else if (plan instanceof GlobalLimit || plan instanceof Project || plan instanceof Union) below = limit;
    for (LogicalPlan child : ScalaTypes.list(plan.children())) {
      Long result = limit(child, scanned, below);
      if (result != null) return result;
    }
    return null;
  }

  private static long number(Expression limit) {
    return limit.foldable() ? ((Number) limit.eval(null)).longValue() : Long.MAX_VALUE;
  }

  private static boolean isMaintenance() { return isCalledBy(MAINTENANCE); }

  /** Whether a server runs a statement of a client, and does not explain it. */
  private static boolean isRunByServer() { return isCalledBy(SERVERS) && !isCalledBy(EXPLANATIONS); }

  private static boolean isCalledBy(String[] prefixes) {
    for (StackTraceElement element : Thread.currentThread().getStackTrace())
      for (String prefix : prefixes)
        if (element.getClassName().startsWith(prefix)) return true;
    return false;
  }

  /** Tests queries with and without a filter on the partition field, and one of a few rows. */
  @Override
  protected String check(SparkSession session) {
    try {
      Table table = TrialTable.partitioned(new int[][] {{3, 3, 1, 9}, {4, 4, 2, 7}});
      if (!isRefused(session, "SELECT y FROM t WHERE y > 5", table)) return "it lets a query without a filter run";
      if (isRefused(session, "SELECT y FROM t WHERE x = 3", table)) return "it refuses a query of one partition";
      return isRefused(session, "SELECT y FROM t LIMIT 5", table) ? "it refuses a LIMIT" : null;
    } catch (ParseException e) {
      return e.toString();
    }
  }

  private static boolean isRefused(SparkSession session, String query, Table table) throws ParseException {
    DataSourceV2ScanRelation scanned = TrialTable.scanned(TrialTable.optimized(session, query, table));
    return scanned != null && scanned.scan() instanceof UnfilteredScan;
  }
}
