package sparkicebergsql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The data files of the snapshot that a relation reads, with the partition values and bounds that can be relied on.
 *
 * <p>What a rule concludes from them is true of this snapshot alone, so it must replace the relation by
 * {@link #pinned}: another session may commit between the rule and the scan.
 */
public final class SnapshotFiles {
  /** The maximum number of data files that are listed: planning them takes about a second. */
  private static final long LIMIT = 200000;

  public final PartitionLayout layout;
  public final DataSourceV2Relation relation;
  /** The relation, fixed to the snapshot. */
  public final DataSourceV2Relation pinned;
  public final Table table;
  public final Snapshot snapshot;

  private SnapshotFiles(
    PartitionLayout layout, DataSourceV2Relation relation, DataSourceV2Relation pinned, Snapshot snapshot) {
    this.layout = layout;
    this.relation = relation;
    this.pinned = pinned;
    this.table = layout.table();
    this.snapshot = snapshot;
  }

  /**
   * Null if the plan is not a relation of an Iceberg table, or if its snapshot is not known or cannot be fixed:
   * incremental reads, staged writes.
   */
  public static SnapshotFiles of(Object plan) {
    PartitionLayout layout = PartitionLayout.of(plan);
    Snapshot snapshot = layout == null ? null : layout.snapshot();
    if (snapshot == null || !(((DataSourceV2Relation) plan).table() instanceof SparkTable)) return null;
    DataSourceV2Relation pinned = Relations.pinned((DataSourceV2Relation) plan, snapshot);
    return pinned == null ? null : new SnapshotFiles(layout, (DataSourceV2Relation) plan, pinned, snapshot);
  }

  /** A number of the snapshot's summary; the greatest long if it is not there. */
  public static long count(Snapshot snapshot, String key) {
    String text = (String) snapshot.summary().get(key);
    return text == null ? Long.MAX_VALUE : Long.parseLong(text);
  }

  /** Whether the snapshot may have more data files than these, and more rows. */
  public boolean hasMoreThan(long files, long rows) {
    return count(snapshot, "total-data-files") > files && count(snapshot, "total-records") > rows;
  }

  /** Whether {@link #plan} may list the files that a scan with a filter may read, by the manifest list: not too many. */
  public boolean areFew(org.apache.iceberg.expressions.Expression filter) {
    if (count(snapshot, "total-data-files") <= LIMIT) return true;
    return ManifestPass.filesIn(table, snapshot, filter, SQLConf.get().caseSensitiveAnalysis()) <= LIMIT;
  }

  /** Passes on the files that {@link #plan} would list, without keeping them: see ManifestPass. */
  public boolean stream(
    org.apache.iceberg.expressions.Expression filter, Collection<String> columns, ManifestPass.Receiver receiver) {
    return ManifestPass.stream(table, snapshot, filter, columns, SQLConf.get().caseSensitiveAnalysis(), receiver);
  }

  /** The manifests of the snapshot's data files. */
  public List<ManifestFile> manifests() { return snapshot.dataManifests(table.io()); }

  /**
   * The files that a scan reads, with their deletes.
   *
   * @param filter what rows must satisfy
   * @param columns the columns whose bounds and counts are loaded
   */
  public List<FileScanTask> plan(org.apache.iceberg.expressions.Expression filter, Collection<String> columns) {
    boolean isCaseSensitive = SQLConf.get().caseSensitiveAnalysis();
    List<FileScanTask> read = ManifestPass.of(table, snapshot, filter, columns, isCaseSensitive);
    return read == null ? planned(filter, columns) : read;
  }

  private List<FileScanTask> planned(org.apache.iceberg.expressions.Expression filter, Collection<String> columns) {
    TableScan scan = (TableScan) table.newScan().useSnapshot(snapshot.snapshotId());
    scan = (TableScan) scan.caseSensitive(SQLConf.get().caseSensitiveAnalysis());
    scan = (TableScan) scan.filter(filter);
    if (!columns.isEmpty()) scan = (TableScan) scan.includeColumnStats(columns);
    List<FileScanTask> tasks = new ArrayList<>();
    CloseableIterable<FileScanTask> planned = scan.planFiles();
    try {
      for (FileScanTask task : planned) tasks.add(task);
    } finally {
      close(planned);
    }
    return tasks;
  }

  private static void close(CloseableIterable<FileScanTask> planned) {
    try {
      planned.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** At least so many rows of a file are not deleted: its rows without all that its delete files may delete. */
  public static long rows(FileScanTask task) {
    long rows = ((DataFile) task.file()).recordCount();
    List<DeleteFile> deletes = task.deletes();
    for (DeleteFile delete : deletes) {
      if (delete.content() != FileContent.POSITION_DELETES) return 0;
      rows -= delete.recordCount();
    }
    return Math.max(0, rows);
  }

  /**
   * The field of a column, or of a field of a struct column; null if its bounds cannot be relied on, or if the name has
   * meant several fields or types.
   */
  public Types.NestedField field(Expression column) {
    Types.NestedField field = uncheckedField(column);
    return field == null || !layout.faults(column).isEmpty() || layout.mayLoseNulls(column) ? null : field;
  }

  /** The field of a column, whether or not its bounds can be relied on: for what is only the rule's own business. */
  public Types.NestedField uncheckedField(Expression column) {
    Types.NestedField field = layout.field(column);
    return field != null && SparkSchemaUtil.convert(field.type()).equals(column.dataType()) ? field : null;
  }

  /** The name of a column's field in the table's schema, for {@link #plan}. */
  public String name(Types.NestedField field) { return table.schema().findColumnName(field.fieldId()); }

  /** The lower bound of a field in a file, as Spark's value; null if there is none of a type that has an order. */
  public static Object lower(DataFile file, Types.NestedField field) { return bound(file.lowerBounds(), field); }

  /** The upper bound of a field in a file; otherwise as {@link #lower}. */
  public static Object upper(DataFile file, Types.NestedField field) { return bound(file.upperBounds(), field); }

  private static Object bound(Map<Integer, ByteBuffer> bounds, Types.NestedField field) {
    ByteBuffer bound = bounds == null ? null : (ByteBuffer) bounds.get(Integer.valueOf(field.fieldId()));
    return bound == null ? null : value(field.type(), Conversions.fromByteBuffer(field.type(), bound));
  }

  /** The number of nulls of a field in a file; null if it is unknown. */
  public static Long nulls(DataFile file, Types.NestedField field) {
    Map<Integer, Long> counts = file.nullValueCounts();
    return counts == null ? null : (Long) counts.get(Integer.valueOf(field.fieldId()));
  }

  /**
   * Iceberg's value of a type as Spark's; null for null, and for types whose values or order differ: floating-point
   * numbers (NaN, -0.0), binaries, uuids, times and nested types.
   */
  public static Object value(Type type, Object value) {
    if (value == null) return null;
    switch (type.typeId()) {
      case BOOLEAN:
        return value;
      case INTEGER:
      case DATE:
        return Integer.valueOf(((Number) value).intValue());
      case LONG:
      case TIMESTAMP:
        return Long.valueOf(((Number) value).longValue());
      case STRING:
        return UTF8String.fromString(value.toString());
      case DECIMAL:
        Types.DecimalType decimal = (Types.DecimalType) type;
        return Decimal.apply((BigDecimal) value, decimal.precision(), decimal.scale());
      default:
        return null;
    }
  }

  /** Whether {@link #value} knows the values of a type. */
  public static boolean isKnown(Type type) {
    switch (type.typeId()) {
      case BOOLEAN:
      case INTEGER:
      case DATE:
      case LONG:
      case TIMESTAMP:
      case STRING:
      case DECIMAL:
        return true;
      default:
        return false;
    }
  }

  /** The columns of the relation. */
  public List<Attribute> columns() { return ScalaTypes.list(((LogicalPlan) relation).output()); }
}
