package sparkicebergsql;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import org.apache.iceberg.BaseFileScanTask;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.InclusiveMetricsEvaluator;
import org.apache.iceberg.expressions.ManifestEvaluator;
import org.apache.iceberg.expressions.Projections;
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.util.SnapshotUtil;

/**
 * One pass over the manifests of a snapshot without delete files, in parallel, with no more of each file than a rule
 * asks for: Iceberg's own planning reads six maps of statistics for one bound, and makes a task of each file. Manifests
 * that have just been read for their check are not read again.
 */
public final class ManifestPass {
  private static final List<String> BASE = List.of("file_format", "partition", "record_count", "file_size_in_bytes");
  private static final List<String> BOUNDS = List.of("null_value_counts", "lower_bounds", "upper_bounds");
  /** What Iceberg needs besides to decide a filter. */
  private static final List<String> COUNTS = List.of("value_counts", "nan_value_counts");
  private static final String LOCAL_SCAN = "org.apache.iceberg.DataTableScan";
  private static final DeleteFile[] NO_DELETES = {};
  /** Of all that the rules have read in this JVM. */
  private static final LongAdder MANIFESTS = new LongAdder(), FILES = new LongAdder();

  private final Table table;
  private final Expression filter;
  private final boolean isCaseSensitive;
  private final List<String> selected = new ArrayList<>(BASE);
  /** The ids of the columns whose bounds and counts are kept. */
  private final Set<Integer> columns = new HashSet<>();
  private final Map<Integer, SpecText> specs = new HashMap<>();
  private final ResidualEvaluator residuals;

  /** A filter on the manifests of a spec, and the texts that a task is made of. */
  private final class SpecText {
    final ManifestEvaluator manifests;
    final Evaluator partitions;
    final String schemaText, specText;

    SpecText(PartitionSpec spec) {
      partitions = new Evaluator(
        spec.partitionType(), Projections.inclusive(spec, isCaseSensitive).project(filter), isCaseSensitive);
      manifests = ManifestEvaluator.forRowFilter(filter, spec, isCaseSensitive);
      schemaText = SchemaParser.toJson(table.schema());
      specText = PartitionSpecParser.toJson(spec);
    }
  }

  private ManifestPass(Table table, Expression filter, Collection<String> names, boolean isCaseSensitive) {
    this.table = table;
    this.filter = filter;
    residuals = ResidualEvaluator.unpartitioned(filter);
    this.isCaseSensitive = isCaseSensitive;
    if (!names.isEmpty()) selected.addAll(BOUNDS);
    if (!names.isEmpty() && isFiltered()) selected.addAll(COUNTS);
    for (String name : names) columns.add(Integer.valueOf(table.schema().findField(name).fieldId()));
  }

  private boolean isFiltered() { return filter.op() != Expression.Operation.TRUE; }

  /**
   * The files that a scan with a filter reads; null if Iceberg must plan them: where rows are deleted, a server plans,
   * or the snapshot has another schema, whose names a filter has.
   *
   * @param names of the columns whose bounds and counts are loaded
   */
  public static List<FileScanTask> of(
    Table table, Snapshot snapshot, Expression filter, Collection<String> names, boolean isCaseSensitive) {
    ManifestPass pass = pass(table, snapshot, filter, names, isCaseSensitive);
    if (pass == null) return null;
    List<FileScanTask> tasks = new ArrayList<>();
    for (List<FileScanTask> part : WorkerPool.results(pass.parts(snapshot))) tasks.addAll(part);
    return tasks;
  }

  /** Takes the files of a scan one after the other. */
  public interface Receiver {
    /** Whether the next file is needed, too. */
    boolean receive(FileScanTask task);
  }

  /**
   * Passes on the files that {@link #of} lists, those of a few manifests at a time; whether the receiver has taken all of
   * them. False if Iceberg must plan them.
   */
  public static boolean stream(Table table, Snapshot snapshot, Expression filter, Collection<String> names,
    boolean isCaseSensitive, final Receiver receiver) {
    ManifestPass pass = pass(table, snapshot, filter, names, isCaseSensitive);
    return pass != null && WorkerPool.stream(pass.parts(snapshot), new WorkerPool.Receiver() {
      @Override
      public boolean receive(Object part) {
        for (Object task : (List<?>) part)
          if (!receiver.receive((FileScanTask) task)) return false;
        return true;
      }
    });
  }

  /** How many files there are in the manifests that a scan with a filter opens; the greatest long if that is not stated. */
  public static long filesIn(Table table, Snapshot snapshot, Expression filter, boolean isCaseSensitive) {
    long files = 0;
    for (Part part : new ManifestPass(table, filter, List.of(), isCaseSensitive).parts(snapshot)) {
      Integer added = part.manifest.addedFilesCount(), existing = part.manifest.existingFilesCount();
      if (added == null || existing == null) return Long.MAX_VALUE;
      files += added.longValue() + existing.longValue();
    }
    return files;
  }

  /** Null if Iceberg must plan. */
  private static ManifestPass pass(
    Table table, Snapshot snapshot, Expression filter, Collection<String> names, boolean isCaseSensitive) {
    if (!snapshot.deleteManifests(table.io()).isEmpty()) return null;
    if (!table.newScan().getClass().getName().equals(LOCAL_SCAN)) return null;
    if (!SnapshotUtil.schemaFor(table, snapshot.snapshotId()).sameSchema(table.schema())) return null;
    for (String name : names)
      if (table.schema().findField(name) == null) return null;
    return new ManifestPass(table, filter, names, isCaseSensitive);
  }

  private List<Part> parts(Snapshot snapshot) {
    List<Part> parts = new ArrayList<>();
    List<ManifestFile> manifests = snapshot.dataManifests(table.io());
    for (ManifestFile manifest : manifests) {
      if (!manifest.hasAddedFiles() && !manifest.hasExistingFiles()) continue;
      SpecText spec = spec(manifest.partitionSpecId());
      if (spec.manifests.eval(manifest)) parts.add(new Part(manifest, spec, ReadAhead.files(table, manifest, columns)));
    }
    return parts;
  }

  private SpecText spec(int id) {
    Integer key = Integer.valueOf(id);
    if (!specs.containsKey(key)) specs.put(key, new SpecText((PartitionSpec) table.specs().get(key)));
    return (SpecText) specs.get(key);
  }

  /** The files of one manifest. */
  private final class Part implements Callable<List<FileScanTask>> {
    final ManifestFile manifest;
    final SpecText spec;
    /** Null if the manifest must be read. */
    final List<DataFile> ahead;

    Part(ManifestFile manifest, SpecText spec, List<DataFile> ahead) {
      this.manifest = manifest;
      this.spec = spec;
      this.ahead = ahead;
    }

    @Override
    public List<FileScanTask> call() throws IOException {
      List<FileScanTask> tasks = new ArrayList<>();
      if (ahead != null) {
        InclusiveMetricsEvaluator bounds = new InclusiveMetricsEvaluator(table.schema(), filter, isCaseSensitive);
        for (DataFile file : ahead)
          if (!isFiltered() || spec.partitions.eval(file.partition()) && bounds.eval(file)) tasks.add(task(file));
        return tasks;
      }
      ManifestReader<DataFile> reader = ManifestFiles.read(manifest, table.io(), table.specs());
      reader.select(selected).caseSensitive(isCaseSensitive);
      if (isFiltered()) reader.filterRows(filter);
      FileFigures.Copier copier = new FileFigures.Copier(columns);
      LiveFiles files = new LiveFiles(reader);
      try {
        for (DataFile file = files.next(); file != null; file = files.next()) tasks.add(task(copier.copy(file)));
      } finally {
        files.close();
      }
      count(1, tasks.size());
      return tasks;
    }

    private FileScanTask task(DataFile file) {
      return new BaseFileScanTask(file, NO_DELETES, spec.schemaText, spec.specText, residuals);
    }
  }

  /** Counts what a rule has read itself. */
  public static void count(long manifests, long files) {
    MANIFESTS.add(manifests);
    FILES.add(files);
  }

  /** How many manifests the rules have opened in this JVM. */
  public static long manifests() { return MANIFESTS.sum(); }

  /** How many data files they have seen in them. */
  public static long files() { return FILES.sum(); }
}
