package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.iceberg.io.FileInfo;

/**
 * The files of a folder whose names match a pattern, as the JSON of ListedFile entries. A call from Python per file
 * would cost more than the listing.
 */
public class Listing {
  /** The files directly in a folder of a Hadoop file system, or with `below` also those in its subfolders. */
  public String hadoop(FileSystem system, String folder, boolean below, String names) throws Exception {
    Pattern pattern = Pattern.compile(names, Pattern.CASE_INSENSITIVE);
    List<ListedFile> listed = new ArrayList<>();
    RemoteIterator<? extends FileStatus> files =
      below ? system.listFiles(new Path(folder), true) : system.listStatusIterator(new Path(folder));
    while (files.hasNext()) {
      FileStatus file = (FileStatus) files.next();
      if (file.isFile() && pattern.matcher(file.getPath().getName()).find())
        listed.add(row(file.getPath().toString(), file.getLen(), file.getModificationTime()));
    }
    return new ObjectMapper().writeValueAsString(listed);
  }

  /** The files that Iceberg's own FileIO lists under a prefix. */
  public String prefixed(Iterable<FileInfo> listing, String names) throws Exception {
    Pattern pattern = Pattern.compile(names, Pattern.CASE_INSENSITIVE);
    List<ListedFile> listed = new ArrayList<>();
    for (FileInfo file : listing) {
      if (pattern.matcher(file.location()).find())
        listed.add(row(file.location(), file.size(), file.createdAtMillis()));
    }
    return new ObjectMapper().writeValueAsString(listed);
  }

  private static ListedFile row(String location, long size, long modifiedMs) {
    ListedFile file = new ListedFile();
    file.location = location;
    file.size = Long.valueOf(size);
    file.modifiedMs = Long.valueOf(modifiedMs);
    return file;
  }
}
