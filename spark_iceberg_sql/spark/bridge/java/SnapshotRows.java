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
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The rows of Iceberg's metadata table `snapshots`, built on the driver. Iceberg sends each row to a task with all its
 * columns, which takes seconds for a hundred thousand snapshots.
 */
public class SnapshotRows {
  private final Map<String, UTF8String> words = new HashMap<>();

  /** committed_at, snapshot_id, parent_id, operation, manifest_list, summary of each snapshot, in table order. */
  public List<InternalRow> of(TableMetadata metadata) {
    List<InternalRow> rows = new ArrayList<>();
    for (Snapshot one : metadata.snapshots()) {
      Object[] values = new Object[] {
        one.timestampMillis() * 1000L,
        one.snapshotId(),
        one.parentId(),
        word(one.operation()),
        UTF8String.fromString(one.manifestListLocation()),
        summary(one.summary()),
      };
      rows.add(new GenericInternalRow(values));
    }
    return rows;
  }

  private ArrayBasedMapData summary(Map<String, String> summary) {
    if (summary == null) return null;
    Object[] keys = new Object[summary.size()];
    Object[] values = new Object[summary.size()];
    int at = 0;
    for (String key : summary.keySet()) {
      keys[at] = word(key);
      values[at++] = UTF8String.fromString((String) summary.get(key));
    }
    return new ArrayBasedMapData(new GenericArrayData(keys), new GenericArrayData(values));
  }

  private UTF8String word(String text) {
    if (text == null) return null;
    UTF8String known = (UTF8String) words.get(text);
    if (known == null) {
      known = UTF8String.fromString(text);
      words.put(text, known);
    }
    return known;
  }
}
