package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.parser.ParseException;

/**
 * Reads only the files that may hold the first rows of <code>ORDER BY ts DESC LIMIT 10</code>: adds the threshold that
 * so many rows of the snapshot's files surely reach, <code>ts >= ...</code>, where it excludes files.
 */
public class TopK extends LimitRule {
  public TopK() { super("topk", 1); }

  @Override
  protected boolean isFor(LimitedRelation limited) {
    return limited.sort != null && SortKey.column(limited.order().child()) != null;
  }

  @Override
  protected String reason(LimitedRelation limited, SnapshotFiles files) {
    String column = files.name(files.field(SortKey.column(limited.order().child())));
    return "top " + limited.count + " by " + Outgoing.visible(column);
  }

  /** The condition that the first rows satisfy; none if no file can be excluded. */
  @Override
  protected List<Expression> conditions(LimitedRelation limited, SnapshotFiles files) {
    List<Expression> none = new ArrayList<>();
    SortOrder order = limited.order();
    SortKey sampled = SortKey.unchecked(order.child(), files);
    FileTruth filter = sampled == null ? null : new FileTruth(files, limited.condition());
    if (filter == null || !filter.isDecidable()) return none;
    List<FileScanTask> sample = FileSample.of(files, filter.inclusive());
    if (sample != null && sample.size() > 1) {
      // The rows in proportion to the files: the threshold of the sample is then about that of the snapshot.
      long share = (long) limited.count * sample.size() / SnapshotFiles.count(files.snapshot, "total-data-files");
      if (firstRows(files, sampled, order).condition(Math.max(1, share), filter, sample) == null) return none;
    }
    SortKey key = SortKey.of(order.child(), files);
    if (key == null) return none;
    org.apache.iceberg.expressions.Expression scanned = filter.inclusive();
    List<Expression> rough = none;
    if (sample != null && sample.size() > 1) {
      rough = rough(limited, key, order, filter, files, sample);
      if (!rough.isEmpty()) scanned = Expressions.and(scanned, FileCondition.converted((Expression) rough.get(0)));
    }
    if (!files.areFew(scanned)) return rough;
    List<FileScanTask> tasks = files.plan(scanned, names(files, key, limited.condition()));
    if (tasks.size() < 2) return rough;
    Expression condition = firstRows(files, key, order).condition(limited.count, filter, tasks);
    return condition == null ? rough : List.of(condition);
  }

  /**
   * The condition that the first rows of a sample satisfy, and so the snapshot's: by it most manifests stay closed. None
   * if rows may be deleted, or if Iceberg may not skip files by the column without a look at all of them.
   */
  private static List<Expression> rough(LimitedRelation limited, SortKey key, SortOrder order, FileTruth filter,
    SnapshotFiles files, List<FileScanTask> sample) {
    List<Expression> none = new ArrayList<>();
    if (!files.snapshot.deleteManifests(files.table.io()).isEmpty()) return none;
    if (!(key.column instanceof Attribute) || files.layout.wrapping(key.column) != null) return none;
    Expression condition = firstRows(files, key, order).condition(limited.count, filter, sample);
    return condition == null || FileCondition.converted(condition) == null ? none : List.of(condition);
  }

  private static FirstRows firstRows(SnapshotFiles files, SortKey key, SortOrder order) {
    boolean isDescending = order.direction() instanceof Descending$;
    return new FirstRows(files, key, isDescending, order.nullOrdering() instanceof NullsFirst$);
  }

  /** The columns whose bounds and counts decide. */
  private static List<String> names(SnapshotFiles files, SortKey key, Expression condition) {
    List<String> names = new ArrayList<>();
    names.add(files.name(key.field));
    if (condition == null) return names;
    for (Attribute column : ScalaTypes.list(condition.references().toSeq())) {
      Types.NestedField field = files.field(column);
      if (field != null) names.add(files.name(field));
    }
    return names;
  }

  /** Tests an order whose first row is in the second of two files, and one where it may be in both. */
  @Override
  protected String check(SparkSession session) {
    String query = "SELECT x FROM t ORDER BY x DESC LIMIT 10";
    try {
      String apart = TrialTable.scan(session, query, TrialTable.of(new int[][] {{5, 20}, {30, 40}}));
      if (!apart.contains("x >= 30")) return "it adds no threshold: " + apart;
      String overlapping = TrialTable.scan(session, query, TrialTable.of(new int[][] {{5, 35}, {30, 40}}));
      return overlapping.contains("x >= ") ? "it adds a threshold that excludes no file: " + overlapping : null;
    } catch (ParseException e) {
      return e.toString();
    }
  }
}
