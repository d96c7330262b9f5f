package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.*;

/** Predicates on the output of an operator, moved to its inputs. */
public final class JoinSides {
  private static final List<String> KEEP_LEFT =
    List.of("Inner", "Cross", "LeftOuter", "LeftSemi", "LeftAnti", "ExistenceJoin");
  private static final List<String> KEEP_RIGHT = List.of("Inner", "Cross", "RightOuter");
  /** Rows of the left side that join nothing are not in the result. */
  private static final List<String> NEED_RIGHT = List.of("Inner", "Cross", "RightOuter", "LeftSemi");
  /** Rows of the right side that join nothing are not in the result. */
  private static final List<String> NEED_LEFT = List.of("Inner", "Cross", "LeftOuter", "LeftSemi");

  private JoinSides() {}

  private static String type(Join join) { return join.joinType().getClass().getSimpleName().replace("$", ""); }

  /** What a join implies for a side, 0 or 1, by the rows of the other one; none if these are not known. */
  public static List<Expression> implied(Join join, int side) {
    List<Expression> none = new ArrayList<>();
    if (join.condition().isEmpty() || !(side == 0 ? NEED_RIGHT : NEED_LEFT).contains(type(join))) return none;
    LogicalPlan probe = side == 0 ? join.left() : join.right(), other = side == 0 ? join.right() : join.left();
    BuildSide build = BuildSide.of(other);
    if (build == null || !hasCandidate(probe)) return none;
    Expression condition = (Expression) join.condition().get();
    Map<String, List<Expression>> conclusions = build.conclusions();
    String key = side + " " + condition;
    if (!conclusions.containsKey(key)) {
      JoinTerms terms = new JoinTerms(condition, probe.outputSet(), other.outputSet());
      conclusions.put(key, terms.isEmpty() ? none : terms.implied(build));
    }
    return (List<Expression>) conclusions.get(key);
  }

  private static boolean hasCandidate(LogicalPlan plan) {
    if (NarrowedScan.isCandidate(plan)) return true;
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (hasCandidate(child)) return true;
    return false;
  }

  /** The predicates on an operator's output that hold for the rows of an input that it needs. */
  public static List<Expression> below(LogicalPlan plan, int child, List<Expression> predicates) {
    List<Expression> result = new ArrayList<>();
    if (predicates.isEmpty() || !isTransparent(plan, child)) return result;
    LogicalPlan input = (LogicalPlan) plan.children().apply(child);
    for (Expression predicate : predicates) {
      Expression moved = predicate;
      if (plan instanceof Project) moved = Predicates.substituted(predicate, Predicates.aliases((Project) plan));
      if (plan instanceof Union) moved = Predicates.substituted(predicate, columns(plan, input));
      if (moved.references().subsetOf(input.outputSet()) && moved.deterministic()) result.add(moved);
    }
    return result;
  }

  private static boolean isTransparent(LogicalPlan plan, int child) {
    if (plan instanceof Join) return (child == 0 ? KEEP_LEFT : KEEP_RIGHT).contains(type((Join) plan));
    return plan instanceof Project || plan instanceof Filter || plan instanceof Union || plan instanceof Generate
      || plan instanceof Sort;
  }

  private static Map<ExprId, Expression> columns(LogicalPlan union, LogicalPlan input) {
    Map<ExprId, Expression> result = new HashMap<>();
    for (int i = 0; i < union.output().size(); i++)
      result.put(((Attribute) union.output().apply(i)).exprId(), (Expression) input.output().apply(i));
    return result;
  }
}
