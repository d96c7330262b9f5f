package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The rows of Iceberg's metadata table `snapshots`, built on the driver. Iceberg sends each row to a task with all its
 * columns, which takes seconds for a hundred thousand snapshots.
 */
public class SnapshotRows {
  private final Map<String, UTF8String> strings = new HashMap<>();

  /** A row for each snapshot, in table order. columns: of the rows, by name in any order. */
  public List<InternalRow> of(TableMetadata metadata, StructType columns) {
    List<InternalRow> rows = new ArrayList<>();
    for (Snapshot snapshot : metadata.snapshots()) {
      Object[] values = new Object[columns.length()];
      values[columns.fieldIndex("committed_at")] = Long.valueOf(snapshot.timestampMillis() * 1000L);
      values[columns.fieldIndex("snapshot_id")] = Long.valueOf(snapshot.snapshotId());
      values[columns.fieldIndex("parent_id")] = snapshot.parentId();
      values[columns.fieldIndex("operation")] = interned(snapshot.operation());
      values[columns.fieldIndex("manifest_list")] = UTF8String.fromString(snapshot.manifestListLocation());
      values[columns.fieldIndex("summary")] = summary(snapshot.summary());
      rows.add(new GenericInternalRow(values));
    }
    return rows;
  }

  private ArrayBasedMapData summary(Map<String, String> summary) {
    if (summary == null) return null;
    Object[] keys = new Object[summary.size()];
    Object[] values = new Object[summary.size()];
    int index = 0;
    for (String key : summary.keySet()) {
      keys[index] = interned(key);
      values[index++] = UTF8String.fromString((String) summary.get(key));
    }
    return new ArrayBasedMapData(new GenericArrayData(keys), new GenericArrayData(values));
  }

  private UTF8String interned(String text) {
    if (text == null) return null;
    if (!strings.containsKey(text)) strings.put(text, UTF8String.fromString(text));
    return (UTF8String) strings.get(text);
  }
}
