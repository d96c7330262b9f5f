package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** What a join implies for the rows that its sides need. */
public final class JoinSides {
  /** Rows of the left side that join nothing are not in the result. */
  private static final List<String> NEED_RIGHT = List.of("Inner", "Cross", "RightOuter", "LeftSemi");
  /** Rows of the right side that join nothing are not in the result. */
  private static final List<String> NEED_LEFT = List.of("Inner", "Cross", "LeftOuter", "LeftSemi");

  private JoinSides() {}

  /** What a join implies for a side, 0 or 1, by the rows of the other one; none if these are not known. */
  public static List<Expression> implied(Join join, int side) {
    List<Expression> none = new ArrayList<>();
    if (join.condition().isEmpty() || !(side == 0 ? NEED_RIGHT : NEED_LEFT).contains(JoinPushDown.type(join)))
      return none;
    LogicalPlan probe = side == 0 ? join.left() : join.right(), other = side == 0 ? join.right() : join.left();
    BuildSide build = BuildSide.of(other);
    if (build == null || !JoinPushDown.hasCandidate(probe)) return none;
    Expression condition = (Expression) join.condition().get();
    Map<String, List<Expression>> conclusions = build.conclusions();
    String key = side + " " + condition;
    if (!conclusions.containsKey(key)) {
      JoinTerms terms = new JoinTerms(condition, probe, other.outputSet());
      conclusions.put(key, terms.isEmpty() ? none : terms.implied(build));
    }
    return (List<Expression>) conclusions.get(key);
  }
}
