package sparkicebergsql;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Conversions;

/** What can be wrong with a moved table before any of its rows are read. */
public class MovedChecks {
  /**
   * The address of the snapshot's manifest list, of its first manifest or of its first data file, if there is no such
   * file; null if they are there. table: opens files at their current addresses.
   */
  public String missing(Table table, long snapshot) throws Exception {
    Snapshot read = table.snapshot(snapshot);
    String list = read.manifestListLocation();
    if (list != null && !exists(table, list)) return list;
    for (ManifestFile manifest : read.dataManifests(table.io())) {
      if (!exists(table, manifest.path())) return manifest.path();
      ManifestReader<DataFile> data = ManifestFiles.read(manifest, table.io(), table.specs());
      try {
        for (DataFile file : data) return exists(table, FileAddress.of(file)) ? null : FileAddress.of(file);
      } finally {
        data.close();
      }
    }
    return null;
  }

  private static boolean exists(Table table, String address) { return table.io().newInputFile(address).exists(); }

  /**
   * The first address in a delete file that no data file has, although it maps to a data file; null if there is none.
   * Iceberg compares the addresses as strings: a delete with a file's new address would have no effect.
   *
   * old: a pattern of the address prefixes to map. folder: replaces the prefix.
   */
  public String unmatched(Table table, long snapshot, String old, String folder) throws Exception {
    Pattern oldPrefix = Pattern.compile(old);
    Snapshot read = table.snapshot(snapshot);
    Set<String> addresses = new HashSet<>();
    for (ManifestFile manifest : read.deleteManifests(table.io())) addReferenced(addresses, table, manifest);
    if (addresses.isEmpty()) return null;
    Set<String> files = new HashSet<>(), names = new HashSet<>();
    for (ManifestFile manifest : read.dataManifests(table.io())) {
      ManifestReader<DataFile> data = ManifestFiles.read(manifest, table.io(), table.specs());
      try {
        for (DataFile file : data) {
          addresses.remove(FileAddress.of(file));
          files.add(opened(FileAddress.of(file), oldPrefix, folder));
          names.add(name(FileAddress.of(file)));
        }
      } finally {
        data.close();
      }
    }
    for (String address : addresses)
      if (files.contains(opened(address, oldPrefix, folder)) || names.contains(name(address))) return address;
    return null;
  }

  /** A data file's name has a uuid: under another address, it is the same file. */
  private static String name(String address) { return address.substring(address.lastIndexOf('/') + 1); }

  private void addReferenced(Set<String> addresses, Table table, ManifestFile manifest) throws Exception {
    ManifestReader<DeleteFile> deletes = ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs());
    try {
      for (DeleteFile file : deletes) {
        if (file.content() == FileContent.POSITION_DELETES) addReferenced(addresses, file);
      }
    } finally {
      deletes.close();
    }
  }

  private static void addReferenced(Set<String> addresses, DeleteFile file) {
    if (ReferencedFile.of(file) == null) {
      addBound(addresses, file.lowerBounds());
      addBound(addresses, file.upperBounds());
    } else {
      addresses.add(ReferencedFile.of(file));
    }
  }

  private static void addBound(Set<String> addresses, Map<Integer, ByteBuffer> bounds) {
    Object bound = bounds == null ? null : bounds.get(MetadataColumns.DELETE_FILE_PATH.fieldId());
    if (bound != null)
      addresses.add(Conversions.fromByteBuffer(MetadataColumns.DELETE_FILE_PATH.type(), (ByteBuffer) bound).toString());
  }

  private static String opened(String address, Pattern old, String folder) {
    Matcher prefix = old.matcher(address);
    return prefix.lookingAt() ? folder + address.substring(prefix.end()) : address;
  }
}
