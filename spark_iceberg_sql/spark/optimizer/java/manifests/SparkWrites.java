package sparkicebergsql;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;

/**
 * Whether Spark has written all data files of a manifest: Iceberg's writer there computes their partition values from
 * the rows, and writes times in microseconds. Files that are imported, or that another program wrote, are not of these.
 *
 * <p>The summary of a snapshot tells it, as long as the table has the snapshot. Rewritten data files are not known, since
 * their snapshots do not tell who wrote them.
 */
public final class SparkWrites {
  /** Iceberg sets it in the snapshots of Spark's writes, and not in those of its procedures. */
  private static final String OF_WRITE = "spark.app.id";
  /** Set where manifests alone are rewritten. */
  private static final String OF_MANIFESTS = "entries-processed";
  private static final String ADDED_FILES = "added-data-files";
  /** Snapshots that one manifest may be of. */
  private static final long LIMIT = 10000;

  private final Table table;
  /** By sequence number, of the table's snapshots: whether each data file that it has added is of Spark. */
  private Map<Long, Boolean> bySequence;

  public SparkWrites(Table table) { this.table = table; }

  /** Whether all data files of a manifest are known to be of Spark. */
  public boolean haveAll(ManifestFile manifest) {
    Integer existing = manifest.existingFilesCount();
    if (existing == null || manifest.snapshotId() == null) return false;
    if (existing.intValue() == 0) return isOfSpark(table.snapshot(manifest.snapshotId().longValue()));
    // A file's own number is that of the snapshot that added it, or that of an earlier one whose rows it has.
    long first = manifest.minSequenceNumber(), last = manifest.sequenceNumber();
    if (first <= 0 || last - first > LIMIT) return false;
    for (long number = first; number <= last; number++)
      if (!Boolean.TRUE.equals(bySequence().get(Long.valueOf(number)))) return false;
    return true;
  }

  private Map<Long, Boolean> bySequence() {
    if (bySequence != null) return bySequence;
    bySequence = new HashMap<>();
    for (Snapshot s : table.snapshots())
      bySequence.put(Long.valueOf(s.sequenceNumber()), Boolean.valueOf(isOfSpark(s)));
    return bySequence;
  }

  private static boolean isOfSpark(Snapshot snapshot) {
    if (snapshot == null || snapshot.summary() == null) return false;
    boolean isOfManifests =
      snapshot.summary().containsKey(OF_MANIFESTS) && !snapshot.summary().containsKey(ADDED_FILES);
    return snapshot.summary().containsKey(OF_WRITE) || DataOperations.DELETE.equals(snapshot.operation())
      || isOfManifests;
  }
}
