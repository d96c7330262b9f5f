package sparkicebergsql;

import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;

/** The columns that a command gives to a table: before Spark 4.0 no nodes of the plan. */
public final class Columns {
  private Columns() {}

  public static List<? extends TreeNode<?>> of(LogicalPlan plan) { return List.of(); }
}
