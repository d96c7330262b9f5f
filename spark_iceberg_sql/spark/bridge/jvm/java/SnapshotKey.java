package sparkicebergsql;

import org.apache.iceberg.Snapshot;

/** The key with which a snapshot's manifest list is encrypted. */
public final class SnapshotKey {
  private SnapshotKey() {}

  /** Its id; null if the list is not encrypted. */
  public static String of(Snapshot snapshot) { return snapshot.keyId(); }
}
