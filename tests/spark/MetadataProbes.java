package sparkicebergsql.probes;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DataTask;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataTableType;
import org.apache.iceberg.MetadataTableUtils;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionStatsHandler;
import org.apache.iceberg.Partitioning;
import org.apache.iceberg.SerializableTable;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.StructProjection;

/** The first steps of reads and writes of a table, with Iceberg's own classes: one call each, no Spark job. */
public class MetadataProbes {
  static int version(Table table) { return ((BaseTable) table).operations().current().formatVersion(); }

  /** What INSERT builds first, and what a file's partition and every task require. */
  public static void partitionKey(Table table) {
    if (table.spec().isPartitioned()) new PartitionKey(table.spec(), table.schema());
    Partitioning.partitionType(table);
    SerializableTable.copyOf(table).specs();
    if (version(table) < 1 || version(table) > 3) throw new IllegalStateException("format version " + version(table));
  }

  /** Whether DROP PARTITION FIELD would find each field of the spec by its name. */
  public static void dropEach(Table table) {
    for (PartitionField field : table.spec().fields()) {
      boolean column = table.schema().findField(field.name()) != null;
      if (column && !field.transform().isIdentity() && !field.transform().isVoid())
        throw new IllegalStateException("`" + field.name() + "` means a column");
    }
  }

  /** The metadata tables that fail, with the start of the error. */
  public static Map<String, String> plans(Table table, List<String> tableTypes) {
    Map<String, String> failed = new LinkedHashMap<>();
    for (String tableType : tableTypes) try {
        plan(table, tableType);
      } catch (Exception e) {
        Throwable cause = e;
        while (cause.getCause() != null) cause = cause.getCause();
        failed.put(tableType, cause.toString().split("\n")[0]);
      }
    return failed;
  }

  /** A data file that does not exist, under the current spec, and a delete file for it. */
  public static void append(Table table) {
    String path = table.location() + "/data/" + UUID.randomUUID() + ".parquet";
    DataFile file = ((DataFiles.Builder) DataFiles.builder(table.spec()).withPath(path).withFormat("parquet"))
                      .withFileSizeInBytes(10)
                      .withRecordCount(1)
                      .build();
    table.newFastAppend().appendFile(file).commit();
    if (version(table) != 2) return;
    DeleteFile deletes = FileMetadata.deleteFileBuilder(table.spec())
                           .ofPositionDeletes()
                           .withPath(path.replace("/data/", "/data/d"))
                           .withFormat("parquet")
                           .withFileSizeInBytes(10)
                           .withRecordCount(1)
                           .build();
    table.newRowDelta().addDeletes(deletes).commit();
  }

  /** Converts a partition from any spec to a single one, as merge-on-read writes and manifest rewrites do. */
  public static void projections(Table table) {
    Types.StructType united = Partitioning.partitionType(table);
    for (PartitionSpec spec : table.specs().values()) StructProjection.create(united, spec.partitionType());
  }

  public static void filtered(Table table) throws Exception {
    String column = ((Types.NestedField) table.schema().columns().get(0)).name();
    TableScan scan = (TableScan) ((TableScan) table.newScan().caseSensitive(false)).filter(Expressions.notNull(column));
    through(scan.planFiles());
  }

  public static void statistics(Table table) throws Exception {
    for (PartitionField field : table.spec().fields())
      if (!field.transform().isVoid()) {
        PartitionStatsHandler.computeAndWriteStatsFile(table);
        return;
      }
  }

  /** Plan a metadata table and go through its rows; bind the specs as its readers do. */
  static void plan(Table table, String tableType) throws Exception {
    MetadataTableType type = MetadataTableType.valueOf(tableType.toUpperCase());
    Table metadata = MetadataTableUtils.createMetadataTableInstance(table, type);
    metadata.schema();
    if (type == MetadataTableType.POSITION_DELETES) {
      int tasks = through(metadata.newBatchScan().planFiles());
      if (tasks > 0 || version(table) > 2) Partitioning.partitionType(SerializableTable.copyOf(metadata));
      return;
    }
    through(metadata.newScan().planFiles());
  }

  /** The number of tasks; tasks that contain their rows are also read. */
  static int through(CloseableIterable<?> planned) throws Exception {
    int count = 0;
    for (Object task : planned) {
      count++;
      if (task instanceof FileScanTask && ((FileScanTask) task).isDataTask()) {
        DataTask data = ((FileScanTask) task).asDataTask();
        for (Iterator<?> rows = data.rows().iterator(); rows.hasNext();) rows.next();
      }
    }
    planned.close();
    return count;
  }
}
