package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.actions.BinPackRewriteFilePlanner;
import org.apache.iceberg.actions.RewriteFileGroup;

/** The groups of data files that rewrite_data_files would each rewrite together, by Iceberg's own planning. */
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
    BinPackRewriteFilePlanner planner = new BinPackRewriteFilePlanner(table);
    Map<String, String> valid = new HashMap<>(options);
    valid.keySet().retainAll(planner.validOptions());
    planner.init(valid);
    List<Group> groups = new ArrayList<>();
    for (Iterator<?> i = planner.plan().groups().iterator(); i.hasNext();) {
      RewriteFileGroup group = (RewriteFileGroup) i.next();
      groups.add(new Group(group.fileScanTasks(), group.inputSplitSize()));
    }
    return groups;
  }
}
