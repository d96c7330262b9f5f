package sparkicebergsql;

import org.apache.iceberg.ContentFile;

/** The address of a data or delete file, as its manifest has it; before Iceberg 1.7. */
public final class FileAddress {
  private FileAddress() {}

  public static String of(ContentFile<?> file) { return file.path().toString(); }
}
