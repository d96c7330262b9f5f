package sparkicebergsql;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.*;
import org.apache.spark.unsafe.types.CalendarInterval;

/**
 * An expression that is monotonic in one column, such as date_trunc('week', ts) or year(ts) * 100 + month(ts): from the
 * expression to the range of the column in which that holds, and to the margin by which the point where it reaches a
 * value may be off. ExpressionKind is the table of supported expressions.
 */
public final class MonotonicExpression {
  private static final long HOUR = Clocks.HOUR, DAY = Clocks.DAY;
  /** Years 100 to 9899: room for a shift on both sides before four digits for a year are too few. */
  private static final long FIRST_DAY = -683003L, END_DAY = 2896373L;
  /** Four digits for a year in every zone. */
  private static final long DIGITS_FROM = -719159L, DIGITS_TO = 2932893L;

  /**
   * The behaviour of an expression outside `first` to `last`. TOTAL: it is monotonic there, too. APART: its values
   * there are not between the values inside. ANYTHING: rows there must be kept.
   */
  public static final int TOTAL = 0, APART = 1, ANYTHING = 2;

  /** The column, a field of a struct included. */
  public final Expression column;
  /** The range in which the expression is known to be monotonic, in the column's own values. */
  public long first, last;
  public int below = TOTAL, above = TOTAL;
  /** 1 if it increases with the column, -1 if it decreases. */
  public int direction = 1;
  /** The number of steps from the column. */
  public int count;
  private final List<ZoneId> zones = new ArrayList<>();
  private int zoned;
  /** In microseconds: how far from the point a DST transition still matters; how far off the point always is. */
  private long reach, slack;
  /** Whether it counts units of a timestamp as Iceberg does: for some before 1970, a second too early. */
  private boolean countsEarly;
  /** Whether a step has added a number or multiplied by one. */
  private boolean shifted, scaled;
  /** Dates or timestamps that are written with four digits for the year. */
  private final List<Expression> dates = new ArrayList<>();

  private MonotonicExpression(Expression column, long first, long last) {
    this.column = column;
    this.first = first;
    this.last = last;
    if (!column.dataType().equals(DataTypes.TimestampType)) reach = 26 * HOUR;
  }

  public static boolean isTime(DataType t) {
    return t.equals(DataTypes.TimestampType) || t.equals(DataTypes.TimestampNTZType) || t.equals(DataTypes.DateType);
  }

  public List<Expression> dates() { return dates; }

  /** Whether dates and timestamps in the expression always have four digits for the year. */
  public static boolean hasFourDigits(DataType type, Object value) {
    long days =
      type.equals(DataTypes.DateType) ? ((Integer) value).longValue() : Math.floorDiv(((Long) value).longValue(), DAY);
    return days >= DIGITS_FROM && days <= DIGITS_TO;
  }

  // The idea is that of ClickHouse's IFunction::getMonotonicityForRange: a composition of monotonic steps is monotonic.
  // There is no calendar arithmetic here: ImpliedRanges finds the point by bisection with Spark's own evaluation.
  // Invariant of each step: from `first` to `last` the values are monotonic in the column, except within `margin` of a
  // DST transition, where local time jumps back or ahead; `below` and `above` say what may be outside.

  /** The steps from a column to an expression; null if it is not known to be monotonic. */
  public static MonotonicExpression of(Expression e) {
    if (e instanceof KnownNullable && PartitionLayout.isColumn(child(e, 0))) {
      // A column whose bounds are wrong in some files; see Bounds.
      MonotonicExpression s = of(child(e, 0));
      if (s != null) s.count++;
      return s;
    }
    if (PartitionLayout.isColumn(e)) {
      DataType t = e.dataType();
      if (!isTime(t)) return null;
      boolean date = t.equals(DataTypes.DateType);
      return new MonotonicExpression(e, date ? FIRST_DAY : FIRST_DAY * DAY, date ? END_DAY - 1 : END_DAY * DAY - 1);
    }
    Expression call = Calls.call(e);
    MonotonicExpression s = call != null ? ofCall(call) : built(e);
    if (s != null) s.count++;
    return s;
  }

  private static Expression child(Expression e, int i) { return (Expression) e.children().apply(i); }

  private static MonotonicExpression ofCall(Expression e) {
    Transform t = Transform.of(e);
    if (t == null || !t.preservesOrder) return null;
    if (t.truncates) {
      Object width = ExpressionKind.literal(e, 0);
      Expression c = child(e, 1);
      boolean wide = c.dataType().equals(DataTypes.LongType);
      if (!(width instanceof Integer) || !PartitionLayout.isColumn(c)) return null;
      if (!wide && !c.dataType().equals(DataTypes.IntegerType)) return null;
      long w = ((Integer) width).longValue();
      if (w < 1 || w > 1 << 30) return null;
      long minimum = wide ? Long.MIN_VALUE : Integer.MIN_VALUE;
      MonotonicExpression s = new MonotonicExpression(c, minimum + w, wide ? Long.MAX_VALUE - 1 : Integer.MAX_VALUE);
      s.below = ANYTHING; // the least values wrap
      return s;
    }
    if (e.children().size() != 1) return null;
    MonotonicExpression s = of(child(e, 0));
    if (s != null) s.countsEarly |= t.unit != null && !child(e, 0).dataType().equals(DataTypes.DateType);
    return s != null && t.wraps(child(e, 0).dataType()) ? s.apart() : s;
  }

  private static MonotonicExpression built(Expression e) {
    ExpressionKind kind = ExpressionKind.of(e);
    if (kind == null || kind.step == ExpressionKind.Step.LOST) return null;
    MonotonicExpression digits = kind == ExpressionKind.ADD ? digits(e) : null;
    if (digits != null) return digits;
    int argumentIndex = kind.argumentIndex(e);
    MonotonicExpression s = argumentIndex < 0 ? null : of(child(e, argumentIndex));
    if (s != null) s = s.step(e, kind, argumentIndex);
    boolean falls = kind.argument == ExpressionKind.Argument.DIFFERENCE && argumentIndex == 1;
    return s != null && falls ? s.fall() : s;
  }

  /** One more step; null if it is not known to be monotonic. argumentIndex: of the argument that contains the column. */
  private MonotonicExpression step(Expression e, ExpressionKind kind, int argumentIndex) {
    Expression x = child(e, argumentIndex);
    Object constant = e.children().size() == 2 ? ExpressionKind.literal(e, 1 - argumentIndex) : null;
    switch (kind.step) {
      case KEPT:
        return this;
      case APART:
        return apart();
      case ZONED:
        return zone(e);
      case EPOCH:
        if (!isTime(x.dataType())) return null;
        return x.dataType().equals(DataTypes.TimestampType) ? this : zone(e);
      case TIME_AGAIN:
        return timeAgain();
      case DAYS_LATER:
      case DAYS_EARLIER:
        if (!(constant instanceof Number)) return null;
        return wraps(((Number) constant).longValue(), kind.step == ExpressionKind.Step.DAYS_LATER);
      case MONTHS_LATER:
        return constant instanceof Integer ? shift(31L * Math.abs(((Integer) constant).longValue())) : null;
      case INTERVAL_LATER:
        return interval(e, child(e, 1).dataType(), constant);
      case OTHER_ZONE:
        reach += 26 * HOUR;
        return zone(DateTimeUtils.getZoneId(constant.toString()));
      case DAYS_SINCE:
        shifted = true; // the origin is no longer 1970
        return apart();
      case CAST:
        return cast(e, x.dataType(), e.dataType());
      case WRITTEN:
        return format(e, constant.toString());
      case PREFIX:
        Object from = ExpressionKind.literal(e, 1);
        return isText(x) && (Integer.valueOf(1).equals(from) || Integer.valueOf(0).equals(from)) ? this : null;
      case SUM:
        return arithmetic(e, x, constant, false);
      case PRODUCT:
        return arithmetic(e, x, constant, true);
      case QUOTIENT:
        return divided(e, kind, constant);
      case ROUNDED:
        return x.dataType().equals(DataTypes.DoubleType) ? this : null;
      default:
        return null;
    }
  }

  /** Plain binary text: its order is the order of its bytes. */
  public static boolean isText(Expression e) { return e.dataType().equals(DataTypes.StringType); }

  private MonotonicExpression apart() {
    below = Math.max(below, APART);
    above = Math.max(above, APART);
    return this;
  }

  /** Adding days does not check for int overflow. */
  private MonotonicExpression wraps(long days, boolean plus) {
    if (days > 0 == plus) above = Math.max(above, APART);
    else below = Math.max(below, APART);
    return shift(Math.abs(days));
  }

  private MonotonicExpression anything() {
    below = ANYTHING;
    above = ANYTHING;
    return this;
  }

  private MonotonicExpression fall() {
    direction = -direction;
    return this;
  }

  private MonotonicExpression zone(ZoneId zone) {
    zones.add(zone);
    zoned++;
    return this;
  }

  private MonotonicExpression zone(Expression e) { return zone(((TimeZoneAwareExpression) e).zoneId()); }

  /** By a few centuries at most: years computed from first to last then have at most five digits. */
  private MonotonicExpression shift(long days) {
    if (days > 300000L) return null;
    reach += days * DAY;
    return reach > 900000L * DAY ? null : this;
  }

  private MonotonicExpression cast(Expression e, DataType from, DataType to) {
    if (from.equals(to)) return this;
    if (isTime(from)) {
      boolean text = to.equals(DataTypes.StringType);
      if (!text && !isTime(to)) {
        if (!from.equals(DataTypes.TimestampType)) return null;
        if (!to.equals(DataTypes.LongType) && !to.equals(DataTypes.DoubleType)) return null;
        return this;
      }
      if (text) {
        dates.add(((Cast) e).child());
        above = Math.max(above, APART); // years of five digits are written with a plus
      }
      return from.equals(DataTypes.TimestampType) || to.equals(DataTypes.TimestampType) ? zone(e) : this;
    }
    // Integers cast to a type that holds them all; the rounding of a double preserves the order.
    double limit = MixedRadixSum.limit(from);
    if (limit == 0 || from.equals(DataTypes.DoubleType)) return null;
    if (to.equals(DataTypes.DoubleType) || MixedRadixSum.limit(to) >= limit) return this;
    if (!(to instanceof DecimalType) || ((DecimalType) to).scale() != 0) return null;
    return Math.pow(10, ((DecimalType) to).precision()) > limit ? this : null;
  }

  /** x * c, or a sum or difference of x and c; null if it may overflow for ordinary values of x. */
  private MonotonicExpression arithmetic(Expression e, Expression x, Object constant, boolean times) {
    double limit = MixedRadixSum.limit(e.dataType());
    if (!(constant instanceof Number) || limit == 0) return null;
    double c = ((Number) constant).doubleValue();
    if (times && c == 0) return null;
    if (!within(x, times ? Math.abs(c) : 1, times ? 0 : Math.abs(c), limit)) return null;
    if (times) scaled = true;
    else shifted = true;
    return times && c < 0 ? fall() : this;
  }

  private MonotonicExpression divided(Expression e, ExpressionKind kind, Object constant) {
    boolean real = e.dataType().equals(DataTypes.DoubleType);
    if (!(constant instanceof Number) || !real && kind != ExpressionKind.INTEGRAL_DIVIDE) return null;
    double d = ((Number) constant).doubleValue();
    scaled = true;
    return d >= (real ? 1e-6 : 1) && !Double.isInfinite(d) ? this : null;
  }

  /**
   * Whether x * factor + more stays below a limit from first to last: the only check for overflow.
   *
   * <p>x is monotonic there, so Spark evaluates it at both ends. Rows outside, where it may exceed these values, are
   * kept.
   */
  private boolean within(Expression x, double factor, double addend, double limit) {
    SingleColumnFunction values = new SingleColumnFunction(x, column);
    if (!fits(values, first, factor, addend, limit) || !fits(values, last, factor, addend, limit)) return false;
    boolean date = column.dataType().equals(DataTypes.DateType);
    boolean narrow = date || column.dataType().equals(DataTypes.IntegerType);
    if (below != TOTAL || !fits(values, narrow ? Integer.MIN_VALUE : Long.MIN_VALUE, factor, addend, limit))
      below = ANYTHING;
    if (above != TOTAL || !fits(values, narrow ? Integer.MAX_VALUE : Long.MAX_VALUE, factor, addend, limit))
      above = ANYTHING;
    return true;
  }

  /** With a margin of one hundredth for DST transitions. */
  private static boolean fits(
    SingleColumnFunction values, long columnValue, double factor, double addend, double limit) {
    try {
      Object v = values.at(columnValue);
      return v instanceof Number && Math.abs(((Number) v).doubleValue()) * factor + addend < limit * 0.99;
    } catch (RuntimeException e) {
      return false;
    }
  }

  /**
   * A number converted back to a time: the DST transitions are then at other values, unknown if the number was scaled.
   */
  private MonotonicExpression timeAgain() {
    if (scaled) return null;
    if (shifted) reach = Math.max(reach, 1000 * DAY);
    return this;
  }

  private MonotonicExpression interval(Expression e, DataType type, Object constant) {
    long months = 0, micros;
    if (constant instanceof CalendarInterval) {
      CalendarInterval i = (CalendarInterval) constant;
      months = i.months;
      micros = Math.abs(i.days) * DAY + Math.abs(i.microseconds / 2) * 2;
      if (i.days != 0) micros += DAY;
    } else if (type instanceof YearMonthIntervalType) {
      months = ((Integer) constant).longValue();
      micros = 0;
    } else if (type instanceof DayTimeIntervalType) {
      micros = ((Long) constant).longValue();
    } else return null;
    // Days and months are added on the local calendar, and the 31st of a short month is its last day.
    boolean clock = months == 0 && Math.abs(micros) < DAY && micros != Long.MIN_VALUE;
    if (months != 0) slack += 4 * DAY;
    if (shift(31 * Math.abs(months) + Math.abs(micros / DAY) + 1) == null) return null;
    return clock || !e.dataType().equals(DataTypes.TimestampType) ? this : zone(e);
  }

  private static final String[] FIELDS = {"yyyy", "MM", "dd", "HH", "mm", "ss"};

  /** A pattern with the greater fields first, each with all its digits: the text sorts by time. */
  private MonotonicExpression format(Expression e, String pattern) {
    if (SQLConf.get().legacyTimeParserPolicy().toString().equals("LEGACY")) return null;
    int index = 0, field = 0;
    while (index < pattern.length()) {
      char c = pattern.charAt(index);
      if (field < FIELDS.length && pattern.startsWith(FIELDS[field], index)) index += FIELDS[field++].length();
      else if (pattern.startsWith("'T'", index)) index += 3;
      else if (" -/.:_".indexOf(c) >= 0) index++;
      else return null;
    }
    if (field == 0) return null;
    dates.add(child(e, 0));
    below = ANYTHING; // years BC have a minus sign and sort in reverse
    above = Math.max(above, APART);
    return zone(e);
  }

  private static MonotonicExpression digits(Expression e) {
    MixedRadixSum d = MixedRadixSum.of(e);
    if (d == null) return null;
    MonotonicExpression s = of(child(d.year, 0));
    if (s == null || !s.within(d.year, d.weight, d.maximumAddend, MixedRadixSum.limit(e.dataType()))) return null;
    s.scaled = true;
    return s;
  }

  /** The maximum distance of the true point from `at`, in the column's own values. */
  public long margin(long columnValue) {
    DataType t = column.dataType();
    if (!isTime(t)) return 0;
    boolean date = t.equals(DataTypes.DateType);
    long micros = date ? columnValue * DAY : columnValue, uncertainty = 0;
    for (ZoneId zone : zones) uncertainty = Math.max(uncertainty, zoned * Clocks.uncertainty(zone, micros, reach));
    if (countsEarly && micros <= 0) uncertainty += 1000000L;
    // Days lie further apart than less than a day.
    return date ? (slack + uncertainty) / DAY : slack + uncertainty;
  }

  /**
   * Values of the column between which the expression is monotonic, from a lower to an upper value: these two, and both
   * sides of the zone's transitions. Its values from lower to upper lie between its values at them. Null if that is not
   * certain.
   */
  public List<Long> turningPoints(long lower, long upper) {
    if (lower < first || upper > last || lower > upper || slack != 0 || countsEarly && lower < 0) return null;
    boolean date = column.dataType().equals(DataTypes.DateType), direct = zoned == 1 && reach == 0;
    long unit = date ? DAY : 1, around = direct ? 0 : reach + 50 * HOUR;
    List<Long> points = new ArrayList<>();
    points.add(Long.valueOf(lower));
    for (ZoneId zone : zones) {
      List<Long> times = Clocks.transitions(zone, lower * unit - around, upper * unit + around);
      if (times == null || !direct && !times.isEmpty()) return null;
      for (Long time : times) {
        points.add(Long.valueOf(Math.max(lower, time.longValue() - 1)));
        points.add(time);
      }
    }
    points.add(Long.valueOf(upper));
    return points;
  }
}
