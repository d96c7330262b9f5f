package sparkicebergsql;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * What a predicate on a transform implies for another transform of the same column.
 *
 * <p>A bucket is a hash modulo a number: bucket(8, id) = 6 implies bucket(4, id) = 6 % 4. A truncated string is a
 * prefix: truncate(4, s) = 'abcd' implies that s starts with abcd, which any width of truncate prunes by.
 */
public final class ImpliedTransforms {
  private ImpliedTransforms() {}

  /** The predicates on a table's partition fields that a filter's conjuncts imply and do not contain. */
  public static List<Expression> of(Expression predicate, List<Expression> conjuncts, PartitionLayout layout) {
    List<Expression> result = new ArrayList<>();
    Expression call = predicate instanceof In ? ((In) predicate).value()
      : predicate instanceof EqualTo          ? ((EqualTo) predicate).left()
                                              : null;
    if (predicate instanceof EqualTo && call instanceof Literal) call = ((EqualTo) predicate).right();
    List<Object> values = call == null || !Calls.pushable(call) ? null : values(predicate, call);
    String transform = values == null || values.isEmpty() ? null : PartitionLayout.transform(call);
    if (transform == null || call.children().size() != 2) return result;
    Expression column = (Expression) call.children().apply(1);
    // Calls that the guard withholds from the scan need not be added.
    if (!PartitionLayout.isColumn(column) || !layout.isCorrectFor(call)) return result;
    if (layout.isFieldOfAllSpecs(column, transform)) return result;
    Transform record = Transform.ofSpec(transform);
    if (record.hashes) {
      int n = number(transform);
      for (String field : new LinkedHashSet<String>(layout.transformsOf(column))) {
        if (Transform.ofSpec(field) != record || number(field) >= n || n % number(field) != 0) continue;
        Expression coarser = withParameter(call, number(field));
        if (!isIn(Calls.plain(coarser), conjuncts)) result.add(bucket(coarser, number(field), values));
      }
    } else if (record.truncates && column.dataType().equals(DataTypes.StringType) && !isIn(column, conjuncts))
      result.add(prefix(column, number(transform), values));
    while (result.remove(null)) continue;
    return result;
  }

  /** Whether any of the expressions compares a call or a column with a literal that this rule has added. */
  private static boolean isIn(Expression e, List<Expression> expressions) {
    for (Expression x : expressions) {
      List<Expression> children = ScalaTypes.list(x.children());
      if (isIn(e, children)) return true;
      for (Expression c : children) {
        Expression compared = Calls.function(c) == null ? c : Calls.plain(c);
        if (compared.semanticEquals(e) && hasBound(x)) return true;
      }
    }
    return false;
  }

  private static boolean hasBound(Expression e) {
    if (e instanceof InSet) return true;
    for (Expression child : ScalaTypes.list(e.children()))
      if (ImpliedLiteral.isBound(child)) return true;
    return false;
  }

  private static int number(String transform) { return Integer.parseInt(transform.replaceAll("\\D", "")); }

  private static List<Object> values(Expression predicate, Expression call) {
    List<Object> result = new ArrayList<>();
    if (predicate instanceof EqualTo) {
      EqualTo e = (EqualTo) predicate;
      Expression other = e.left() == call ? e.right() : e.left();
      return other instanceof Literal && add(result, ((Literal) other).value()) ? result : null;
    }
    for (Expression x : ScalaTypes.list(((In) predicate).list()))
      if (!(x instanceof Literal) || !add(result, ((Literal) x).value())) return null;
    return result;
  }

  private static boolean add(List<Object> list, Object value) { return value != null && list.add(value); }

  private static Expression withParameter(Expression call, int n) {
    List<Expression> arguments =
      List.of(new Literal(Integer.valueOf(n), DataTypes.IntegerType), (Expression) call.children().apply(1));
    return (Expression) call.withNewChildren(ScalaTypes.seq(arguments));
  }

  private static Expression bucket(Expression coarser, int n, List<Object> values) {
    LinkedHashSet<Integer> buckets = new LinkedHashSet<>();
    for (Object v : values) {
      int k = ((Integer) v).intValue();
      if (k < 0) return null;
      buckets.add(Integer.valueOf(k % n));
    }
    if (buckets.size() == n) return null;
    List<Expression> literals = new ArrayList<>();
    for (Integer b : buckets) literals.add(new ImpliedLiteral(b, DataTypes.IntegerType));
    return buckets.size() == 1 ? (Expression) new EqualTo(coarser, (Expression) literals.get(0))
                               : new In(coarser, ScalaTypes.seq(literals));
  }

  private static Expression prefix(Expression column, int width, List<Object> values) {
    Expression result = null;
    for (Object v : values) {
      UTF8String s = (UTF8String) v;
      Expression literal = new ImpliedLiteral(s, DataTypes.StringType), comparison;
      if (s.numChars() > width) return null;
      comparison = s.numChars() < width ? (Expression) new EqualTo(column, literal) : new StartsWith(column, literal);
      result = result == null ? comparison : new Or(result, comparison);
    }
    return result;
  }
}
