package sparkicebergsql;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkWriteConf;
import org.apache.iceberg.spark.SparkWriteRequirements;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.connector.distributions.UnspecifiedDistribution;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** The memory of the writers that a write with fanout may have open at once: one for each partition of each task. */
public final class OpenWriters {
  public static final String OPTION = "fanout-enabled";
  private static final String PROPERTY = "write.spark.fanout.enabled";
  /** The option by which Iceberg rewrites files group by group: a group is of one partition. */
  private static final String REWRITE = "rewritten-file-scan-task-set-id";
  // Measured with Parquet and zstd, before the first row group is full: docs/performance.md.
  private static final double BYTES_PER_WRITER = 1.25 * 1024 * 1024, BYTES_PER_COLUMN = 25 * 1024;
  private static final double SHARE_OF_HEAP = 0.5;
  /**
   * Spark's order does not keep the rows of a partition together, and Iceberg then refuses them: -0.0 and 0.0 are one
   * value to Spark and two partitions to Iceberg, and a uuid is text to Spark, whose bucket is another.
   */
  private static final List<Type.TypeID> SCATTERED = List.of(Type.TypeID.FLOAT, Type.TypeID.DOUBLE, Type.TypeID.UUID);

  private OpenWriters() {}

  /**
   * Whether the writers may need more than half of the heap, and Iceberg would sort the rows by partition instead.
   *
   * @param options those of the write
   * @param query whose rows are written; null if it is not known
   */
  public static boolean exceedHeap(
    SparkSession session, Table table, CaseInsensitiveStringMap options, LogicalPlan query) {
    if (options.containsKey(OPTION) || table.properties().containsKey(PROPERTY)) return false; // the owner has decided
    if (options.containsKey(REWRITE)) return false;
    try {
      SparkWriteConf conf = new SparkWriteConf(session, table, options);
      PartitionSpec spec = (PartitionSpec) table.specs().get(Integer.valueOf(conf.outputSpecId()));
      SparkWriteRequirements requirements = conf.writeRequirements();
      if (spec.isUnpartitioned() || !conf.useFanoutWriter(requirements) || scatters(spec)) return false;
      boolean isShuffled = !(requirements.distribution() instanceof UnspecifiedDistribution);
      double writers = partitions(spec, query) * (isShuffled ? 1 : tasks(session.sparkContext()));
      double bytes = writers * (BYTES_PER_WRITER + TypeUtil.getProjectedIds(table.schema()).size() * BYTES_PER_COLUMN);
      return bytes > heap(session.sparkContext()) * SHARE_OF_HEAP && isSorted(session, table, options);
    } catch (RuntimeException wrong) {
      return false; // an option or a property, which Iceberg reports
    }
  }

  /** Whether Iceberg would then ask Spark for sorted rows: not if the write says that its rows are to stay as they are. */
  private static boolean isSorted(SparkSession session, Table table, CaseInsensitiveStringMap options) {
    Map<String, String> without = new HashMap<>(options.asCaseSensitiveMap());
    without.put(OPTION, "false");
    return new SparkWriteConf(session, table, new CaseInsensitiveStringMap(without)).writeRequirements().hasOrdering();
  }

  private static boolean scatters(PartitionSpec spec) {
    for (PartitionField field : spec.fields())
      if (!field.transform().isVoid() && SCATTERED.contains(spec.schema().findType(field.sourceId()).typeId()))
        return true;
    return false;
  }

  /** At most so many partitions; infinite if nothing is known that limits them. */
  private static double partitions(PartitionSpec spec, LogicalPlan query) {
    double product = 1;
    for (PartitionField field : spec.fields()) product *= values(spec, field, query);
    if (query == null || query.maxRows().isEmpty()) return product;
    return Math.min(product, ((Number) query.maxRows().get()).doubleValue());
  }

  /** At most so many values of a partition field, null being one. */
  private static double values(PartitionSpec spec, PartitionField field, LogicalPlan query) {
    Transform transform = Transform.named(field.transform().toString());
    if (field.transform().isVoid() || isConstant(spec.schema().findColumnName(field.sourceId()), query)) return 1;
    Type source = spec.schema().findType(field.sourceId());
    if (field.transform().isIdentity() && source.typeId() == Type.TypeID.BOOLEAN) return 3;
    if (transform == null || !transform.hashes) return Double.POSITIVE_INFINITY;
    return 1 + Double.parseDouble(field.transform().toString().replaceAll("[^0-9]", ""));
  }

  /** Whether a query has the same value of a column in all rows, as PARTITION (day = '...') gives it. */
  private static boolean isConstant(String column, LogicalPlan query) {
    if (!(query instanceof Project)) return false;
    for (NamedExpression output : ScalaTypes.list(((Project) query).projectList()))
      if (output.name().equals(column)) return output instanceof Alias && ((Alias) output).child().foldable();
    return false;
  }

  /** The bytes of the heap in which a task writes. */
  private static double heap(SparkContext context) {
    return context.isLocal() ? Runtime.getRuntime().maxMemory() : context.executorMemory() * 1024.0 * 1024.0;
  }

  /** The number of tasks that share a heap. */
  private static int tasks(SparkContext context) {
    return context.isLocal() ? context.defaultParallelism() : context.conf().getInt("spark.executor.cores", 1);
  }
}
