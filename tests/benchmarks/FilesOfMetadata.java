package sparkicebergsql.benchmarks;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * Commits data files that do not exist, with bounds and counts: id in order, ts within a day, and x, y and tenant with the
 * same bounds everywhere.
 */
public class FilesOfMetadata {
  private static final long ROWS = 100000, HOUR = 3600000000L;
  private final Map<Integer, ByteBuffer> lower = new HashMap<>(), upper = new HashMap<>();

  private void bound(int id, Type type, Object from, Object to) {
    lower.put(Integer.valueOf(id), Conversions.toByteBuffer(type, from));
    upper.put(Integer.valueOf(id), Conversions.toByteBuffer(type, to));
  }

  /** With bounds of its own: a file keeps the maps. */
  private Metrics metrics(Map<Integer, Long> sizes, Map<Integer, Long> counts, Map<Integer, Long> nulls) {
    return new Metrics(Long.valueOf(ROWS), sizes, counts, nulls, null, new HashMap<>(lower), new HashMap<>(upper));
  }

  /**
   * files: in all, over a thousand days. perCommit: of them, and so per manifest. isOfSpark: whether the snapshots say, as
   * those of Spark's writes, that Spark has written the files.
   */
  public void append(Table table, int files, int perCommit, boolean isOfSpark) {
    Map<Integer, Long> counts = new HashMap<>(), nulls = new HashMap<>(), sizes = new HashMap<>();
    for (int id = 1; id <= 5; id++) {
      counts.put(Integer.valueOf(id), Long.valueOf(ROWS));
      nulls.put(Integer.valueOf(id), Long.valueOf(0));
      sizes.put(Integer.valueOf(id), Long.valueOf(1000000));
    }
    bound(3, Types.StringType.get(), "tenant-0001", "tenant-9999");
    bound(4, Types.DoubleType.get(), Double.valueOf(0), Double.valueOf(1));
    bound(5, Types.IntegerType.get(), Integer.valueOf(0), Integer.valueOf(99));
    for (int i = 0; i < files;) {
      AppendFiles append = table.newFastAppend();
      for (int end = Math.min(files, i + perCommit); i < end; i++) {
        int day = (int) (19000L + i * 1000L / files);
        long start = day * 24 * HOUR + i % 24 * HOUR;
        bound(1, Types.LongType.get(), Long.valueOf(i * ROWS), Long.valueOf(i * ROWS + ROWS - 1));
        bound(2, Types.TimestampType.withZone(), Long.valueOf(start), Long.valueOf(start + HOUR - 1000000));
        PartitionData tuple = new PartitionData(table.spec().partitionType());
        tuple.set(0, Integer.valueOf(day));
        append.appendFile((DataFile) DataFiles.builder(table.spec())
            .withPath("file:/nowhere/" + i + ".parquet")
            .withFormat("parquet")
            .withFileSizeInBytes(5000000)
            .withPartition(tuple)
            .withMetrics(metrics(sizes, counts, nulls))
            .build());
      }
      if (isOfSpark) append.set("spark.app.id", "none");
      append.commit();
    }
  }
}
