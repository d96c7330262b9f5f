package sparkicebergsql;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;

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
  private static final KeptFacts CACHE = new KeptFacts("clustering");

  private Clustering() {}

  /** Of all files. The manifests are read once for a snapshot and a column. */
  public static boolean of(SnapshotFiles files, Types.NestedField field) { return cached(files, field, false); }

  /**
   * Of the files of one partition, if most partitions have several: otherwise, what Spark's dynamic pruning leaves out
   * by partition values is all that can be.
   */
  public static boolean isFinerThanPartitions(Expression column, DataSourceV2ScanRelation scanned) {
    SnapshotFiles files = SnapshotFiles.of(scanned.relation());
    Types.NestedField field = PartitionLayout.of(scanned.relation()).field(column);
    return files != null && field != null && cached(files, field, true);
  }

  private static boolean cached(SnapshotFiles files, Types.NestedField field, boolean isWithin) {
    String version = files.layout.version();
    String key = version + " " + files.snapshot.snapshotId() + " " + field.fieldId() + " " + isWithin;
    Boolean cached = version == null ? null : (Boolean) CACHE.get(key);
    if (cached != null) return cached.booleanValue();
    // Nothing but speed depends on it, and so few files are compared.
    List<FileScanTask> tasks = FileSample.of(files, Expressions.alwaysTrue());
    if (tasks == null) tasks = files.plan(Expressions.alwaysTrue(), List.of(files.name(field)));
    boolean result = isWithin ? isClusteredWithin(tasks, field) : isClustered(tasks, field);
    if (version != null) CACHE.put(key, Boolean.valueOf(result), KeptFacts.bytes(key));
    return result;
  }

  /** Compares each file with the one of its partition that is listed before it. */
  private static boolean isClusteredWithin(List<FileScanTask> tasks, Types.NestedField field) {
    Map<String, DataFile> previous = new HashMap<>();
    int pairs = 0, overlapping = 0;
    for (FileScanTask task : tasks) {
      DataFile file = (DataFile) task.file();
      DataFile other = (DataFile) previous.put(file.specId() + " " + file.partition(), file);
      if (other == null) continue;
      pairs++;
      if (overlap(file, other, field)) overlapping++;
    }
    return 2 * pairs >= tasks.size() && overlapping < OVERLAP * pairs;
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
    return compare(lowest, upper) <= 0 && compare(lower, highest) <= 0;
  }

  /** Of two values of one type that has an order in Java, as bounds and rows hold them. */
  @SuppressWarnings("unchecked")
  public static int compare(Object a, Object b) {
    return ((Comparable<Object>) a).compareTo(b);
  }
}
