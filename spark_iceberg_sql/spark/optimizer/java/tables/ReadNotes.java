package sparkicebergsql;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.Option;

/**
 * Why a scan reads fewer files than its filters need, such as "top 10 by ts", for explanations: an option of the
 * relation, which Iceberg ignores, or a tag of the rows that replace one.
 */
public final class ReadNotes {
  private static final String OPTION = "spark-iceberg-sql.reason";
  private static final TreeNodeTag<AnsweredRow> TAG = new TreeNodeTag<>(OPTION);

  private ReadNotes() {}

  /** The relation with a reason, in addition to those that it has. */
  public static DataSourceV2Relation noted(DataSourceV2Relation relation, String reason) {
    String earlier = reason(relation);
    if (earlier != null && (", " + earlier + ",").contains(", " + reason + ",")) return relation;
    return Relations.with(relation, OPTION, earlier == null ? reason : earlier + ", " + reason);
  }

  /** The relation without the last one of its reasons, which starts so. */
  public static DataSourceV2Relation without(DataSourceV2Relation relation, String reason) {
    String all = reason(relation);
    int start = all == null ? -1 : all.lastIndexOf(reason);
    return start < 0 ? relation : Relations.with(relation, OPTION, start == 0 ? "" : all.substring(0, start - 2));
  }

  /** Notes that rows come from the metadata of files. */
  public static LogicalPlan answered(LogicalPlan rows, AnsweredRow files) {
    rows.setTagValue(TAG, files);
    return rows;
  }

  /** The reasons of a scan of an optimized plan, separated by commas; null if there are none. */
  public static String reason(Object scan) {
    return reason((DataSourceV2Relation) ((DataSourceV2ScanRelation) scan).relation());
  }

  private static String reason(DataSourceV2Relation relation) {
    String reason = relation.options().get(OPTION);
    return reason == null || reason.isEmpty() ? null : reason;
  }

  /** The files from whose metadata a leaf of an optimized plan comes; null for any other leaf. */
  public static AnsweredRow answered(Object leaf) {
    Option<AnsweredRow> files = ((LogicalPlan) leaf).getTagValue(TAG);
    return files.isEmpty() ? null : (AnsweredRow) files.get();
  }
}
