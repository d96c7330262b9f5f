package sparkicebergsql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.actions.SizeBasedDataRewriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.StructLikeMap;

/**
 * The groups of data files that rewrite_data_files would each rewrite together; before Iceberg 1.9, where the action
 * itself groups the files by partition and its rewriter plans each partition.
 */
public final class RewriteGroups {
  private RewriteGroups() {}

  /** A group. splitSize: in bytes, of the tasks that read it. */
  public static class Group {
    public final List<FileScanTask> tasks;
    public final long splitSize;

    Group(List<FileScanTask> tasks, long splitSize) {
      this.tasks = tasks;
      this.splitSize = splitSize;
    }
  }

  /** The groups of a call with options, of which those of the action alone do not count. */
  public static List<Group> of(Table table, Map<String, String> options) {
    Planner planner = new Planner(table);
    Map<String, String> valid = new HashMap<>(options);
    valid.keySet().retainAll(planner.validOptions());
    planner.init(valid);
    List<Group> groups = new ArrayList<>();
    for (Object partition : byPartition(table).values())
      for (Object tasks : planner.planFileGroups((List<FileScanTask>) partition))
        groups.add(planner.group((List<FileScanTask>) tasks));
    return groups;
  }

  /** The files of all older specs are rewritten together: their partitions say nothing of the current one's. */
  private static StructLikeMap<List<FileScanTask>> byPartition(Table table) {
    PartitionSpec spec = table.spec();
    StructLikeMap<List<FileScanTask>> partitions = StructLikeMap.create(spec.partitionType());
    StructLike other = org.apache.iceberg.data.GenericRecord.create(spec.partitionType());
    CloseableIterable<FileScanTask> tasks = ((TableScan) table.newScan().ignoreResiduals()).planFiles();
    try {
      for (Object element : tasks) {
        FileScanTask task = (FileScanTask) element;
        DataFile file = (DataFile) task.file();
        StructLike key = file.specId() == spec.specId() ? file.partition() : other;
        List<FileScanTask> group = (List<FileScanTask>) partitions.get(key);
        if (group == null) {
          group = new ArrayList<FileScanTask>();
          partitions.put(key, group);
        }
        group.add(task);
      }
    } finally {
      try {
        tasks.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return partitions;
  }

  /** Iceberg's planning, without a rewrite. */
  static class Planner extends SizeBasedDataRewriter {
    Planner(Table table) { super(table); }

    public String description() { return "plan"; }

    public Set<DataFile> rewrite(List<FileScanTask> group) { throw new UnsupportedOperationException("only plans"); }

    Group group(List<FileScanTask> tasks) { return new Group(tasks, splitSize(inputSize(tasks))); }
  }
}
