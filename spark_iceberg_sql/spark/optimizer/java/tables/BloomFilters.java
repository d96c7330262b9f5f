package sparkicebergsql;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.Table;
import org.apache.iceberg.shaded.org.apache.parquet.ParquetReadOptions;
import org.apache.iceberg.shaded.org.apache.parquet.column.Encoding;
import org.apache.iceberg.shaded.org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter;
import org.apache.iceberg.shaded.org.apache.parquet.column.values.bloomfilter.BloomFilter;
import org.apache.iceberg.shaded.org.apache.parquet.format.Util;
import org.apache.iceberg.shaded.org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.iceberg.shaded.org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.iceberg.shaded.org.apache.parquet.io.SeekableInputStream;
import org.apache.iceberg.shaded.org.apache.parquet.schema.MessageType;
import org.apache.iceberg.shaded.org.apache.parquet.schema.PrimitiveType;
import org.apache.iceberg.shaded.org.apache.parquet.schema.Type;
import org.apache.iceberg.shaded.org.apache.parquet.schema.Types;

/**
 * Whether Iceberg's Parquet reader skips row groups by a Bloom filter that it has read in part.
 *
 * <p>Where a file does not state the filter's length, as those of Iceberg before 1.8, of Spark and of Trino, the reader
 * of Iceberg 1.8 and 1.9 takes what one read() returns for all of it, and the rest for zeros: values in the file are
 * not found. A store over the network returns less than it is asked for.
 */
public final class BloomFilters {
  private static final String PROPERTY = "write.parquet.bloom-filter-enabled.column.";
  /** In bytes: of the filter that is tried, and of what one read() returns of it. */
  private static final int SIZE = 1024, READ = 16;
  /** Whether this Iceberg does. */
  public static final boolean ARE_CUT = areCut();

  private BloomFilters() {}

  /** Whether a table's files may have filters that are read in part: it has the property for one, or imported files. */
  public static boolean mayBeCut(Table table) {
    if (!ARE_CUT) return false;
    for (Object key : table.properties().keySet())
      if (((String) key).startsWith(PROPERTY) || key.equals(ParquetTimes.MAPPING)) return true;
    return false;
  }

  /** Reads a filter of this JVM's Parquet from a stream that returns a few bytes at a time. */
  private static boolean areCut() {
    try {
      BlockSplitBloomFilter written = new BlockSplitBloomFilter(SIZE);
      for (long value = 0; value < SIZE; value++) written.insertHash(written.hash(value));
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      Util.writeBloomFilterHeader(ParquetMetadataConverter.toBloomFilterHeader(written), bytes);
      written.writeTo(bytes);
      PrimitiveType x = (PrimitiveType) Types.required(PrimitiveType.PrimitiveTypeName.INT64).named("x");
      ColumnChunkMetaData column = ColumnChunkMetaData.get(ColumnPath.get(new String[] {"x"}), x,
        CompressionCodecName.UNCOMPRESSED, null, Set.of(Encoding.PLAIN), null, 4, 0, 1, 8, 8);
      column.setBloomFilterOffset(0);
      BlockMetaData rows = new BlockMetaData();
      rows.addColumn(column);
      Map<String, String> metadata = new HashMap<>();
      FileMetaData file = new FileMetaData(new MessageType("m", new Type[] {x}), metadata, "");
      // Of the path, only the status is read.
      Object[] arguments = {new Configuration(false), new Path("file:///"), new ParquetMetadata(file, List.of(rows)),
        ParquetReadOptions.builder().build(), new Short(bytes.toByteArray())};
      Class<?>[] types = {
        Configuration.class, Path.class, ParquetMetadata.class, ParquetReadOptions.class, SeekableInputStream.class};
      ParquetFileReader reader =
        (ParquetFileReader) ParquetFileReader.class.getConstructor(types).newInstance(arguments);
      BloomFilter read = reader.readBloomFilter(column);
      reader.close();
      for (long value = 0; value < SIZE; value++)
        if (!read.findHash(read.hash(value))) return true;
      return false;
    } catch (NoSuchMethodException e) {
      return false; // older than the fault
    } catch (ReflectiveOperationException e) {
      return true;
    } catch (IOException e) {
      return true;
    } catch (RuntimeException e) {
      return true;
    }
  }

  /** A stream of bytes in a store that returns few of them at a time. */
  private static final class Short extends DelegatingSeekableInputStream {
    private final PartialReads bytes;

    Short(byte[] bytes) { this(new PartialReads(bytes)); }

    private Short(PartialReads bytes) {
      super(bytes);
      this.bytes = bytes;
    }

    @Override
    public long getPos() {
      return bytes.position();
    }

    @Override
    public void seek(long position) {
      bytes.seek(position);
    }
  }

  private static final class PartialReads extends ByteArrayInputStream {
    PartialReads(byte[] bytes) { super(bytes); }

    long position() { return pos; }

    void seek(long position) { pos = (int) position; }

    @Override
    public synchronized int read(byte[] into, int offset, int length) {
      return super.read(into, offset, Math.min(length, READ));
    }
  }
}
