package sparkicebergsql;

import org.apache.iceberg.DeleteFile;

/** The data file to which all deletes of a file belong. */
public final class ReferencedFile {
  private ReferencedFile() {}

  /** Its address; null if the delete file's entry has none. */
  public static String of(DeleteFile file) { return file.referencedDataFile(); }
}
