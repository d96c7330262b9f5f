package sparkicebergsql.adversary;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.util.PartitionSet;
import org.apache.spark.sql.SparkSession;

/** Writes equality deletes, which Spark's SQL cannot. */
public class OtherWriter {
  /** Commits equality deletes by these columns of the rows whose column r is among the numbers. */
  public void deleteEqual(SparkSession session, String name, List<String> columns, List<Integer> numbers, String format)
    throws Exception {
    Table table = Spark3Util.loadIcebergTable(session, name);
    Schema keys = table.schema().select(columns);
    int[] ids = new int[columns.size()];
    for (int i = 0; i < ids.length; i++) ids[i] = table.schema().findField((String) columns.get(i)).fieldId();
    FileFormat kind = FileFormat.fromString(format);
    OutputFileFactory files = OutputFileFactory.builderFor(table, 1, 1).format(kind).build();
    Set<Object> chosen = new HashSet<Object>(numbers);
    List<GenericRecord> deleted = new ArrayList<GenericRecord>();
    CloseableIterator<Record> records = IcebergGenerics.read(table).build().iterator();
    while (records.hasNext()) {
      Record record = (Record) records.next();
      if (!chosen.contains(record.getField("r"))) continue;
      GenericRecord key = GenericRecord.create(keys);
      for (int i = 0; i < ids.length; i++) {
        String column = keys.findField(ids[i]).name();
        key.setField(column, record.getField(column));
      }
      deleted.add(key);
    }
    records.close();
    RowDelta delta = table.newRowDelta();
    // A file of deletes holds for one partition of one spec: each that has files gets one.
    PartitionSet partitions = PartitionSet.create(table.specs());
    CloseableIterator<FileScanTask> tasks = table.newScan().planFiles().iterator();
    while (!deleted.isEmpty() && tasks.hasNext()) {
      FileScanTask task = (FileScanTask) tasks.next();
      PartitionSpec spec = task.spec();
      StructLike partition = task.partition();
      if (!partitions.add(spec.specId(), partition)) continue;
      StructLike of = spec.isUnpartitioned() ? null : partition;
      EncryptedOutputFile file = of == null ? files.newOutputFile() : files.newOutputFile(spec, of);
      EqualityDeleteWriter writer = EqualityWriter.of(table, kind, ids, keys, file, spec, of);
      for (Object key : deleted) writer.write((GenericRecord) key);
      writer.close();
      delta.addDeletes(writer.toDeleteFile());
    }
    tasks.close();
    delta.commit();
  }
}
