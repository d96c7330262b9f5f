package sparkicebergsql;

import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.spark.SparkWriteConf;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/** Iceberg's writers of Spark's rows, as a table's and a session's settings make them. */
public final class RowWriters {
  private RowWriters() {}

  /** A writer of one data file, in no partition. rowType: of the rows. */
  public static DataWriter<InternalRow> of(Table table, SparkWriteConf conf, StructType rowType, OutputFile file)
    throws Exception {
    return (DataWriter<InternalRow>) FormatModelRegistry
      .dataWriteBuilder(conf.dataFileFormat(), InternalRow.class, EncryptedFiles.plainAsEncryptedOutput(file))
      .schema(table.schema())
      .engineSchema(rowType)
      .setAll(table.properties())
      .setAll(conf.writeProperties())
      .metricsConfig(MetricsConfig.forTable(table))
      .spec(PartitionSpec.unpartitioned())
      .build();
  }
}
