package sparkicebergsql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.spark.sql.catalyst.expressions.Expression;

/**
 * The files that may hold the first rows of an order, by a threshold: so many rows are surely not after it that no row
 * after it is among the first.
 *
 * <p>Invariant: a file counts only with rows that the filter surely accepts, whose key is surely not null, and surely
 * not after the threshold.
 */
public final class FirstRows {
  /** How many thresholds are tried: near a DST transition one may not be certain. */
  private static final int TRIALS = 4;
  private final SnapshotFiles files;
  private final SortKey key;
  private final boolean isDescending, nullsFirst;
  private final List<KeyedFile> keyed = new ArrayList<>();
  private long nullRows;

  /** A file's part of the order. */
  private static final class KeyedFile {
    final ColumnBounds bounds;
    /** The keys of the two bounds, in the order; null if unknown. */
    Object first, last;
    /** Rows that surely count, with a key and without. */
    long rows, nullRows;
    /** Whether all its rows have a key. */
    boolean hasNoNulls;

    KeyedFile(ColumnBounds bounds) { this.bounds = bounds; }
  }

  public FirstRows(SnapshotFiles files, SortKey key, boolean isDescending, boolean nullsFirst) {
    this.files = files;
    this.key = key;
    this.isDescending = isDescending;
    this.nullsFirst = nullsFirst;
  }

  /** The condition that the first n rows satisfy; null if it excludes no file. */
  public Expression condition(long n, FileTruth filter, List<FileScanTask> tasks) {
    for (FileScanTask task : tasks) keyed.add(keyedFile(task, filter));
    List<ColumnBounds> bounds = new ArrayList<>();
    for (KeyedFile file : keyed) bounds.add(file.bounds);
    if (!ColumnBounds.areReliable(files, key.column, tasks, bounds)) return null;
    if (nullsFirst && nullRows >= n) return excludes(null) ? condition(null) : null;
    long needed = nullsFirst ? n - nullRows : n, rows = 0;
    List<KeyedFile> counted = new ArrayList<>();
    for (KeyedFile file : keyed)
      if (file.rows > 0) counted.add(file);
    Collections.sort(counted, new Comparator<Object>() {
      @Override
      public int compare(Object a, Object b) {
        return order(((KeyedFile) a).last, ((KeyedFile) b).last);
      }
    });
    int trials = 0;
    Object tried = null;
    for (KeyedFile file : counted) {
      rows += file.rows;
      if (rows < needed || tried != null && order(tried, file.last) == 0) continue;
      if (!excludes(file.last) || trials++ == TRIALS) return null;
      tried = file.last;
      if (isCertain(tried, needed, counted)) return condition(tried);
    }
    return null;
  }

  private KeyedFile keyedFile(FileScanTask task, FileTruth filter) {
    DataFile file = (DataFile) task.file();
    KeyedFile result = new KeyedFile(ColumnBounds.of(files, file, key.field));
    Long nulls = result.bounds.nulls;
    result.hasNoNulls = nulls != null && nulls.longValue() == 0;
    if (result.bounds.lower != null && result.bounds.upper != null) {
      Object lower = key.value(result.bounds.lower), upper = key.value(result.bounds.upper);
      boolean isInOrder = lower != null && upper != null && order(lower, upper) <= 0;
      if (lower != null && upper != null) {
        result.first = isInOrder ? lower : upper;
        result.last = isInOrder ? upper : lower;
      }
    }
    if (nulls == null || !filter.isTrueFor(file)) return result;
    long rows = SnapshotFiles.rows(task);
    if (result.last != null) result.rows = Math.max(0, rows - nulls.longValue());
    result.nullRows = Math.max(0, nulls.longValue() - (file.recordCount() - rows));
    nullRows += result.nullRows;
    return result;
  }

  /** Below 0 if a comes before b. */
  private int order(Object a, Object b) {
    int c = ImpliedRanges.compare(a, b);
    return isDescending ? -c : c;
  }

  /** Whether some file has no row with a key that is not after a value, and none without a key that counts. */
  private boolean excludes(Object value) {
    for (KeyedFile file : keyed) {
      if (nullsFirst && !file.hasNoNulls) continue;
      if (value == null || file.bounds.isAllNull || file.first != null && order(file.first, value) > 0) return true;
    }
    return false;
  }

  /** Whether enough rows are not after a value: for expressions that are not in order everywhere. */
  private boolean isCertain(Object value, long needed, List<KeyedFile> counted) {
    if (key.isOrdered()) return true;
    Intervals later = key.later(value, isDescending);
    if (later == null) return false;
    long rows = 0;
    for (KeyedFile file : counted) {
      long lower = ((Number) file.bounds.lower).longValue(), upper = ((Number) file.bounds.upper).longValue();
      if (upper < Long.MAX_VALUE && later.intersect(Intervals.of(lower, upper + 1)).size() == 0) rows += file.rows;
    }
    return rows >= needed;
  }

  private Expression condition(Object value) { return key.notAfter(value, isDescending, nullsFirst, files.layout); }
}
