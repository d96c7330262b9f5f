package sparkicebergsql;

import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Types;

/**
 * Whether the bounds of a column tell a snapshot's files apart: in a table that is not ordered by it, every file spans
 * most of its values, and no filter on it leaves a file out.
 */
public final class Clustering {
  /** The maximum number of files that are compared with each other. */
  private static final int FILES = 64;
  /** The share of pairs of files whose bounds overlap, from which on the column is not worth a filter. */
  private static final double OVERLAP = 0.8;
  /** Of the last snapshots and columns. */
  private static final Map<String, Boolean> CACHE = FileBounds.cache(1024);

  private Clustering() {}

  /** The manifests are read once for a snapshot and a column. */
  public static boolean of(SnapshotFiles files, Types.NestedField field) {
    String version = files.layout.version(), key = version + " " + files.snapshot.snapshotId() + " " + field.fieldId();
    Boolean cached = version == null ? null : (Boolean) CACHE.get(key);
    if (cached != null) return cached.booleanValue();
    boolean result = isClustered(files.plan(Expressions.alwaysTrue(), List.of(files.name(field))), field);
    if (version != null) CACHE.put(key, Boolean.valueOf(result));
    return result;
  }

  private static boolean isClustered(List<FileScanTask> tasks, Types.NestedField field) {
    int step = Math.max(1, tasks.size() / FILES), pairs = 0, overlapping = 0;
    for (int i = 0; i < tasks.size(); i += step)
      for (int j = 0; j < i; j += step) {
        pairs++;
        if (overlap(
              (DataFile) ((FileScanTask) tasks.get(i)).file(), (DataFile) ((FileScanTask) tasks.get(j)).file(), field))
          overlapping++;
      }
    return pairs == 0 || overlapping < OVERLAP * pairs;
  }

  /** Whether a value may be in both files. */
  private static boolean overlap(DataFile a, DataFile b, Types.NestedField field) {
    Object lowest = SnapshotFiles.lower(a, field), highest = SnapshotFiles.upper(a, field);
    Object lower = SnapshotFiles.lower(b, field), upper = SnapshotFiles.upper(b, field);
    if (lowest == null || highest == null || lower == null || upper == null) return true;
    return JoinTerms.compare(lowest, upper) <= 0 && JoinTerms.compare(lower, highest) <= 0;
  }
}
