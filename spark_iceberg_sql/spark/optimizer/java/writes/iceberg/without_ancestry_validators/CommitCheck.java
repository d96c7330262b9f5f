package sparkicebergsql;

import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;

/**
 * A check of a commit of row-level changes against what other writers have committed: before Iceberg 1.11, its own one,
 * which refuses more.
 */
public abstract class CommitCheck {
  /** Not called. */
  public abstract void refuse(Iterable<Snapshot> ancestors);

  /** The delete files that a snapshot has added. */
  protected static Iterable<DeleteFile> addedDeletes(Table table, Snapshot snapshot) {
    return snapshot.addedDeleteFiles(table.io());
  }

  /** Whether a snapshot has added data files. */
  protected static boolean addsRows(Table table, Snapshot snapshot) {
    return snapshot.addedDataFiles(table.io()).iterator().hasNext();
  }

  /** Has Iceberg refuse any new delete file in the partitions that the statement may have read. */
  public static void add(RowDelta delta, CommitCheck check) { delta.validateNoConflictingDeleteFiles(); }
}
