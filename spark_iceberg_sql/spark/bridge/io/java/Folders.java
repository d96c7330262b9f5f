package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The direct content of a folder, as the JSON of a FolderContent. */
public class Folders {
  /** For a Hadoop file system. */
  public String hadoop(FileSystem system, String folder) throws Exception {
    FolderContent content = new FolderContent();
    content.folders = new ArrayList<>();
    content.files = new ArrayList<>();
    for (FileStatus status : system.listStatus(new Path(folder)))
      (status.isDirectory() ? content.folders : content.files).add(status.getPath().getName());
    return new ObjectMapper().writeValueAsString(content);
  }
}
