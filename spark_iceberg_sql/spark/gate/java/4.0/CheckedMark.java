package sparkicebergsql;

import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.CreateTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReplaceTable;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;

/** The mark of commands that have been checked. */
public final class CheckedMark {
  private static final TreeNodeTag<Object> CHECKED = new TreeNodeTag<>("spark_iceberg_sql.checked");

  private CheckedMark() {}

  public static void put(LogicalPlan plan) {
    plan.setTagValue(CHECKED, Boolean.TRUE);
    // Spark copies a CREATE TABLE while resolving it, without its tags but with its columns.
    for (TreeNode<?> column : columns(plan)) column.setTagValue(CHECKED, Boolean.TRUE);
  }

  public static boolean isOn(LogicalPlan plan) {
    if (plan.getTagValue(CHECKED).isDefined()) return true;
    for (TreeNode<?> column : columns(plan))
      if (column.getTagValue(CHECKED).isDefined()) return true;
    return false;
  }

  private static List<? extends TreeNode<?>> columns(LogicalPlan plan) {
    if (plan instanceof CreateTable) return ScalaTypes.list(((CreateTable) plan).columns());
    return plan instanceof ReplaceTable ? ScalaTypes.list(((ReplaceTable) plan).columns()) : List.of();
  }
}
