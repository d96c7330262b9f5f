package sparkicebergsql;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.MetricsModes;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.metrics.ScanReport;
import org.apache.iceberg.spark.source.SparkScanBuilder;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsReportPartitioning;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.Option;

/**
 * A scan of an Iceberg table, built again with more filters: of the same snapshot, with the same columns.
 *
 * <p>What Iceberg makes of the predicates is what the optimizer pushes from a filter on the relation, with all rules.
 */
public final class NarrowedScan {
  /** To build the scan of a table of no more files and bytes takes longer than to read what it would leave out. */
  private static final long FILES = 8, BYTES = 256L << 20;
  /** The predicates that have been applied to a scan, or of which nothing could be. */
  private static final TreeNodeTag<Set<String>> APPLIED = new TreeNodeTag<Set<String>>("spark_iceberg_sql.applied");

  private NarrowedScan() {}

  /** Whether a plan is a scan that can be built again, with a gain that may be worth it. */
  public static boolean isCandidate(Object plan) {
    if (!(plan instanceof DataSourceV2ScanRelation)) return false;
    DataSourceV2ScanRelation scanned = (DataSourceV2ScanRelation) plan;
    if (!scan(scanned).getClass().getName().equals(SparkScans.OF_QUERY)) return false;
    // Spark plans joins without a shuffle by the partitions that such a scan reports.
    if (scanned.keyGroupedPartitioning().isDefined() || scanned.ordering().isDefined()) return false;
    Object relation = scanned.relation();
    if (!(relation instanceof DataSourceV2Relation)) return false;
    if (!(((DataSourceV2Relation) relation).table() instanceof SparkTable) || !Positions.isFree(relation)) return false;
    PartitionLayout layout = PartitionLayout.of(relation);
    return layout != null && (layout.snapshot() == null || isLarge(layout.snapshot()));
  }

  private static boolean isLarge(Snapshot snapshot) {
    return SnapshotFiles.count(snapshot, "total-data-files") > FILES
      || SnapshotFiles.count(snapshot, "total-files-size") > BYTES;
  }

  /** The scan with the filters that predicates on its columns imply; the argument itself if there are none. */
  public static DataSourceV2ScanRelation of(DataSourceV2ScanRelation scanned, List<Expression> predicates)
    throws ReflectiveOperationException {
    Option<Set<String>> kept = scanned.getTagValue(APPLIED);
    Set<String> applied = new HashSet<>();
    if (kept.isDefined()) applied.addAll((Set<String>) kept.get());
    List<Expression> added = new ArrayList<>();
    for (Expression predicate : predicates)
      if (applied.add(predicate.toString())) added.add(predicate);
    DataSourceV2ScanRelation result = added.isEmpty() ? scanned : narrowed(scanned, added);
    result.setTagValue(APPLIED, applied);
    return result;
  }

  private static DataSourceV2ScanRelation narrowed(DataSourceV2ScanRelation scanned, List<Expression> predicates)
    throws ReflectiveOperationException {
    PartitionLayout layout = PartitionLayout.of(scanned.relation());
    Expression condition = null;
    for (Expression predicate : predicates)
      if (isPrunable(predicate, scanned)) condition = condition == null ? predicate : new And(condition, predicate);
    if (condition == null || layout.snapshot() == null) return scanned;
    Long id = snapshotId(scan(scanned));
    Snapshot snapshot = id == null ? null : layout.table().snapshot(id.longValue());
    DataSourceV2Relation pinned =
      snapshot == null ? null : Relations.pinned((DataSourceV2Relation) scanned.relation(), snapshot);
    if (pinned == null) return scanned;
    List<Object> filters = new ArrayList<>(SparkScans.filters(scan(scanned))),
                 added = pushed(new Filter(condition, pinned), id);
    Set<String> present = new HashSet<>();
    for (Object filter : filters) present.add(filter.toString());
    int count = filters.size();
    for (Object filter : added)
      if (present.add(filter.toString())) filters.add(filter);
    Scan scan = filters.size() == count ? null : built(pinned, scan(scanned), filters, id);
    if (scan == null) return scanned;
    return SparkScans.replaced(scanned, ReadNotes.noted((DataSourceV2Relation) scanned.relation(), "rows that join"),
      UnfilteredScan.replacing(scanned.scan(), scan));
  }

  private static Scan scan(DataSourceV2ScanRelation scanned) { return UnfilteredScan.unwrapped(scanned.scan()); }

  /** Whether files may be skipped by a predicate: its columns are the table's, with partition fields or useful bounds. */
  public static boolean isPrunable(Expression predicate, DataSourceV2ScanRelation scanned) {
    PartitionLayout layout = PartitionLayout.of(scanned.relation());
    if (!predicate.references().subsetOf(((LogicalPlan) scanned.relation()).outputSet())) return false;
    if (WrappedConstants.areIn(predicate, layout) || MisreadComparisons.areIn(predicate, layout)) return false;
    MetricsConfig metrics = MetricsConfig.forTable(layout.table());
    for (Attribute column : ScalaTypes.list(predicate.references().toSeq())) {
      Types.NestedField field = layout.field(column);
      if (field == null || !SnapshotFiles.isKnown(field.type()) || !isSame(column, scanned)) return false;
      if (!layout.faults(column).isEmpty()) return false;
      if (!layout.transformsOf(column).isEmpty()) continue;
      if (metrics.columnMode(column.name()) instanceof MetricsModes.None) return false;
      SnapshotFiles files = SnapshotFiles.of(scanned.relation());
      if (files != null && !Clustering.of(files, field)) return false;
    }
    return true;
  }

  /** Whether the relation has the column with the type of the scan's. */
  private static boolean isSame(Attribute column, DataSourceV2ScanRelation scanned) {
    for (Attribute other : ScalaTypes.list(((LogicalPlan) scanned.relation()).output()))
      if (other.exprId().equals(column.exprId())) return other.dataType().equals(column.dataType());
    return false;
  }

  /** The filters that the optimizer pushes into a scan of this snapshot; none if it reads anything else. */
  private static List<Object> pushed(LogicalPlan plan, Long id) throws ReflectiveOperationException {
    LogicalPlan optimized = (LogicalPlan) SparkSession.active().sessionState().optimizer().execute(plan);
    while (optimized.children().size() == 1) optimized = (LogicalPlan) optimized.children().apply(0);
    if (!isCandidate(optimized)) return new ArrayList<Object>();
    Scan scan = scan((DataSourceV2ScanRelation) optimized);
    List<Object> filters = new ArrayList<>();
    if (id.equals(snapshotId(scan))) filters.addAll(SparkScans.filters(scan));
    return filters;
  }

  /** A scan with these filters; null if it is not, but for them, the same as another one. */
  private static Scan built(DataSourceV2Relation pinned, Scan scan, List<Object> filters, Long id)
    throws ReflectiveOperationException {
    SparkScanBuilder builder = (SparkScanBuilder) ((SparkTable) pinned.table()).newScanBuilder(pinned.options());
    Field field = SparkScans.field(builder, SparkScans.FILTERS);
    if (field == null) return null;
    field.set(builder, filters);
    builder.pruneColumns(scan.readSchema());
    Scan result = builder.build();
    boolean isSame = result.getClass() == scan.getClass() && result.readSchema().equals(scan.readSchema())
      && SparkScans.filters(result).equals(filters) && id.equals(snapshotId(result));
    return isSame ? result : null;
  }

  /** The snapshot that a scan reads; null if there is none. */
  private static Long snapshotId(Scan scan) throws ReflectiveOperationException {
    Method method = scan.getClass().getDeclaredMethod("snapshotId", new Class<?>[0]);
    method.setAccessible(true);
    Object id = method.invoke(scan, new Object[0]);
    if (id != null) return (Long) id;
    // Before Spark 4.1, a scan of the current snapshot chooses it when it lists its files, and reports it then.
    ((SupportsReportPartitioning) scan).outputPartitioning();
    Field supplier = SparkScans.field(scan, new String[] {"scanReportSupplier"});
    ScanReport report = supplier == null ? null : (ScanReport) ((Supplier<?>) supplier.get(scan)).get();
    return report == null ? null : Long.valueOf(report.snapshotId());
  }
}
