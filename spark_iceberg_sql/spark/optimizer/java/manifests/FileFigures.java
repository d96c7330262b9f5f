package sparkicebergsql;

import java.nio.ByteBuffer;
import java.util.AbstractMap;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.StructLike;

/**
 * What the rules ask of a data file: its rows, its partition, and the bounds and counts of some columns. Iceberg's own copy
 * of a file is four times as large, and takes as long as reading it.
 *
 * <p>It has no address, and so no reader can open it.
 */
public final class FileFigures implements DataFile {
  private static final int LOWER = 0, UPPER = 1, NULLS = 2, VALUES = 3, NANS = 4, FIGURES = 5;

  private final Integer[] ids;
  /** For each kind of figure, those of the columns. */
  private final Object[] figures;
  private final StructLike partition;
  private final FileFormat format;
  private final int specId;
  private final long recordCount, size;

  /** Makes them of the files of one manifest, one after the other: neighbours often have the same partition. */
  public static final class Copier {
    private final Integer[] ids;
    private StructLike last;

    /** columns: the ids of those whose figures are copied. */
    public Copier(Collection<Integer> columns) {
      ids = new Integer[columns.size()];
      int i = 0;
      for (Integer id : columns) ids[i++] = id;
    }

    /** Of a file that a reader is about to overwrite. */
    public DataFile copy(DataFile file) {
      StructLike partition = file.partition();
      if (last == null || !isSame(partition, last))
        last = partition instanceof PartitionData ? ((PartitionData) partition).copy()
                                                  : ((DataFile) file.copyWithoutStats()).partition();
      return new FileFigures(ids, file, last);
    }

    private static boolean isSame(StructLike a, StructLike b) {
      if (a.size() != b.size()) return false;
      for (int i = 0; i < a.size(); i++)
        if (!Objects.equals(a.get(i, Object.class), b.get(i, Object.class))) return false;
      return true;
    }
  }

  private FileFigures(Integer[] ids, DataFile file, StructLike partition) {
    this.ids = ids;
    this.partition = partition;
    format = file.format();
    specId = file.specId();
    recordCount = file.recordCount();
    size = file.fileSizeInBytes();
    figures = new Object[FIGURES * ids.length];
    if (ids.length == 0) return;
    copy(file.lowerBounds(), LOWER);
    copy(file.upperBounds(), UPPER);
    copy(file.nullValueCounts(), NULLS);
    copy(file.valueCounts(), VALUES);
    copy(file.nanValueCounts(), NANS);
  }

  private void copy(Map<Integer, ?> from, int kind) {
    if (from == null) return;
    for (int i = 0; i < ids.length; i++) figures[kind * ids.length + i] = from.get(ids[i]);
  }

  /** The figures of one kind, by the ids of their columns. */
  private static final class ById extends AbstractMap<Object, Object> {
    private final Integer[] ids;
    private final Object[] figures;
    private final int offset;

    ById(Integer[] ids, Object[] figures, int kind) {
      this.ids = ids;
      this.figures = figures;
      offset = kind * ids.length;
    }

    @Override
    public Object get(Object id) {
      for (int i = 0; i < ids.length; i++)
        if (ids[i].equals(id)) return figures[offset + i];
      return null;
    }

    @Override
    public boolean containsKey(Object id) {
      return get(id) != null;
    }

    @Override
    public Set<Map.Entry<Object, Object>> entrySet() {
      Set<Map.Entry<Object, Object>> entries = new LinkedHashSet<>();
      for (int i = 0; i < ids.length; i++)
        if (figures[offset + i] != null)
          entries.add(new AbstractMap.SimpleImmutableEntry<Object, Object>(ids[i], figures[offset + i]));
      return entries;
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Map<Integer, Long> counts(int kind) {
    return (Map<Integer, Long>) (Map) new ById(ids, figures, kind);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Map<Integer, ByteBuffer> bounds(int kind) {
    return (Map<Integer, ByteBuffer>) (Map) new ById(ids, figures, kind);
  }

  @Override
  public Map<Integer, ByteBuffer> lowerBounds() {
    return bounds(LOWER);
  }

  @Override
  public Map<Integer, ByteBuffer> upperBounds() {
    return bounds(UPPER);
  }

  @Override
  public Map<Integer, Long> nullValueCounts() {
    return counts(NULLS);
  }

  @Override
  public Map<Integer, Long> valueCounts() {
    return counts(VALUES);
  }

  @Override
  public Map<Integer, Long> nanValueCounts() {
    return counts(NANS);
  }

  @Override
  public StructLike partition() {
    return partition;
  }

  @Override
  public FileFormat format() {
    return format;
  }

  @Override
  public int specId() {
    return specId;
  }

  @Override
  public long recordCount() {
    return recordCount;
  }

  @Override
  public long fileSizeInBytes() {
    return size;
  }

  @Override
  public Long pos() {
    return null;
  }

  @Override
  @SuppressWarnings("deprecation")
  public CharSequence path() {
    throw new UnsupportedOperationException("only figures are known of this file");
  }

  @Override
  public Map<Integer, Long> columnSizes() {
    return null;
  }

  @Override
  public ByteBuffer keyMetadata() {
    return null;
  }

  @Override
  public List<Long> splitOffsets() {
    return null;
  }

  @Override
  public DataFile copy() {
    return this;
  }

  @Override
  public DataFile copyWithoutStats() {
    return this;
  }
}
