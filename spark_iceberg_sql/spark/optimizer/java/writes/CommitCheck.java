package sparkicebergsql;

import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotAncestryValidator;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;

/** A check of a commit of row-level changes against what other writers have committed. */
public abstract class CommitCheck {
  /**
   * Throws a ValidationException if what others have committed is a conflict.
   *
   * @param ancestors the snapshots of the branch to which the commit is to be added, the newest first
   */
  public abstract void refuse(Iterable<Snapshot> ancestors);

  /** The delete files that a snapshot has added. */
  protected static Iterable<DeleteFile> addedDeletes(Table table, Snapshot snapshot) {
    return SnapshotChanges.builderFor(table).snapshot(snapshot).build().addedDeleteFiles();
  }

  /** Whether a snapshot has added data files. */
  protected static boolean addsRows(Table table, Snapshot snapshot) {
    return SnapshotChanges.builderFor(table).snapshot(snapshot).build().addedDataFiles().iterator().hasNext();
  }

  /** Has each attempt of the commit checked. */
  public static void add(RowDelta delta, CommitCheck check) { delta.validateWith(new Validator(check)); }

  private static final class Validator implements SnapshotAncestryValidator {
    private final CommitCheck check;

    Validator(CommitCheck check) { this.check = check; }

    @Override
    public boolean validate(Iterable<Snapshot> ancestors) {
      check.refuse(ancestors);
      return true;
    }
  }
}
