package sparkicebergsql;

import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.PartitionSpec;

/** The entry of a deletion vector: there are none before Iceberg 1.8. */
public final class DeletionVector {
  private DeletionVector() {}

  /** Throws. */
  public static DeleteFile of(PartitionSpec spec, String path, String dataFile) {
    throw new UnsupportedOperationException("this Iceberg has no deletion vectors");
  }
}
