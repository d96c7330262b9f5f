package sparkicebergsql;

import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;

/** The metadata files that a commit takes out of the log, which Iceberg deletes if the table's properties say so. */
final class RemovedMetadata {
  private RemovedMetadata() {}

  /** Deletes those that the base has and the metadata does not. base: null for a new table. */
  static void delete(FileIO io, TableMetadata base, TableMetadata metadata) {
    CatalogUtil.deleteRemovedMetadataFiles(io, base, metadata);
  }
}
