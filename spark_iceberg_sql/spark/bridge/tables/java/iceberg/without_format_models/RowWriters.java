package sparkicebergsql;

import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.orc.ORC;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.shaded.org.apache.orc.TypeDescription;
import org.apache.iceberg.shaded.org.apache.parquet.schema.MessageType;
import org.apache.iceberg.spark.SparkWriteConf;
import org.apache.iceberg.spark.data.SparkAvroWriter;
import org.apache.iceberg.spark.data.SparkOrcWriter;
import org.apache.iceberg.spark.data.SparkParquetWriters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/**
 * Iceberg's writers of Spark's rows, as a table's and a session's settings make them; before Iceberg 1.11, whose Spark
 * writer has a way of its own for each format.
 */
public final class RowWriters {
  private RowWriters() {}

  /** A writer of one data file, in no partition. rowType: of the rows. */
  public static DataWriter<InternalRow> of(Table table, SparkWriteConf conf, StructType rowType, OutputFile file)
    throws Exception {
    MetricsConfig metrics = MetricsConfig.forTable(table);
    PartitionSpec spec = PartitionSpec.unpartitioned();
    Map<String, String> properties = table.properties(), settings = conf.writeProperties();
    switch (conf.dataFileFormat().name()) {
      case "PARQUET":
        Parquet.DataWriteBuilder parquet = Parquet.writeData(file).schema(table.schema());
        parquet.createWriterFunc(
          (Function<MessageType, org.apache.iceberg.parquet.ParquetValueWriter<?>>) new OfParquet(rowType));
        return parquet.setAll(properties).setAll(settings).metricsConfig(metrics).withSpec(spec).build();
      case "AVRO":
        Avro.DataWriteBuilder avro = Avro.writeData(file).schema(table.schema()).createWriterFunc(new OfAvro(rowType));
        return avro.setAll(properties).setAll(settings).metricsConfig(metrics).withSpec(spec).build();
      default:
        ORC.DataWriteBuilder orc = ORC.writeData(file).schema(table.schema()).createWriterFunc(new OfOrc());
        return orc.setAll(properties).setAll(settings).metricsConfig(metrics).withSpec(spec).build();
    }
  }

  /** Spark's Parquet writer for a file's schema. */
  static class OfParquet implements Function {
    final StructType rowType;

    OfParquet(StructType rowType) { this.rowType = rowType; }

    public Object apply(Object schema) { return SparkParquetWriters.buildWriter(rowType, (MessageType) schema); }
  }

  /** Spark's Avro writer. */
  static class OfAvro implements Function {
    final StructType rowType;

    OfAvro(StructType rowType) { this.rowType = rowType; }

    public Object apply(Object schema) { return new SparkAvroWriter(rowType); }
  }

  /** Spark's ORC writer for a file's schema. */
  static class OfOrc implements BiFunction {
    public Object apply(Object schema, Object type) {
      return new SparkOrcWriter((Schema) schema, (TypeDescription) type);
    }
  }
}
