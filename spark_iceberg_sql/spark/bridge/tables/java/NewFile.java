package sparkicebergsql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.hadoop.HadoopConfigurable;
import org.apache.iceberg.io.FileIO;

/**
 * Creates a file with its content in one step, and only if there is none: of two writers of the same address, one
 * fails. By a hard link on the local disk, by HDFS's rename, and by a conditional request (If-None-Match) in S3 and
 * Azure, whose classes need not be there to compile this one.
 */
public final class NewFile {
  private static final int ATTEMPTS = 5;

  private NewFile() {}

  /** Why a file in a folder cannot be created in this way; null if it can. */
  public static String refusal(FileIO io, String folder) throws Exception {
    String ioClass = io.getClass().getSimpleName();
    if (ioClass.equals("S3FileIO") || ioClass.equals("ADLSFileIO"))
      return folder.matches("(?s).*[?#].*") ? "its name contains ? or #" : null;
    if (ioClass.equals("HadoopFileIO")) {
      String scheme = files(io, folder).getScheme();
      if (scheme.equals("file") || scheme.equals("hdfs")) return null;
      return "`" + scheme + "` has no atomic creation of files through Hadoop";
    }
    return ioClass + " has no conditional writes";
  }

  /**
   * Throws UnsupportedOperationException if an object store ignores the condition.
   *
   * <p>folder: one of the store's, which has no such file before and after.
   */
  public static void probe(FileIO io, String folder) throws Exception {
    if (io instanceof HadoopConfigurable) return;
    String address = folder + "/.conditional-write-" + UUID.randomUUID();
    byte[] content = {'\n'};
    try {
      if (!create(io, address, content) || create(io, address, content))
        throw new UnsupportedOperationException(
          "the store ignores the condition If-None-Match, so two writers would overwrite each other's commits");
    } finally {
      try {
        io.deleteFile(address);
      } catch (RuntimeException e) {
        // The keys may not allow it. The file is empty.
      }
    }
  }

  /** Whether the file was created; false if there is one already. */
  public static boolean create(FileIO io, String address, byte[] content) throws Exception {
    String ioClass = io.getClass().getSimpleName();
    if (ioClass.equals("S3FileIO")) return inS3(io, address, content);
    if (ioClass.equals("ADLSFileIO")) return inAzure(io, address, content);
    FileSystem files = files(io, address);
    if (files.getScheme().equals("file")) return onDisk(local(files, address), content);
    if (!files.getScheme().equals("hdfs")) throw new UnsupportedOperationException(refusal(io, address));
    return inHdfs(files, new Path(address), content);
  }

  /** Whether a file has this content; false if there is no such file. */
  public static boolean has(FileIO io, String address, byte[] content) throws IOException {
    InputStream in = null;
    try {
      in = io.newInputFile(address).newStream();
      byte[] stored = in.readAllBytes();
      return Arrays.equals(stored, content);
    } catch (NotFoundException e) {
      return false;
    } finally {
      if (in != null) in.close();
    }
  }

  private static FileSystem files(FileIO io, String address) throws IOException {
    Configuration conf = ((HadoopConfigurable) io).getConf();
    return new Path(address).getFileSystem(conf);
  }

  private static java.nio.file.Path local(FileSystem files, String address) {
    return Paths.get(files.makeQualified(new Path(address)).toUri().getPath());
  }

  private static boolean onDisk(java.nio.file.Path target, byte[] content) throws IOException {
    Files.createDirectories(target.getParent());
    java.nio.file.Path temporary = target.resolveSibling("." + UUID.randomUUID() + ".tmp");
    try {
      FileChannel channel = FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      try {
        ByteBuffer buffer = ByteBuffer.wrap(content);
        while (buffer.hasRemaining()) channel.write(buffer);
        channel.force(true);
      } finally {
        channel.close();
      }
      Files.createLink(target, temporary);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } catch (UnsupportedOperationException e) {
      throw noLinks(target, e);
    } catch (FileSystemException e) {
      if (Files.exists(temporary) && !Files.exists(target)) throw noLinks(target, e);
      throw e;
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  private static RuntimeException noLinks(java.nio.file.Path target, Exception cause) {
    return new UnsupportedOperationException("the file system of `" + target + "` has no hard links", cause);
  }

  private static boolean inHdfs(FileSystem files, Path target, byte[] content) throws IOException {
    Path temporary = new Path(target.getParent(), "." + UUID.randomUUID() + ".tmp");
    try {
      FSDataOutputStream out = files.create(temporary, false);
      try {
        out.write(content);
        out.hsync();
      } finally {
        out.close();
      }
      if (files.rename(temporary, target)) return true;
      if (files.exists(target)) return false;
      throw new IOException("`" + temporary + "` was not renamed to `" + target + "`");
    } finally {
      files.delete(temporary, false);
    }
  }

  private static boolean inS3(FileIO io, String address, byte[] content) throws Exception {
    String[] parts = address.split("://", 2)[1].split("/", 2);
    ClassLoader loader = io.getClass().getClassLoader();
    Class<?> requestClass = loader.loadClass("software.amazon.awssdk.services.s3.model.PutObjectRequest");
    Object request = requestClass.getMethod("builder").invoke(null);
    request = set(set(set(request, "bucket", parts[0]), "key", parts[1]), "ifNoneMatch", "*");
    request = call(request, "build", new Class<?>[0]);
    Class<?> body = loader.loadClass("software.amazon.awssdk.core.sync.RequestBody");
    Object bytes = body.getMethod("fromBytes", byte[].class).invoke(null, content);
    for (int attempt = 1;; attempt++) {
      // Iceberg closes a client that nobody uses any more, so it is asked for each time.
      Object client = call(io, "client", new Class<?>[] {String.class}, address);
      try {
        call(client, "putObject", new Class<?>[] {requestClass, body}, request, bytes);
        return true;
      } catch (RuntimeException e) {
        int status = status(e, "statusCode");
        if (status == 412) return false;
        if (status == 501)
          throw new UnsupportedOperationException("the store does not support the condition If-None-Match", e);
        if (status != 409 || attempt == ATTEMPTS) throw e; // 409: another conditional write was not yet decided
      }
    }
  }

  private static boolean inAzure(FileIO io, String address, byte[] content) throws Exception {
    ClassLoader loader = io.getClass().getClassLoader();
    Object container = call(io, "client", new Class<?>[] {String.class}, address);
    String path = address.split("://", 2)[1].split("/", 2)[1];
    Object file = call(container, "getFileClient", new Class<?>[] {String.class}, path);
    Class<?> conditions = loader.loadClass("com.azure.storage.file.datalake.models.DataLakeRequestConditions");
    Object ifAbsent = set(conditions.getConstructor().newInstance(), "setIfNoneMatch", "*");
    Class<?> optionsClass = loader.loadClass("com.azure.storage.file.datalake.options.DataLakeFileOutputStreamOptions");
    Object options = optionsClass.getConstructor().newInstance();
    call(options, "setRequestConditions", new Class<?>[] {conditions}, ifAbsent);
    try {
      OutputStream out = (OutputStream) call(file, "getOutputStream", new Class<?>[] {optionsClass}, options);
      out.write(content);
      out.close();
      return true;
    } catch (IOException e) {
      if (exists(e)) return false;
      throw e;
    } catch (RuntimeException e) {
      if (exists(e)) return false;
      throw e;
    }
  }

  private static boolean exists(Exception error) {
    int status = status(error, "getStatusCode");
    return status == 409 || status == 412;
  }

  /** The HTTP status of a store's exception, or of its cause; 0 if it has none. */
  public static int status(Throwable error, String method) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      try {
        return ((Integer) cause.getClass().getMethod(method).invoke(cause)).intValue();
      } catch (ReflectiveOperationException e) {
        // Another kind of exception.
      }
    }
    return 0;
  }

  private static Object set(Object builder, String name, String value) throws Exception {
    return call(builder, name, new Class<?>[] {String.class}, value);
  }

  /** Calls a public method, also of a class that is not public itself. */
  private static Object call(Object target, String name, Class<?>[] types, Object... values) throws Exception {
    Method method = target.getClass().getMethod(name, types);
    method.setAccessible(true);
    try {
      return method.invoke(target, values);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      if (cause instanceof RuntimeException) throw (RuntimeException) cause;
      if (cause instanceof Error) throw (Error) cause;
      throw (Exception) cause;
    }
  }
}
