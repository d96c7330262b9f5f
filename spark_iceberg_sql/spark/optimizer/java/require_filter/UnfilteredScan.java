package sparkicebergsql;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.ContentScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.ScanTask;
import org.apache.iceberg.Table;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportPartitioning;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.connector.read.partitioning.Partitioning;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;

/**
 * A scan that reads more than it may without a filter on a partition field: it can be planned and explained, and
 * refuses to read, unless a join or a subquery has left out partitions by then.
 */
public final class UnfilteredScan
  implements SupportsRuntimeV2Filtering, SupportsReportStatistics, SupportsReportPartitioning {
  private final Scan scan;
  private final DataSourceV2Relation relation;
  private final FilterRequirement requirement;
  private final Volume planned;

  private UnfilteredScan(Scan scan, DataSourceV2Relation relation, FilterRequirement requirement)
    throws ReflectiveOperationException {
    this.scan = scan;
    this.relation = relation;
    this.requirement = requirement;
    planned = new Volume(scan);
  }

  /** What a scan reads. */
  private static final class Volume {
    final Set<String> files = new HashSet<>();
    final Set<PartitionSpec> specs = new LinkedHashSet<>();
    long bytes, rows;

    Volume(Scan scan) throws ReflectiveOperationException {
      for (ScanTask task : SparkScans.tasks(scan)) {
        if (!(task instanceof ContentScanTask)) continue;
        ContentFile<?> file = (ContentFile<?>) ((ContentScanTask<?>) task).file();
        specs.add(((ContentScanTask<?>) task).spec());
        if (!files.add(FileAddress.of(file))) continue; // another part of it
        bytes += file.fileSizeInBytes();
        rows += file.recordCount();
      }
    }

    /** The bytes of a number of rows, at least those of one file. null: of all rows. */
    double bytes(Long limit) {
      if (limit == null || rows <= 0) return bytes;
      return limit.doubleValue() <= (double) rows / files.size() ? 0 : bytes * Math.min(1, limit.doubleValue() / rows);
    }
  }

  /**
   * The scan as one that refuses to read; null if it may read.
   *
   * @param limit the number of rows after which a LIMIT ends the scan; null if there is none
   */
  public static UnfilteredScan of(Scan scan, DataSourceV2Relation relation, FilterRequirement requirement, Long limit)
    throws ReflectiveOperationException {
    Table table = PartitionLayout.of(relation).table();
    if (choosesPartitions(scan, relation, table.spec())) return null;
    UnfilteredScan result = new UnfilteredScan(scan, relation, requirement);
    return result.planned.bytes(limit) <= requirement.bytes || result.mayRead() ? null : result;
  }

  /** Another scan of the same relation, with the same requirement if the present one has any. */
  public static Scan replacing(Scan present, Scan other) throws ReflectiveOperationException {
    if (!(present instanceof UnfilteredScan)) return other;
    return new UnfilteredScan(other, ((UnfilteredScan) present).relation, ((UnfilteredScan) present).requirement);
  }

  /** A scan as Iceberg's. */
  public static Scan unwrapped(Scan scan) {
    return scan instanceof UnfilteredScan ? ((UnfilteredScan) scan).icebergScan() : scan;
  }

  public Scan icebergScan() { return scan; }

  private static boolean choosesPartitions(Scan scan, DataSourceV2Relation relation, PartitionSpec spec)
    throws ReflectiveOperationException {
    PartitionLayout layout = PartitionLayout.of(relation);
    boolean isCaseSensitive = SQLConf.get().caseSensitiveAnalysis();
    return PartitionFilters.choose(SparkScans.filters(scan), layout.table(), spec, layout.snapshot(), isCaseSensitive);
  }

  /** Whether its files have no partitions, or what is left of them may be read. */
  private boolean mayRead() throws ReflectiveOperationException {
    Volume volume = new Volume(scan);
    // Iceberg leaves files out by what a join or a subquery returned, if it is about partition values.
    if (volume.bytes <= requirement.bytes || volume.files.size() < planned.files.size()) return true;
    for (PartitionSpec spec : specs())
      if (choosesPartitions(scan, relation, spec)) return true;
    return proposalSpec() == null;
  }

  /** The table's spec, and those of the files that are read. */
  private Set<PartitionSpec> specs() {
    Set<PartitionSpec> specs = new LinkedHashSet<>();
    specs.add(PartitionLayout.of(relation).table().spec());
    specs.addAll(planned.specs);
    return specs;
  }

  /** The first spec with partition fields; null if there is none. */
  private PartitionSpec proposalSpec() {
    for (PartitionSpec spec : specs())
      if (!PartitionFilters.fields(spec).isEmpty()) return spec;
    return null;
  }

  /** Refuses to read, unless it may read by now. */
  public void refuse() {
    String refusal = refusal();
    if (refusal != null) throw new MissingFilter(refusal);
  }

  /** Why it refuses to read; null if it may read by now. */
  public String refusal() {
    try {
      return mayRead() ? null : text();
    } catch (Exception e) { // as in the rule
      report(PartitionLayout.name(relation), e);
      return null;
    }
  }

  /** Warns that a table is read unchecked. */
  public static void report(String name, Throwable fault) {
    SwitchedRule.warn("`" + Outgoing.visible(name)
      + "`: whether the statement may read it without a filter is unknown (" + Outgoing.visible(String.valueOf(fault))
      + "), so it runs");
  }

  private String text() {
    PartitionLayout layout = PartitionLayout.of(relation);
    FilterProposal proposal = new FilterProposal(layout.table(), proposalSpec(), layout.snapshot());
    String files =
      String.format(Locale.ROOT, planned.files.size() == 1 ? "%,d file" : "%,d files", planned.files.size());
    return "`" + Outgoing.visible(PartitionLayout.name(relation)) + "`: no filter prunes by " + proposal.fields()
      + ", so this statement would read " + ByteSize.text(planned.bytes) + " in " + files + ", which "
      + requirement.source() + " does not allow\nhelp: add " + proposal.clauses()
      + (requirement.isChangeable() ? "; to read all of it, SET " + FilterRequirement.SETTING + " = false" : "");
  }

  /** Iceberg's batch, which refuses to read. */
  private static final class RefusingBatch implements Batch {
    private final UnfilteredScan scan;
    private final Batch batch;

    RefusingBatch(UnfilteredScan scan, Batch batch) {
      this.scan = scan;
      this.batch = batch;
    }

    @Override
    public InputPartition[] planInputPartitions() {
      return batch.planInputPartitions();
    }

    /** Spark calls this when the filters of joins and subqueries have been applied, and before it reads. */
    @Override
    public PartitionReaderFactory createReaderFactory() {
      scan.refuse();
      return batch.createReaderFactory();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof RefusingBatch && batch.equals(((RefusingBatch) other).batch);
    }

    @Override
    public int hashCode() {
      return batch.hashCode();
    }
  }

  @Override
  public Batch toBatch() {
    return new RefusingBatch(this, scan.toBatch());
  }

  /** As Spark determines it of a batch, whose readers it would ask for while it plans. */
  @Override
  public ColumnarSupportMode columnarSupportMode() {
    if (scan.columnarSupportMode() != ColumnarSupportMode.PARTITION_DEFINED) return scan.columnarSupportMode();
    Batch batch = scan.toBatch();
    PartitionReaderFactory readers = batch.createReaderFactory();
    for (InputPartition partition : batch.planInputPartitions())
      if (readers.supportColumnarReads(partition)) return ColumnarSupportMode.SUPPORTED;
    return ColumnarSupportMode.UNSUPPORTED;
  }

  @Override
  public NamedReference[] filterAttributes() {
    return scan instanceof SupportsRuntimeV2Filtering ? ((SupportsRuntimeV2Filtering) scan).filterAttributes()
                                                      : new NamedReference[0];
  }

  @Override
  public void filter(Predicate[] predicates) {
    ((SupportsRuntimeV2Filtering) scan).filter(predicates);
  }

  @Override
  public Statistics estimateStatistics() {
    return ((SupportsReportStatistics) scan).estimateStatistics();
  }

  @Override
  public Partitioning outputPartitioning() {
    return ((SupportsReportPartitioning) scan).outputPartitioning();
  }

  @Override
  public StructType readSchema() {
    return scan.readSchema();
  }

  @Override
  public String description() {
    return scan.description();
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return scan.supportedCustomMetrics();
  }

  @Override
  public CustomTaskMetric[] reportDriverMetrics() {
    return scan.reportDriverMetrics();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof UnfilteredScan && scan.equals(((UnfilteredScan) other).scan);
  }

  @Override
  public int hashCode() {
    return scan.hashCode();
  }

  @Override
  public String toString() {
    return scan.toString();
  }
}
