package sparkicebergsql.tests;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** Hadoop's local file system without `chmod`, which it starts for each new file if it has no native library. */
public class LocalFiles extends RawLocalFileSystem {
  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    if (permission.getStickyBit()) {
      super.setPermission(path, permission);
      return;
    }
    String rights =
      permission.getUserAction().SYMBOL + permission.getGroupAction().SYMBOL + permission.getOtherAction().SYMBOL;
    Files.setPosixFilePermissions(Paths.get(pathToFile(path).getPath()), PosixFilePermissions.fromString(rights));
  }

  /** From now on, Hadoop uses this class for `file:`. */
  public static void use(Configuration settings) throws Exception {
    FileSystem files = new LocalFileSystem(new LocalFiles());
    URI root = URI.create("file:///");
    files.initialize(root, settings);
    Method cache =
      FileSystem.class.getDeclaredMethod("addFileSystemForTesting", URI.class, Configuration.class, FileSystem.class);
    cache.setAccessible(true);
    cache.invoke(null, root, settings, files);
  }
}
