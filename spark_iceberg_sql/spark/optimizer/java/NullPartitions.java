package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.*;

/**
 * Filters on a partition column that is null in some files, in a form that Iceberg evaluates rightly there.
 *
 * <p>Iceberg takes a null partition value as the lowest of all, and as different from any constant. That is without
 * effect where the counts of nulls, or the values of other columns, exclude the file; other files count as chosen in
 * full: SELECT returns their rows, and DELETE removes them. So such a comparison gets IS NOT NULL.
 *
 * <p>For LIKE, Iceberg 1.12 fails with a NullPointerException, unless another condition excludes the file. The range of
 * texts with the prefix takes its place. Where a range may contain other texts, it is added, and the LIKE is Spark's
 * alone. Iceberg 1.11 fails for IN as well: one comparison for each value takes its place.
 */
public class NullPartitions extends ScalaTypes.Mapping<Expression, Expression> {
  private final Map<ExprId, PartitionLayout> layouts;
  /** Whether the scan may decide a condition that is wider than the query's, since Spark evaluates that one. */
  private final boolean isFilter;
  /** Whether the last condition has become wider. */
  private boolean isWider;

  public NullPartitions(Map<ExprId, PartitionLayout> layouts, boolean isFilter) {
    this.layouts = layouts;
    this.isFilter = isFilter;
  }

  @Override
  protected Object of(Object o) {
    isWider = false;
    Expression e = (Expression) o, result = excluding(e, List.of(), List.of(), false);
    return isWider ? new And(withheld(e), result) : result;
  }

  /**
   * others: the conjuncts that hold beside the condition. required: those that exclude a file for which they are not
   * true. isAlternative: whether it is a part of an OR.
   */
  private Expression excluding(
    Expression e, List<Expression> others, List<Expression> required, boolean isAlternative) {
    if (e instanceof Or) {
      Expression left = excluding(((Or) e).left(), others, required, true);
      Expression right = excluding(((Or) e).right(), others, required, true);
      return left == ((Or) e).left() && right == ((Or) e).right() ? e : new Or(left, right);
    }
    if (e instanceof And) {
      List<Expression> all = Predicates.conjuncts(e), allRequired = new ArrayList<>(required);
      if (!isAlternative) allRequired.addAll(all);
      all.addAll(others);
      Expression left = excluding(((And) e).left(), all, allRequired, isAlternative);
      Expression right = excluding(((And) e).right(), all, allRequired, isAlternative);
      return left == ((And) e).left() && right == ((And) e).right() ? e : new And(left, right);
    }
    Expression low = low(e), column = low == null ? different(e) : low;
    if (column == null) return withoutFailure(e, required, isAlternative);
    if (!column.nullable() || hasNotNull(others, column)) return e;
    PartitionLayout layout = (PartitionLayout) layouts.get(PartitionLayout.root(column));
    if (layout == null) return e;
    boolean mayMatch =
      low != null && !isAlternative ? layout.mayHaveUncountedNulls(column) : layout.mayHaveNullPartitions(column);
    return mayMatch ? new And(new IsNotNull(column), e) : e;
  }

  /** A predicate for which Iceberg fails on a null partition value, in another form; or the predicate itself. */
  private Expression withoutFailure(Expression e, List<Expression> required, boolean isAlternative) {
    boolean isNegated = e instanceof Not;
    // A conjunct that is not negated excludes such a file.
    if (!isNegated && !isAlternative) return e;
    Expression predicate = isNegated ? ((Not) e).child() : e;
    PrefixRange range = NullResiduals.PREFIX_FAILS ? PrefixRange.of(predicate) : null;
    Expression tested = NullResiduals.IN_FAILS && (predicate instanceof In || predicate instanceof InSet)
      ? (Expression) predicate.children().apply(0)
      : null;
    Expression column = range == null ? tested : range.column();
    if (column == null || !PartitionLayout.isColumn(column) || !column.nullable() || hasNotNull(required, column))
      return e;
    PartitionLayout layout = (PartitionLayout) layouts.get(PartitionLayout.root(column));
    if (layout == null || !layout.mayHaveNullPartitions(column)) return e;
    if (range == null) return compared(e, predicate, column, isNegated);
    if (!range.isExact && !isFilter) return e;
    isWider |= !range.isExact;
    return isNegated ? range.outside() : range.within();
  }

  /** IN or NOT IN as comparisons; Spark's alone if that is not possible. */
  private static Expression compared(Expression e, Expression predicate, Expression column, boolean isNegated) {
    Expression equal = Predicates.equalToAny(column, predicate);
    if (equal == null) return (Expression) e.mapChildren(new Withheld());
    return isNegated ? new And(new IsNotNull(column), new Not(equal)) : equal;
  }

  private static boolean hasNotNull(List<Expression> conjuncts, Expression column) {
    for (Expression e : conjuncts)
      if (e instanceof IsNotNull && ((IsNotNull) e).child().semanticEquals(column)) return true;
    return false;
  }

  /** The condition with each LIKE as one that is not passed to Iceberg. */
  private static Expression withheld(Expression e) {
    return (Expression) (PrefixRange.of(e) == null ? e.mapChildren(new Prefixes()) : e.mapChildren(new Withheld()));
  }

  /** Withholds the predicates within. */
  private static final class Prefixes extends ScalaTypes.Mapping<Expression, Expression> {
    @Override
    protected Object of(Object e) {
      return withheld((Expression) e);
    }
  }

  /** Hides the columns of a predicate from Iceberg. */
  private static final class Withheld extends ScalaTypes.Mapping<Expression, Expression> {
    @Override
    protected Object of(Object e) {
      Expression child = (Expression) e;
      if (PartitionLayout.isColumn(child)) return new KnownNullable(child);
      return child instanceof In || child instanceof InSet ? child.mapChildren(this) : child;
    }
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

  /** The column of a comparison that is true for all values but a constant; null if it is none. */
  private static Expression different(Expression e) {
    if (!(e instanceof Not) || !(((Not) e).child() instanceof EqualTo)) return null;
    EqualTo equal = (EqualTo) ((Not) e).child();
    if (PartitionLayout.isColumn(equal.left())) return equal.right().references().isEmpty() ? equal.left() : null;
    return PartitionLayout.isColumn(equal.right()) && equal.left().references().isEmpty() ? equal.right() : null;
  }
}
