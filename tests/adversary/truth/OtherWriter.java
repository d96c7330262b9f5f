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
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.util.PartitionSet;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** Writes what Spark's SQL cannot: equality deletes, and columns with an initial default. */
public class OtherWriter {
  /** Commits equality deletes by these columns of the rows whose column r is among the numbers. */
  public void deleteEqual(SparkSession session, String name, List<String> columns, List<Integer> numbers, String format)
    throws Exception {
    Table table = Spark3Util.loadIcebergTable(session, name);
    Schema keys = table.schema().select(columns);
    int[] ids = new int[columns.size()];
    for (int i = 0; i < ids.length; i++) ids[i] = table.schema().findField((String) columns.get(i)).fieldId();
    FileFormat kind = FileFormat.fromString(format);
    GenericFileWriterFactory factory = new GenericFileWriterFactory.Builder(table)
                                         .dataSchema(table.schema())
                                         .dataFileFormat(kind)
                                         .deleteFileFormat(kind)
                                         .equalityFieldIds(ids)
                                         .equalityDeleteRowSchema(keys)
                                         .build();
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
      EqualityDeleteWriter writer = factory.newEqualityDeleteWriter(file, spec, of);
      for (Object key : deleted) writer.write((GenericRecord) key);
      writer.close();
      delta.addDeletes(writer.toDeleteFile());
    }
    tasks.close();
    delta.commit();
  }

  /** Adds a column whose value in the rows so far is that of the row's only column. */
  public void addColumn(SparkSession session, String name, String column, String type, InternalRow row)
    throws Exception {
    Table table = Spark3Util.loadIcebergTable(session, name);
    StructType fields = StructType.fromDDL(column + " " + type);
    Type iceberg = SparkSchemaUtil.convert(fields.fields()[0].dataType());
    Object value = row.get(0, fields.fields()[0].dataType());
    if (value instanceof UTF8String) value = value.toString();
    if (value instanceof Decimal) value = ((Decimal) value).toJavaBigDecimal();
    table.updateSchema().addColumn(column, iceberg, literal(value, iceberg)).commit();
  }

  private static Literal literal(Object value, Type type) {
    if (value instanceof Byte || value instanceof Short) value = Integer.valueOf(((Number) value).intValue());
    if (value instanceof byte[]) return Literal.of(java.nio.ByteBuffer.wrap((byte[]) value));
    if (value instanceof String) return Literal.of((String) value);
    if (value instanceof java.math.BigDecimal) return Literal.of((java.math.BigDecimal) value);
    if (value instanceof Boolean) return Literal.of(((Boolean) value).booleanValue());
    if (value instanceof Float) return Literal.of(((Float) value).floatValue());
    if (value instanceof Double) return Literal.of(((Double) value).doubleValue());
    if (value instanceof Integer) {
      Literal number = Literal.of(((Integer) value).intValue());
      return type.typeId() == Type.TypeID.DATE ? number.to(type) : number;
    }
    return Literal.of(((Long) value).longValue()).to(type);
  }
}
