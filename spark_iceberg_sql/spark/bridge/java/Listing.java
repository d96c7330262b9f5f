package sparkicebergsql;

import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.iceberg.io.FileInfo;

/**
 * The files of a folder whose names match a pattern, in one string: address, size and time, each followed by a NUL,
 * which no name can contain. A call from Python per file would cost more than the listing.
 */
public class Listing {
  /** The files directly in a folder of a Hadoop file system, or with `below` also those in its subfolders. */
  public String hadoop(FileSystem system, String folder, boolean below, String names) throws Exception {
    Pattern pattern = Pattern.compile(names, Pattern.CASE_INSENSITIVE);
    StringBuilder found = new StringBuilder();
    RemoteIterator<? extends FileStatus> files =
      below ? system.listFiles(new Path(folder), true) : system.listStatusIterator(new Path(folder));
    while (files.hasNext()) {
      FileStatus file = (FileStatus) files.next();
      if (file.isFile() && pattern.matcher(file.getPath().getName()).find())
        add(found, file.getPath().toString(), file.getLen(), file.getModificationTime());
    }
    return found.toString();
  }

  /** The files that Iceberg's own FileIO lists under a prefix. */
  public String prefixed(Iterable<FileInfo> listing, String names) {
    Pattern pattern = Pattern.compile(names, Pattern.CASE_INSENSITIVE);
    StringBuilder found = new StringBuilder();
    for (FileInfo file : listing) {
      if (pattern.matcher(file.location()).find()) add(found, file.location(), file.size(), file.createdAtMillis());
    }
    return found.toString();
  }

  private static void add(StringBuilder found, String address, long size, long time) {
    found.append(address).append('\0').append(size).append('\0').append(time).append('\0');
  }
}
