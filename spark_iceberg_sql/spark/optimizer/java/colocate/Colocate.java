package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.MonotonicallyIncreasingID;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.RebalancePartitions;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Subquery;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Joins and groups tables where they lie, without a shuffle, if their keys are the tables' partition fields.
 *
 * <p>Spark plans such a join by itself once Iceberg reads each partition in one task, and reports that. Iceberg does so
 * only for all scans of a session, by a setting, and scans that nothing is joined with then have fewer tasks. This rule
 * gives that to the scans of a query that save a shuffle by it, which the physical plan shows, and whose partitions keep
 * the cores busy, which the metadata show.
 */
public class Colocate extends SwitchedRule {
  /** Also where it is not expected to be faster. */
  private static final String ALWAYS = "always";
  private static final String SWITCH = "spark.iceberg_sql.colocate",
                              GROUPING = "spark.sql.iceberg.planning.preserve-data-grouping",
                              BUCKETING = "spark.sql.sources.v2.bucketing.",
                              ALL_KEYS = "spark.sql.requireAllClusterKeysForCoPartition";
  /** Spark's own defaults are false in older versions. Iceberg's other scans stay: none reports a grouping by itself. */
  private static final String[] NEEDED = {BUCKETING + "enabled", BUCKETING + "pushPartValues.enabled"};
  /** Settings with which Spark may lose rows above such joins, or which were not tried. */
  private static final String[] UNSURE = {"allowCompatibleTransforms.enabled",
    "allowJoinKeysSubsetOfPartitionKeys.enabled", "partiallyClusteredDistribution.enabled", "shuffle.enabled"};

  @Override
  protected boolean isSwitchedOn(String value) {
    return super.isSwitchedOn(value) || ALWAYS.equalsIgnoreCase(value.trim());
  }

  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    try {
      return isPossible(conf()) ? grouped(plan) : plan;
    } catch (Exception e) {
      return plan; // an error here, or of the planner, must not fail the query
    } catch (AssertionError e) {
      return plan;
    } catch (LinkageError e) {
      return plan;
    }
  }

  /** Whether the settings are such that Spark's plans are known to be right, and its user has not decided otherwise. */
  private boolean isPossible(SQLConf conf) {
    if (!GroupedStages.ARE_KNOWN || prerequisite(conf) != null || otherEngine(SparkSession.active()) != null)
      return false;
    // CACHE TABLE plans its query so: it is not known what will be joined with the rows.
    return isTrue(conf, "spark.sql.sources.bucketing.autoBucketedScan.enabled");
  }

  /**
   * The class by which another engine, such as Comet, Gluten or Auron, may take Spark's operators over, with scans of its own;
   * null if there is none. Some of them lose rows of grouped scans (apache/auron#2390).
   */
  private static String otherEngine(SparkSession session) {
    List<ColumnarRule> rules = ScalaTypes.list(session.sessionState().columnarRules());
    return rules.isEmpty() ? null : rules.get(0).getClass().getName();
  }

  @Override
  public void prepare(SparkSession session) {
    SQLConf conf = session.sessionState().conf();
    if (!isOn(conf) || conf.contains(GROUPING) || otherEngine(session) != null) return;
    for (String key : NEEDED)
      if (!conf.contains(key) && !isTrue(conf, key)) conf.setConfString(key, "true");
  }

  @Override
  public String prerequisite(SQLConf conf) {
    if (conf.contains(GROUPING)) return "RESET `" + GROUPING + "`";
    String needed = BUCKETING + "enabled";
    if (conf.contains(needed) && !isTrue(conf, needed)) return "SET " + needed + " = true";
    if (GroupedStages.NEED_ADAPTIVE_PLANS && !conf.adaptiveExecutionEnabled())
      return "SET spark.sql.adaptive.enabled = true";
    for (String key : UNSURE)
      if (isTrue(conf, BUCKETING + key)) return "SET " + BUCKETING + key + " = false";
    return null;
  }

  /** The ShuffleRow of each join, group and window of an optimized plan, and of its subqueries. */
  @Override
  public String described(LogicalPlan plan) throws IOException, ReflectiveOperationException {
    List<ShuffleRow> rows = new ArrayList<>();
    describe(plan, rows);
    return new ObjectMapper().writeValueAsString(rows);
  }

  private void describe(LogicalPlan plan, List<ShuffleRow> rows) throws ReflectiveOperationException {
    if (plan instanceof Command || plan instanceof Subquery) {
      for (LogicalPlan child : ScalaTypes.list(plan.children())) describe(child, rows);
      return;
    }
    for (LogicalPlan subquery : ShuffleReasons.subqueries(plan)) describePlan(subquery, rows);
    describePlan(plan, rows);
  }

  private void describePlan(LogicalPlan plan, List<ShuffleRow> rows) throws ReflectiveOperationException {
    if (!RowGroups.mayBeNeeded(plan)) return; // a physical plan has each scan plan its files
    Map<Object, DataSourceV2ScanRelation> scans = new IdentityHashMap<>();
    for (LogicalPlan leaf : ScalaTypes.list(plan.collectLeaves())) {
      if (!(leaf instanceof DataSourceV2ScanRelation)) continue;
      DataSourceV2ScanRelation scanned = (DataSourceV2ScanRelation) leaf;
      if (SparkScans.readsFiles(scanned.scan())) scans.put(scanned.scan(), scanned);
    }
    ClusteringKeys keys = ClusteringKeys.of(plan, null);
    if (plan.isStreaming()) return;
    boolean isOn = isSwitchedOn(conf().getConfString(SWITCH, "true"));
    String reset = isOn ? prerequisite(conf()) : "SET " + SWITCH + " = true", obstacle = null;
    String engine = otherEngine(SparkSession.active());
    if (!GroupedStages.ARE_KNOWN) obstacle = "this Spark plans grouped scans in another way";
    else if (engine != null) obstacle = "another engine may read the files: " + engine;
    else if (reset != null) obstacle = isOn ? "a setting rules it out" : "the rule colocate is off";
    else if (!isDeterministic(plan)) obstacle = "rows of the query depend on which task reads which";
    Map<Object, String> rejected = new IdentityHashMap<>();
    if (obstacle == null) grouped(GroupedPlan.ungrouped(plan), null, rejected);
    SparkPlan physical = GroupedStages.physical(plan, SparkSession.active());
    rows.addAll(ShuffleReasons.of(physical, keys, scans, rejected, obstacle, reset));
  }

  private static boolean isTrue(SQLConf conf, String key) {
    try {
      return "true".equalsIgnoreCase(conf.getConfString(key));
    } catch (RuntimeException e) {
      return false; // an older Spark does not know it
    }
  }

  private LogicalPlan grouped(LogicalPlan plan) throws ReflectiveOperationException {
    if (plan instanceof Command || plan instanceof Subquery) {
      List<LogicalPlan> children = new ArrayList<>();
      boolean isChanged = false;
      for (LogicalPlan child : ScalaTypes.list(plan.children())) {
        boolean isQuery = plan instanceof V2WriteCommand && child == ((V2WriteCommand) plan).query();
        LogicalPlan result = isQuery ? grouped(child, true) : grouped(child);
        isChanged |= result != child;
        children.add(result);
      }
      return isChanged ? (LogicalPlan) plan.withNewChildren(ScalaTypes.seq(children)) : plan;
    }
    return grouped(plan, false);
  }

  private LogicalPlan grouped(LogicalPlan query, boolean isWritten) throws ReflectiveOperationException {
    LogicalPlan plan = GroupedPlan.isOfSubquery(query) ? GroupedPlan.ungrouped(query) : query;
    LogicalPlan result = grouped(plan, isWritten ? distribution(plan) : null, new IdentityHashMap<Object, String>());
    return result == plan ? query : result; // else the subquery stays as it was grouped alone
  }

  /** The node that divides the rows of a write among its tasks by the partition fields; null if there is none. */
  private static RebalancePartitions distribution(LogicalPlan query) {
    LogicalPlan node = query;
    while (node instanceof Sort && !((Sort) node).global() || node instanceof Project)
      node = (LogicalPlan) node.children().apply(0);
    return node instanceof RebalancePartitions ? (RebalancePartitions) node : null;
  }

  /** rejected: takes the reasons for the scans that could be grouped and are not. */
  private LogicalPlan grouped(LogicalPlan plan, RebalancePartitions written, Map<Object, String> rejected)
    throws ReflectiveOperationException {
    if (plan.isStreaming() || !isDeterministic(plan)) return plan;
    ClusteringKeys keys = ClusteringKeys.of(plan, written);
    Map<Object, DataSourceV2ScanRelation> relations = new IdentityHashMap<>();
    if (keys.isEmpty() || !addScans(plan, relations)) return plan;
    relations.values().removeAll(Collections.singleton(null));
    Groupings groupings = groupings(plan, keys, relations, written);
    List<GroupedScan> scans = scans(groupings, relations);
    LogicalPlan result = grouped(plan, scans, groupings.areWritten() ? written : null, rejected);
    return result == plan && groupings.areWritten() ? grouped(plan, scans, null, rejected) : result;
  }

  /** Whether the rows do not depend on which task reads which: by the number of a row, MERGE only tells rows of one task apart. */
  private static boolean isDeterministic(LogicalPlan plan) {
    if (plan.deterministic()) return true;
    for (Expression e : ScalaTypes.list(plan.expressions())) {
      boolean isRowNumber = e instanceof Alias && ((Alias) e).name().equals("__row_id")
        && ((Alias) e).child() instanceof MonotonicallyIncreasingID;
      if (!e.deterministic() && !isRowNumber) return false;
    }
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (!isDeterministic(child)) return false;
    return true;
  }

  /** The plan with those scans that are worth it, and without a node that they make superfluous. */
  private LogicalPlan grouped(LogicalPlan plan, List<GroupedScan> scans, RebalancePartitions superfluous,
    Map<Object, String> rejected) throws ReflectiveOperationException {
    boolean isAlways = ALWAYS.equalsIgnoreCase(conf().getConfString(SWITCH, "true").trim());
    SparkSession session = SparkSession.active();
    LogicalPlan without = superfluous == null ? plan : without(plan, superfluous);
    if (!isAlways) scans = GroupBalance.candidates(scans, rejected);
    while (!scans.isEmpty()) {
      List<List<GroupedScan>> stages = GroupedStages.worthwhile(
        GroupedPlan.tried(without, scans), without, scans, superfluous != null, session, isAlways, rejected);
      List<GroupedScan> kept = new ArrayList<>();
      for (List<GroupedScan> stage : stages) kept.addAll(stage);
      if (kept.size() == scans.size()) return GroupedPlan.of(without, stages);
      if (superfluous != null) return plan; // which of them the write relies on is not known
      scans = kept;
    }
    return plan;
  }

  private static LogicalPlan without(LogicalPlan plan, RebalancePartitions superfluous) {
    if (plan == superfluous) return superfluous.child();
    return (LogicalPlan) plan.withNewChildren(
      ScalaTypes.seq(List.of(without((LogicalPlan) plan.children().apply(0), superfluous))));
  }

  /**
   * Adds the scans that could be grouped; false if the plan has grouped ones already.
   *
   * @param relations by a scan, its relation; null for one of several, as an UPDATE with a subquery has
   */
  private static boolean addScans(LogicalPlan plan, Map<Object, DataSourceV2ScanRelation> relations) {
    if (plan instanceof DataSourceV2ScanRelation) {
      DataSourceV2ScanRelation scanned = (DataSourceV2ScanRelation) plan;
      if (scanned.keyGroupedPartitioning().isDefined()) return false;
      if (GroupedScan.isCandidate(scanned))
        relations.put(scanned.scan(), relations.containsKey(scanned.scan()) ? null : scanned);
    }
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (!addScans(child, relations)) return false;
    return true;
  }

  private Groupings groupings(LogicalPlan plan, ClusteringKeys keys, Map<Object, DataSourceV2ScanRelation> relations,
    RebalancePartitions written) throws ReflectiveOperationException {
    Map<Object, List<PartitionKey>> fields = new IdentityHashMap<>();
    for (Map.Entry<Object, DataSourceV2ScanRelation> entry : relations.entrySet())
      fields.put(entry.getKey(), GroupedScan.fields((DataSourceV2ScanRelation) entry.getValue(), keys));
    return Groupings.of(plan, keys, fields, isTrue(conf(), ALL_KEYS), written);
  }

  private static List<GroupedScan> scans(Groupings groupings, Map<Object, DataSourceV2ScanRelation> relations)
    throws ReflectiveOperationException {
    List<GroupedScan> scans = new ArrayList<>();
    for (Map.Entry<Object, Groupings.Grouping> entry : groupings.byScan().entrySet())
      scans.add(GroupedScan.of(
        (DataSourceV2ScanRelation) relations.get(entry.getKey()), (Groupings.Grouping) entry.getValue()));
    return scans;
  }

  /** Groups the files of a table in memory. */
  @Override
  protected String check(SparkSession session) {
    try {
      Table table = TrialTable.partitioned(new int[][] {{3, 3, 1, 9}, {4, 4, 2, 7}, {3, 3, 5, 6}});
      LogicalPlan plan = TrialTable.optimized(session, "SELECT x, sum(y) FROM t GROUP BY x", table);
      DataSourceV2ScanRelation scanned = TrialTable.scanned(plan);
      if (scanned != null && scanned.keyGroupedPartitioning().isDefined()) return null; // the session's setting does it
      if (scanned == null || !GroupedScan.isCandidate(scanned)) return "a scan is not as it is expected";
      Map<Object, DataSourceV2ScanRelation> relations = new IdentityHashMap<>();
      relations.put(scanned.scan(), scanned);
      List<GroupedScan> scans = scans(groupings(plan, ClusteringKeys.of(plan, null), relations, null), relations);
      if (scans.size() != 1) return "a scan cannot be grouped";
      GroupedScan grouped = (GroupedScan) scans.get(0);
      Map<List<Object>, Long> bytes = new HashMap<>();
      bytes.put(new ArrayList<Object>(List.of(Integer.valueOf(3))), Long.valueOf(2));
      bytes.put(new ArrayList<Object>(List.of(Integer.valueOf(4))), Long.valueOf(1));
      return grouped.bytes.equals(bytes) && grouped.fields.equals("x") ? null : grouped.fields + " " + grouped.bytes;
    } catch (ReflectiveOperationException e) {
      return e.toString();
    } catch (ParseException e) {
      return e.toString();
    }
  }
}
