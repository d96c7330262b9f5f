package sparkicebergsql;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkWriteConf;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * An overwrite of the partitions that a query has rows of, of a table with data files in other partition specs.
 *
 * <p>Iceberg replaces only files of the spec in which it writes, and all files if that spec has no fields.
 */
public final class DynamicOverwrite {
  /** The snapshots of tables that have been reported in this JVM. */
  private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();

  private DynamicOverwrite() {}

  /**
   * Warns if the overwrite would leave rows that it should replace, or replace others.
   *
   * @param name the table's
   * @param branch that is written to; null for main
   * @param options those of the write
   */
  public static void report(
    SparkSession session, String name, Table table, String branch, CaseInsensitiveStringMap options) {
    Snapshot snapshot = branch == null ? table.currentSnapshot() : table.snapshot(branch);
    if (snapshot == null || table.specs().size() < 2) return;
    try {
      int specId = new SparkWriteConf(session, table, options).outputSpecId();
      PartitionSpec spec = (PartitionSpec) table.specs().get(Integer.valueOf(specId));
      long files = 0, others = 0;
      for (ManifestFile manifest : snapshot.dataManifests(table.io())) {
        long count = count(manifest.addedFilesCount()) + count(manifest.existingFilesCount());
        files += count;
        if (!isEqual(spec, (PartitionSpec) table.specs().get(Integer.valueOf(manifest.partitionSpecId()))))
          others += count;
      }
      if (others > 0
        && REPORTED.add(table.uuid() + " " + table.location() + " " + snapshot.snapshotId() + " " + specId))
        SwitchedRule.warn(spec.isUnpartitioned() ? allRows(name, files, spec) : rowsThatStay(name, others));
    } catch (RuntimeException e) {
      return; // an option or a manifest that cannot be read: the write itself reports it
    }
  }

  private static long count(Integer files) { return files == null ? 1 : files.longValue(); }

  /** Iceberg compares the ids; a spec that has lost all fields again replaces what the first one wrote. */
  private static boolean isEqual(PartitionSpec spec, PartitionSpec other) {
    return other != null && (spec.specId() == other.specId() || spec.isUnpartitioned() && other.isUnpartitioned());
  }

  private static String rowsThatStay(String name, long files) {
    boolean isSingle = files == 1;
    StringBuilder text = new StringBuilder("the overwrite of partitions leaves ").append(files);
    text.append(isSingle ? " data file of `" : " data files of `").append(Outgoing.visible(name));
    text.append(isSingle ? "` in place, which is in another partition spec: "
                         : "` in place, which are in other partition specs: ");
    text.append("rows in ").append(isSingle ? "it" : "them").append(" are not replaced\nhelp: ");
    String call = FileBounds.rewriteAll(name);
    if (call != null) text.append("first move them to the current spec: ").append(call).append("; or ");
    return text.append("write ").append(deleteAndInsert(name)).toString();
  }

  private static String allRows(String name, long files, PartitionSpec spec) {
    // In format version 1 a dropped field stays, as void; Iceberg before 1.10 takes the spec for one with partitions.
    String others = spec.fields().isEmpty() ? "" : " (with Iceberg before 1.10, none of them)";
    return "the overwrite replaces all rows of `" + Outgoing.visible(name) + "`, in "
      + (files == 1 ? "1 data file" : files + " data files") + ", if the query returns any" + others
      + ": its current partition spec has no fields\nhelp: to replace some of them, write " + deleteAndInsert(name);
  }

  private static String deleteAndInsert(String name) {
    String sqlName = FileBounds.PLAIN_NAME.matcher(name).matches() ? name : "...";
    return "DELETE FROM " + sqlName + " WHERE ..., then INSERT INTO " + sqlName;
  }
}
