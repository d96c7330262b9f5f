package sparkicebergsql;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;

/**
 * Marks on commands that have been checked.
 *
 * <p>Spark makes a CREATE TABLE anew while it resolves it, without its tags, but keeps its origin: one with a text was
 * parsed, and checked before that.
 */
public final class Marks {
  private static final TreeNodeTag<Object> CHECKED = new TreeNodeTag<>("spark_iceberg_sql.checked");

  private Marks() {}

  public static void put(LogicalPlan plan) { plan.setTagValue(CHECKED, Boolean.TRUE); }

  public static boolean isOn(LogicalPlan plan) {
    return plan.getTagValue(CHECKED).isDefined() || plan.origin().sqlText().isDefined();
  }
}
