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
  private static final TreeNodeTag<String> TAG = new TreeNodeTag<>(OPTION);

  private ReadNotes() {}

  /** The relation with a reason, in addition to those that it has. */
  public static DataSourceV2Relation noted(DataSourceV2Relation relation, String reason) {
    String earlier = relation.options().get(OPTION);
    return Relations.with(relation, OPTION, earlier == null ? reason : earlier + ", " + reason);
  }

  /** Notes that rows are a table's, from its metadata. */
  public static LogicalPlan noted(LogicalPlan rows, String reason) {
    rows.setTagValue(TAG, reason);
    return rows;
  }

  /** The reasons of a node of an optimized plan, separated by commas; null if there are none. */
  public static String of(Object node) {
    if (node instanceof DataSourceV2ScanRelation)
      return ((DataSourceV2ScanRelation) node).relation().options().get(OPTION);
    Option<String> tag = ((LogicalPlan) node).getTagValue(TAG);
    return tag.isEmpty() ? null : (String) tag.get();
  }
}
