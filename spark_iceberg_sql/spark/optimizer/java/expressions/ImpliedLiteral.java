package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.trees.BinaryLike;
import org.apache.spark.sql.catalyst.trees.CurrentOrigin;
import org.apache.spark.sql.catalyst.trees.Origin;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * A literal that shows in EXPLAIN what the rule has added. Otherwise it behaves like the literal that it extends.
 *
 * <p>A bound that no query wrote is shown as <code>2024-01-01 00:00:00 (implied)</code>, and a literal of the query as
 * <code>2024 (implies ts &gt;= ...)</code>. Executors do not have this class: it is serialized as a plain literal.
 */
public class ImpliedLiteral extends Literal {
  private static final long serialVersionUID = 1L;
  private final String note;

  public ImpliedLiteral(Object value, DataType type) { this(value, type, null); }

  /** note: what a literal of the query implies; null for a bound. */
  public ImpliedLiteral(Object value, DataType type, String note) {
    super(value, type);
    this.note = note;
  }

  /** A date, timestamp or whole number, as Spark holds them. */
  public static ImpliedLiteral of(long value, DataType type) {
    boolean narrow = type.equals(DataTypes.DateType) || type.equals(DataTypes.IntegerType);
    if (narrow) return new ImpliedLiteral(Integer.valueOf(Math.toIntExact(value)), type);
    return new ImpliedLiteral(Long.valueOf(value), type);
  }

  /** Whether an expression is a literal that is not in the query. */
  public static boolean isBound(Object e) { return e instanceof ImpliedLiteral && ((ImpliedLiteral) e).note == null; }

  /** The condition with a note on the literal that implies the range: the filter itself may be pushed into the scan. */
  public static Expression noted(Expression condition, Expression added) {
    // A new node has the place in the query's text of the one that it replaces.
    Origin origin = CurrentOrigin.get();
    CurrentOrigin.set(condition.origin());
    try {
      return rebuilt(condition, added);
    } finally {
      CurrentOrigin.set(origin);
    }
  }

  private static Expression rebuilt(Expression condition, Expression added) {
    if (!added.references().subsetOf(condition.references())) return condition;
    // Nodes are rebuilt: for Spark an annotated literal equals the plain one, so `transform` would keep the plain one.
    if (condition instanceof And || condition instanceof Or) {
      BinaryLike<Expression> both = binary(condition);
      Expression left = (Expression) both.left(), right = (Expression) both.right();
      Expression l = noted(left, added), r = l == left ? noted(right, added) : right;
      return l == left && r == right ? condition : (Expression) both.withNewChildrenInternal(l, r);
    }
    if (condition instanceof Not) {
      Expression child = ((Not) condition).child(), c = noted(child, added);
      return c == child ? condition : new Not(c);
    }
    if (condition instanceof In && !PartitionLayout.isColumn(((In) condition).value())) {
      List<Expression> list = new ArrayList<>(ScalaTypes.list(((In) condition).list()));
      Literal noted = list.isEmpty() ? null : annotated(list.get(list.size() - 1), added);
      if (noted == null) return condition;
      list.set(list.size() - 1, noted);
      return new In(((In) condition).value(), ScalaTypes.seq(list));
    }
    if (!(condition instanceof BinaryLike)) return condition;
    BinaryLike<Expression> compared = binary(condition);
    Literal right = annotated(compared.right(), added), left = right == null ? annotated(compared.left(), added) : null;
    if (right != null && !PartitionLayout.isColumn((Expression) compared.left()))
      return (Expression) compared.withNewChildrenInternal(compared.left(), right);
    if (left != null && !PartitionLayout.isColumn((Expression) compared.right()))
      return (Expression) compared.withNewChildrenInternal(left, compared.right());
    return condition;
  }

  @SuppressWarnings("unchecked")
  private static BinaryLike<Expression> binary(Object e) {
    return (BinaryLike<Expression>) e;
  }

  /** A literal with a note; null if it is not a literal, or already has one. */
  private static Literal annotated(Object e, Expression added) {
    if (!(e instanceof Literal) || e instanceof ImpliedLiteral) return null;
    String text = added.toString().replaceAll("#\\d+L?", "").replace(" (implied)", "");
    if (text.length() > 200) text = text.substring(0, 200) + "...";
    return new ImpliedLiteral(((Literal) e).value(), ((Literal) e).dataType(), text);
  }

  @Override
  public String toString() {
    return super.toString() + (note == null ? " (implied)" : " (implies " + note + ")");
  }

  protected Object writeReplace() { return new Literal(value(), dataType()); }
}
