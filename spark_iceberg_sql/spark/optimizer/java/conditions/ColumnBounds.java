package sparkicebergsql;

import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;

/**
 * The bounds of a column in a file, as Spark's values: its partition value where it is a partition field, since files
 * that were imported from Hive have no statistics of it, else those of the file's statistics.
 */
public final class ColumnBounds {
  /** Null if they are not known, or if all values are null. */
  public final Object lower, upper;
  /** The number of nulls; null if it is unknown. */
  public final Long nulls;
  public final boolean isAllNull;

  private ColumnBounds(DataFile file, Object lower, Object upper, Long nulls) {
    this.lower = lower;
    this.upper = upper;
    this.nulls = nulls;
    isAllNull = nulls != null && nulls.longValue() >= file.recordCount();
  }

  public static ColumnBounds of(SnapshotFiles files, DataFile file, Types.NestedField field) {
    PartitionSpec spec = (PartitionSpec) files.table.specs().get(Integer.valueOf(file.specId()));
    List<PartitionField> fields = spec.fields();
    for (int i = 0; i < fields.size(); i++) {
      PartitionField partition = (PartitionField) fields.get(i);
      if (partition.sourceId() != field.fieldId() || !partition.transform().isIdentity()) continue;
      Object value = SnapshotFiles.value(field.type(), file.partition().get(i, Object.class));
      return new ColumnBounds(file, value, value, Long.valueOf(value == null ? file.recordCount() : 0));
    }
    return new ColumnBounds(
      file, SnapshotFiles.lower(file, field), SnapshotFiles.upper(file, field), SnapshotFiles.nulls(file, field));
  }

  /**
   * Whether Iceberg can skip files by a column without losing rows: partition values that wrap around, and the null
   * counts of nested fields in other formats than Parquet, may mislead it.
   *
   * @param bounds those of the column in all files that may be read
   */
  public static boolean areReliable(
    SnapshotFiles files, Expression column, List<FileScanTask> tasks, List<ColumnBounds> bounds) {
    if (column instanceof GetStructField)
      for (FileScanTask task : tasks)
        if (((DataFile) task.file()).format() != FileFormat.PARQUET) return false;
    Transform wrapping = files.layout.wrapping(column);
    if (wrapping == null) return true;
    long limit = wrapping.limit(column.dataType());
    for (ColumnBounds b : bounds) {
      if (b.isAllNull) continue;
      if (b.lower == null || b.upper == null) return false;
      if (((Number) b.lower).longValue() < -limit || ((Number) b.upper).longValue() >= limit) return false;
    }
    return true;
  }
}
