package sparkicebergsql.adversary;

import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericAppenderFactory;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.encryption.EncryptedOutputFile;

/** Iceberg's writer of a file of equality deletes, where the builder of its factory is not public. */
public class EqualityWriter {
  /** One for a partition, which is null if the spec has no fields. */
  public static EqualityDeleteWriter of(Table table, FileFormat format, int[] ids, Schema keys,
    EncryptedOutputFile file, PartitionSpec spec, StructLike partition) {
    return new GenericAppenderFactory(table.schema(), spec, ids, keys, null).newEqDeleteWriter(file, format, partition);
  }
}
