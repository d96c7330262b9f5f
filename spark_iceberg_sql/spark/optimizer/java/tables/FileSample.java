package sparkicebergsql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
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
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.InclusiveMetricsEvaluator;
import org.apache.iceberg.expressions.ManifestEvaluator;
import org.apache.iceberg.expressions.Projections;
import org.apache.iceberg.expressions.ResidualEvaluator;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.internal.SQLConf;

/**
 * A few data files from all over a snapshot, by which a rule sees that it cannot gain before it plans all files.
 *
 * <p>What they show is no more than that: their deletes are not looked at, and others may differ. So a rule only
 * stops by them, and never concludes a condition.
 */
public final class FileSample {
  /** All of so few files are planned in some 10 ms. */
  private static final long SMALL = 2000;
  /** The first files of so many manifests, evenly spread: some 20 ms. */
  private static final int MANIFESTS = 8, FILES = 64;
  private static final List<String> COLUMNS = List.of("file_path", "file_format", "record_count", "file_size_in_bytes",
    "partition", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds");
  private static final DeleteFile[] NO_DELETES = {};

  private final SnapshotFiles files;
  private final Expression filter;
  private final boolean isCaseSensitive = SQLConf.get().caseSensitiveAnalysis();
  private final InclusiveMetricsEvaluator bounds;
  private final Map<Integer, SpecFilter> specs = new HashMap<>();
  private final List<FileScanTask> tasks = new ArrayList<>();

  private FileSample(SnapshotFiles files, Expression filter) {
    this.files = files;
    this.filter = filter;
    bounds = new InclusiveMetricsEvaluator(files.table.schema(), filter, isCaseSensitive);
  }

  /** A filter on the manifests and files of a spec, and the texts that a task is made of. */
  private final class SpecFilter {
    final PartitionSpec spec;
    final ManifestEvaluator manifests;
    final Evaluator partitions;
    final String schemaText, specText;

    SpecFilter(PartitionSpec spec) {
      this.spec = spec;
      manifests = ManifestEvaluator.forRowFilter(filter, spec, isCaseSensitive);
      partitions = new Evaluator(
        spec.partitionType(), Projections.inclusive(spec, isCaseSensitive).project(filter), isCaseSensitive);
      schemaText = SchemaParser.toJson(files.table.schema());
      specText = PartitionSpecParser.toJson(spec);
    }
  }

  /**
   * The files of the sample that a scan with a filter reads, without their deletes; null if the snapshot has so few files
   * that all are planned as soon.
   */
  public static List<FileScanTask> of(SnapshotFiles files, Expression filter) { return of(files, filter, null); }

  /**
   * As the other one; null also if the bounds of some columns have just been read of all files.
   *
   * @param names those of the columns; null for those that no rule has asked for
   */
  public static List<FileScanTask> of(SnapshotFiles files, Expression filter, Collection<String> names) {
    if (!files.hasMoreThan(SMALL, 0) || names != null && areRead(files, names)) return null;
    FileSample sample = new FileSample(files, filter);
    try {
      sample.read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sample.tasks;
  }

  private static boolean areRead(SnapshotFiles files, Collection<String> names) {
    List<Integer> ids = new ArrayList<>();
    for (String name : names) {
      Types.NestedField field = files.table.schema().findField(name);
      if (field == null) return false;
      ids.add(Integer.valueOf(field.fieldId()));
    }
    return ReadAhead.has(files.table, files.manifests(), ids);
  }

  private void read() throws IOException {
    List<ManifestFile> manifests = new ArrayList<>();
    for (ManifestFile manifest : files.manifests())
      if (spec(manifest.partitionSpecId()).manifests.eval(manifest)) manifests.add(manifest);
    int count = Math.min(MANIFESTS, manifests.size());
    for (int i = 0; i < count; i++) read((ManifestFile) manifests.get((int) ((long) i * manifests.size() / count)));
  }

  private void read(ManifestFile manifest) throws IOException {
    SpecFilter spec = spec(manifest.partitionSpecId());
    ManifestReader<DataFile> reader = ManifestFiles.read(manifest, files.table.io(), files.table.specs());
    try {
      Iterator<DataFile> read = reader.select(COLUMNS).iterator();
      for (int i = 0; i < FILES && read.hasNext(); i++) {
        DataFile file = (DataFile) read.next();
        ManifestPass.count(i == 0 ? 1 : 0, 1);
        if (!spec.partitions.eval(file.partition()) || !bounds.eval(file)) continue;
        tasks.add(new BaseFileScanTask(
          (DataFile) file.copy(), NO_DELETES, spec.schemaText, spec.specText, ResidualEvaluator.unpartitioned(filter)));
      }
    } finally {
      reader.close();
    }
  }

  private SpecFilter spec(int id) {
    Integer key = Integer.valueOf(id);
    if (!specs.containsKey(key)) specs.put(key, new SpecFilter((PartitionSpec) files.table.specs().get(key)));
    return (SpecFilter) specs.get(key);
  }
}
