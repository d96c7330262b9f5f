package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;

/** The values of aggregates without groups over data files, of which some may be certain. */
public final class FileTotals {
  private final List<FileAggregate> aggregates;
  private final List<DataFile> files = new ArrayList<>();
  private final List<List<Object>> values = new ArrayList<>();

  public FileTotals(List<FileAggregate> aggregates) { this.aggregates = aggregates; }

  /** Adds a file. values: of the aggregates over it; null if they are not certain. */
  public void add(DataFile file, List<Object> values) {
    files.add(file);
    this.values.add(values);
  }

  public List<DataFile> files() { return files; }

  /** For each file, whether it must be read. */
  public boolean[] scanned() {
    boolean[] result = new boolean[files.size()];
    for (int i = 0; i < result.length; i++) result[i] = values.get(i) == null;
    return result;
  }

  /** The aggregates over the files that are not scanned. */
  public Object[] totals(boolean[] scanned) {
    Object[] result = new Object[aggregates.size()];
    for (int k = 0; k < result.length; k++) {
      FileAggregate a = (FileAggregate) aggregates.get(k);
      Object state = a.empty();
      for (int i = 0; i < scanned.length; i++)
        if (!scanned[i]) state = a.with(state, ((List<Object>) values.get(i)).get(k));
      result[k] = a.result(state);
    }
    return result;
  }
}
