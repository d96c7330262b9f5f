package sparkicebergsql;

import org.apache.iceberg.DeleteFile;

/** The data file to which all deletes of a file belong: entries have none before Iceberg 1.8. */
public final class ReferencedFile {
  private ReferencedFile() {}

  /** Null. */
  public static String of(DeleteFile file) { return null; }
}
