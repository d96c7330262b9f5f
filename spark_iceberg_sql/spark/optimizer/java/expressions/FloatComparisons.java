package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * A condition on FLOAT and DOUBLE columns in a form that has one meaning in Spark and in Iceberg.
 *
 * <p>To Spark, NaN equals itself and is above all numbers, and both zeros are equal. Iceberg's bounds say nothing of NaN,
 * and -0.0 is below 0.0. So <code>v > 2</code> becomes <code>v > 2 OR v = NaN</code>, which Iceberg takes for is_nan(v)
 * and decides by the counts of NaN, and a zero is avoided by the least number beside it where Iceberg's order matters:
 * <code>v >= 0</code> becomes <code>v > -4.9E-324</code>. (A literal -0.0 would do, but for Spark it equals 0.0, so that
 * the tree would stay as it is.)
 *
 * <p>Invariant: a condition is true for the same rows as before, and a second application changes nothing.
 */
public final class FloatComparisons {
  /** Whether whole files are removed by the condition, so that it must not seem to be true for a NaN without a count. */
  private final boolean isStrict;

  public FloatComparisons(boolean isStrict) { this.isStrict = isStrict; }

  /** The condition, which is itself returned if Iceberg takes it as Spark does. */
  public Expression of(Expression condition) { return of(condition, List.of()); }

  // settled: the columns for whose NaN the condition around this one is decided: it has OR v = NaN, or a conjunct that is
  // false for NaN. What Iceberg then says of this one only has to be right for all other rows.
  private Expression of(Expression e, List<Expression> settled) {
    if (e instanceof And) {
      List<Expression> all = new ArrayList<>(settled), excluded = new ArrayList<>();
      for (Expression conjunct : Predicates.conjuncts(e)) {
        Expression column = isStrict ? notNaN(conjunct) : excludesNaN(conjunct);
        if (column != null) all.add(column);
      }
      for (Expression conjunct : Predicates.conjuncts(e)) {
        Expression column = isStrict ? excludesNaN(conjunct) : null;
        if (column == null || contains(all, column)) continue;
        all.add(column);
        excluded.add(isNumber(column));
      }
      Expression result = children(e, all);
      for (Expression added : excluded) result = new And(result, added);
      return result;
    }
    if (e instanceof Or) {
      List<Expression> all = new ArrayList<>(settled);
      for (Expression disjunct : disjuncts(e)) {
        Expression column = comparesNaN(disjunct);
        if (column != null) all.add(column);
      }
      return children(e, all);
    }
    if (e instanceof Not) return negated((Expression) ((Not) e).child(), e, settled);
    if (e instanceof In || e instanceof InSet) return in(e, settled);
    Comparison comparison = Comparison.of(e);
    Expression column = comparison == null ? null : column(e);
    return column == null ? e : compared(e, column, comparison, settled);
  }

  private Expression children(Expression e, List<Expression> settled) {
    Expression left = (Expression) e.children().apply(0), right = (Expression) e.children().apply(1);
    Expression l = of(left, settled), r = of(right, settled);
    if (l == left && r == right) return e;
    return e instanceof And ? (Expression) new And(l, r) : new Or(l, r);
  }

  /** A comparison of a column with a literal. */
  private Expression compared(Expression e, Expression column, Comparison operator, List<Expression> settled) {
    Object value = literal(e).value();
    boolean isLeft = literal(e) == e.children().apply(1), isNullSafe = e instanceof EqualNullSafe;
    Comparison comparison = isLeft ? operator : operator.turned();
    if (isNaN(value)) {
      if (comparison == Comparison.GE) return isNaN(column);
      if (comparison == Comparison.LT) return new Not(isNaN(column));
      // Iceberg has no literal NaN, and DELETE fails on one that is not = NaN.
      if (comparison == Comparison.GT) return of(new LessThan(column, leastOf(column)), settled);
      if (comparison == Comparison.LE) return new IsNotNull(column);
      return isNullSafe ? new And(new IsNotNull(column), isNaN(column)) : e;
    }
    Expression result = e;
    if (isZero(value)) {
      switch (comparison) {
        case GT:
          if (isNegative(value)) result = above(column);
          break;
        case GE:
          if (!isNegative(value)) result = new GreaterThan(column, besideZero(column, true));
          break;
        case LT:
          if (!isNegative(value)) result = below(column);
          break;
        case LE:
          if (isNegative(value)) result = new LessThan(column, besideZero(column, false));
          break;
        default:
          result = isNullSafe ? new And(new IsNotNull(column), zero(column)) : zero(column);
      }
    }
    if (comparison == Comparison.GT || comparison == Comparison.GE) return orNaN(result, column, settled, false);
    return isStrict && !contains(settled, column) ? new And(result, isNumber(column)) : result;
  }

  /** NOT e, which is the negation. */
  private Expression negated(Expression e, Expression negation, List<Expression> settled) {
    if (e instanceof Not) return of((Expression) ((Not) e).child(), settled);
    if (e instanceof And) return of(new Or(new Not(((And) e).left()), new Not(((And) e).right())), settled);
    if (e instanceof Or) return of(new And(new Not(((Or) e).left()), new Not(((Or) e).right())), settled);
    if (e instanceof In || e instanceof InSet) return noneOf(e, negation, settled);
    Comparison comparison = Comparison.of(e);
    Expression column = comparison == null ? null : column(e);
    if (column == null) return negation;
    Expression left = (Expression) e.children().apply(0), right = (Expression) e.children().apply(1);
    switch (comparison) {
      case LT:
        return of(new GreaterThanOrEqual(left, right), settled);
      case LE:
        return of(new GreaterThan(left, right), settled);
      case GT:
        return of(new LessThanOrEqual(left, right), settled);
      case GE:
        return of(new LessThan(left, right), settled);
      default:
        Object value = literal(e).value();
        Expression other = e instanceof EqualTo ? negation : new Not(new EqualTo(left, right));
        if (isZero(value)) other = notZero(column);
        if (!isNaN(value)) other = orNaN(other, column, settled, e instanceof EqualTo);
        return e instanceof EqualTo ? other : new Or(new IsNull(column), other);
    }
  }

  private Expression in(Expression e, List<Expression> settled) {
    Expression column = inColumn(e);
    List<Object> values = column == null ? null : values(e);
    if (values == null) return e;
    boolean isSettled = contains(settled, column), hasNaN = false, hasZero = false;
    List<Expression> others = new ArrayList<>();
    for (Object value : values) {
      hasNaN |= isNaN(value);
      hasZero |= isZero(value);
      if (value != null && !isNaN(value) && !isZero(value)) others.add(new Literal(value, column.dataType()));
    }
    Expression result = e;
    if (hasNaN || hasZero) {
      result = others.isEmpty() ? null : new In(column, ScalaTypes.seq(others));
      if (hasZero) result = result == null ? zero(column) : new Or(result, zero(column));
      if (hasNaN) result = result == null ? isNaN(column) : new Or(result, isNaN(column));
      // Iceberg 1.11 fails on IN for a file whose partition value is null, unless another conjunct has skipped it.
      if (result instanceof Or) result = new And(new IsNotNull(column), result);
    }
    return hasNaN || isSettled || !isStrict ? result : new And(result, isNumber(column));
  }

  private Expression noneOf(Expression e, Expression negation, List<Expression> settled) {
    Expression column = inColumn(e);
    List<Object> values = column == null ? null : values(e);
    if (values == null || values.contains(null)) return negation; // with a null it is never true
    boolean hasNaN = false, hasZero = false;
    List<Expression> others = new ArrayList<>();
    for (Object value : values) {
      hasNaN |= isNaN(value);
      hasZero |= isZero(value);
      if (!isNaN(value) && !isZero(value)) others.add(new Literal(value, column.dataType()));
    }
    Expression result = !hasNaN && !hasZero ? negation : null;
    if (result == null && !others.isEmpty()) result = new Not(new In(column, ScalaTypes.seq(others)));
    if (hasZero) result = result == null ? notZero(column) : new And(result, notZero(column));
    if (!hasNaN) return orNaN(result, column, settled, true);
    Expression notNaN = new Not(isNaN(column));
    return result == null ? notNaN : new And(result, notNaN);
  }

  private static Expression orNaN(Expression e, Expression column, List<Expression> settled, boolean isNullTolerant) {
    if (contains(settled, column)) return e;
    Expression result = new Or(e, isNaN(column));
    // Iceberg takes <> and NOT IN for true of null, and Spark infers IS NOT NULL from them, but not from OR.
    return isNullTolerant ? new And(new IsNotNull(column), result) : result;
  }

  private static Expression notZero(Expression column) { return new Or(below(column), above(column)); }

  private static Expression zero(Expression column) {
    return new And(new GreaterThan(column, besideZero(column, true)), new LessThan(column, besideZero(column, false)));
  }

  private static Expression above(Expression column) {
    return new GreaterThanOrEqual(column, besideZero(column, false));
  }

  private static Expression below(Expression column) { return new LessThanOrEqual(column, besideZero(column, true)); }

  /** The number beside zero. */
  private static Literal besideZero(Expression column, boolean isNegative) {
    if (column.dataType().equals(DataTypes.FloatType))
      return new Literal(Float.valueOf(isNegative ? -Float.MIN_VALUE : Float.MIN_VALUE), column.dataType());
    return new Literal(Double.valueOf(isNegative ? -Double.MIN_VALUE : Double.MIN_VALUE), column.dataType());
  }

  /** Below which there is no number, nor NaN. */
  private static Literal leastOf(Expression column) {
    if (column.dataType().equals(DataTypes.FloatType))
      return new Literal(Float.valueOf(Float.NEGATIVE_INFINITY), column.dataType());
    return new Literal(Double.valueOf(Double.NEGATIVE_INFINITY), column.dataType());
  }

  private static Expression isNaN(Expression column) {
    Object nan = column.dataType().equals(DataTypes.FloatType) ? (Object) Float.valueOf(Float.NaN)
                                                               : (Object) Double.valueOf(Double.NaN);
    return new EqualTo(column, new Literal(nan, column.dataType()));
  }

  /** For Iceberg, a null partition value is the lowest of all, and not NaN. */
  private static Expression isNumber(Expression column) {
    return new And(new Not(isNaN(column)), new IsNotNull(column));
  }

  /** The column of a condition that is never true for NaN; null if there is none. */
  private static Expression excludesNaN(Expression e) {
    if (e instanceof Not) return notNaN(e);
    if (e instanceof In || e instanceof InSet) {
      List<Object> values = inColumn(e) == null ? null : values(e);
      if (values == null) return null;
      for (Object value : values)
        if (isNaN(value)) return null;
      return inColumn(e);
    }
    Comparison comparison = Comparison.of(e);
    Expression column = comparison == null ? null : column(e);
    if (column == null || isNaN(literal(e).value())) return null;
    if (literal(e) != e.children().apply(1)) comparison = comparison.turned();
    return comparison == Comparison.GT || comparison == Comparison.GE ? null : column;
  }

  /** The column of v <> NaN; null for any other condition. */
  private static Expression notNaN(Expression e) {
    return e instanceof Not ? comparesNaN((Expression) ((Not) e).child()) : null;
  }

  /** The column of v = NaN; null for any other condition. */
  private static Expression comparesNaN(Expression e) {
    Expression column = e instanceof EqualTo ? column(e) : null;
    return column != null && isNaN(literal(e).value()) ? column : null;
  }

  /** The FLOAT or DOUBLE column that a comparison compares with a literal that is not null; null if there is none. */
  private static Expression column(Expression e) {
    Expression left = (Expression) e.children().apply(0), right = (Expression) e.children().apply(1);
    Expression column = right instanceof Literal ? left : left instanceof Literal ? right : null;
    return column != null && isFloating(column) && literal(e).value() != null ? column : null;
  }

  private static Literal literal(Expression comparison) {
    Object right = comparison.children().apply(1);
    return (Literal) (right instanceof Literal ? right : comparison.children().apply(0));
  }

  /** The FLOAT or DOUBLE column that IN compares; null if it compares anything else. */
  private static Expression inColumn(Expression e) {
    Expression column = e instanceof In ? ((In) e).value() : (Expression) ((InSet) e).child();
    return isFloating(column) ? column : null;
  }

  /** Whether an expression is a FLOAT or DOUBLE column, or such a field of a struct. */
  public static boolean isFloating(Expression e) {
    DataType t = e.dataType();
    return (t.equals(DataTypes.FloatType) || t.equals(DataTypes.DoubleType)) && PartitionLayout.isColumn(e);
  }

  /** The values of IN, which may be null; null if they are not literals. */
  private static List<Object> values(Expression e) {
    if (e instanceof InSet) return ScalaTypes.list(((InSet) e).hset());
    List<Object> values = new ArrayList<>();
    for (Expression item : ScalaTypes.list(((In) e).list())) {
      if (!(item instanceof Literal)) return null;
      values.add(((Literal) item).value());
    }
    return values;
  }

  private static List<Expression> disjuncts(Expression e) {
    List<Expression> result = new ArrayList<>();
    if (e instanceof Or) {
      result.addAll(disjuncts(((Or) e).left()));
      result.addAll(disjuncts(((Or) e).right()));
    } else {
      result.add(e);
    }
    return result;
  }

  private static boolean contains(List<Expression> columns, Expression column) {
    for (Expression c : columns)
      if (c.semanticEquals(column)) return true;
    return false;
  }

  private static boolean isNaN(Object value) {
    return value instanceof Number && Double.isNaN(((Number) value).doubleValue());
  }

  private static boolean isZero(Object value) { return value instanceof Number && ((Number) value).doubleValue() == 0; }

  private static boolean isNegative(Object zero) { return 1 / ((Number) zero).doubleValue() < 0; }
}
