package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.actions.RewriteDataFiles;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.spark.actions.SparkActions;
import org.apache.spark.sql.SparkSession;

/**
 * A table as Iceberg's rewrite of data files sees it: with the files of other specs than the current one alone, and of
 * these with at most so many bytes, partition by partition. It commits to the table itself.
 */
public class FilesOfOtherSpecs {
  /** The files that are in other specs, as a PendingFiles in JSON. stepBytes: of one step; a larger file is one alone. */
  public String pending(BaseTable table, long stepBytes) throws Exception {
    List<FileScanTask> tasks = tasks(table.newScan().planFiles(), table.spec().specId());
    PendingFiles pending = new PendingFiles();
    long bytes = 0, steps = 0;
    List<FileScanTask> remaining = tasks;
    while (!remaining.isEmpty()) {
      remaining = remaining.subList(step(remaining, stepBytes).size(), remaining.size());
      steps++;
    }
    for (FileScanTask task : tasks) bytes += ((DataFile) task.file()).fileSizeInBytes();
    pending.files = Long.valueOf(tasks.size());
    pending.bytes = Long.valueOf(bytes);
    pending.steps = Long.valueOf(steps);
    return new ObjectMapper().writeValueAsString(pending);
  }

  /** Rewrites the files of one step into the current spec, in a commit. Returns how many were rewritten, and added. */
  public long[] rewrite(SparkSession session, BaseTable table, long stepBytes) {
    RewriteDataFiles action = SparkActions.get(session).rewriteDataFiles(new StepTable(table, stepBytes));
    RewriteDataFiles.Result result =
      (RewriteDataFiles.Result) ((RewriteDataFiles) action.options(Map.of("rewrite-all", "true"))).execute();
    return new long[] {result.rewrittenDataFilesCount(), result.addedDataFilesCount()};
  }

  /** The scans of files in other specs, by spec and partition. */
  private static List<FileScanTask> tasks(CloseableIterable<?> files, int specId) throws Exception {
    List<FileScanTask> tasks = new ArrayList<>();
    try {
      for (Object file : files)
        if (((FileScanTask) file).spec().specId() != specId) tasks.add((FileScanTask) file);
    } finally {
      files.close();
    }
    Collections.sort(tasks, new Comparator<Object>() {
      @Override
      public int compare(Object a, Object b) {
        return key((FileScanTask) a).compareTo(key((FileScanTask) b));
      }
    });
    return tasks;
  }

  private static String key(FileScanTask task) {
    DataFile file = (DataFile) task.file();
    return String.format("%09d ", new Object[] {Integer.valueOf(file.specId())})
      + task.spec().partitionToPath(file.partition()) + " " + FileAddress.of(file);
  }

  private static List<FileScanTask> step(List<FileScanTask> tasks, long stepBytes) {
    long bytes = 0;
    int count = 0;
    for (FileScanTask task : tasks) {
      bytes += ((DataFile) task.file()).fileSizeInBytes();
      if (count > 0 && bytes > stepBytes) break;
      count++;
    }
    return tasks.subList(0, count);
  }

  /** A table whose scans plan the files of one step. */
  private static final class StepTable extends BaseTable {
    private static final long serialVersionUID = 1L;
    private final long stepBytes;

    StepTable(BaseTable table, long stepBytes) {
      super(table.operations(), table.name());
      this.stepBytes = stepBytes;
    }

    @Override
    public TableScan newScan() {
      return (TableScan) StepScan.of(super.newScan(), spec().specId(), stepBytes);
    }
  }

  /** A scan, and those that its methods return, with the files of one step alone. */
  private static final class StepScan implements InvocationHandler {
    private final TableScan scan;
    private final int specId;
    private final long stepBytes;

    private StepScan(TableScan scan, int specId, long stepBytes) {
      this.scan = scan;
      this.specId = specId;
      this.stepBytes = stepBytes;
    }

    static Object of(TableScan scan, int specId, long stepBytes) {
      return Delegation.of(
        TableScan.class.getClassLoader(), Set.of(TableScan.class), new StepScan(scan, specId, stepBytes));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
      Object result = Delegation.pass(scan, method, arguments);
      if (method.getName().equals("planFiles"))
        return CloseableIterable.withNoopClose(step(tasks((CloseableIterable<?>) result, specId), stepBytes));
      return result instanceof TableScan ? of((TableScan) result, specId, stepBytes) : result;
    }
  }
}
