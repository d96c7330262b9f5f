package sparkicebergsql;

import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;

/** The entry of a deletion vector of one row, for tests of Iceberg itself. */
public final class DeletionVector {
  private DeletionVector() {}

  /** The entry. path, dataFile: addresses, at which there need be no file. */
  public static DeleteFile of(PartitionSpec spec, String path, String dataFile) {
    FileMetadata.Builder file = FileMetadata.deleteFileBuilder(spec).ofPositionDeletes();
    file.withPath(path).withFormat(FileFormat.PUFFIN).withFileSizeInBytes(1).withRecordCount(1);
    file.withReferencedDataFile(dataFile).withContentOffset(0).withContentSizeInBytes(1);
    return file.build();
  }
}
