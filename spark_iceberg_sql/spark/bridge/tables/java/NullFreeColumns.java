package sparkicebergsql;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.io.CloseableIterable;

/** The columns without a null in a table's current snapshot, by the counts of its data files; no file is opened. */
public class NullFreeColumns {
  /** Their field ids, with commas; none for an empty table. */
  public String of(Table table) throws Exception {
    Set<Integer> ids = null;
    CloseableIterable<FileScanTask> tasks = ((TableScan) table.newScan().includeColumnStats()).planFiles();
    try {
      for (Object task : tasks) {
        Map<Integer, Long> nulls = ((DataFile) ((FileScanTask) task).file()).nullValueCounts();
        Set<Integer> nullFree = new HashSet<>();
        for (Object entry : nulls == null ? new HashSet<>() : nulls.entrySet()) {
          if (Long.valueOf(0).equals(((Map.Entry) entry).getValue())) {
            nullFree.add((Integer) ((Map.Entry) entry).getKey());
          }
        }
        if (ids == null) ids = nullFree;
        else ids.retainAll(nullFree);
        if (ids.isEmpty()) break;
      }
    } finally {
      tasks.close();
    }
    StringBuilder text = new StringBuilder();
    for (Object id : ids == null ? new HashSet<>() : ids) text.append(text.length() == 0 ? "" : ",").append(id);
    return text.toString();
  }
}
