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
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Facts about each data file of a snapshot by its address in the metadata: its size, and its time and etag in a listing
 * of the store. Reads the manifests on the driver, in parallel.
 */
public class FileFacts implements Callable<List<Object[]>> {
  private static final Pattern SCHEME = Pattern.compile("^[A-Za-z0-9+.-]+:(//)?");
  private Table table;
  private ManifestFile manifest;
  private Map<String, Object[]> listed;
  private Pattern old;
  private String folder;

  /**
   * Maps of an address to the size, the time in microseconds and the etag; a file that is not listed has only a size.
   *
   * listing: address without its scheme, time in milliseconds and etag, each followed by a NUL. old: for a moved table,
   * a pattern of the address prefixes to map. folder: replaces the prefix.
   */
  @SuppressWarnings({"rawtypes", "unchecked"})
  public Map<?, ?>[] maps(Table table, long snapshot, String listing, String old, String folder) throws Exception {
    Map<String, Object[]> listed = new HashMap<>();
    String[] parts = listing.split("\0", -1);
    for (int i = 0; i + 3 < parts.length; i += 3) {
      Object etag = parts[i + 2].isEmpty() ? null : parts[i + 2];
      listed.put(parts[i], new Object[] {Long.valueOf(parts[i + 1]) * 1000, etag});
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
    HashMap<UTF8String, Object>[] maps = new HashMap[3];
    for (int i = 0; i < maps.length; i++) maps[i] = new HashMap<>();
    for (Future<List<Object[]>> done : ThreadPools.getWorkerPool().invokeAll(tasks)) {
      for (Object file : (List<?>) done.get()) {
        Object[] facts = (Object[]) file;
        UTF8String address = UTF8String.fromString((String) facts[0]);
        for (int i = 0; i < maps.length; i++)
          if (facts[i + 1] != null) maps[i].put(address, facts[i + 1]);
      }
    }
    return maps;
  }

  @Override
  public List<Object[]> call() throws Exception {
    List<Object[]> found = new ArrayList<>();
    ManifestReader<DataFile> files = ManifestFiles.read(manifest, table.io(), table.specs());
    try {
      files.select(List.of("file_path", "file_size_in_bytes"));
      for (DataFile file : files) {
        Object[] facts = (Object[]) listed.get(SCHEME.matcher(opened(file.location())).replaceFirst(""));
        Object time = facts == null ? null : facts[0];
        Object etag = facts == null || facts[1] == null ? null : UTF8String.fromString((String) facts[1]);
        found.add(new Object[] {file.location(), Long.valueOf(file.fileSizeInBytes()), time, etag});
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
