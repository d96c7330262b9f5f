package sparkicebergsql.adversary;

import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.encryption.EncryptedOutputFile;

/** Iceberg's writer of a file of equality deletes. */
public class EqualityWriter {
  /** One for a partition, which is null if the spec has no fields. */
  public static EqualityDeleteWriter of(Table table, FileFormat format, int[] ids, Schema keys,
    EncryptedOutputFile file, PartitionSpec spec, StructLike partition) {
    GenericFileWriterFactory factory = new GenericFileWriterFactory.Builder(table)
                                         .dataSchema(table.schema())
                                         .dataFileFormat(format)
                                         .deleteFileFormat(format)
                                         .equalityFieldIds(ids)
                                         .equalityDeleteRowSchema(keys)
                                         .build();
    return factory.newEqualityDeleteWriter(file, spec, partition);
  }
}
