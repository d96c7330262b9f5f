package sparkicebergsql;

import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The direct content of a folder, in one string: `d` or `f` and a name, each entry followed by a NUL. */
public class Folders {
  /** For a Hadoop file system. */
  public String hadoop(FileSystem system, String folder) throws Exception {
    StringBuilder found = new StringBuilder();
    for (FileStatus one : system.listStatus(new Path(folder)))
      found.append(one.isDirectory() ? 'd' : 'f').append(one.getPath().getName()).append('\0');
    return found.toString();
  }
}
