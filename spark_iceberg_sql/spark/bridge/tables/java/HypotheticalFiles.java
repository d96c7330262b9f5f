package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.ThreadPools;

/** Data files that were never written, from the bytes of Hypothetical.packed: one call for all files of a spec. */
public class HypotheticalFiles {
  /** The files in the order of the bytes. */
  public List<DataFile> of(PartitionSpec spec, byte[] packed) {
    ByteBuffer from = ByteBuffer.wrap(packed);
    int count = from.getInt();
    long[] rows = numbers(from, count), sizes = numbers(from, count);
    List<Types.NestedField> fields = spec.partitionType().fields();
    Object[][] partitions = new Object[fields.size()][];
    for (int i = 0; i < partitions.length; i++) {
      ByteBuffer[] values = distinct(from, count);
      partitions[i] = new Object[count];
      for (int n = 0; n < count; n++) {
        Object value = Conversions.fromByteBuffer(((Types.NestedField) fields.get(i)).type(), values[n]);
        partitions[i][n] = value instanceof CharSequence ? value.toString() : value;
      }
    }
    Column[] columns = new Column[from.getInt()];
    for (int i = 0; i < columns.length; i++) columns[i] = new Column(from, count);
    List<DataFile> files = new ArrayList<>();
    // One of each for all files, which get copies: both convert the partition's type to a schema of Avro's.
    DataFiles.Builder builder = DataFiles.builder(spec);
    PartitionData partition = new PartitionData(spec.partitionType());
    for (int n = 0; n < count; n++) {
      builder.clear();
      for (int i = 0; i < partitions.length; i++) partition.set(i, partitions[i][n]);
      // Named as Iceberg's writers name theirs: times near 1970 are then not taken for foreign files' milliseconds.
      files.add(builder.withPath("never-written/00000-" + n + "-hypothetical.parquet")
          .withFormat(FileFormat.PARQUET)
          .withPartition(partition)
          .withFileSizeInBytes(Math.max(1L, sizes[n]))
          .withMetrics(metrics(columns, n, rows[n]))
          .build());
    }
    return files;
  }

  /** Begins to count what each filter keeps of files. */
  @SuppressWarnings("unchecked")
  public Kept kept(PartitionSpec spec, byte[] packed, List<Expression> filters) {
    return new Kept((Future<String>) ThreadPools.getWorkerPool().submit(new Count(spec, packed, filters)));
  }

  /** What filters keep, once it is counted. */
  public static final class Kept {
    private final Future<String> totals;

    Kept(Future<String> totals) { this.totals = totals; }

    /** The FileTotal of each filter, as JSON. */
    public String result() throws Exception { return (String) totals.get(); }
  }

  private static final class Count implements Callable<String> {
    private final PartitionSpec spec;
    private final byte[] packed;
    private final List<Expression> filters;

    Count(PartitionSpec spec, byte[] packed, List<Expression> filters) {
      this.spec = spec;
      this.packed = packed;
      this.filters = filters;
    }

    @Override
    public String call() throws Exception {
      List<DataFile> files = new HypotheticalFiles().of(spec, packed);
      List<FileTotal> totals = new ArrayList<>();
      for (Expression filter : filters) {
        FilteredFiles kept = new FilteredFiles(spec, filter);
        for (DataFile file : files) kept.add(file);
        FileTotal total = new FileTotal();
        total.files = Long.valueOf(kept.files);
        total.bytes = Long.valueOf(kept.bytes);
        totals.add(total);
      }
      return new ObjectMapper().writeValueAsString(totals);
    }
  }

  private static Metrics metrics(Column[] columns, int file, long rows) {
    Map<Integer, Long> values = new HashMap<>(), nulls = new HashMap<>(), nans = new HashMap<>();
    Map<Integer, ByteBuffer> low = new HashMap<>(), high = new HashMap<>();
    for (Column column : columns) {
      if (column.nulls[file] < 0) continue;
      values.put(column.id, Long.valueOf(rows));
      nulls.put(column.id, Long.valueOf(column.nulls[file]));
      if (column.withNans) nans.put(column.id, Long.valueOf(column.nans[file]));
      if (column.low[file] != null) low.put(column.id, column.low[file]);
      if (column.high[file] != null) high.put(column.id, column.high[file]);
    }
    return new Metrics(Long.valueOf(Math.max(1L, rows)), null, values, nulls, nans, low, high);
  }

  static long[] numbers(ByteBuffer from, int count) {
    long[] result = new long[count];
    for (int n = 0; n < count; n++) result[n] = from.getLong();
    return result;
  }

  /** A value per file, from the distinct values and each file's position among them; null for -1. */
  static ByteBuffer[] distinct(ByteBuffer from, int count) {
    ByteBuffer[] values = new ByteBuffer[from.getInt()];
    for (int i = 0; i < values.length; i++) {
      byte[] content = new byte[from.getInt()];
      from.get(content);
      values[i] = ByteBuffer.wrap(content);
    }
    ByteBuffer[] result = new ByteBuffer[count];
    for (int n = 0; n < count; n++) {
      long position = from.getLong();
      if (position >= 0) result[n] = values[(int) position];
    }
    return result;
  }

  /** The metadata of all files about one column; a file without any has -1 nulls. */
  static class Column {
    final Integer id;
    final boolean withNans;
    final long[] nulls, nans;
    final ByteBuffer[] low, high;

    Column(ByteBuffer from, int count) {
      id = Integer.valueOf(from.getInt());
      withNans = from.get() != 0;
      nulls = numbers(from, count);
      nans = numbers(from, count);
      low = distinct(from, count);
      high = distinct(from, count);
    }
  }
}
