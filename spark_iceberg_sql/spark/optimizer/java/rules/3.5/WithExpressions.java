package sparkicebergsql;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Spark 3.5 has no such expressions. */
public final class WithExpressions {
  private WithExpressions() {}

  public static boolean areIn(LogicalPlan plan) { return false; }

  public static LogicalPlan inlined(LogicalPlan plan) { return plan; }
}
