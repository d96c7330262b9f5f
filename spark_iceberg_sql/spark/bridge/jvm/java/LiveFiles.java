package sparkicebergsql;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Method;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;

/**
 * The data files that a manifest states to exist, one after the other. Iceberg's reader makes a copy of each with all its
 * statistics, which takes longer than to read them; this has one object, filled again and again.
 */
public final class LiveFiles implements Closeable {
  /** The methods by which Iceberg itself reads a manifest so; null if there are none. */
  private static final Method[] REUSED = reused();

  private final ManifestReader<DataFile> reader;
  private CloseableIterable<?> entries;
  private CloseableIterator<?> iterator;

  /** @param reader with the columns and the filter that are asked for */
  public LiveFiles(ManifestReader<DataFile> reader) { this.reader = reader; }

  private static Method[] reused() {
    try {
      Method entries = ManifestReader.class.getDeclaredMethod("liveEntries", new Class<?>[0]);
      Class<?> entry = Class.forName("org.apache.iceberg.ManifestEntry", false, ManifestReader.class.getClassLoader());
      Method file = entry.getDeclaredMethod("file", new Class<?>[0]);
      entries.setAccessible(true);
      file.setAccessible(true);
      return new Method[] {entries, file};
    } catch (ReflectiveOperationException e) {
      return null;
    } catch (RuntimeException e) {
      return null; // a JVM that does not allow it
    }
  }

  /** The next file, which is good until the one after it is asked for; null after the last. */
  public DataFile next() {
    try {
      if (iterator == null) {
        entries = REUSED == null ? reader : (CloseableIterable<?>) REUSED[0].invoke(reader, new Object[0]);
        iterator = entries.iterator();
      }
      if (!iterator.hasNext()) return null;
      Object entry = iterator.next();
      return (DataFile) (REUSED == null ? entry : REUSED[1].invoke(entry, new Object[0]));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      if (iterator != null) iterator.close();
      if (entries != null) entries.close();
    } finally {
      reader.close();
    }
  }
}
