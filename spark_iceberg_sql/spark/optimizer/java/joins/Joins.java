package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.DataTypes;

/**
 * Prunes the probe side of a join by the values of its build side, once adaptive execution has broadcast them: rows
 * that join none of them need not be read.
 */
public class Joins extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    try {
      // Spark runs a stage once that occurs twice, as does a WITH of rand(): a narrowed scan would make two of it.
      return !hasBuildSide(plan) || !plan.deterministic() ? plan : narrowed(plan, new ArrayList<Expression>());
    } catch (RuntimeException e) {
      return plan; // an error here must not fail the query
    } catch (ReflectiveOperationException e) {
      return plan;
    }
  }

  @Override
  protected SparkPlan rewriteStage(SparkPlan stage) {
    try {
      return StageScans.narrowed(stage);
    } catch (RuntimeException e) {
      return stage;
    } catch (ReflectiveOperationException e) {
      return stage;
    }
  }

  /** Whether a join's build side has been broadcast. */
  private static boolean hasBuildSide(LogicalPlan plan) {
    if (plan instanceof Join
      && (BuildSide.of(((Join) plan).left()) != null || BuildSide.of(((Join) plan).right()) != null))
      return true;
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (hasBuildSide(child)) return true;
    return false;
  }

  /** A plan whose scans read only rows for which the predicates on its output may be true. */
  private static LogicalPlan narrowed(LogicalPlan plan, List<Expression> predicates)
    throws ReflectiveOperationException {
    if (NarrowedScan.isCandidate(plan))
      return predicates.isEmpty() ? plan : NarrowedScan.of((DataSourceV2ScanRelation) plan, predicates);
    List<LogicalPlan> children = new ArrayList<>();
    boolean isChanged = false;
    for (int i = 0; i < plan.children().size(); i++) {
      LogicalPlan child = (LogicalPlan) plan.children().apply(i);
      List<Expression> below = JoinPushDown.below(plan, i, predicates);
      if (plan instanceof Join) below.addAll(JoinSides.implied((Join) plan, i));
      LogicalPlan result = narrowed(child, below);
      isChanged |= result != child;
      children.add(result);
    }
    return isChanged ? (LogicalPlan) plan.withNewChildren(ScalaTypes.seq(children)) : plan;
  }

  /** The scan for x below 10 must keep this filter when it receives another one. */
  @Override
  protected String check(SparkSession session) {
    try {
      int[][] bounds = new int[10][];
      for (int i = 0; i < bounds.length; i++) bounds[i] = new int[] {2 * i, 2 * i + 1};
      Table table = TrialTable.of(bounds);
      DataSourceV2ScanRelation scanned =
        TrialTable.scanned(TrialTable.optimized(session, "SELECT x FROM t WHERE x < 10", table));
      if (!NarrowedScan.isCandidate(scanned)) return "a scan is not of the expected class: " + scanned;
      Expression x = (Expression) scanned.output().apply(0);
      List<Expression> predicates =
        List.of(new EqualTo(x, new ImpliedLiteral(Integer.valueOf(3), DataTypes.IntegerType)));
      String text = NarrowedScan.of(scanned, predicates).scan().description();
      boolean isNarrowed = text.contains("x < 10") && text.contains("x = 3");
      return isNarrowed ? null : "a scan cannot be built again with one more filter: " + text;
    } catch (ParseException e) {
      return e.toString();
    } catch (ReflectiveOperationException e) {
      return "a scan cannot be built again: " + e;
    }
  }
}
