package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.util.ThreadPools;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * Facts about each data file of a snapshot: its address in the metadata, its size, and its time and etag in a
 * listing of the store. Reads the manifests on the driver, in parallel.
 */
public class FileFacts implements Callable<List<Row>> {
  private static final Pattern SCHEME = Pattern.compile("^[A-Za-z0-9+.-]+:(//)?");
  private Table table;
  private ManifestFile manifest;
  private Map<String, Object[]> listed;
  private Pattern old;
  private String folder;

  /**
   * The rows (address, size, time in milliseconds, etag), without duplicate addresses.
   *
   * listing: address without its scheme, time and etag, each followed by a NUL. old: for a moved table, a pattern of
   * the address prefixes to map. folder: replaces the prefix.
   */
  public List<Row> rows(Table table, long snapshot, String listing, String old, String folder) throws Exception {
    Map<String, Object[]> listed = new HashMap<>();
    String[] parts = listing.split("\0", -1);
    for (int i = 0; i + 3 < parts.length; i += 3) {
      Object etag = parts[i + 2].isEmpty() ? null : parts[i + 2];
      listed.put(parts[i], new Object[] {Long.valueOf(parts[i + 1]), etag});
    }
    Snapshot read = table.snapshot(snapshot);
    List<FileFacts> tasks = new ArrayList<>();
    for (ManifestFile manifest : read.dataManifests(table.io())) {
      FileFacts task = new FileFacts();
      task.table = table;
      task.manifest = manifest;
      task.listed = listed;
      task.old = old == null ? null : Pattern.compile(old);
      task.folder = folder;
      tasks.add(task);
    }
    Map<String, Row> found = new HashMap<>();
    for (Future<List<Row>> done : ThreadPools.getWorkerPool().invokeAll(tasks))
      for (Row row : (List<Row>) done.get()) found.put(row.getString(0), row);
    return new ArrayList<>(found.values());
  }

  @Override
  public List<Row> call() throws Exception {
    List<Row> found = new ArrayList<>();
    ManifestReader<DataFile> files = ManifestFiles.read(manifest, table.io(), table.specs());
    try {
      files.select(List.of("file_path", "file_size_in_bytes"));
      for (DataFile file : files) {
        Object[] facts = (Object[]) listed.get(SCHEME.matcher(opened(file.location())).replaceFirst(""));
        Object time = facts == null ? null : facts[0];
        Object etag = facts == null ? null : facts[1];
        found.add(RowFactory.create(file.location(), file.fileSizeInBytes(), time, etag));
      }
    } finally {
      files.close();
    }
    return found;
  }

  private String opened(String address) {
    if (old == null) return address;
    Matcher begins = old.matcher(address);
    return begins.lookingAt() ? folder + address.substring(begins.end()) : address;
  }
}
