package sparkicebergsql;

import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.types.Types;

/**
 * The bounds of a column in a file, as Spark's values: its partition value where it is a partition field, since files
 * that were imported from Hive have no statistics of it, else those of the file's statistics.
 */
public final class ColumnBounds {
  /** Null if they are not known, or if all values are null. */
  public final Object lower, upper;
  /** The number of nulls; null if it is unknown. */
  public final Long nulls;

  private ColumnBounds(Object lower, Object upper, Long nulls) {
    this.lower = lower;
    this.upper = upper;
    this.nulls = nulls;
  }

  public static ColumnBounds of(SnapshotFiles files, DataFile file, Types.NestedField field) {
    PartitionSpec spec = (PartitionSpec) files.table.specs().get(Integer.valueOf(file.specId()));
    List<PartitionField> fields = spec.fields();
    for (int i = 0; i < fields.size(); i++) {
      PartitionField partition = (PartitionField) fields.get(i);
      if (partition.sourceId() != field.fieldId() || !partition.transform().isIdentity()) continue;
      Object value = SnapshotFiles.value(field.type(), file.partition().get(i, Object.class));
      return new ColumnBounds(value, value, Long.valueOf(value == null ? file.recordCount() : 0));
    }
    Long nulls = field.isRequired() ? Long.valueOf(0) : SnapshotFiles.nulls(file, field);
    return new ColumnBounds(SnapshotFiles.lower(file, field), SnapshotFiles.upper(file, field), nulls);
  }
}
