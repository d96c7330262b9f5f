package sparkicebergsql;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.unsafe.Platform;

/** Passes the gate commands that were not parsed from text: Spark optimizes a command before it runs it. */
public class GateRule extends ScalaTypes.PlanRule<LogicalPlan> {
  private final Admission gate;
  private final SparkSession session;

  public GateRule(Admission gate, SparkSession session) {
    this.gate = gate;
    this.session = session;
  }

  @Override
  protected TreeNode<?> of(TreeNode<?> plan) {
    try {
      gate.check(session, (LogicalPlan) plan);
    } catch (Exception refused) {
      Platform.throwException(refused);
    }
    return plan;
  }
}
