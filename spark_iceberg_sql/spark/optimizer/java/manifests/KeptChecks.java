package sparkicebergsql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Which manifests of a table have no faults, kept in the user's cache folder: a manifest never changes, so the first
 * query of the next JVM need not read all of them for their check.
 *
 * <p>Invariant: what is found here is what ManifestCheck would return. A manifest's key is a digest of all that it
 * depends on: the entry in the manifest list, the columns and the partition spec; the folder is that of this Iceberg and
 * of these sources. Of a manifest that has faults of bounds, or of which other files were asked, nothing is kept. No
 * path is: it may contain a signature.
 *
 * <p>A table has one file. One that is damaged, or that others may write, is as none.
 */
public final class KeptChecks {
  public static final String SETTING = "spark.iceberg_sql.keep_manifest_checks";
  /** In bytes of manifests: to read fewer costs no more than to read the file. */
  private static final long MINIMUM_BYTES = 1 << 16;
  /** In bytes: of a file, which are some twenty thousand manifests, and of all. */
  private static final long FILE_LIMIT = 1 << 20, FOLDER_LIMIT = 64 << 20;
  private static final long DAY = 86400000L, DAYS = 30;
  private static final int CHECKSUM_BYTES = 32;
  /** Null if nothing is kept. */
  private static volatile Path folder;

  private final Path file;
  private final Table table;
  private final String columns;
  private final Map<Integer, String> specs = new TreeMap<>();
  /** By the digest of a manifest: what is kept of it, as the file has it. */
  private final Map<String, String> kept;
  /** The same, of the manifests that have been asked for: those to keep longest. */
  private final Map<String, String> current = new LinkedHashMap<>();
  private boolean hasMore;

  private KeptChecks(Path file, Table table, Map<Integer, Types.NestedField> fields) {
    this.file = file;
    this.table = table;
    StringBuilder text = new StringBuilder();
    for (Map.Entry<Integer, Types.NestedField> entry : new TreeMap<Integer, Types.NestedField>(fields).entrySet())
      text.append(entry.getKey()).append(' ').append(((Types.NestedField) entry.getValue()).type()).append('\n');
    columns = digest(text.toString());
    kept = read();
  }

  /** Sets the folder, which only the user can write to. */
  public static void setFolder(String path) { folder = Paths.get(path); }

  /**
   * Those of a table; null if nothing is kept, or if too little is to be read for it.
   *
   * @param fields the columns that the check knows, by id
   * @param bytes of the manifests that would be read
   */
  public static KeptChecks of(Table table, Map<Integer, Types.NestedField> fields, long bytes) {
    Path path = folder;
    if (path == null || bytes < MINIMUM_BYTES
      || !"true".equalsIgnoreCase(SQLConf.get().getConfString(SETTING, "true").trim()))
      return null;
    return new KeptChecks(path.resolve(digest(table.uuid() + " " + table.location())), table, fields);
  }

  /** The faults of a manifest, none of which is one of bounds; null if they are not known. key: see SnapshotManifests. */
  public List<BoundFault> faults(String key, ManifestFile manifest) {
    String digest = digest(key, manifest), line = (String) kept.get(digest);
    if (line == null) return null;
    current.put(digest, line);
    List<BoundFault> faults = new ArrayList<>();
    for (String fault : line.split(" ")) {
      if (fault.isEmpty()) continue;
      int end = fault.indexOf(':');
      BoundFault.Kind kind = BoundFault.Kind.valueOf(fault.substring(end + 1));
      faults.add(new BoundFault(Integer.parseInt(fault.substring(0, end)), kind, null, false, 0, 0));
    }
    return faults;
  }

  /** Adds what the check of a manifest has found, by the manifest alone. */
  public void add(String key, ManifestFile manifest, List<BoundFault> faults) {
    StringBuilder line = new StringBuilder();
    for (BoundFault fault : faults) {
      if (!fault.isOfOneRule()) return;
      line.append(line.length() == 0 ? "" : " ").append(fault.fieldId).append(':').append(fault.kind.name());
    }
    current.put(digest(key, manifest), line.toString());
    hasMore = true;
  }

  /** Writes the file if anything was added; an error costs the next JVM time. */
  public void write() {
    if (!hasMore) return;
    Map<String, String> all = new LinkedHashMap<>(current);
    for (Map.Entry<String, String> entry : kept.entrySet()) all.putIfAbsent(entry.getKey(), entry.getValue());
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, String> entry : all.entrySet()) {
      String line = entry.getKey() + " " + entry.getValue() + "\n";
      if (text.length() + line.length() > FILE_LIMIT - CHECKSUM_BYTES) break;
      text.append(line);
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.US_ASCII);
    try {
      deleteOld(bytes.length);
      Path temporary = Files.createTempFile(file.getParent(), "new", "");
      try {
        Files.write(temporary, sha256(bytes));
        Files.write(temporary, bytes, StandardOpenOption.APPEND);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(temporary);
      }
    } catch (IOException e) {
      return;
    } catch (RuntimeException e) {
      return;
    }
  }

  private Map<String, String> read() {
    Map<String, String> lines = new LinkedHashMap<>();
    try {
      if (!Files.exists(file) || Files.size(file) > FILE_LIMIT || !isPrivate()) return lines;
      byte[] bytes = Files.readAllBytes(file);
      if (bytes.length < CHECKSUM_BYTES) return lines;
      byte[] checksum = Arrays.copyOf(bytes, CHECKSUM_BYTES);
      byte[] text = Arrays.copyOfRange(bytes, CHECKSUM_BYTES, bytes.length);
      if (!MessageDigest.isEqual(checksum, sha256(text))) return lines;
      for (String line : new String(text, StandardCharsets.US_ASCII).split("\n")) {
        int end = line.indexOf(' ');
        if (end > 0) lines.put(line.substring(0, end), line.substring(end + 1));
      }
      long now = System.currentTimeMillis();
      if (now - Files.getLastModifiedTime(file).toMillis() > DAY)
        Files.setLastModifiedTime(file, FileTime.fromMillis(now)); // it is in use
    } catch (IOException e) {
      return lines;
    } catch (RuntimeException e) {
      return lines;
    }
    return lines;
  }

  /** Whether only the user can have written the file, as the folder. */
  private boolean isPrivate() throws IOException {
    PosixFileAttributeView view =
      (PosixFileAttributeView) Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view == null) return true; // Windows, where a profile is its user's alone
    PosixFileAttributes attributes = view.readAttributes();
    return attributes.owner().equals(Files.getOwner(file.getParent()))
      && !attributes.permissions().contains(PosixFilePermission.GROUP_WRITE)
      && !attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE);
  }

  /** Deletes what has not been used for long, and the oldest files if all would be too large with some bytes more. */
  private void deleteOld(long added) throws IOException {
    List<Path> files = new ArrayList<>();
    DirectoryStream<Path> entries = Files.newDirectoryStream(file.getParent());
    try {
      for (Path entry : entries) files.add(entry);
    } finally {
      entries.close();
    }
    files.sort(new NewestFirst());
    long bytes = added, oldest = System.currentTimeMillis() - DAYS * DAY;
    for (Path entry : files) {
      bytes += Files.size(entry);
      if (bytes > FOLDER_LIMIT || modified(entry) < oldest) Files.deleteIfExists(entry);
    }
  }

  private static final class NewestFirst implements Comparator<Object> {
    @Override
    public int compare(Object a, Object b) {
      return Long.compare(modified((Path) b), modified((Path) a));
    }
  }

  private static long modified(Path path) {
    try {
      return Files.getLastModifiedTime(path).toMillis();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String digest(String key, ManifestFile manifest) {
    Integer id = Integer.valueOf(manifest.partitionSpecId());
    if (!specs.containsKey(id)) specs.put(id, PartitionSpecParser.toJson((PartitionSpec) table.specs().get(id)));
    StringBuilder text = new StringBuilder(key).append('\n').append(columns).append('\n').append(specs.get(id));
    text.append('\n').append(manifest.content()).append(' ').append(manifest.sequenceNumber());
    text.append(' ').append(manifest.minSequenceNumber()).append(' ').append(manifest.snapshotId());
    text.append(' ').append(manifest.addedFilesCount()).append(' ').append(manifest.existingFilesCount());
    text.append(' ').append(manifest.deletedFilesCount()).append(' ').append(manifest.addedRowsCount());
    text.append(' ').append(manifest.existingRowsCount()).append(' ').append(manifest.deletedRowsCount());
    if (manifest.partitions() != null)
      for (ManifestFile.PartitionFieldSummary summary : manifest.partitions())
        text.append(' ').append(summary.containsNull());
    return digest(text.toString());
  }

  private static String digest(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(sha256(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // each Java has it
    }
  }
}
