package sparkicebergsql;

import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * A manifest or manifest list that ends too early, as an interrupted copy leaves it. Avro's reader takes the end of the
 * file as the end of its entries: Iceberg reads such a table without an error, and without the rows of the others.
 *
 * <p>Counts alone prove nothing, since other programs may state wrong ones. A file is refused only if it also ends in
 * the middle of a block, or is shorter than the manifest list states.
 */
public final class TruncatedFile extends UnsupportedOperationException {
  private static final long serialVersionUID = 1;

  /** Of the marker that ends each block of an Avro file. */
  private static final int MARKER_BYTES = 16;
  /** How many bytes are looked at together: more than most headers have. */
  private static final int BLOCK = 1 << 15;

  private TruncatedFile(Table table, String kind, InputFile file, long entries, long statedEntries) {
    super("a " + kind + " of `" + Outgoing.visible(table.name()) + "` is cut off, so that queries would lose rows: `"
      + Outgoing.visible(file.location()) + "` has " + entries + " of " + statedEntries + " files"
      + "; copy the file once more from where it is whole, or go back to a snapshot that does not need it");
  }

  /** Refuses a manifest of which fewer entries could be read than the manifest list states. */
  public static void check(Table table, ManifestFile manifest, long entries) {
    if (!isCounted(manifest)) return;
    long statedEntries = manifest.addedFilesCount().longValue() + manifest.existingFilesCount().longValue();
    if (entries < statedEntries && mayBe(table, manifest))
      throw new TruncatedFile(table, "manifest", table.io().newInputFile(manifest.path()), entries, statedEntries);
  }

  /** Whether {@link #check} may refuse a manifest, by its length, its beginning and its end. */
  public static boolean mayBe(Table table, ManifestFile manifest) {
    InputFile file = table.io().newInputFile(manifest.path());
    return isCounted(manifest) && (file.getLength() < manifest.length() || endsWithinBlock(file));
  }

  private static boolean isCounted(ManifestFile manifest) {
    return manifest.addedFilesCount() != null && manifest.existingFilesCount() != null
      && manifest.keyMetadata() == null;
  }

  /** Refuses a manifest list whose manifests have fewer files than the snapshot states. */
  public static void check(Table table, Snapshot snapshot, List<ManifestFile> manifests) {
    if (snapshot.manifestListLocation() == null || SnapshotKey.of(snapshot) != null) return;
    long files = 0, statedFiles = 0;
    for (String total : new String[] {"total-data-files", "total-delete-files"}) {
      String value = (String) snapshot.summary().get(total);
      if (value == null || !value.matches("\\d{1,18}")) return;
      statedFiles += Long.parseLong(value);
    }
    for (ManifestFile manifest : manifests) {
      if (manifest.addedFilesCount() == null || manifest.existingFilesCount() == null) return;
      files += manifest.addedFilesCount().longValue() + manifest.existingFilesCount().longValue();
    }
    if (files >= statedFiles) return;
    InputFile list = table.io().newInputFile(snapshot.manifestListLocation());
    if (endsWithinBlock(list)) throw new TruncatedFile(table, "manifest list", list, files, statedFiles);
  }

  /** Whether a file does not end with the marker of a block, which stands after the header and after each block. */
  private static boolean endsWithinBlock(InputFile file) {
    long end = file.getLength() - MARKER_BYTES;
    if (end < 0) return true;
    byte[] marker = new byte[MARKER_BYTES], bytes = new byte[BLOCK];
    try {
      SeekableInputStream stream = file.newStream();
      try {
        stream.seek(end);
        if (stream.readNBytes(marker, 0, MARKER_BYTES) < MARKER_BYTES) throw new EOFException(file.location());
        // Each part begins with the last bytes of the one before, which may be the first ones of the marker.
        for (long start = 0; start < end; start += BLOCK - MARKER_BYTES) {
          stream.seek(start);
          int read = stream.readNBytes(bytes, 0, (int) Math.min(BLOCK, end - start));
          for (int i = 0; i + MARKER_BYTES <= read; i++)
            if (Arrays.equals(bytes, i, i + MARKER_BYTES, marker, 0, MARKER_BYTES)) return false;
        }
      } finally {
        stream.close();
      }
    } catch (IOException e) {
      return false; // Iceberg says so when it reads the file
    }
    return true;
  }
}
