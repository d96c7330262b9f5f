package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.ContentScanTask;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.ScanTaskGroup;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import scala.collection.Seq;

/**
 * The data files of a table by partition, and how many of them a scan reads, as the JSON of PartitionFiles. A call from
 * Python per file would take seconds.
 */
public class ScanFiles {
  private final Table table;
  private final Map<List<Object>, Count> counts = new LinkedHashMap<>();

  /** A partition and its files so far. */
  private static final class Count {
    final int specId;
    final List<PartitionValue> values;
    long files, bytes, filesRead, bytesRead;

    Count(int specId, List<PartitionValue> values) {
      this.specId = specId;
      this.values = values;
    }

    PartitionFiles row() {
      PartitionFiles row = new PartitionFiles();
      row.specId = Long.valueOf(specId);
      row.files = Long.valueOf(files);
      row.bytes = Long.valueOf(bytes);
      row.filesRead = Long.valueOf(filesRead);
      row.bytesRead = Long.valueOf(bytesRead);
      row.values = values;
      return row;
    }
  }

  public ScanFiles(Table table) { this.table = table; }

  /**
   * What a scan reads of a snapshot. If the snapshot has more data files than `maximum`, only the partitions that are
   * read are included.
   */
  public String text(Snapshot snapshot, Seq<?> partitions, long maximum) throws Exception {
    read(partitions);
    if (snapshot != null && total(snapshot) <= maximum) {
      for (ManifestFile manifest : snapshot.dataManifests(table.io())) list(manifest);
    } else {
      for (Count count : counts.values()) {
        count.files = count.filesRead;
        count.bytes = count.bytesRead;
      }
    }
    List<PartitionFiles> rows = new ArrayList<>();
    for (Count count : counts.values()) rows.add(count.row());
    return new ObjectMapper().writeValueAsString(rows);
  }

  /**
   * What an executed scan read, after the filters that a join gives it while it runs; null if it has not run. The
   * method of this name would plan again.
   */
  public Object filtered(Object scan) throws Exception {
    try {
      Field field = scan.getClass().getDeclaredField("filteredPartitions");
      field.setAccessible(true);
      return field.get(scan);
    } catch (NoSuchFieldException noSuchField) {
      return null;
    }
  }

  /** The number of data files in a snapshot, from its summary; -1 if that does not state it. */
  private static long total(Snapshot snapshot) {
    String total = (String) snapshot.summary().get("total-data-files");
    return total == null ? -1 : Long.parseLong(total);
  }

  private void list(ManifestFile manifest) throws Exception {
    List<String> columns = List.of("partition", "file_size_in_bytes");
    LiveFiles files = new LiveFiles(ManifestFiles.read(manifest, table.io(), table.specs()).select(columns));
    try {
      for (DataFile file = files.next(); file != null; file = files.next()) {
        Count count = count(manifest.partitionSpecId(), file.partition());
        count.files++;
        count.bytes += file.fileSizeInBytes();
      }
    } finally {
      files.close();
    }
  }

  /** The number of rows in the files that a scan reads, before deletes. */
  public long rows(Seq<?> partitions) throws Exception {
    long sum = 0;
    for (Object file : filesOf(partitions)) sum += ((ContentFile<?>) file).recordCount();
    return sum;
  }

  private void read(Seq<?> partitions) throws Exception {
    for (Object element : filesOf(partitions)) {
      ContentFile<?> file = (ContentFile<?>) element;
      Count count = count(file.specId(), file.partition());
      count.filesRead++;
      count.bytesRead += file.fileSizeInBytes();
    }
  }

  /** The files of a scan's partitions, each once. */
  private static Iterable<?> filesOf(Seq<?> partitions) throws Exception {
    Map<String, ContentFile<?>> files = new LinkedHashMap<>();
    collect(partitions, files);
    return files.values();
  }

  private static void collect(Object partition, Map<String, ContentFile<?>> files) throws Exception {
    if (partition instanceof Seq) {
      scala.collection.Iterator<?> iterator = ((Seq<?>) partition).iterator();
      while (iterator.hasNext()) collect(iterator.next(), files);
      return;
    }
    Method group = partition.getClass().getMethod("taskGroup"); // the class is not public
    group.setAccessible(true);
    for (Object task : ((ScanTaskGroup<?>) group.invoke(partition)).tasks()) {
      if (!(task instanceof ContentScanTask)) continue;
      ContentFile<?> file = (ContentFile<?>) ((ContentScanTask<?>) task).file();
      files.put(FileAddress.of(file), file);
    }
  }

  private Count count(int specId, StructLike values) {
    PartitionSpec spec = (PartitionSpec) table.specs().get(specId);
    List<PartitionValue> described = describe(spec, values);
    List<Object> key = new ArrayList<>();
    key.add(Integer.valueOf(specId));
    for (PartitionValue value : described) {
      key.add(value.text);
      key.add(value.number);
    }
    if (!counts.containsKey(key)) counts.put(key, new Count(specId, described));
    return (Count) counts.get(key);
  }

  @SuppressWarnings("unchecked")
  private static List<PartitionValue> describe(PartitionSpec spec, StructLike values) {
    List<PartitionValue> result = new ArrayList<>();
    for (int i = 0; i < spec.fields().size(); i++) {
      PartitionField field = (PartitionField) spec.fields().get(i);
      Type type = ((NestedField) spec.partitionType().fields().get(i)).type();
      Object value = values.get(i, Object.class);
      Transform<Object, Object> transform = (Transform<Object, Object>) field.transform();
      String text = value instanceof ByteBuffer ? hex((ByteBuffer) value) : transform.toHumanString(type, value);
      PartitionValue row = new PartitionValue();
      row.name = field.name();
      row.transform = transform.toString();
      row.text = value instanceof CharSequence ? quoted(text) : text;
      if (value instanceof Number) row.number = Double.valueOf(((Number) value).doubleValue());
      result.add(row);
    }
    return result;
  }

  /** A string in quotes if it would be taken for nothing, for null, or for several values. */
  private static String quoted(String text) {
    boolean plain = !text.isEmpty() && text.equals(text.trim()) && !text.equalsIgnoreCase("null");
    for (int i = 0; plain && i < text.length(); i++) plain = ",'()".indexOf(text.charAt(i)) < 0;
    return plain ? text : "'" + text.replace("'", "''") + "'";
  }

  private static String hex(ByteBuffer bytes) {
    StringBuilder text = new StringBuilder("X'");
    for (int i = bytes.position(); i < bytes.limit(); i++) {
      text.append(Character.forDigit(bytes.get(i) >> 4 & 15, 16)).append(Character.forDigit(bytes.get(i) & 15, 16));
    }
    return text.append("'").toString().toUpperCase();
  }
}
