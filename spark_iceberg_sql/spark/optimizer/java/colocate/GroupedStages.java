package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.DynamicPruningSubquery;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.physical.BroadcastDistribution;
import org.apache.spark.sql.catalyst.plans.physical.ClusteredDistribution;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.PartitioningCollection;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.exchange.BroadcastExchangeLike;
import org.apache.spark.sql.execution.exchange.EnsureRequirements;
import org.apache.spark.sql.execution.exchange.Exchange;
import scala.Option;

/** What Spark would do with grouped scans: which of them save a shuffle, by the physical plan that it makes. */
public final class GroupedStages {
  /** The partitioning of grouped scans, before Spark 4.2: later ones plan what is above them in another way. */
  private static final String BY_KEYS = "org.apache.spark.sql.catalyst.plans.physical.KeyGroupedPartitioning";
  /** Whether this Spark plans them in a way that was tried. */
  public static final boolean ARE_KNOWN = areKnown();

  /** Spark 3.5 joins checkpoints by their partitions without a look at the values, except of adaptive plans, which have none. */
  public static final boolean NEED_ADAPTIVE_PLANS = org.apache.spark.package$.MODULE$.SPARK_VERSION().startsWith("3.");

  /** The most bytes that scans may have whose partitions Spark may leave out, of those of the others. */
  private static final double PRUNED = 0.5;
  /** The most bytes of a partition that one task writes after a shuffle, too: Iceberg has Spark divide larger ones. */
  private static final long WRITTEN = 128L << 20;
  private static final String FILTERED = "other rules may leave out files of it while the query runs",
                              READ_TWICE = "rows that are shuffled once and used twice would be read twice";

  private final Map<Object, GroupedScan> scans = new IdentityHashMap<>();
  private final SparkSession session;
  /** Whether only the rows count, not the time. */
  private final boolean isAlways;
  private final List<Stage> stages = new ArrayList<>();
  private boolean isUnsure;

  /** Scans whose rows no shuffle divides. */
  private static final class Stage {
    final List<GroupedScan> scans = new ArrayList<>();
    /** Whether an operator relies on all of them to be grouped. */
    boolean isUsed;
    /** Whether a shuffle would move all rows of a side of a join: no group has reduced them before. */
    boolean isOfAllRows;
    /** Whether groups have reduced the rows. */
    boolean isReduced;
    /** Whether a write needs no shuffle of the rows. */
    boolean isWritten;
    /** Whether grouped rows of several plans follow each other, as those of UNION do. */
    boolean isMixed;
    /** The columns of rows that were broadcast, and with which these are joined. */
    final Set<ExprId> broadcast = new HashSet<>();
    /** The columns that are compared with them. */
    final List<Attribute> compared = new ArrayList<>();
    /** By a scan, the conditions by which Spark may leave out partitions of it, once a broadcast side is known. */
    final Map<GroupedScan, List<DynamicPruningSubquery>> pruned = new IdentityHashMap<>();
    /** Whether other rules, or Spark, may skip files once a subquery is known. */
    boolean mayReadLess;
    /** Whether the files that a statement replaces are known only when it runs. */
    boolean mayReplaceLess;

    /** Whether buckets that are read as fewer may be planned anew. */
    boolean isFilteredLater() {
      boolean isReduced = false;
      for (GroupedScan scan : scans) isReduced |= scan.isReduced;
      return isReduced && (mayReadLess || mayReplaceLess || !broadcast.isEmpty());
    }

    /** Whether Spark leaves out partitions of a scan by the rows that were broadcast: by a column, or null for any. */
    boolean isPruned(GroupedScan scan, Attribute column) {
      if (!pruned.containsKey(scan)) return false;
      for (DynamicPruningSubquery filter : (List<DynamicPruningSubquery>) pruned.get(scan))
        for (Expression key : ScalaTypes.list(filter.buildKeys()))
          for (Attribute built : ScalaTypes.list(key.references().toSeq()))
            if (broadcast.contains(built.exprId()) && (column == null || filter.pruningKey().semanticEquals(column)))
              return true;
      return false;
    }

    void prune(GroupedScan scan, Expression filter) {
      if (!pruned.containsKey(scan)) pruned.put(scan, new ArrayList<DynamicPruningSubquery>());
      ((List<DynamicPruningSubquery>) pruned.get(scan)).add((DynamicPruningSubquery) filter);
    }

    void add(Stage other) {
      scans.addAll(other.scans);
      pruned.putAll(other.pruned);
      isUsed |= other.isUsed;
      isOfAllRows |= other.isOfAllRows;
      isReduced |= other.isReduced;
      isMixed |= other.isMixed;
      broadcast.addAll(other.broadcast);
      compared.addAll(other.compared);
      mayReadLess |= other.mayReadLess;
      mayReplaceLess |= other.mayReplaceLess;
    }
  }

  private static boolean areKnown() {
    try {
      Class.forName(BY_KEYS, false, SparkPlan.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private GroupedStages(SparkSession session, boolean isAlways) {
    this.session = session;
    this.isAlways = isAlways;
  }

  /**
   * Of the grouped scans of a plan, those that are worth it, in lists of those whose rows come together.
   *
   * @param plan an optimized query, with these scans
   * @param ungrouped the same without them
   * @param isWritten whether a write needs no shuffle of the rows, either, if they come as they are grouped
   * @param isAlways whether also if it is not expected to be faster
   * @param rejected takes the reasons for those that are used and not worth it, by their scans
   */
  public static List<List<GroupedScan>> worthwhile(LogicalPlan plan, LogicalPlan ungrouped, List<GroupedScan> scans,
    boolean isWritten, SparkSession session, boolean isAlways, Map<Object, String> rejected)
    throws ReflectiveOperationException {
    GroupedStages result = new GroupedStages(session, isAlways);
    for (GroupedScan scan : scans) result.scans.put(scan.relation.scan(), scan);
    SparkPlan physical = physical(plan, session);
    Stage last = result.stage(physical);
    last.isWritten = isWritten && !last.isMixed;
    last.isUsed |= last.isWritten;
    last.isOfAllRows |= isWritten && !last.isReduced;
    result.end(last);
    List<List<GroupedScan>> kept = new ArrayList<>();
    if (result.isUnsure || isWritten && last.scans.isEmpty()) return kept;
    int count = 0;
    for (Stage stage : result.stages)
      if (stage.isUsed) {
        String obstacle = stage.isFilteredLater() ? FILTERED : result.obstacle(stage);
        if (obstacle == null) {
          kept.add(stage.scans);
          count += stage.scans.size();
        } else
          for (GroupedScan scan : stage.scans) rejected.put(scan.original, obstacle);
      }
    // If some are left, the plan is tried again without the others, which may read less.
    if (isAlways || count < scans.size() || !SharedShuffles.arePossible(ungrouped, session)) return kept;
    for (List<GroupedScan> stage : SharedShuffles.readTooMuch(
           kept, SharedShuffles.scans(physical(ungrouped, session)), SharedShuffles.scans(physical))) {
      kept.remove(stage);
      for (GroupedScan scan : stage) rejected.put(scan.original, READ_TWICE);
    }
    return kept;
  }

  /** Why scans are not worth it; null if they are. */
  private String obstacle(Stage stage) throws ReflectiveOperationException {
    if (isAlways) return null;
    if (stage.mayReadLess) return FILTERED;
    if (!stage.isOfAllRows && !stage.broadcast.isEmpty()) return "what it is joined with may leave few rows to shuffle";
    // What is left of the others may be in one partition. The rows with which it is joined tell how it is divided.
    List<GroupedScan> unfiltered = new ArrayList<>();
    long pruned = 0, unpruned = 0;
    for (GroupedScan scan : stage.scans) {
      boolean isPruned = stage.isPruned(scan, null);
      if (isPruned) pruned += scan.size();
      else unpruned += scan.size();
      if (!isPruned && !(stage.mayReplaceLess && scan.isOfReplacedFiles())) unfiltered.add(scan);
    }
    if (pruned > unpruned * PRUNED) return FILTERED;
    String obstacle = null;
    if (unfiltered.isEmpty() && !areWrittenByOneTask(stage))
      obstacle = "which of its files are replaced is known only when the statement runs";
    else if (!unfiltered.isEmpty() && unfiltered.size() < stage.scans.size())
      obstacle = GroupBalance.obstacle(unfiltered, stage.isOfAllRows, session.sparkContext());
    if (obstacle == null) obstacle = GroupBalance.obstacle(stage.scans, stage.isOfAllRows, session.sparkContext());
    return obstacle == null && mayLeaveOut(stage) ? FILTERED : obstacle; // it reads manifests, so it comes last
  }

  /** Whether one task would write all rows of a partition after a shuffle, too: it may as well read them. */
  private static boolean areWrittenByOneTask(Stage stage) {
    for (GroupedScan scan : stage.scans)
      for (Long group : scan.bytes.values())
        if (group.longValue() > WRITTEN) return false;
    return stage.isWritten;
  }

  /** The plan that Spark would run, with its shuffles; nothing runs. */
  public static SparkPlan physical(LogicalPlan plan, SparkSession session) {
    SparkPlan planned = (SparkPlan) ((org.apache.spark.sql.classic.SparkSession) session)
                          .sessionState()
                          .planner()
                          .plan(TrialScan.with(plan))
                          .next();
    return new EnsureRequirements(true, Option.empty()).apply(planned);
  }

  private void end(Stage stage) {
    if (!stage.scans.isEmpty()) stages.add(stage);
  }

  /** The grouped scans whose rows reach a node without a shuffle. */
  private Stage stage(SparkPlan node) {
    Stage result = new Stage();
    if (node instanceof BatchScanExec) {
      GroupedScan scan = (GroupedScan) scans.get(TrialScan.tried((BatchScanExec) node));
      if (scan != null) result.scans.add(scan);
      for (Expression filter : ScalaTypes.list(((BatchScanExec) node).runtimeFilters()))
        if (scan != null && scan.isOfReplacedFiles()) result.mayReplaceLess = true;
        else if (isKnownLater(filter)) result.mayReadLess = true;
        else if (scan != null && filter instanceof DynamicPruningSubquery) result.prune(scan, filter);
      return result;
    }
    if (node.children().isEmpty()) {
      // Spark does not give cached rows the partitions that the other side of a join has.
      isUnsure |= isGrouped(node.outputPartitioning());
      return result;
    }
    List<Stage> sides = new ArrayList<>();
    boolean isByKeys = false, isWithBroadcast = false;
    for (int i = 0; i < node.children().size(); i++) {
      Stage stage = stage((SparkPlan) node.children().apply(i));
      Object required = node.requiredChildDistribution().apply(i);
      isByKeys |= required instanceof ClusteredDistribution;
      if (!(required instanceof BroadcastDistribution)) {
        sides.add(stage);
        continue;
      }
      isWithBroadcast = true;
      for (Attribute column : ScalaTypes.list(((SparkPlan) node.children().apply(i)).output()))
        result.broadcast.add(column.exprId());
    }
    for (Stage side : sides) {
      // Who relies on the rows of UNION to be grouped, or joins them with others, is not known to be right.
      if (isByKeys && (side.isMixed || side.scans.isEmpty() && isAnyGrouped(sides))) isUnsure = true;
      if (!isByKeys && sides.size() > 1) {
        end(side);
        result.isMixed |= side.isMixed || !side.scans.isEmpty();
      } else {
        if (isByKeys && sides.size() > 1 && !side.isReduced) side.isOfAllRows = true;
        result.add(side);
      }
    }
    if (isWithBroadcast) result.compared.addAll(ScalaTypes.list(node.references().toSeq()));
    if (node instanceof FilterExec) result.mayReadLess |= isKnownLater(((FilterExec) node).condition());
    result.isReduced |= node instanceof BaseAggregateExec;
    result.isUsed |= isByKeys;
    if (!(node instanceof Exchange)) return result;
    result.mayReadLess |= node instanceof BroadcastExchangeLike;
    end(result);
    return new Stage();
  }

  /** Whether more files of a stage's scans may be left out for what was broadcast than Spark leaves out of grouped scans. */
  private static boolean mayLeaveOut(Stage stage) throws ReflectiveOperationException {
    for (Attribute column : stage.compared) {
      if (stage.broadcast.contains(column.exprId())) continue;
      boolean isEven = false;
      for (GroupedScan scan : stage.scans)
        if (scan.relation.outputSet().contains(column))
          isEven = ColumnSpread.isEven(scan.original, scan.relation, column)
            || stage.isPruned(scan, column) && !Clustering.isFinerThanPartitions(column, scan.relation);
      if (!isEven) return true;
    }
    return false;
  }

  /** Whether a condition has a subquery that Spark evaluates; one for a broadcast side is dropped if there is none. */
  private static boolean isKnownLater(Expression e) {
    if (e instanceof DynamicPruningSubquery) return !((DynamicPruningSubquery) e).onlyInBroadcast();
    if (e instanceof SubqueryExpression) return true;
    for (Expression child : ScalaTypes.list(e.children()))
      if (isKnownLater(child)) return true;
    return false;
  }

  private static boolean isAnyGrouped(List<Stage> sides) {
    for (Stage side : sides)
      if (!side.scans.isEmpty()) return true;
    return false;
  }

  private static boolean isGrouped(Partitioning partitioning) {
    if (partitioning.getClass().getName().equals(BY_KEYS)) return true;
    if (!(partitioning instanceof PartitioningCollection)) return false;
    for (Partitioning member : ScalaTypes.list(((PartitioningCollection) partitioning).partitionings()))
      if (isGrouped(member)) return true;
    return false;
  }
}
