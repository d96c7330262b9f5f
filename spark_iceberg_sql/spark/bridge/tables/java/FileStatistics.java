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
import java.util.Base64;
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
    return new Manifests(new Request(table, ids, filters), manifests.iterator());
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
  private static final class Request {
    final Table table;
    final List<Integer> ids;
    final List<Expression> filters;

    Request(Table table, List<Integer> ids, List<Expression> filters) {
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
    private final Request request;
    private final Iterator<ManifestFile> following;
    private final Deque<Future<String>> ahead = new ArrayDeque<>();

    Manifests(Request request, Iterator<ManifestFile> manifests) {
      this.request = request;
      this.following = manifests;
    }

    /**
     * The next one's figures, for ManifestFigures: the number of files, their rows and sizes, of each column the lower and
     * the upper bounds, and how many files and bytes each filter keeps; null after the last. In base 64: Py4j makes an
     * array of bytes one by one, and JSON of a million files takes longer to read than their manifests.
     */
    @SuppressWarnings("unchecked")
    public String next() throws Exception {
      while (following.hasNext() && ahead.size() <= ThreadPools.WORKER_THREAD_POOL_SIZE)
        ahead.add(
          (Future<String>) ThreadPools.getWorkerPool().submit(new Read(request, (ManifestFile) following.next())));
      return ahead.isEmpty() ? null : (String) ((Future<String>) ahead.remove()).get();
    }
  }

  private static final class Read implements Callable<String> {
    private final Request request;
    private final ManifestFile manifest;

    Read(Request request, ManifestFile manifest) {
      this.request = request;
      this.manifest = manifest;
    }

    @Override
    public String call() throws Exception {
      Table table = request.table;
      Numbers rows = new Numbers(), sizes = new Numbers();
      Bounds[] bounds = new Bounds[2 * request.ids.size()];
      for (int i = 0; i < bounds.length; i++) bounds[i] = new Bounds(table, (Integer) request.ids.get(i / 2));
      PartitionSpec spec = (PartitionSpec) table.specs().get(Integer.valueOf(manifest.partitionSpecId()));
      FilteredFiles[] kept = new FilteredFiles[request.filters.size()];
      for (int i = 0; i < kept.length; i++) kept[i] = new FilteredFiles(spec, (Expression) request.filters.get(i));
      LiveFiles files =
        new LiveFiles(ManifestFiles.read(manifest, table.io(), table.specs()).select(request.columns()));
      try {
        for (DataFile file = files.next(); file != null; file = files.next()) {
          rows.add(file.recordCount());
          sizes.add(file.fileSizeInBytes());
          for (int i = 0; i < bounds.length; i++) bounds[i].add(i % 2 == 0 ? file.lowerBounds() : file.upperBounds());
          for (FilteredFiles ofFilter : kept) ofFilter.add(file);
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
      for (FilteredFiles ofFilter : kept) {
        out.writeLong(ofFilter.files);
        out.writeLong(ofFilter.bytes);
      }
      return Base64.getEncoder().encodeToString(packed.toByteArray());
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
