package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** What a join implies for the rows that its sides need. */
public final class JoinSides {
  private JoinSides() {}

  /** What a join implies for a side, 0 or 1, by the rows of the other one; none if these are not known. */
  public static List<Expression> implied(Join join, int side) {
    List<Expression> none = new ArrayList<>();
    if (join.condition().isEmpty() || !JoinTypes.needsOther(join, side)) return none;
    LogicalPlan probe = side == 0 ? join.left() : join.right(), other = side == 0 ? join.right() : join.left();
    BuildSide build = BuildSide.of(other);
    if (build == null || !JoinPushDown.hasCandidate(probe)) return none;
    Expression condition = (Expression) join.condition().get();
    Map<String, List<Expression>> conclusions = build.conclusions();
    String key = side + " " + condition;
    if (!conclusions.containsKey(key)) {
      JoinTerms terms = prunable(new JoinTerms(condition, probe.outputSet(), other.outputSet()), probe);
      conclusions.put(key, terms.isEmpty() ? none : terms.implied(build));
    }
    return (List<Expression>) conclusions.get(key);
  }

  /** Those by which files may be left out: to read the rows of the build side for another one gains nothing. */
  private static JoinTerms prunable(JoinTerms terms, LogicalPlan probe) {
    List<Integer> indexes = new ArrayList<>();
    for (int i = 0; i < terms.size(); i++)
      if (JoinPushDown.isPrunable(probe, terms.probe(i))) indexes.add(Integer.valueOf(i));
    return terms.part(indexes);
  }
}
