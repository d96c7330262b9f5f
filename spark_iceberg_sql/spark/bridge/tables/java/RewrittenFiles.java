package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.ScanTaskGroup;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.TableScanUtil;

/** The data files that a table would have after rewrite_data_files, by Iceberg's own planning; nothing is written. */
public class RewrittenFiles {
  /** read.split.planning-lookback, as Iceberg reads it. */
  private static final String LOOKBACK = "read.split.planning-lookback";

  /** The Rewrite of a call, as JSON. */
  public String extent(Table table, Map<String, String> options) throws Exception {
    long files = 0, bytes = 0, reduction = 0;
    for (Object group : RewriteGroups.of(table, options)) {
      RewriteGroups.Group rewritten = (RewriteGroups.Group) group;
      for (Object task : rewritten.tasks) bytes += ((FileScanTask) task).length();
      files += rewritten.tasks.size();
      reduction += Math.max(0, rewritten.tasks.size() - outputs(table, rewritten).size());
    }
    Rewrite rewrite = new Rewrite();
    rewrite.files = Long.valueOf(files);
    rewrite.bytes = Long.valueOf(bytes);
    rewrite.fileReduction = Long.valueOf(reduction);
    return new ObjectMapper().writeValueAsString(rewrite);
  }

  /**
   * All data files after the call, by the id of their spec, each of a rewritten group with the bounds of the files that
   * it consists of; null if rows move to another spec's partitions, since bounds do not show to which.
   */
  public Map<Integer, List<DataFile>> allFiles(Table table, Map<String, String> options) throws Exception {
    Map<String, DataFile> current = new HashMap<>();
    CloseableIterable<FileScanTask> tasks = ((TableScan) table.newScan().includeColumnStats()).planFiles();
    try {
      for (Object task : tasks) {
        DataFile file = (DataFile) ((FileScanTask) task).file();
        current.put(FileAddress.of(file), (DataFile) file.copy());
      }
    } finally {
      tasks.close();
    }
    PartitionSpec spec = table.spec();
    List<DataFile> added = new ArrayList<>();
    Map<String, DataFile> left = new HashMap<>(current);
    for (Object group : RewriteGroups.of(table, options)) {
      for (Object output : outputs(table, (RewriteGroups.Group) group)) {
        List<Part> parts = new ArrayList<>();
        for (Object task : ((ScanTaskGroup) output).tasks()) {
          FileScanTask split = (FileScanTask) task;
          DataFile file = (DataFile) current.get(FileAddress.of((DataFile) split.file()));
          if (file.specId() != spec.specId() && spec.isPartitioned()) return null;
          left.remove(FileAddress.of(file));
          parts.add(new Part(file, split.length()));
        }
        added.add(merged(table.schema(), spec, parts, added.size()));
      }
    }
    Map<Integer, List<DataFile>> bySpec = new HashMap<>();
    for (Object file : left.values()) of(bySpec, ((DataFile) file).specId()).add((DataFile) file);
    of(bySpec, spec.specId()).addAll(added);
    return bySpec;
  }

  private static List<DataFile> of(Map<Integer, List<DataFile>> bySpec, int spec) {
    Integer key = Integer.valueOf(spec);
    if (!bySpec.containsKey(key)) bySpec.put(key, new ArrayList<DataFile>());
    return (List<DataFile>) bySpec.get(key);
  }

  /** One file for each task: a file is only cut between its row groups, so small files may not fit together. */
  private static List<?> outputs(Table table, RewriteGroups.Group group) {
    int lookback = Integer.parseInt((String) table.properties().getOrDefault(LOOKBACK, "10"));
    return TableScanUtil.planTaskGroups(group.tasks, group.splitSize, lookback, 0L);
  }

  private static DataFile merged(Schema schema, PartitionSpec spec, List<Part> parts, int number) {
    double rows = 0;
    long bytes = 0;
    for (Object part : parts) {
      rows += ((Part) part).share * ((Part) part).file.recordCount();
      bytes += ((Part) part).bytes;
    }
    Long count = Long.valueOf(Math.max(1L, Math.round(rows)));
    Map<Integer, Long> values = new HashMap<>(), nulls = new HashMap<>(), nans = new HashMap<>();
    Map<Integer, ByteBuffer> low = new HashMap<>(), high = new HashMap<>();
    for (Object entry : TypeUtil.indexById(schema.asStruct()).values()) {
      Types.NestedField field = (Types.NestedField) entry;
      if (!field.type().isPrimitiveType()) continue;
      Integer id = Integer.valueOf(field.fieldId());
      Long nullCount = total(parts, "nulls", id), nanCount = total(parts, "nans", id);
      if (nullCount != null) {
        values.put(id, count);
        nulls.put(id, Long.valueOf(Math.min(nullCount.longValue(), count.longValue())));
      }
      if (nanCount != null) nans.put(id, nanCount);
      ByteBuffer lowest = extreme(parts, field, false), highest = extreme(parts, field, true);
      if (lowest != null) low.put(id, lowest);
      if (highest != null) high.put(id, highest);
    }
    DataFiles.Builder builder = DataFiles.builder(spec)
                                  .withPath("never-written/rewritten-" + number + ".parquet")
                                  .withFormat(((Part) parts.get(0)).file.format())
                                  .withFileSizeInBytes(Math.max(1L, bytes))
                                  .withMetrics(new Metrics(count, null, values, nulls, nans, low, high));
    if (spec.isPartitioned()) builder.withPartition(((Part) parts.get(0)).file.partition());
    return builder.build();
  }

  /** The nulls or NaNs of the parts, at least 1 where a file has any; null if a file does not say. */
  private static Long total(List<Part> parts, String kind, Integer id) {
    double total = 0;
    boolean any = false;
    for (Object part : parts) {
      DataFile file = ((Part) part).file;
      Map<Integer, Long> counts = kind.equals("nulls") ? file.nullValueCounts() : file.nanValueCounts();
      Long count = counts == null ? null : (Long) counts.get(id);
      if (count == null) return null;
      any |= count.longValue() > 0;
      total += count.longValue() * ((Part) part).share;
    }
    return Long.valueOf(Math.max(any ? 1L : 0L, Math.round(total)));
  }

  /** The least lower or the greatest upper bound; null if a file with a value has none. */
  private static ByteBuffer extreme(List<Part> parts, Types.NestedField field, boolean upper) {
    Type type = field.type();
    Integer id = Integer.valueOf(field.fieldId());
    Comparator<Object> order = Comparators.forType(type.asPrimitiveType());
    ByteBuffer best = null;
    Object value = null;
    for (Object part : parts) {
      DataFile file = ((Part) part).file;
      Map<Integer, ByteBuffer> bounds = upper ? file.upperBounds() : file.lowerBounds();
      ByteBuffer bound = bounds == null ? null : (ByteBuffer) bounds.get(id);
      if (bound == null) {
        if (isEmpty(file, id)) continue;
        return null;
      }
      Object next = Conversions.fromByteBuffer(type, bound);
      int comparison = value == null ? 0 : order.compare(next, value);
      if (value == null || (upper ? comparison > 0 : comparison < 0)) {
        best = bound;
        value = next;
      }
    }
    return best;
  }

  /** Whether a file has nothing but nulls of a column. */
  private static boolean isEmpty(DataFile file, Integer id) {
    Long nulls = file.nullValueCounts() == null ? null : (Long) file.nullValueCounts().get(id);
    return nulls != null && nulls.longValue() >= file.recordCount();
  }

  /** Bytes of a file that go into another. */
  static class Part {
    final DataFile file;
    final long bytes;
    final double share;

    Part(DataFile file, long bytes) {
      this.file = file;
      this.bytes = bytes;
      share = file.fileSizeInBytes() > 0 ? Math.min(1.0, (double) bytes / file.fileSizeInBytes()) : 1.0;
    }
  }
}
