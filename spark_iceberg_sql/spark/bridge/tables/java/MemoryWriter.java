package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.Table;
import org.apache.iceberg.inmemory.InMemoryFileIO;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.spark.SparkWriteConf;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;

/** Data files in the driver's memory, by a table's own writers; they are discarded. */
public class MemoryWriter {
  /**
   * The MemoryFile of each file that one task would write, as JSON. conf: of the table and the session. rowType: of the
   * rows, which may have more values behind. target: bytes at which the next file starts, looked at after each interval
   * of rows.
   */
  public String write(Table table, SparkWriteConf conf, StructType rowType, List<InternalRow> rows, long target,
    int interval) throws Exception {
    InMemoryFileIO io = new InMemoryFileIO();
    List<MemoryFile> files = new ArrayList<>();
    for (int start = 0; start < rows.size();) {
      String path = "memory:/written/" + UUID.randomUUID();
      DataWriter<InternalRow> writer = RowWriters.of(table, conf, rowType, io.newOutputFile(path));
      MemoryFile file = new MemoryFile();
      file.rowsAtTarget = Double.valueOf(0);
      int position = start;
      long previousLength = 0;
      try {
        while (position < rows.size()) {
          int end = Math.min(rows.size(), position + interval);
          for (; position < end; position++) writer.write((InternalRow) rows.get(position));
          long length = writer.length();
          if ((position - start) % interval == 0 && length >= target) {
            // Linear between two checks: the length is only known at each of them.
            double share = (target - previousLength) / (double) Math.max(1, length - previousLength);
            file.rowsAtTarget = Double.valueOf(position - start - interval + interval * share);
            break;
          }
          previousLength = length;
        }
      } finally {
        writer.close();
      }
      file.rows = Long.valueOf(position - start);
      file.bytes = Long.valueOf(writer.toDataFile().fileSizeInBytes());
      files.add(file);
      io.deleteFile(path);
      start = position;
    }
    return new ObjectMapper().writeValueAsString(files);
  }

  /** The bytes that rows have in a shuffle file. codec: null if it is not compressed. */
  public long shuffledBytes(List<InternalRow> rows, CompressionCodec codec) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream stream = new DataOutputStream(codec == null ? bytes : codec.compressedOutputStream(bytes));
    for (Object element : rows) {
      byte[] row = ((UnsafeRow) element).getBytes();
      stream.writeInt(row.length);
      stream.write(row);
    }
    stream.close();
    return bytes.size();
  }

  /** The rows of each number from 1 to count, in their order. position: of the column with the number, a long. */
  public List<List<InternalRow>> byNumber(InternalRow[] rows, int position, int count) {
    List<List<InternalRow>> groups = new ArrayList<>();
    for (int i = 0; i < count; i++) groups.add(new ArrayList<InternalRow>());
    for (int i = 0; i < rows.length; i++) {
      ((List<InternalRow>) groups.get((int) rows[i].getLong(position) - 1)).add(rows[i]);
    }
    return groups;
  }
}
