package sparkicebergsql;

import org.apache.iceberg.Snapshot;

/** The key with which a snapshot's manifest list is encrypted: before Iceberg 1.10 none is. */
public final class SnapshotKey {
  private SnapshotKey() {}

  /** Null. */
  public static String of(Snapshot snapshot) { return null; }
}
