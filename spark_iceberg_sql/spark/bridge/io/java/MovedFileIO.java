package sparkicebergsql;

import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.IcebergBuild;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.hadoop.HadoopConfigurable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.util.SerializableSupplier;

/**
 * Opens the files of a table that was moved or copied: an address with the old prefix is opened in the new folder, any
 * other unchanged. Iceberg itself still sees the addresses in the table's metadata, so everything that compares them
 * (the rows of position deletes, the file that a deletion vector belongs to) works as in the original. Read-only.
 * Executors load this class from a jar that the driver distributes.
 */
public class MovedFileIO implements FileIO, HadoopConfigurable {
  private static final long serialVersionUID = 1L;
  private final FileIO io;
  private final String old;
  private final String folder;
  private final String allowed;
  private final boolean byLocation;
  private transient Pattern pattern, permitted;

  /**
   * io: opens files. old: a pattern of the address prefixes to map. folder: replaces the prefix. allowed: a pattern of
   * the current addresses, with a slash at the end, that it opens; null for all.
   */
  public MovedFileIO(FileIO io, String old, String folder, String allowed) {
    this.io = io;
    this.old = old;
    this.folder = folder;
    this.allowed = allowed;
    Matcher version = Pattern.compile("1\\.(\\d+)\\..*").matcher(IcebergBuild.version());
    this.byLocation = !version.matches() || Integer.parseInt(version.group(1)) < 12;
  }

  /** The current address of a file. */
  public String current(String address) {
    Pattern compiled = pattern;
    if (compiled == null) {
      compiled = Pattern.compile(old);
      pattern = compiled;
    }
    Matcher prefix = compiled.matcher(address);
    return prefix.lookingAt() ? folder + address.substring(prefix.end()) : address;
  }

  /** The current address of a file that may be opened. */
  private String opened(String address) {
    String current = current(address);
    if (allowed == null) return current;
    Pattern compiled = permitted;
    if (compiled == null) {
      compiled = Pattern.compile(allowed);
      permitted = compiled;
    }
    if (compiled.matcher(current + "/").lookingAt()) return current;
    throw new ForbiddenException("`%s` is outside the locations that this Spark application allows; they are in its "
        + "setting spark.iceberg_sql.allowed_locations",
      new Object[] {current});
  }

  public InputFile newInputFile(String address) { return underAddress(address, io.newInputFile(opened(address))); }

  public InputFile newInputFile(String address, long length) {
    return underAddress(address, io.newInputFile(opened(address), length));
  }

  /** Before Iceberg 1.12, its readers find a file that they have opened by the file's own location. */
  private InputFile underAddress(String address, InputFile file) {
    return byLocation && !address.equals(file.location()) ? new FileUnderAddress(address, file) : file;
  }

  /** A file that goes by its address in the table's metadata. */
  private static class FileUnderAddress implements InputFile {
    private final String address;
    private final InputFile file;

    FileUnderAddress(String address, InputFile file) {
      this.address = address;
      this.file = file;
    }

    public long getLength() { return file.getLength(); }

    public SeekableInputStream newStream() { return file.newStream(); }

    public String location() { return address; }

    public boolean exists() { return file.exists(); }
  }

  public OutputFile newOutputFile(String address) { throw readOnly(address); }

  public void deleteFile(String address) { throw readOnly(address); }

  private static UnsupportedOperationException readOnly(String address) {
    return new UnsupportedOperationException("A moved table is read-only: " + address);
  }

  public Map<String, String> properties() { return io.properties(); }

  public void initialize(Map<String, String> properties) {}

  public void close() {}

  // Iceberg ships Hadoop's configuration to executors in its own way.

  public void serializeConfWith(Function<Configuration, SerializableSupplier<Configuration>> serializer) {
    if (io instanceof HadoopConfigurable) ((HadoopConfigurable) io).serializeConfWith(serializer);
  }

  public void setConf(Configuration conf) {
    if (io instanceof HadoopConfigurable) ((HadoopConfigurable) io).setConf(conf);
  }

  public Configuration getConf() {
    return io instanceof HadoopConfigurable ? ((HadoopConfigurable) io).getConf() : null;
  }
}
