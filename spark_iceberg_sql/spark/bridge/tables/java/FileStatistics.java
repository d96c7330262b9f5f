package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.util.ByteBuffers;
import org.apache.iceberg.util.ThreadPools;

/** What a snapshot's manifests state about its data files: all of them, or none (see TruncatedFile). */
public class FileStatistics {
  /** Those of a table's current snapshot. ids: of the columns whose bounds are asked for. */
  public Manifests of(Table table, List<Integer> ids) {
    Snapshot snapshot = table.currentSnapshot();
    List<ManifestFile> manifests = snapshot == null ? List.of() : snapshot.dataManifests(table.io());
    if (snapshot != null) TruncatedFile.check(table, snapshot, snapshot.allManifests(table.io()));
    return new Manifests(table, manifests.iterator(), ids);
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

  /** One manifest after the other: no more are read ahead than Iceberg has threads for. */
  public static final class Manifests {
    private final Table table;
    private final Iterator<ManifestFile> following;
    private final List<Integer> ids;
    private final Deque<Future<String>> ahead = new ArrayDeque<>();

    Manifests(Table table, Iterator<ManifestFile> manifests, List<Integer> ids) {
      this.table = table;
      this.following = manifests;
      this.ids = ids;
    }

    /** The ManifestFigures of the next one, as JSON; null after the last. */
    @SuppressWarnings("unchecked")
    public String next() throws Exception {
      while (following.hasNext() && ahead.size() <= ThreadPools.WORKER_THREAD_POOL_SIZE)
        ahead.add(
          (Future<String>) ThreadPools.getWorkerPool().submit(new Read(table, (ManifestFile) following.next(), ids)));
      return ahead.isEmpty() ? null : (String) ((Future<String>) ahead.remove()).get();
    }
  }

  private static final class Read implements Callable<String> {
    private final Table table;
    private final ManifestFile manifest;
    private final List<Integer> ids;

    Read(Table table, ManifestFile manifest, List<Integer> ids) {
      this.table = table;
      this.manifest = manifest;
      this.ids = ids;
    }

    @Override
    public String call() throws Exception {
      ManifestFigures figures = new ManifestFigures();
      figures.rows = new ArrayList<>();
      figures.sizes = new ArrayList<>();
      figures.bounds = new ArrayList<>();
      for (Integer id : ids) {
        BoundColumn column = new BoundColumn();
        boolean isWhole = isWholeNumber(type(id));
        column.numbers = isWhole ? new ArrayList<>() : null;
        column.texts = isWhole ? null : new ArrayList<>();
        figures.bounds.add(column);
      }
      List<String> names = new ArrayList<>(List.of("record_count", "file_size_in_bytes"));
      if (!ids.isEmpty()) names.addAll(List.of("lower_bounds", "upper_bounds"));
      LiveFiles files = new LiveFiles(ManifestFiles.read(manifest, table.io(), table.specs()).select(names));
      try {
        for (DataFile file = files.next(); file != null; file = files.next()) add(figures, file);
      } finally {
        files.close();
      }
      TruncatedFile.check(table, manifest, figures.rows.size());
      return new ObjectMapper().writeValueAsString(figures);
    }

    private void add(ManifestFigures figures, DataFile file) {
      figures.rows.add(Long.valueOf(file.recordCount()));
      figures.sizes.add(Long.valueOf(file.fileSizeInBytes()));
      for (int i = 0; i < ids.size(); i++) {
        Integer id = (Integer) ids.get(i);
        BoundColumn column = (BoundColumn) figures.bounds.get(i);
        add(column, type(id), file.lowerBounds(), id);
        add(column, type(id), file.upperBounds(), id);
      }
    }

    private Type type(Integer id) { return table.schema().findField(id.intValue()).type(); }

    private static void add(BoundColumn column, Type type, Map<Integer, ByteBuffer> bounds, Integer id) {
      ByteBuffer bound = bounds == null ? null : (ByteBuffer) bounds.get(id);
      Object value = bound == null ? null : Conversions.fromByteBuffer(type, bound);
      if (column.numbers == null) column.texts.add(value == null ? null : text(value));
      else column.numbers.add(value == null ? null : Long.valueOf(((Number) value).longValue()));
    }

    private static String text(Object value) {
      if (value instanceof ByteBuffer) return HexFormat.of().formatHex(ByteBuffers.toByteArray((ByteBuffer) value));
      // The nearest decimal of a float is not that of the same number as a double.
      return String.valueOf(value instanceof Float ? Double.valueOf(((Float) value).doubleValue()) : value);
    }

    private static boolean isWholeNumber(Type type) {
      Class<?> stored = type.typeId().javaClass();
      return stored == Integer.class || stored == Long.class;
    }
  }
}
