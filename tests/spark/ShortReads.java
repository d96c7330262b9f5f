package sparkicebergsql.tests;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** The local files as a store over the network gives them: a read returns fewer bytes than it is asked for. */
public final class ShortReads extends RawLocalFileSystem {
  /** In bytes: of one read. */
  private static final int LONGEST = 4096;

  @Override
  public String getScheme() {
    return "short";
  }

  @Override
  public URI getUri() {
    return URI.create("short:///");
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return new FSDataInputStream(new Short(super.open(path, bufferSize)));
  }

  private static final class Short extends FSInputStream {
    private final FSDataInputStream file;

    Short(FSDataInputStream file) { this.file = file; }

    @Override
    public void seek(long position) throws IOException {
      file.seek(position);
    }

    @Override
    public long getPos() throws IOException {
      return file.getPos();
    }

    @Override
    public boolean seekToNewSource(long position) {
      return false;
    }

    @Override
    public int read() throws IOException {
      return file.read();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      return file.read(into, offset, Math.min(length, LONGEST));
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
