package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.StringType;
import scala.collection.immutable.Seq;

/**
 * Filters on a partition column that is null in some files, in a form that Iceberg evaluates rightly there.
 *
 * <p>Iceberg takes a null partition value as the lowest of all, and as different from any constant. A scan is without
 * the file where the counts of nulls, or the values of other columns, exclude it; otherwise it counts as chosen in full,
 * and SELECT returns its rows. A DELETE of whole files looks at the counts only for what the partition value leaves
 * open, so it removes the rows even where the nulls are counted. So such a comparison gets IS NOT NULL.
 *
 * <p>For LIKE, Iceberg 1.12 fails with a NullPointerException, unless another condition excludes the file. The range of
 * texts with the prefix takes its place. Where a range may contain other texts, it is added, and the LIKE is Spark's
 * alone. Iceberg 1.11 fails for IN as well: one comparison for each value takes its place; and IS NOT NULL is added to IN
 * of a subquery and to EXISTS with =, whose values Spark may pass to Iceberg as an IN when the query runs.
 *
 * <p>IS DISTINCT FROM a constant becomes <code>&lt;&gt;</code> or IS NULL: ORC's reader takes it for
 * <code>&lt;&gt;</code> alone, and loses the nulls.
 */
public class NullPartitions extends ScalaTypes.Mapping<Expression, Expression> {
  private final Map<ExprId, PartitionLayout> layouts;
  /** Whether Iceberg may remove whole files by the condition, for which it takes a null for different from a constant. */
  private final boolean isWrite;
  /** Whether Iceberg alone chooses rows by the condition. */
  private final boolean isOverwrite;
  /** Whether the last condition has become wider. */
  private boolean isWider;

  public NullPartitions(Map<ExprId, PartitionLayout> layouts, boolean isWrite, boolean isOverwrite) {
    this.layouts = layouts;
    this.isWrite = isWrite || isOverwrite;
    this.isOverwrite = isOverwrite;
  }

  @Override
  protected Object of(Object o) {
    isWider = false;
    Expression e = (Expression) o, result = excluding(e, List.of(), List.of(), false);
    return isWider ? new And(withheld(e), result) : result;
  }

  /**
   * others: the conjuncts that hold beside the condition. required: those before it, for which Iceberg excludes a file
   * before it evaluates this one. isAlternative: whether it is a part of an OR.
   */
  private Expression excluding(
    Expression e, List<Expression> others, List<Expression> required, boolean isAlternative) {
    if (e instanceof Or) {
      List<Expression> all = new ArrayList<>(others);
      // Where null is an alternative, the others may take it for what they like.
      for (Expression part : ScalaTypes.list(e.children()))
        if (part instanceof IsNull) all.add(new IsNotNull(((IsNull) part).child()));
      Expression left = excluding(((Or) e).left(), all, required, true);
      Expression right = excluding(((Or) e).right(), all, required, true);
      return left == ((Or) e).left() && right == ((Or) e).right() ? e : new Or(left, right);
    }
    if (e instanceof And) {
      List<Expression> all = Predicates.conjuncts(e), preceding = new ArrayList<>(required);
      if (!isAlternative) preceding.addAll(Predicates.conjuncts(((And) e).left()));
      all.addAll(others);
      Expression left = excluding(((And) e).left(), all, required, isAlternative);
      Expression right = excluding(((And) e).right(), all, preceding, isAlternative);
      return left == ((And) e).left() && right == ((And) e).right() ? e : new And(left, right);
    }
    if (e instanceof InSubquery || e instanceof Exists)
      return isAlternative || !NullResiduals.IN_FAILS ? e : withKeys(e, required);
    Expression distinct = distinct(e);
    if (distinct != null) return distinct;
    Expression low = low(e), column = low == null ? different(e) : low;
    Expression safe = column == null || isPrefix(e) ? withoutFailure(e, required, isAlternative) : e;
    if (column == null || safe != e || !column.nullable() || hasNotNull(others, column)) return safe;
    PartitionLayout layout = (PartitionLayout) layouts.get(PartitionLayout.root(column));
    if (layout == null) return e;
    boolean isCounted = low != null && !isAlternative && !isWrite;
    boolean mayMatch = low == null && isWrite;
    mayMatch |= isCounted ? layout.mayHaveUncountedNulls(column) : layout.mayHaveNullPartitions(column);
    return mayMatch ? new And(new IsNotNull(column), e) : e;
  }

  /** IS DISTINCT FROM a constant, of a column of Iceberg's, in two parts; null for any other expression. */
  private Expression distinct(Expression e) {
    if (!(e instanceof Not) || !(((Not) e).child() instanceof EqualNullSafe)) return null;
    EqualNullSafe equal = (EqualNullSafe) ((Not) e).child();
    Expression column = PartitionLayout.isColumn(equal.left()) ? equal.left() : equal.right();
    Expression constant = column == equal.left() ? equal.right() : equal.left();
    if (!PartitionLayout.isColumn(column) || layouts.get(PartitionLayout.root(column)) == null) return null;
    if (!(constant instanceof Literal) || ((Literal) constant).value() == null) return null;
    return new Or(new Not(new EqualTo(column, constant)), new IsNull(column));
  }

  /** A predicate for which Iceberg fails on a null partition value, in another form; or the predicate itself. */
  private Expression withoutFailure(Expression e, List<Expression> required, boolean isAlternative) {
    boolean isNegated = e instanceof Not;
    Expression predicate = isNegated ? ((Not) e).child() : e;
    PrefixRange range = NullResiduals.PREFIX_FAILS ? PrefixRange.of(predicate) : null;
    Expression tested = NullResiduals.IN_FAILS && (predicate instanceof In || predicate instanceof InSet)
      ? (Expression) predicate.children().apply(0)
      : null;
    if (tested != null && !isText(tested)) return e;
    Expression column = range == null ? source(tested) : range.column();
    // A DELETE of whole files evaluates the condition for each file's partition, with all its parts.
    if (column == null || !isNullSomewhere(column, isWrite ? List.of() : required)) return e;
    if (!isNegated && !isAlternative && !isWrite) return range == null ? new And(new IsNotNull(column), e) : e;
    if (range == null) return compared(e, predicate, tested, isNegated);
    if (!range.isExact && isOverwrite)
      throw new UnsupportedOperationException(
        ((PartitionLayout) layouts.get(PartitionLayout.root(column))).withoutPrefix(column));
    isWider |= !range.isExact;
    return isNegated ? range.outside() : range.within();
  }

  /** The set of texts is the one that has no nulls. */
  private static boolean isText(Expression tested) { return tested.dataType() instanceof StringType; }

  /** Whether a column may have a null partition value in a file that the conditions before do not exclude. */
  private boolean isNullSomewhere(Expression column, List<Expression> required) {
    if (!PartitionLayout.isColumn(column) || !column.nullable() || hasNotNull(required, column)) return false;
    PartitionLayout layout = (PartitionLayout) layouts.get(PartitionLayout.root(column));
    return layout != null && layout.mayHaveNullPartitions(column);
  }

  /** A predicate on a subquery, with IS NOT NULL for the texts that have to be equal to one of its values. */
  private Expression withKeys(Expression e, List<Expression> required) {
    List<Expression> keys = new ArrayList<>();
    if (e instanceof InSubquery) keys.addAll(ScalaTypes.list(((InSubquery) e).values()));
    Seq<Expression> conditions = e instanceof Exists ? ((Exists) e).joinCond() : ((InSubquery) e).query().joinCond();
    for (Expression condition : ScalaTypes.list(conditions))
      for (Expression part : Predicates.conjuncts(condition))
        if (part instanceof EqualTo) keys.addAll(List.of(((EqualTo) part).left(), ((EqualTo) part).right()));
    Expression result = e;
    for (Expression key : keys)
      if (isText(key) && isNullSomewhere(key, required)) result = new And(new IsNotNull(key), result);
    return result;
  }

  /** The column of a text that is tested, itself or the call of an Iceberg function; null for any other expression. */
  private static Expression source(Expression tested) {
    Expression call = tested == null ? null : Calls.call(tested);
    return call == null ? tested : PartitionLayout.source(call);
  }

  /** IN or NOT IN as comparisons; Spark's alone if that is not possible. */
  private static Expression compared(Expression e, Expression predicate, Expression tested, boolean isNegated) {
    Expression equal = Predicates.equalToAny(tested, predicate);
    if (equal == null) return (Expression) e.mapChildren(new Withheld());
    return isNegated ? new And(new IsNotNull(source(tested)), new Not(equal)) : equal;
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
      if (PartitionLayout.isColumn(child) || Calls.call(child) != null) return new KnownNullable(child);
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
    Expression column = source(compared);
    return column != null && PartitionLayout.isColumn(column) ? column : null;
  }

  private static boolean isPrefix(Expression e) {
    return e instanceof Not && PrefixRange.of(((Not) e).child()) != null;
  }

  /** The column of a predicate that is true for all values but those of a constant; null if it is none. */
  private static Expression different(Expression e) {
    if (!(e instanceof Not)) return null;
    Expression child = ((Not) e).child();
    if (PartitionLayout.isColumn(child)) return child;
    if (isPrefix(e)) return PrefixRange.of(child).column();
    if (!(child instanceof EqualTo)) return null;
    EqualTo equal = (EqualTo) child;
    if (PartitionLayout.isColumn(equal.left())) return equal.right().references().isEmpty() ? equal.left() : null;
    return PartitionLayout.isColumn(equal.right()) && equal.left().references().isEmpty() ? equal.right() : null;
  }
}
