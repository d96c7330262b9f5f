package sparkicebergsql;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Or;

/**
 * Adds to a comparison that asks for low values of a partition column that the column is not null.
 *
 * <p>Iceberg takes a null partition value as the lowest of all. That is without effect where the counts of nulls exclude
 * the file; files without these, such as those of add_files or of a table without metrics, count as chosen in full:
 * SELECT returns their rows, and DELETE removes them.
 */
public class NullPartitions extends ScalaTypes.Mapping<Expression, Expression> {
  private final Map<ExprId, PartitionLayout> layouts;

  public NullPartitions(Map<ExprId, PartitionLayout> layouts) { this.layouts = layouts; }

  @Override
  protected Object of(Object o) {
    return excluding((Expression) o, List.of());
  }

  /** others: the conjuncts that hold beside the condition. */
  private Expression excluding(Expression e, List<Expression> others) {
    if (e instanceof Or) {
      Expression left = excluding(((Or) e).left(), others), right = excluding(((Or) e).right(), others);
      return left == ((Or) e).left() && right == ((Or) e).right() ? e : new Or(left, right);
    }
    if (e instanceof And) {
      List<Expression> all = Predicates.conjuncts(e);
      all.addAll(others);
      Expression left = excluding(((And) e).left(), all), right = excluding(((And) e).right(), all);
      return left == ((And) e).left() && right == ((And) e).right() ? e : new And(left, right);
    }
    Expression column = low(e);
    if (column == null || !column.nullable()) return e;
    for (Expression other : others)
      if (other instanceof IsNotNull && ((IsNotNull) other).child().semanticEquals(column)) return e;
    PartitionLayout layout = (PartitionLayout) layouts.get(PartitionLayout.root(column));
    return layout != null && layout.mayHaveUncountedNulls(column) ? new And(new IsNotNull(column), e) : e;
  }

  /** The column of a comparison that is true for values below a constant; null if it is none. */
  private static Expression low(Expression e) {
    boolean isLess = e instanceof LessThan || e instanceof LessThanOrEqual;
    if (!isLess && !(e instanceof GreaterThan) && !(e instanceof GreaterThanOrEqual)) return null;
    Expression compared = (Expression) e.children().apply(isLess ? 0 : 1);
    Expression constant = (Expression) e.children().apply(isLess ? 1 : 0);
    if (!constant.references().isEmpty()) return null;
    Expression call = Calls.call(compared), column = call == null ? compared : PartitionLayout.source(call);
    return column != null && PartitionLayout.isColumn(column) ? column : null;
  }
}
