package sparkicebergsql;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkWriteConf;
import org.apache.iceberg.spark.SparkWriteRequirements;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.util.PropertyUtil;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** The memory of the writers that one write may have open at once: one for each partition of each task. */
public final class OpenWriters {
  /** The option of a write that decides whether each partition has a writer. */
  public static final String OPTION = "fanout-enabled";
  private static final String PROPERTY = "write.spark.fanout.enabled";
  /** The option by which Iceberg rewrites files group by group: a group is of one partition. */
  private static final String REWRITE = "rewritten-file-scan-task-set-id";
  private static final String BLOOM_FILTER = "write.parquet.bloom-filter-enabled.column.";
  private static final String BLOOM_FILTER_SIZE = "write.parquet.bloom-filter-max-bytes";
  private static final String ROW_GROUP = "write.parquet.row-group-size-bytes";
  private static final int MEGABYTE = 1024 * 1024;
  // Measured with Parquet and zstd, before the first row group is full: docs/benchmarks.md.
  private static final double BYTES_PER_WRITER = 1.25 * MEGABYTE, BYTES_PER_COLUMN = 25 * 1024;
  /** What a writer holds for a byte of Spark's estimate of the rows: its buffers grow by doubling, a string is longer. */
  private static final double BYTES_PER_BYTE = 3;
  private static final double SHARE_OF_HEAP = 0.5;
  /** By Spark's estimate, the bytes of rows whose sort costs next to nothing. */
  private static final double SMALL = 128.0 * MEGABYTE;
  /** The partitions of a write about which nothing is known; the heap that `sis.session()` asks for holds as many. */
  private static final int ASSUMED = 1000;
  /**
   * Spark's order does not keep the rows of a partition together, and Iceberg then refuses them: -0.0 and 0.0 are one
   * value to Spark and two partitions to Iceberg, and a uuid is text to Spark, whose bucket is another.
   */
  private static final List<Type.TypeID> SCATTERED = List.of(Type.TypeID.FLOAT, Type.TypeID.DOUBLE, Type.TypeID.UUID);
  /** The tables that have been reported in this JVM; once for all of them where nothing is known. */
  private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();

  private final SparkContext context;
  private final String name;
  private final Table table;
  private final CaseInsensitiveStringMap options;
  private final WrittenRows rows;
  private final SparkWriteConf conf;
  private final SparkWriteRequirements requirements;
  private final PartitionSpec spec;
  private final double values;

  /**
   * @param name the table's
   * @param options those of the write
   * @param rows what is written
   */
  public OpenWriters(
    SparkSession session, String name, Table table, CaseInsensitiveStringMap options, WrittenRows rows) {
    context = session.sparkContext();
    this.name = name;
    this.table = table;
    this.options = options;
    this.rows = rows;
    conf = new SparkWriteConf(session, table, options);
    requirements = rows.requirements(conf);
    spec = (PartitionSpec) table.specs().get(Integer.valueOf(conf.outputSpecId()));
    values = values();
  }

  /**
   * Whether the rows are to be sorted by partition, since the writers may need more than half of the heap; warns if they
   * may and the rows are not sorted. What the table or the write says of it decides.
   *
   * @param query of the command, whose rows are written
   * @param hasOptions whether the write takes options, by which it can be told
   */
  public static boolean areReplaced(SparkSession session, String name, Table table, CaseInsensitiveStringMap options,
    LogicalPlan command, LogicalPlan query, boolean hasOptions) {
    boolean isDecided = options.containsKey(OPTION) || table.properties().containsKey(PROPERTY);
    if (options.containsKey(REWRITE)) return false;
    try {
      WrittenRows rows = new WrittenRows(command, query);
      if (!rows.areData()) return false;
      OpenWriters writers = new OpenWriters(session, name, table, options, rows);
      if (writers.bytes() <= writers.heap() * SHARE_OF_HEAP) return false;
      if (!isDecided && hasOptions && writers.isWorthSorting() && writers.isSortable(session)) return true;
      if ((writers.isLimited() || !isDecided) && REPORTED.add(writers.isLimited() ? name : ""))
        SwitchedRule.warn(writers.text(session));
    } catch (RuntimeException wrong) {
      return false; // an option or a property, which Iceberg reports
    }
    return false;
  }

  /** Whether the number of partitions is known, or the rows are few; and the query has no order of its own. */
  private boolean isWorthSorting() {
    if (!rows.isKnown() || rows.areOrdered()) return false;
    return isLimited() || rows.bytes() <= SMALL;
  }

  /** At most so many bytes, if the number of partitions is limited; 0 if one writer is open at a time, or has small buffers. */
  public double bytes() {
    if (spec.isUnpartitioned() || !conf.useFanoutWriter(requirements) || conf.dataFileFormat() == FileFormat.AVRO)
      return 0;
    if (isShuffled() || !rows.isKnown()) return writers() * perWriter();
    // Each task may have rows of each partition, which it holds until their row group is full.
    double rowGroups = writers() * PropertyUtil.propertyAsLong(table.properties(), ROW_GROUP, 128L * MEGABYTE);
    return writers() * perWriter() + Math.min(rows.bytes() * BYTES_PER_BYTE, rowGroups);
  }

  private double writers() { return partitions() * (isShuffled() ? 1 : tasks()); }

  /** Whether the rows of a partition come to one task. */
  private boolean isShuffled() { return rows.areShuffled(requirements); }

  /** Whether the values of the partition fields limit the number of partitions. */
  private boolean isLimited() { return !Double.isInfinite(values); }

  private double perWriter() {
    double bytes = BYTES_PER_WRITER + TypeUtil.getProjectedIds(table.schema()).size() * BYTES_PER_COLUMN;
    int filter = PropertyUtil.propertyAsInt(table.properties(), BLOOM_FILTER_SIZE, MEGABYTE);
    for (Object key : table.properties().keySet())
      if (((String) key).startsWith(BLOOM_FILTER) && "true".equalsIgnoreCase((String) table.properties().get(key)))
        bytes += filter;
    return bytes;
  }

  /** At most so many partitions, if anything is known that limits them. */
  private double partitions() { return Math.min(rows.partitions(), isLimited() ? values : ASSUMED); }

  /** At most so many values of the partition fields together; infinite if not known. */
  private double values() {
    double product = 1;
    for (PartitionField field : spec.fields()) product *= values(field);
    return product;
  }

  /** At most so many values of a partition field, null being one. */
  private double values(PartitionField field) {
    Transform transform = Transform.ofSpec(field.transform().toString());
    if (field.transform().isVoid() || rows.isConstant(spec.schema().findColumnName(field.sourceId()))) return 1;
    Type source = spec.schema().findType(field.sourceId());
    if (field.transform().isIdentity() && source.typeId() == Type.TypeID.BOOLEAN) return 3;
    if (transform == null || !transform.hashes) return Double.POSITIVE_INFINITY;
    return 1 + Double.parseDouble(field.transform().toString().replaceAll("[^0-9]", ""));
  }

  /** The bytes of the heap in which a task writes. */
  private double heap() {
    return context.isLocal() ? Runtime.getRuntime().maxMemory() : context.executorMemory() * (double) MEGABYTE;
  }

  /** The number of tasks that share a heap. */
  private double tasks() {
    double all = context.maxNumConcurrentTasks(context.resourceProfileManager().defaultResourceProfile());
    int executors = context.getExecutorMemoryStatus().size() - (context.isLocal() ? 0 : 1);
    return Math.max(1, Math.ceil(all / Math.max(1, executors)));
  }

  private String text(SparkSession session) {
    String writer = String.format(Locale.ROOT, "%.1f MB of buffers", perWriter() / MEGABYTE);
    String memory = String.format(Locale.ROOT, "the memory of %,.0f MB", heap() / MEGABYTE);
    String fact = isLimited()
      ? String.format(Locale.ROOT,
          "may keep %,.0f writers open, one for each partition of a task, which with %s each and "
            + "the rows need up to %,.0f MB of %s",
          writers(), writer, bytes() / MEGABYTE, memory)
      : String.format(Locale.ROOT,
          "keeps a writer with %s open for each partition of its rows: their number is "
            + "unknown, and %,.0f fill half of %s",
          writer, heap() * SHARE_OF_HEAP / perWriter(), memory);
    return "`" + Outgoing.visible(name) + "`: this write " + fact + "\nhelp: " + help(session);
  }

  private String help(SparkSession session) {
    String memory = context.isLocal() ? "spark.driver.memory" : "spark.executor.memory";
    return isSortable(session)
      ? "with TBLPROPERTIES ('" + PROPERTY + "' = 'false'), the rows are sorted by partition, and one "
        + "writer is open at a time; or start Spark with more `" + memory + "`"
      : "start Spark with more `" + memory + "`, or write the partitions in several steps";
  }

  /** Whether Iceberg would ask Spark for sorted rows, and take them. */
  private boolean isSortable(SparkSession session) {
    for (Object spec : table.specs().values())
      for (PartitionField field : ((PartitionSpec) spec).fields())
        if (!field.transform().isVoid() && isScattered(((PartitionSpec) spec).schema().findType(field.sourceId())))
          return false;
    Map<String, String> sorted = new HashMap<>(options.asCaseSensitiveMap());
    sorted.put(OPTION, "false");
    SparkWriteConf conf = new SparkWriteConf(session, table, new CaseInsensitiveStringMap(sorted));
    return spec.specId() == table.spec().specId() && rows.requirements(conf).hasOrdering();
  }

  private static boolean isScattered(Type type) { return type == null || SCATTERED.contains(type.typeId()); }
}
