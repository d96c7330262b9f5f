package sparkicebergsql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/**
 * A table in Hadoop layout (v3.metadata.json) in a folder of any store. A commit creates the next version's file, which
 * fails if another writer has created it.
 */
public class FolderTable implements TableOperations {
  private static final String[] ENDINGS = {".metadata.json", ".gz.metadata.json", ".metadata.json.gz"};
  private static final String[] LOCATION_PROPERTIES = {
    "write.data.path", "write.object-storage.path", "write.folder-storage.path"};

  /** What all uses of an attached table share. */
  public static final class AttachedTable {
    final String folder;
    final FileIO io;
    final String declaredLocation; // the location in the metadata; null if there was no table
    String uuid;
    int version; // of a metadata file that exists; 0 if there was no table
    boolean isProbed;
    boolean isMissing; // whether the table was missing when it was last looked for

    /** declaredLocation, uuid, version: of the table in the folder; null, null and 0 if there is none. */
    public AttachedTable(String folder, FileIO io, String declaredLocation, String uuid, int version) {
      this.folder = folder;
      this.io = io;
      this.declaredLocation = declaredLocation;
      this.uuid = uuid;
      this.version = version;
    }

    synchronized void update(int newer, String id) {
      version = Math.max(version, newer);
      uuid = id;
      isMissing = false;
    }

    synchronized void probe() throws Exception {
      if (!isProbed) NewFile.probe(io, folder + "/metadata");
      isProbed = true;
    }
  }

  private final AttachedTable attached; // null for a name that no table is attached under
  private final boolean isUncommitted; // whether `current` is metadata that is not committed yet
  private TableMetadata current;
  private int version;
  private boolean isFresh;

  public FolderTable(AttachedTable attached) { this(attached, null); }

  private FolderTable(AttachedTable attached, TableMetadata uncommitted) {
    this.attached = attached;
    this.current = uncommitted;
    this.isUncommitted = uncommitted != null;
  }

  public TableMetadata current() { return isFresh || isUncommitted ? current : refresh(); }

  public TableMetadata refresh() {
    if (attached == null || isUncommitted) return current;
    int newest = Math.max(attached.version, hint());
    String file = newest == 0 ? null : file(newest);
    for (String next = file(newest + 1); next != null; next = file(newest + 1)) {
      newest++;
      file = next;
    }
    isFresh = true;
    if (newest == 0) return null;
    if (file == null) {
      // Not null, which would let CREATE TABLE begin again at version 1.
      attached.isMissing = true;
      throw new NoSuchTableException("the table in `%s` no longer has version %s of its metadata: it was dropped, or "
          + "created again; attach it again, or create it with ENGINE = Iceberg...",
        attached.folder, newest);
    }
    if (current == null || newest != version) {
      TableMetadata read = TableMetadataParser.read(attached.io, file);
      if (attached.uuid != null && !attached.uuid.equals(read.uuid()))
        throw new ValidationException(
          "the table in `%s` is not the one that was attached; attach it again", attached.folder);
      if (attached.declaredLocation != null && !attached.declaredLocation.equals(read.location()))
        throw new ValidationException(
          "the metadata of the table in `%s` states the location `%s`", attached.folder, read.location());
      current = read;
      version = newest;
    }
    attached.update(newest, current.uuid());
    return current;
  }

  public void commit(TableMetadata base, TableMetadata metadata) {
    if (attached == null || isUncommitted) throw new UnsupportedOperationException("there is no table to commit to");
    if (base != current())
      throw new CommitFailedException("another writer has changed the table in `%s`", attached.folder);
    if (base == metadata) return;
    String location = attached.declaredLocation == null ? attached.folder : attached.declaredLocation;
    if (!location.equals(metadata.location()))
      throw new ValidationException("a table that is attached by its path stays there: the location is `%s`", location);
    refuse(metadata, "write.metadata.path");
    String codec = (String) metadata.properties().get("write.metadata.compression-codec");
    if (codec != null && !codec.equalsIgnoreCase("none")) refuse(metadata, "write.metadata.compression-codec");
    for (String property : LOCATION_PROPERTIES) refuseOutside(location, property, base, metadata);
    int next = version + 1;
    String file = file(next, ENDINGS[0]);
    commit(file, TableMetadataParser.toJson(metadata).getBytes(StandardCharsets.UTF_8));
    isFresh = false;
    if (version > 0 && file(version) == null) {
      // Older versions go after many commits: those are newer than what this one is based on.
      attached.io.deleteFile(file);
      throw new CommitFailedException("other writers have changed the table in `%s`", attached.folder);
    }
    attached.update(next, metadata.uuid());
    writeHint(next);
    RemovedMetadata.delete(attached.io, base, metadata);
  }

  private static void refuse(TableMetadata metadata, String property) {
    if (metadata.properties().containsKey(property))
      throw new ValidationException("a table attached by its path cannot have the property `%s`: other writers would "
          + "look for the next version under another name; nothing was committed",
        property);
  }

  /** What was there when the table was attached has been checked then. */
  private static void refuseOutside(String location, String property, TableMetadata base, TableMetadata metadata) {
    String path = (String) metadata.properties().get(property);
    if (path == null || (base != null && path.equals(base.properties().get(property)))) return;
    if (!path.startsWith(location + "/") || path.contains("/../") || path.endsWith("/.."))
      throw new ValidationException("a table attached by its path has all its files in `%s`, and `%s` would be `%s`; "
          + "nothing was committed",
        location, property, path);
  }

  private void commit(String file, byte[] content) {
    boolean created;
    try {
      attached.probe();
      for (int i = 1; i < ENDINGS.length; i++)
        if (exists(file.replace(ENDINGS[0], ENDINGS[i])))
          throw new CommitFailedException("another writer has changed the table in `%s`", attached.folder);
      created = NewFile.create(attached.io, file, content);
    } catch (CommitFailedException e) {
      throw e;
    } catch (UnsupportedOperationException e) {
      throw new UnsupportedOperationException(
        "`" + attached.folder + "` cannot be written by its path: " + e.getMessage() + "; nothing was committed", e);
    } catch (Exception e) {
      int status = Math.max(NewFile.status(e, "statusCode"), NewFile.status(e, "getStatusCode"));
      if (status >= 400 && status < 500 && status != 408 && status != 429) throw new IllegalStateException(e);
      if (isOurs(file, content, e)) return;
      throw new CommitStateUnknownException(e); // a request on its way may still arrive
    }
    // The client sends a request again if the answer is lost: then the file that is there is the first request's.
    if (!created && !isOurs(file, content, null))
      throw new CommitFailedException("another writer has changed the table in `%s`", attached.folder);
  }

  private boolean isOurs(String file, byte[] content, Exception first) {
    try {
      return NewFile.has(attached.io, file, content);
    } catch (Exception e) {
      if (first != null) e.addSuppressed(first);
      throw new CommitStateUnknownException(e);
    }
  }

  private String file(int number) {
    for (String ending : ENDINGS) {
      String file = file(number, ending);
      if (exists(file)) return file;
    }
    return null;
  }

  private boolean exists(String file) { return attached.io.newInputFile(file).exists(); }

  private String file(int number, String ending) { return metadataFileLocation("v" + number + ending); }

  /** The version in version-hint.text; 0 if it cannot be read. It may be an older one. */
  private int hint() {
    String file = metadataFileLocation("version-hint.text");
    try {
      BufferedReader lines =
        new BufferedReader(new InputStreamReader(attached.io.newInputFile(file).newStream(), StandardCharsets.UTF_8));
      try {
        int number = Integer.parseInt(lines.readLine().trim());
        return number > 0 && file(number) != null ? number : 0;
      } finally {
        lines.close();
      }
    } catch (IOException e) {
      return 0;
    } catch (RuntimeException e) {
      return 0;
    }
  }

  private void writeHint(int number) {
    try {
      OutputStream out = attached.io.newOutputFile(metadataFileLocation("version-hint.text")).createOrOverwrite();
      try {
        out.write(String.valueOf(number).getBytes(StandardCharsets.UTF_8));
      } finally {
        out.close();
      }
    } catch (IOException e) {
      // The commit is done. Readers look for newer versions than the hint's.
    } catch (RuntimeException e) {
      // As above.
    }
  }

  public FileIO io() {
    if (attached == null) throw new UnsupportedOperationException("there is no table of that name");
    return attached.io;
  }

  public String metadataFileLocation(String name) { return attached.folder + "/metadata/" + name; }

  public LocationProvider locationProvider() {
    TableMetadata metadata = current();
    return LocationProviders.locationsFor(metadata.location(), metadata.properties());
  }

  public TableOperations temp(TableMetadata uncommitted) { return new FolderTable(attached, uncommitted); }
}
