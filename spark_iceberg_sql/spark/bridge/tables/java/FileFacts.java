package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
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
import org.apache.iceberg.Table;
import org.apache.iceberg.util.ThreadPools;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Facts about each data file of a snapshot by its address in the metadata: its size, and its time and etag in a listing
 * of the store. Reads the manifests on the driver, in parallel.
 */
public class FileFacts implements Callable<List<FileFacts.Entry>> {
  private static final Pattern SCHEME = Pattern.compile("^[A-Za-z0-9+.-]+:(//)?");
  private Table table;
  private ManifestFile manifest;
  private Map<String, StoreFile> listed;
  private Pattern old;
  private String folder;

  /** A data file: its address in the metadata, its size, and its entry in the listing, which may be null. */
  static final class Entry {
    final UTF8String address;
    final Long size;
    final StoreFile listed;

    Entry(String address, long size, StoreFile listed) {
      this.address = UTF8String.fromString(address);
      this.size = Long.valueOf(size);
      this.listed = listed;
    }
  }

  /** Maps of an address to one fact each; a file that is not listed has only a size. */
  public static final class Maps {
    private final HashMap<UTF8String, Object> sizes = new HashMap<>(), times = new HashMap<>(), etags = new HashMap<>();

    public HashMap<UTF8String, Object> sizes() { return sizes; }

    /** In microseconds. */
    public HashMap<UTF8String, Object> times() { return times; }

    public HashMap<UTF8String, Object> etags() { return etags; }

    private void add(Entry entry) {
      sizes.put(entry.address, entry.size);
      if (entry.listed == null) return;
      times.put(entry.address, Long.valueOf(entry.listed.modifiedMs.longValue() * 1000));
      if (entry.listed.etag != null) etags.put(entry.address, UTF8String.fromString(entry.listed.etag));
    }
  }

  /**
   * The maps of a snapshot.
   *
   * listing: StoreFile entries as JSON. old: for a moved table, a pattern of the address prefixes to map. folder:
   * replaces the prefix.
   */
  public Maps maps(Table table, long snapshot, String listing, String old, String folder) throws Exception {
    Map<String, StoreFile> listed = new HashMap<>();
    StoreFile[] files = (StoreFile[]) new ObjectMapper().readValue(listing, StoreFile[].class);
    for (StoreFile file : files) listed.put(file.address, file);
    List<FileFacts> tasks = new ArrayList<>();
    for (ManifestFile manifest : table.snapshot(snapshot).dataManifests(table.io())) {
      FileFacts task = new FileFacts();
      task.table = table;
      task.manifest = manifest;
      task.listed = listed;
      task.old = old == null ? null : Pattern.compile(old);
      task.folder = folder;
      tasks.add(task);
    }
    Maps maps = new Maps();
    for (Future<List<Entry>> future : ThreadPools.getWorkerPool().invokeAll(tasks))
      for (Object entry : (List<?>) future.get()) maps.add((Entry) entry);
    return maps;
  }

  @Override
  public List<Entry> call() throws Exception {
    List<Entry> entries = new ArrayList<>();
    List<String> columns = List.of("file_path", "file_size_in_bytes");
    LiveFiles files = new LiveFiles(ManifestFiles.read(manifest, table.io(), table.specs()).select(columns));
    try {
      for (DataFile file = files.next(); file != null; file = files.next()) {
        String address = SCHEME.matcher(opened(FileAddress.of(file))).replaceFirst("");
        entries.add(new Entry(FileAddress.of(file), file.fileSizeInBytes(), (StoreFile) listed.get(address)));
      }
    } finally {
      files.close();
    }
    return entries;
  }

  private String opened(String address) {
    if (old == null) return address;
    Matcher prefix = old.matcher(address);
    return prefix.lookingAt() ? folder + address.substring(prefix.end()) : address;
  }
}
