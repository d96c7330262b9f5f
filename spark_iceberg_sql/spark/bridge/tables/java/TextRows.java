package sparkicebergsql;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.iceberg.CombinedScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;

/** Reads the rows of a TextScan on executors, with Iceberg's generic reader. */
public class TextRows implements PartitionReaderFactory {
  private static final long serialVersionUID = 1L;
  private final Object reader; // of a class that is not public
  private final Schema schema;
  private final int count;

  /** reader: Iceberg's GenericReader. schema: what it reads. count: the number of columns that Spark gets. */
  public TextRows(Object reader, Schema schema, int count) {
    this.reader = reader;
    this.schema = schema;
    this.count = count;
  }

  /** The files, or parts of files, that one task reads. */
  public static class Partition implements InputPartition {
    private static final long serialVersionUID = 1L;
    final CombinedScanTask task;

    public Partition(CombinedScanTask task) { this.task = task; }
  }

  /** The rows of one task. */
  private static class Rows implements PartitionReader<InternalRow> {
    private final CloseableIterable<?> records;
    private final CloseableIterator<?> iterator;
    private final Schema schema;
    private final int count;

    Rows(CloseableIterable<?> records, Schema schema, int count) {
      this.records = records;
      this.iterator = records.iterator();
      this.schema = schema;
      this.count = count;
    }

    @Override
    public boolean next() {
      return iterator.hasNext();
    }

    @Override
    public InternalRow get() {
      return TextValues.row(schema.asStruct(), (StructLike) iterator.next(), count);
    }

    @Override
    public void close() throws IOException {
      iterator.close();
      records.close();
    }
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    try {
      Method open = reader.getClass().getMethod("open", CombinedScanTask.class);
      open.setAccessible(true);
      Object records = open.invoke(reader, ((Partition) partition).task);
      return new Rows((CloseableIterable<?>) records, schema, count);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException) throw (RuntimeException) e.getCause();
      throw new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
