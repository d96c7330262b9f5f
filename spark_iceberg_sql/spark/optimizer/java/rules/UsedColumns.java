package sparkicebergsql;

import java.util.HashSet;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.*;

/**
 * The columns of a plan's relations whose values may matter: those that an operator refers to, and those that reach the
 * result, or an operator that is not known here. Spark reads no others, once it has pruned them.
 */
public final class UsedColumns {
  private final Set<ExprId> referenced = new HashSet<>();

  private UsedColumns() {}

  public static Set<ExprId> of(LogicalPlan plan) {
    UsedColumns result = new UsedColumns();
    result.collect(plan, null);
    return result.referenced;
  }

  /** required: the columns that are used above a node; null for all of its output. */
  private void collect(LogicalPlan node, Set<ExprId> required) {
    if (node.children().isEmpty()) {
      for (Attribute column : ScalaTypes.list(node.output()))
        if (required == null || required.contains(column.exprId())) referenced.add(column.exprId());
      return;
    }
    Set<ExprId> ofChildren = null;
    if (node instanceof Project || node instanceof Aggregate) ofChildren = new HashSet<>();
    else if (required != null && isTransparent(node)) ofChildren = new HashSet<>(required);
    if (ofChildren != null)
      for (Attribute column : ScalaTypes.list(node.references().toSeq())) ofChildren.add(column.exprId());
    for (LogicalPlan child : ScalaTypes.list(node.children())) collect(child, ofChildren);
  }

  /** Whether it passes on columns that it does not refer to, and uses none of them. */
  private static boolean isTransparent(LogicalPlan node) {
    return node instanceof Filter || node instanceof Join || node instanceof Sort || node instanceof LocalLimit
      || node instanceof GlobalLimit;
  }
}
