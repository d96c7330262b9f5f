package sparkicebergsql;

import java.lang.reflect.Constructor;
import java.util.List;
import org.apache.iceberg.ScanTaskGroup;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.StructType;

/**
 * An Iceberg scan in a plan that is made to be looked at: its partitions have the keys of Iceberg's own and cannot be read.
 *
 * <p>Spark asks each scan for its partitions while it plans, and Iceberg then sends its table to all executors, which takes
 * more time than the rest of the planning.
 */
public final class TrialScan implements Scan, SupportsReportStatistics, Batch {
  private final Scan scan;
  private final InputPartition[] partitions;

  private TrialScan(Scan scan, InputPartition[] partitions) {
    this.scan = scan;
    this.partitions = partitions;
  }

  /** A plan with such scans in place of those that read data files. */
  public static LogicalPlan with(LogicalPlan plan) {
    return (LogicalPlan) plan.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object node) {
        return node instanceof DataSourceV2ScanRelation
          && SparkScans.readsFiles(((DataSourceV2ScanRelation) node).scan());
      }

      @Override
      public Object of(Object node) {
        DataSourceV2ScanRelation scanned = (DataSourceV2ScanRelation) node;
        try {
          Scan trial = new TrialScan(scanned.scan(), partitions(scanned.scan()));
          return SparkScans.replaced(scanned, (DataSourceV2Relation) scanned.relation(), trial);
        } catch (ReflectiveOperationException e) {
          return scanned; // an Iceberg whose partitions have another constructor: it takes longer
        }
      }
    }));
  }

  /** The scan of the plan that was tried. */
  public static Scan tried(BatchScanExec node) {
    return node.scan() instanceof TrialScan ? ((TrialScan) node.scan()).scan : node.scan();
  }

  /** Those that Iceberg would make, without the table and all else that it takes to read them. */
  private static InputPartition[] partitions(Scan scan) throws ReflectiveOperationException {
    Object type = SparkScans.value(scan, new String[] {"groupingKeyType"});
    List<?> groups = (List<?>) SparkScans.value(scan, new String[] {"taskGroups"});
    Class<?> partition =
      Class.forName("org.apache.iceberg.spark.source.SparkInputPartition", true, scan.getClass().getClassLoader());
    Constructor<?> constructor = partition.getDeclaredConstructors()[0];
    Class<?>[] types = constructor.getParameterTypes();
    if (types.length < 2 || types[0] != Types.StructType.class || types[1] != ScanTaskGroup.class)
      throw new NoSuchMethodException(constructor.toString());
    constructor.setAccessible(true);
    Object[] arguments = new Object[types.length];
    for (int i = 2; i < types.length; i++)
      if (types[i] == boolean.class) arguments[i] = Boolean.FALSE;
    arguments[0] = type;
    InputPartition[] partitions = new InputPartition[groups.size()];
    for (int i = 0; i < partitions.length; i++) {
      arguments[1] = groups.get(i);
      partitions[i] = (InputPartition) constructor.newInstance(arguments);
    }
    return partitions;
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
  public Statistics estimateStatistics() {
    return ((SupportsReportStatistics) scan).estimateStatistics();
  }

  /** As of the scans that they stand for: Spark uses the shuffle of one for the other. */
  @Override
  public boolean equals(Object other) {
    return other instanceof TrialScan && scan.equals(((TrialScan) other).scan);
  }

  @Override
  public int hashCode() {
    return scan.hashCode();
  }

  /** Otherwise Spark looks at the readers of all partitions. */
  @Override
  public ColumnarSupportMode columnarSupportMode() {
    return ColumnarSupportMode.SUPPORTED;
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    return partitions;
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    throw new UnsupportedOperationException("a plan that was made to be looked at cannot run");
  }
}
