package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.util.ByteBuffers;
import org.apache.iceberg.util.ThreadPools;

/** What a snapshot's manifests state about its data files: all of them, or none (see TruncatedFile). */
public class FileStatistics {
  /**
   * Those of a table's current snapshot.
   *
   * @param ids of the columns whose bounds are asked for
   * @param filters of which is asked how many files they keep
   */
  public Manifests of(Table table, List<Integer> ids, List<Expression> filters) {
    Snapshot snapshot = table.currentSnapshot();
    List<ManifestFile> manifests = snapshot == null ? List.of() : snapshot.dataManifests(table.io());
    if (snapshot != null) TruncatedFile.check(table, snapshot, snapshot.allManifests(table.io()));
    return new Manifests(new Asked(table, ids, filters), manifests.iterator());
  }

  /** The number of delete files. */
  public long deleteFiles(Table table) {
    Snapshot snapshot = table.currentSnapshot();
    long count = 0;
    if (snapshot == null) return count;
    for (ManifestFile manifest : snapshot.deleteManifests(table.io()))
      count += manifest.addedFilesCount().longValue() + manifest.existingFilesCount().longValue();
    return count;
  }

  /** What is asked of each manifest. */
  private static final class Asked {
    final Table table;
    final List<Integer> ids;
    final List<Expression> filters;

    Asked(Table table, List<Integer> ids, List<Expression> filters) {
      this.table = table;
      this.ids = ids;
      this.filters = filters;
    }

    List<String> columns() {
      List<String> names = new ArrayList<>(List.of("record_count", "file_size_in_bytes"));
      boolean isFiltered = false;
      for (Expression filter : filters) isFiltered |= filter.op() != Expression.Operation.TRUE;
      if (isFiltered) names.addAll(List.of("partition", "value_counts", "null_value_counts", "nan_value_counts"));
      if (isFiltered || !ids.isEmpty()) names.addAll(List.of("lower_bounds", "upper_bounds"));
      return names;
    }
  }

  /** One manifest after the other: no more are read ahead than Iceberg has threads for. */
  public static final class Manifests {
    private final Asked asked;
    private final Iterator<ManifestFile> following;
    private final Deque<Future<byte[]>> ahead = new ArrayDeque<>();

    Manifests(Asked asked, Iterator<ManifestFile> manifests) {
      this.asked = asked;
      this.following = manifests;
    }

    /**
     * The next one's figures, for ManifestFigures: the number of files, their rows and sizes, of each column the lower and
     * the upper bounds, and how many files and bytes each filter keeps; null after the last. As JSON, those of a million
     * files took longer than to read their manifests.
     */
    @SuppressWarnings("unchecked")
    public byte[] next() throws Exception {
      while (following.hasNext() && ahead.size() <= ThreadPools.WORKER_THREAD_POOL_SIZE)
        ahead.add(
          (Future<byte[]>) ThreadPools.getWorkerPool().submit(new Read(asked, (ManifestFile) following.next())));
      return ahead.isEmpty() ? null : (byte[]) ((Future<byte[]>) ahead.remove()).get();
    }
  }

  private static final class Read implements Callable<byte[]> {
    private final Asked asked;
    private final ManifestFile manifest;

    Read(Asked asked, ManifestFile manifest) {
      this.asked = asked;
      this.manifest = manifest;
    }

    @Override
    public byte[] call() throws Exception {
      Table table = asked.table;
      Numbers rows = new Numbers(), sizes = new Numbers();
      Bounds[] bounds = new Bounds[2 * asked.ids.size()];
      for (int i = 0; i < bounds.length; i++) bounds[i] = new Bounds(table, (Integer) asked.ids.get(i / 2));
      PartitionSpec spec = (PartitionSpec) table.specs().get(Integer.valueOf(manifest.partitionSpecId()));
      KeptFiles[] kept = new KeptFiles[asked.filters.size()];
      for (int i = 0; i < kept.length; i++) kept[i] = new KeptFiles(spec, (Expression) asked.filters.get(i));
      LiveFiles files = new LiveFiles(ManifestFiles.read(manifest, table.io(), table.specs()).select(asked.columns()));
      try {
        for (DataFile file = files.next(); file != null; file = files.next()) {
          rows.add(file.recordCount());
          sizes.add(file.fileSizeInBytes());
          for (int i = 0; i < bounds.length; i++) bounds[i].add(i % 2 == 0 ? file.lowerBounds() : file.upperBounds());
          for (KeptFiles ofFilter : kept) ofFilter.add(file);
        }
      } finally {
        files.close();
      }
      TruncatedFile.check(table, manifest, rows.count);
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(packed);
      out.writeInt(rows.count);
      rows.write(out);
      sizes.write(out);
      for (Bounds column : bounds) column.write(out);
      for (KeptFiles ofFilter : kept) {
        out.writeLong(ofFilter.files);
        out.writeLong(ofFilter.bytes);
      }
      return packed.toByteArray();
    }
  }

  /** A number of each file. */
  private static final class Numbers {
    int count = 0;
    private long[] values = new long[1024];

    void add(long value) {
      if (count == values.length) values = Arrays.copyOf(values, 2 * count);
      values[count++] = value;
    }

    void write(DataOutputStream out) throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate(8 * count).order(ByteOrder.nativeOrder());
      bytes.asLongBuffer().put(values, 0, count);
      out.write(bytes.array());
    }
  }

  /** The lower or upper bounds of a column: whole numbers, of dates and times as well, or texts of all other types. */
  private static final class Bounds {
    private final Integer id;
    private final Type type;
    private final boolean isWhole;
    private final Numbers numbers = new Numbers();
    private final List<String> texts = new ArrayList<>();
    private final ByteArrayOutputStream isMissing = new ByteArrayOutputStream();
    private boolean areMissing = false;

    Bounds(Table table, Integer id) {
      this.id = id;
      type = table.schema().findField(id.intValue()).type();
      Class<?> stored = type.typeId().javaClass();
      isWhole = stored == Integer.class || stored == Long.class;
    }

    void add(Map<Integer, ByteBuffer> bounds) {
      ByteBuffer bound = bounds == null ? null : (ByteBuffer) bounds.get(id);
      Object value = bound == null ? null : Conversions.fromByteBuffer(type, bound);
      if (!isWhole) {
        texts.add(value == null ? null : text(value));
        return;
      }
      numbers.add(value == null ? 0 : ((Number) value).longValue());
      isMissing.write(value == null ? 1 : 0);
      areMissing |= value == null;
    }

    private static String text(Object value) {
      if (value instanceof ByteBuffer) return HexFormat.of().formatHex(ByteBuffers.toByteArray((ByteBuffer) value));
      // The nearest decimal of a float is not that of the same number as a double.
      return String.valueOf(value instanceof Float ? Double.valueOf(((Float) value).doubleValue()) : value);
    }

    /** A letter for what follows: numbers, numbers after which of them are missing, or texts as JSON after its length. */
    void write(DataOutputStream out) throws IOException {
      out.write(!isWhole ? 't' : areMissing ? 'm' : 'n');
      if (isWhole && areMissing) out.write(isMissing.toByteArray());
      if (isWhole) {
        numbers.write(out);
        return;
      }
      byte[] json = new ObjectMapper().writeValueAsBytes(texts);
      out.writeInt(json.length);
      out.write(json);
    }
  }
}
