package sparkicebergsql;

import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.CreateTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReplaceTable;
import org.apache.spark.sql.catalyst.trees.TreeNode;

/** The columns that a command gives to a table. */
public final class Columns {
  private Columns() {}

  public static List<? extends TreeNode<?>> of(LogicalPlan plan) {
    if (plan instanceof CreateTable) return ScalaTypes.list(((CreateTable) plan).columns());
    return plan instanceof ReplaceTable ? ScalaTypes.list(((ReplaceTable) plan).columns()) : List.of();
  }
}
