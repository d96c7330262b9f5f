package sparkicebergsql;

import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.SortField;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/** How the values of a column are spread over the files of a scan, by their bounds. */
public final class ColumnSpread {
  /** The share of a scan's bytes that one value, whichever it is, would leave to read. */
  private static final double SHARE = 0.9;
  /** The files whose bounds are looked at for it. */
  private static final int FILES = 10000;

  private ColumnSpread() {}

  /**
   * Whether each file has values from nearly the whole range of the column, so that hardly any can be left out for a
   * condition on it. False if that is not known, or if the rows are ordered or hashed by the column.
   */
  public static boolean isEven(Scan scan, DataSourceV2ScanRelation scanned, Attribute column)
    throws ReflectiveOperationException {
    SnapshotFiles files = SnapshotFiles.of(scanned.relation());
    Types.NestedField field = files == null ? null : files.field(column);
    if (field == null || SparkScans.tasks(scan).size() > FILES) return false;
    for (PartitionSpec spec : files.table.specs().values())
      for (PartitionField partition : spec.fields())
        if (partition.sourceId() == field.fieldId() && !partition.transform().preservesOrder()) return false;
    for (SortField sorted : files.table.sortOrder().fields())
      if (sorted.sourceId() == field.fieldId()) return false;
    Expression filter = Expressions.alwaysTrue();
    for (Expression conjunct : SparkScans.filters(scan)) filter = Expressions.and(filter, conjunct);
    return isEven(files, field, files.plan(filter, List.of(files.name(field))));
  }

  private static boolean isEven(SnapshotFiles files, Types.NestedField field, List<FileScanTask> tasks) {
    double lowest = Double.POSITIVE_INFINITY, highest = Double.NEGATIVE_INFINITY, bytes = 0, common = 0;
    for (FileScanTask task : tasks) {
      ColumnBounds bounds = ColumnBounds.of(files, (DataFile) task.file(), field);
      double lower = number(bounds.lower), upper = number(bounds.upper);
      if (Double.isNaN(lower) || Double.isNaN(upper)) return false;
      lowest = Math.min(lowest, lower);
      highest = Math.max(highest, upper);
      bytes += task.file().fileSizeInBytes();
      common += task.file().fileSizeInBytes() * (upper - lower);
    }
    return highest > lowest && common >= SHARE * bytes * (highest - lowest);
  }

  /** A value as a number, in the same order: of a text, its first bytes; NaN for others. */
  private static double number(Object value) {
    if (value instanceof Number) return ((Number) value).doubleValue();
    if (value instanceof Decimal) return ((Decimal) value).toDouble();
    return value instanceof UTF8String ? (double) (((UTF8String) value).getPrefix() >>> 1) : Double.NaN;
  }
}
