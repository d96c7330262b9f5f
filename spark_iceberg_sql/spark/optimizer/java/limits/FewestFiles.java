package sparkicebergsql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.*;

/**
 * The range of a column that the fewest files overlap, of those whose files surely hold so many rows in it.
 *
 * <p>Invariant: a file counts only with rows that the filter surely accepts and that are surely in the range.
 */
public final class FewestFiles {
  private final Expression column;
  /** With both bounds, by their lower bound. */
  private final List<BoundedFile> files = new ArrayList<>();
  private final Object[] lowers, uppers;
  /** Files that are read whatever the range. */
  private final int unbounded;
  private Object lower, upper;
  /** The number of files to read; the greatest int if there is no range. */
  public int count = Integer.MAX_VALUE;

  /** A file with both bounds. */
  private static final class BoundedFile {
    final Object lower, upper;
    final long rows;

    BoundedFile(ColumnBounds bounds, long rows) {
      lower = bounds.lower;
      upper = bounds.upper;
      this.rows = rows;
    }
  }

  /** rows: the number of rows of each file that the filter surely accepts. */
  public FewestFiles(SnapshotFiles snapshot, Expression column, Types.NestedField field, List<FileScanTask> tasks,
    long[] rows, long needed) {
    this.column = column;
    List<ColumnBounds> bounds = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      ColumnBounds b = ColumnBounds.of(snapshot, (DataFile) ((FileScanTask) tasks.get(i)).file(), field);
      bounds.add(b);
      if (b.lower == null || b.upper == null) continue;
      files.add(new BoundedFile(b, b.nulls == null ? 0 : Math.max(0, rows[i] - b.nulls.longValue())));
    }
    unbounded = tasks.size() - files.size();
    Collections.sort(files, new Comparator<Object>() {
      @Override
      public int compare(Object a, Object b) {
        return ImpliedRanges.compare(((BoundedFile) a).lower, ((BoundedFile) b).lower);
      }
    });
    lowers = new Object[files.size()];
    uppers = new Object[files.size()];
    for (int i = 0; i < lowers.length; i++) {
      lowers[i] = file(i).lower;
      uppers[i] = file(i).upper;
    }
    Arrays.sort(uppers);
    if (ColumnBounds.areReliable(snapshot, column, tasks, bounds)) search(needed);
  }

  private BoundedFile file(int i) { return (BoundedFile) files.get(i); }

  /** Tries the shortest run of files from each one on. */
  private void search(long needed) {
    Deque<Integer> greatest = new ArrayDeque<>(); // of the run: indexes of falling upper bounds
    long rows = 0;
    for (int start = 0, end = 0; start < files.size(); start++) {
      while (end < files.size() && rows < needed) {
        while (
          !greatest.isEmpty() && compare(file(((Integer) greatest.getLast()).intValue()).upper, file(end).upper) <= 0)
          greatest.removeLast();
        greatest.addLast(Integer.valueOf(end));
        rows += file(end++).rows;
      }
      if (rows < needed) return;
      int top = ((Integer) greatest.getFirst()).intValue();
      consider(file(start).lower, file(top).upper);
      if (top == start) greatest.removeFirst();
      rows -= file(start).rows;
    }
  }

  private void consider(Object from, Object to) {
    int overlapping = below(lowers, to, true) - below(uppers, from, false) + unbounded;
    if (overlapping >= count) return;
    count = overlapping;
    lower = from;
    upper = to;
  }

  /** How many of the sorted values are below a value, or equal to it. */
  private static int below(Object[] sorted, Object value, boolean orEqual) {
    int from = 0, to = sorted.length;
    while (from < to) {
      int middle = (from + to) >>> 1, c = compare(sorted[middle], value);
      if (c < 0 || orEqual && c == 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  private static int compare(Object a, Object b) { return ImpliedRanges.compare(a, b); }

  /** The range as a condition. */
  public Expression condition() {
    Expression from = new GreaterThanOrEqual(column, new ImpliedLiteral(lower, column.dataType()));
    Expression range = new And(from, new LessThanOrEqual(column, new ImpliedLiteral(upper, column.dataType())));
    return column.nullable() ? new And(new IsNotNull(column), range) : range;
  }
}
