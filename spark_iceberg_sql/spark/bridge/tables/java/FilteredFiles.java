package sparkicebergsql;

import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.InclusiveMetricsEvaluator;
import org.apache.iceberg.expressions.Projections;

/** The data files of one spec that a filter keeps: decided as Iceberg's ManifestReader does. */
public final class FilteredFiles {
  public long files = 0, bytes = 0;
  private final Evaluator partitions;
  private final InclusiveMetricsEvaluator bounds;

  public FilteredFiles(PartitionSpec spec, Expression filter) {
    partitions = new Evaluator(spec.partitionType(), Projections.inclusive(spec, true).project(filter), true);
    bounds = new InclusiveMetricsEvaluator(spec.schema(), filter, true);
  }

  /** Counts a file if the filter keeps it. */
  public void add(DataFile file) {
    if (!partitions.eval(file.partition()) || !bounds.eval(file)) return;
    files++;
    bytes += file.fileSizeInBytes();
  }
}
