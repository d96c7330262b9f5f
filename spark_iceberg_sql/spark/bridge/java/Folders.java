package sparkicebergsql;

import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** What lies directly in a folder, in one string: a name after `d` or `f`, each followed by a NUL. */
public class Folders {
  /** In a Hadoop file system. */
  public String hadoop(FileSystem system, String folder) throws Exception {
    StringBuilder found = new StringBuilder();
    for (FileStatus one : system.listStatus(new Path(folder)))
      found.append(one.isDirectory() ? 'd' : 'f').append(one.getPath().getName()).append('\0');
    return found.toString();
  }
}
