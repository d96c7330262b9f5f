package sparkicebergsql;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;

/**
 * The mark of commands that have been checked.
 *
 * <p>Spark copies a CREATE TABLE while resolving it, without its tags but with its origin: if the origin has a text,
 * the command was parsed, and was checked before that.
 */
public final class CheckedMark {
  private static final TreeNodeTag<Object> CHECKED = new TreeNodeTag<>("spark_iceberg_sql.checked");

  private CheckedMark() {}

  public static void put(LogicalPlan plan) { plan.setTagValue(CHECKED, Boolean.TRUE); }

  public static boolean isOn(LogicalPlan plan) {
    return plan.getTagValue(CHECKED).isDefined() || plan.origin().sqlText().isDefined();
  }
}
