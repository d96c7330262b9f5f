package sparkicebergsql;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.expressions.ExpressionUtil;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Reads few files for <code>WHERE id &gt; 5 LIMIT 10</code>: any rows will do, so it adds a range of a column in which
 * few files surely hold enough of them. Without a filter, Spark stops reading by itself.
 */
public class Limit extends LimitRule {
  private static final int MINIMUM = 8;
  /** The number of columns without a part in the filter or the partitioning that are tried. */
  private static final int COLUMNS = 4;

  public Limit() { super("limit", MINIMUM); }

  @Override
  protected boolean isFor(LimitedRelation limited) {
    return limited.sort == null && limited.filter != null;
  }

  @Override
  protected String reason(LimitedRelation limited, SnapshotFiles files) {
    return "any " + limited.count + " rows";
  }

  /** The range in which the fewest files surely hold enough rows; none if it would not halve the files. */
  @Override
  protected List<Expression> conditions(LimitedRelation limited, SnapshotFiles files) {
    List<Expression> none = new ArrayList<>();
    FileTruth filter = new FileTruth(files, limited.condition());
    if (!filter.isDecidable() || isDropped(filter, files) || !files.areFew(filter.inclusive())) return none;
    List<Attribute> columns = columns(files, limited.condition());
    List<String> names = new ArrayList<>();
    for (Attribute column : columns) names.add(files.name(files.field(column)));
    List<FileScanTask> sample = FileSample.of(files, filter.inclusive());
    if (sample != null && sample.size() > MINIMUM && range(limited.count, filter, files, columns, sample).isEmpty())
      return none;
    List<FileScanTask> tasks = files.plan(filter.inclusive(), names);
    return tasks.size() <= MINIMUM ? none : range(limited.count, filter, files, columns, tasks);
  }

  /** Of some files. */
  private static List<Expression> range(
    long needed, FileTruth filter, SnapshotFiles files, List<Attribute> columns, List<FileScanTask> tasks) {
    long[] rows = new long[tasks.size()];
    for (int i = 0; i < rows.length; i++) {
      FileScanTask task = (FileScanTask) tasks.get(i);
      if (filter.isTrueFor((DataFile) task.file())) rows[i] = SnapshotFiles.rows(task);
    }
    FewestFiles best = null;
    for (Attribute column : columns) {
      FewestFiles fewest = new FewestFiles(files, column, files.field(column), tasks, rows, needed);
      if (best == null || fewest.count < best.count) best = fewest;
    }
    if (best == null || best.count > tasks.size() / 2) return new ArrayList<>();
    return List.of(best.condition());
  }

  /** Whether Spark leaves the filter to the scan, and therefore stops reading by itself. */
  private static boolean isDropped(FileTruth filter, SnapshotFiles files) {
    return filter.isDecidableByIceberg()
      && ExpressionUtil.selectsPartitions(filter.inclusive(), files.table, SQLConf.get().caseSensitiveAnalysis());
  }

  /** The columns with bounds: those by which the table is partitioned, those of the filter, and the first others. */
  private static List<Attribute> columns(SnapshotFiles files, Expression condition) {
    Set<Integer> sources = new LinkedHashSet<>();
    for (PartitionSpec spec : files.table.specs().values())
      for (PartitionField field : spec.fields()) sources.add(Integer.valueOf(field.sourceId()));
    List<Attribute> partitioned = new ArrayList<>(), filtered = new ArrayList<>(), others = new ArrayList<>();
    for (Attribute column : files.columns()) {
      Types.NestedField field = files.field(column);
      if (field == null || !SnapshotFiles.isKnown(field.type())) continue;
      if (sources.contains(Integer.valueOf(field.fieldId()))) partitioned.add(column);
      else if (condition.references().contains(column)) filtered.add(column);
      else if (others.size() < COLUMNS) others.add(column);
    }
    partitioned.addAll(filtered);
    partitioned.addAll(others);
    return partitioned;
  }

  /** Tests a filter that some of twelve files surely satisfy, and one without a limit. */
  @Override
  protected String check(SparkSession session) {
    int[][] bounds = new int[12][];
    for (int i = 0; i < bounds.length; i++) bounds[i] = new int[] {10 * i, 10 * i + 9};
    try {
      String limited = TrialTable.scan(session, "SELECT x FROM t WHERE x > 5 LIMIT 10", TrialTable.of(bounds));
      if (!limited.contains("x <= 19")) return "it adds no range: " + limited;
      String all = TrialTable.scan(session, "SELECT x FROM t WHERE x > 5", TrialTable.of(bounds));
      return all.contains("x <= ") ? "it adds a range to a query of all rows: " + all : null;
    } catch (ParseException e) {
      return e.toString();
    }
  }
}
