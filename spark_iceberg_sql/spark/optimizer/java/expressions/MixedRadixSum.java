package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** Sums such as year(x) * 100 + month(x), in which one step of a greater part exceeds the sum of all smaller parts. */
public final class MixedRadixSum {
  /** The year, its weight, and the maximum that the other terms add. */
  public Expression year;
  public double weight, maximumAddend;

  private final Expression[] parts = new Expression[ExpressionKind.Digit.values().length];
  private final double[] weights = new double[parts.length];

  private MixedRadixSum() {}

  /** Null if an expression is not such a sum. */
  public static MixedRadixSum of(Expression e) {
    MixedRadixSum d = new MixedRadixSum();
    if (limit(e.dataType()) == 0 || !d.add(e, 1) || d.parts[0] == null) return null;
    double smaller = 0;
    for (int i = d.parts.length - 1; i >= 0; i--) {
      ExpressionKind.Digit digit = ExpressionKind.Digit.values()[i];
      boolean mayBeMissing = digit == ExpressionKind.Digit.QUARTER;
      if (d.weights[i] < smaller && (!mayBeMissing || d.weights[i] > 0)) return null;
      smaller += digit.span * d.weights[i];
      if (i > 0) d.maximumAddend += 40 * d.weights[i];
    }
    d.year = d.parts[0];
    d.weight = d.weights[0];
    return d;
  }

  /** Sums weights and constants; false for a term that is neither a part nor a number. */
  private boolean add(Expression e, double weight) {
    if (e instanceof Literal) {
      Object value = ((Literal) e).value();
      if (!(value instanceof Number)) return false;
      maximumAddend += weight * Math.abs(((Number) value).doubleValue());
      return true;
    }
    ExpressionKind kind = ExpressionKind.of(e);
    if (kind == ExpressionKind.ADD) return add(child(e, 0), weight) && add(child(e, 1), weight);
    if (kind == ExpressionKind.MULTIPLY) {
      int l = child(e, 0) instanceof Literal ? 0 : 1;
      if (!(ExpressionKind.literal(e, l) instanceof Number)) return false;
      double factor = ((Number) ExpressionKind.literal(e, l)).doubleValue();
      return factor > 0 && add(child(e, 1 - l), weight * factor);
    }
    // A part may be cast to a wider type, but not a sum, which may have overflowed before the cast.
    if (kind == ExpressionKind.CAST && limit(e.dataType()) >= limit(child(e, 0).dataType())) {
      e = child(e, 0);
      kind = ExpressionKind.of(e);
    }
    if (kind == null || kind.digit == null) return false;
    for (Expression part : parts)
      if (part != null && !child(part, 0).semanticEquals(child(e, 0))) return false;
    parts[kind.digit.ordinal()] = e;
    weights[kind.digit.ordinal()] += weight;
    return true;
  }

  private static Expression child(Expression e, int i) { return (Expression) e.children().apply(i); }

  /** The greatest value of a numeric type that is supported for arithmetic; 0 for any other type. */
  public static double limit(DataType t) {
    if (t.equals(DataTypes.ByteType)) return 127;
    if (t.equals(DataTypes.ShortType)) return 32767;
    if (t.equals(DataTypes.IntegerType)) return 2147483647.0;
    if (t.equals(DataTypes.LongType)) return 9.2e18;
    return t.equals(DataTypes.DoubleType) ? 1e300 : 0;
  }
}
