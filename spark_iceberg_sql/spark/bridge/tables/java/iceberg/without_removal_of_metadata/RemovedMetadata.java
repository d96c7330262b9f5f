package sparkicebergsql;

import java.util.HashSet;
import java.util.Set;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;

/** The metadata files that a commit takes out of the log; before Iceberg 1.7, where each catalog deletes its own. */
final class RemovedMetadata {
  private static final String ENABLED = "write.metadata.delete-after-commit.enabled";

  private RemovedMetadata() {}

  /** Deletes those that the base has and the metadata does not. base: null for a new table. */
  static void delete(FileIO io, TableMetadata base, TableMetadata metadata) {
    if (base == null || !metadata.propertyAsBoolean(ENABLED, false)) return;
    Set<TableMetadata.MetadataLogEntry> removed = new HashSet<>(base.previousFiles());
    removed.removeAll(metadata.previousFiles());
    for (Object entry : removed) {
      try {
        io.deleteFile(((TableMetadata.MetadataLogEntry) entry).file());
      } catch (RuntimeException e) {
        // The commit is done; the file is left over, as in Iceberg.
      }
    }
  }
}
