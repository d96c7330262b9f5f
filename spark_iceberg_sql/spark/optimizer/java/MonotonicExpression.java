package sparkicebergsql;

import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.*;
import org.apache.spark.unsafe.types.CalendarInterval;

/**
 * An expression that increases with one column, or decreases with it: year(ts), date_trunc('week', ts), date_format(ts,
 * 'yyyy-MM'), unix_timestamp(ts), year(ts) * 100 + month(ts), compositions of such.
 *
 * <p>Where it crosses a value is found by bisection with Spark's own evaluation (see ImpliedRanges), so nothing here computes
 * with a calendar. What has to be known of an expression is that it is monotonic, and where that is only nearly so:
 * a zone whose clocks are put back lets the local time fall while time goes on, and a clock put forward moves what
 * was computed. `margin` says how far a crossing may be off for that.
 *
 * <p>Expressions are known by the simple names of their classes, so the text compiles where Spark has other ones.
 */
public final class MonotonicExpression {
  public static final long HOUR = 3600000000L, DAY = 24 * HOUR;
  /** Years 100 to 9899: room for a shift on both sides before four digits for a year are too few. */
  private static final long FIRST_DAY = -683003L, END_DAY = 2896373L;
  /** Four digits for a year in every zone. */
  private static final long DIGITS_FROM = -719159L, DIGITS_TO = 2932893L;

  /**
   * What an expression does beyond `first` and `last`. TOTAL: it goes on as it did. APART: its values there are not
   * between those of first and last. ANYTHING: rows there must be kept.
   */
  public static final int TOTAL = 0, APART = 1, ANYTHING = 2;

  /** The column, a field of a struct included. */
  public final Expression column;
  /** Where the expression is known to be monotonic, in the column's own values. */
  public long first, last;
  public int before = TOTAL, beyond = TOTAL;
  /** 1 where it increases with the column, -1 where it decreases. */
  public int direction = 1;
  /** How many steps have been taken from the column. */
  public int count;
  private final List<ZoneId> zones = new ArrayList<>();
  private int zoned;
  /** Microseconds: how far from a crossing a change of the clocks still matters; how far a crossing is always off. */
  private long reach, slack;
  /** Whether a number has been added to, or multiplied, on the way. */
  private boolean shifted, scaled;
  /** Dates or timestamps that are written with four digits for the year. */
  private final List<Expression> written = new ArrayList<>();

  private MonotonicExpression(Expression column, long first, long last) {
    this.column = column;
    this.first = first;
    this.last = last;
    if (!column.dataType().equals(DataTypes.TimestampType)) reach = 26 * HOUR;
  }

  /** A column, or a field in columns of structs. */
  public static boolean isColumn(Expression e) {
    while (e instanceof GetStructField) e = ((GetStructField) e).child();
    return e instanceof AttributeReference;
  }

  public static boolean isTime(DataType t) {
    return t.equals(DataTypes.TimestampType) || t.equals(DataTypes.TimestampNTZType) || t.equals(DataTypes.DateType);
  }

  public List<Expression> written() { return written; }

  /** Whether a date or timestamp has four digits for its year wherever one is. */
  public static boolean hasFourDigits(DataType type, Object value) {
    long days = type.equals(DataTypes.DateType) ? ((Integer) value).longValue()
      : Math.floorDiv(((Long) value).longValue(), DAY);
    return days >= DIGITS_FROM && days <= DIGITS_TO;
  }

  /** The steps from a column to an expression; null where it is not known to be monotonic. */
  public static MonotonicExpression of(Expression e) {
    if (isColumn(e)) {
      DataType t = e.dataType();
      if (!isTime(t)) return null;
      boolean date = t.equals(DataTypes.DateType);
      return new MonotonicExpression(e, date ? FIRST_DAY : FIRST_DAY * DAY, date ? END_DAY - 1 : END_DAY * DAY - 1);
    }
    Expression call = Calls.call(e);
    MonotonicExpression s = call != null ? called(call) : built(e);
    if (s != null) s.count++;
    return s;
  }

  private static Expression child(Expression e, int i) { return (Expression) e.children().apply(i); }

  private static Object literal(Expression e) { return e instanceof Literal ? ((Literal) e).value() : null; }

  private static MonotonicExpression called(Expression e) {
    Transform t = Transform.of(e);
    if (t == null || !t.ordered) return null;
    if (t.truncates) {
      Object width = literal(child(e, 0));
      Expression c = child(e, 1);
      boolean wide = c.dataType().equals(DataTypes.LongType);
      if (!(width instanceof Integer) || !isColumn(c)) return null;
      if (!wide && !c.dataType().equals(DataTypes.IntegerType)) return null;
      long w = ((Integer) width).longValue();
      if (w < 1 || w > 1 << 30) return null;
      long least = wide ? Long.MIN_VALUE : Integer.MIN_VALUE;
      MonotonicExpression s = new MonotonicExpression(c, least + w, wide ? Long.MAX_VALUE - 1 : Integer.MAX_VALUE);
      s.before = ANYTHING; // the least values wrap
      return s;
    }
    if (e.children().size() != 1) return null;
    MonotonicExpression s = of(child(e, 0));
    return s != null && t.wraps(child(e, 0).dataType()) ? s.apart() : s;
  }

  private static MonotonicExpression built(Expression e) {
    String name = e.getClass().getSimpleName();
    int n = e.children().size();
    if (n == 1) {
      MonotonicExpression s = of(child(e, 0));
      if (s == null) return null;
      DataType from = child(e, 0).dataType();
      if (name.equals("Cast")) return s.cast(e, from, e.dataType());
      if (name.equals("Year") || name.equals("YearOfWeek") || name.equals("UnixSeconds") || name.equals("UnixMillis")
        || name.equals("UnixMicros") || name.equals("UnixDate")) return s;
      if (name.equals("LastDay")) return s.apart();
      if (name.equals("DateFromUnixDate") || name.equals("SecondsToTimestamp") || name.equals("MillisToTimestamp")
        || name.equals("MicrosToTimestamp")) return s.timeAgain();
      return (name.equals("Floor") || name.equals("Ceil")) && from.equals(DataTypes.DoubleType) ? s : null;
    }
    if (name.equals("Add")) {
      MonotonicExpression s = digits(e);
      if (s != null) return s;
    }
    if (n == 3 && name.equals("Substring")) {
      Object from = literal(child(e, 1));
      if (!Integer.valueOf(1).equals(from) && !Integer.valueOf(0).equals(from)) return null;
      return literal(child(e, 2)) == null || !isText(child(e, 0)) ? null : of(child(e, 0));
    }
    if (n != 2) return null;
    if (name.equals("TruncDate") || name.equals("TruncTimestamp")) {
      int at = name.equals("TruncDate") ? 0 : 1;
      MonotonicExpression s = literal(child(e, 1 - at)) == null ? null : of(child(e, at));
      if (s == null) return null;
      return at == 0 ? s.apart() : s.zone(e);
    }
    if (literal(child(e, 0)) != null) {
      MonotonicExpression s = of(child(e, 1));
      if (s == null) return null;
      if (name.equals("SubtractTimestamps")) return s.zone(e).fall();
      if (name.equals("SubtractDates")) return s.fall();
      if (name.equals("DateDiff")) return s.apart().from().fall();
      return s.arithmetic(e, name, child(e, 1), literal(child(e, 0)), false);
    }
    Object by = literal(child(e, 1));
    MonotonicExpression s = by == null ? null : of(child(e, 0));
    if (s == null) return null;
    if (name.equals("DateFormatClass")) return s.format(e, by.toString());
    if (name.equals("UnixTimestamp") || name.equals("ToUnixTimestamp")) {
      DataType t = child(e, 0).dataType();
      if (!isTime(t)) return null;
      return t.equals(DataTypes.TimestampType) ? s : s.zone(e);
    }
    if (name.equals("DateAdd") || name.equals("DateSub"))
      return by instanceof Number ? s.wraps(((Number) by).longValue(), name.equals("DateAdd")) : null;
    if (name.equals("DateDiff")) return s.apart().from();
    if (name.equals("NextDay")) return s.apart();
    if (name.equals("AddMonths") || name.equals("DateAddYMInterval"))
      return by instanceof Integer ? s.shift(31L * Math.abs(((Integer) by).longValue())) : null;
    if (name.equals("SubtractTimestamps")) return s.zone(e);
    if (name.equals("SubtractDates")) return s;
    if (name.equals("TimestampAddInterval") || name.equals("TimeAdd") || name.equals("TimestampAddYMInterval"))
      return s.interval(e, child(e, 1).dataType(), by);
    if (name.equals("FromUTCTimestamp") || name.equals("ToUTCTimestamp")) {
      s.reach += 26 * HOUR;
      return s.zone(DateTimeUtils.getZoneId(by.toString()));
    }
    if (name.equals("Divide") || name.equals("IntegralDivide")) {
      boolean real = e.dataType().equals(DataTypes.DoubleType);
      if (!(by instanceof Number) || !real && !name.equals("IntegralDivide")) return null;
      double d = ((Number) by).doubleValue();
      s.scaled = true;
      return d >= (real ? 1e-6 : 1) && !Double.isInfinite(d) ? s : null;
    }
    return s.arithmetic(e, name, child(e, 0), by, true);
  }

  /** Plain binary text: its order is the order of its bytes. */
  public static boolean isText(Expression e) { return e.dataType().equals(DataTypes.StringType); }

  private MonotonicExpression apart() {
    before = Math.max(before, APART);
    beyond = Math.max(beyond, APART);
    return this;
  }

  /** Days are added without a look at what an int holds. */
  private MonotonicExpression wraps(long days, boolean plus) {
    if (days > 0 == plus) beyond = Math.max(beyond, APART);
    else before = Math.max(before, APART);
    return shift(Math.abs(days));
  }

  private MonotonicExpression anything() {
    before = ANYTHING;
    beyond = ANYTHING;
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

  /** By a few centuries at most: what is computed from first to last then has no more than five digits for a year. */
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
        written.add(((Cast) e).child());
        beyond = Math.max(beyond, APART); // years of five digits are written with a plus
      }
      return from.equals(DataTypes.TimestampType) || to.equals(DataTypes.TimestampType) ? zone(e) : this;
    }
    // Integers into what holds them all; what is lost in a double is lost in order.
    double most = limit(from);
    if (most == 0 || from.equals(DataTypes.DoubleType)) return null;
    if (to.equals(DataTypes.DoubleType) || limit(to) >= most) return this;
    if (!(to instanceof DecimalType) || ((DecimalType) to).scale() != 0) return null;
    return Math.pow(10, ((DecimalType) to).precision()) > most ? this : null;
  }

  /** The greatest value of a numeric type that arithmetic may have here; 0 for any other. */
  private static double limit(DataType t) {
    if (t.equals(DataTypes.ByteType)) return 127;
    if (t.equals(DataTypes.ShortType)) return 32767;
    if (t.equals(DataTypes.IntegerType)) return 2147483647.0;
    if (t.equals(DataTypes.LongType)) return 9.2e18;
    return t.equals(DataTypes.DoubleType) ? 1e300 : 0;
  }

  /** x + c, x - c, c - x, x * c; null for what is none of these, or may overflow where x has an ordinary value. */
  private MonotonicExpression arithmetic(Expression e, String name, Expression x, Object by, boolean left) {
    if (!(by instanceof Number) || limit(e.dataType()) == 0) return null;
    double c = ((Number) by).doubleValue();
    boolean times = name.equals("Multiply"), minus = name.equals("Subtract");
    if (!times && !minus && !name.equals("Add") || times && c == 0) return null;
    if (!within(x, times ? Math.abs(c) : 1, times ? 0 : Math.abs(c), limit(e.dataType()))) return null;
    if (times) scaled = true;
    else shifted = true;
    return times && c < 0 || minus && !left ? fall() : this;
  }

  /**
   * Whether x * factor + more is less than a limit from first to last: the one place that knows of overflow.
   *
   * <p>x is monotonic there, so Spark is asked for its values at both ends. Beyond them, where it may be more or is
   * not known to be between, the rows are kept.
   */
  private boolean within(Expression x, double factor, double more, double limit) {
    SingleColumnFunction values = new SingleColumnFunction(x, column);
    if (!fits(values, first, factor, more, limit) || !fits(values, last, factor, more, limit)) return false;
    boolean date = column.dataType().equals(DataTypes.DateType);
    boolean narrow = date || column.dataType().equals(DataTypes.IntegerType);
    if (before != TOTAL || !fits(values, narrow ? Integer.MIN_VALUE : Long.MIN_VALUE, factor, more, limit))
      before = ANYTHING;
    if (beyond != TOTAL || !fits(values, narrow ? Integer.MAX_VALUE : Long.MAX_VALUE, factor, more, limit))
      beyond = ANYTHING;
    return true;
  }

  /** With a hundredth to spare, for what a change of the clocks may add. */
  private static boolean fits(SingleColumnFunction values, long at, double factor, double more, double limit) {
    try {
      Object v = values.at(at);
      return v instanceof Number && Math.abs(((Number) v).doubleValue()) * factor + more < limit * 0.99;
    } catch (RuntimeException e) {
      return false;
    }
  }

  /** Counted from another moment than 1970. */
  private MonotonicExpression from() {
    shifted = true;
    return this;
  }

  /** A number that becomes a time again: where the clocks change is then elsewhere, and no longer known if scaled. */
  private MonotonicExpression timeAgain() {
    if (scaled) return null;
    if (shifted) reach = Math.max(reach, 1000 * DAY);
    return this;
  }

  private MonotonicExpression interval(Expression e, DataType type, Object by) {
    long months = 0, micros;
    if (by instanceof CalendarInterval) {
      CalendarInterval i = (CalendarInterval) by;
      months = i.months;
      micros = Math.abs(i.days) * DAY + Math.abs(i.microseconds / 2) * 2;
      if (i.days != 0) micros += DAY;
    } else if (type instanceof YearMonthIntervalType) {
      months = ((Integer) by).longValue();
      micros = 0;
    } else if (type instanceof DayTimeIntervalType) {
      micros = ((Long) by).longValue();
    } else return null;
    // Days and months are added on the local calendar, and the 31st of a short month is its last day.
    boolean clock = months == 0 && Math.abs(micros) < DAY && micros != Long.MIN_VALUE;
    if (months != 0) slack += 4 * DAY;
    if (shift(31 * Math.abs(months) + Math.abs(micros / DAY) + 1) == null) return null;
    return clock || !e.dataType().equals(DataTypes.TimestampType) ? this : zone(e);
  }

  private static final String[] FIELDS = {"yyyy", "MM", "dd", "HH", "mm", "ss"};

  /** A pattern that writes the greater field first, each with all its digits: the order of the text is that of time. */
  private MonotonicExpression format(Expression e, String pattern) {
    if (SQLConf.get().legacyTimeParserPolicy().toString().equals("LEGACY")) return null;
    int at = 0, field = 0;
    while (at < pattern.length()) {
      char c = pattern.charAt(at);
      if (field < FIELDS.length && pattern.startsWith(FIELDS[field], at)) at += FIELDS[field++].length();
      else if (pattern.startsWith("'T'", at)) at += 3;
      else if (" -/.:_".indexOf(c) >= 0) at++;
      else return null;
    }
    if (field == 0) return null;
    written.add(child(e, 0));
    before = ANYTHING; // years before Christ have a minus, and the later the less
    beyond = Math.max(beyond, APART);
    return zone(e);
  }

  private static final String[] PARTS = {"Year", "Quarter", "Month", "DayOfMonth"};
  private static final int[] SPANS = {0, 3, 11, 30};

  /** year(x) * 100 + month(x) and its like, where a step of a greater part outweighs all the smaller ones. */
  private static MonotonicExpression digits(Expression e) {
    double[] weights = new double[4];
    Expression[] parts = new Expression[4];
    double[] constant = new double[1];
    if (limit(e.dataType()) == 0 || !terms(e, 1, weights, constant, parts) || parts[0] == null) return null;
    double smaller = 0, more = constant[0];
    for (int i = 3; i >= 0; i--) {
      if (weights[i] < smaller && (i != 1 || weights[1] > 0)) return null;
      smaller += SPANS[i] * weights[i];
      if (i > 0) more += 40 * weights[i];
    }
    MonotonicExpression s = of(child(parts[0], 0));
    if (s == null || !s.within(parts[0], weights[0], more, limit(e.dataType()))) return null;
    s.scaled = true;
    return s;
  }

  /** Sums up weights and constants; parts: the expressions that are weighed. */
  private static boolean terms(Expression e, double weight, double[] weights, double[] constant, Expression[] parts) {
    String name = e.getClass().getSimpleName();
    if (e instanceof Literal) {
      if (!(literal(e) instanceof Number)) return false;
      constant[0] += weight * Math.abs(((Number) literal(e)).doubleValue());
      return true;
    }
    if (name.equals("Add"))
      return terms(child(e, 0), weight, weights, constant, parts) && terms(child(e, 1), weight, weights, constant, parts);
    if (name.equals("Multiply")) {
      int l = child(e, 0) instanceof Literal ? 0 : 1;
      if (!(literal(child(e, l)) instanceof Number)) return false;
      double by = ((Number) literal(child(e, l))).doubleValue();
      return by > 0 && terms(child(e, 1 - l), weight * by, weights, constant, parts);
    }
    // A part may be widened, but no sum: it may have overflowed in what it is widened from.
    if (name.equals("Cast") && limit(e.dataType()) >= limit(child(e, 0).dataType())) {
      e = child(e, 0);
      name = e.getClass().getSimpleName();
    }
    for (int i = 0; i < PARTS.length; i++) {
      if (!name.equals(PARTS[i])) continue;
      for (Expression part : parts) if (part != null && !child(part, 0).semanticEquals(child(e, 0))) return false;
      parts[i] = e;
      weights[i] += weight;
      return true;
    }
    return false;
  }

  /** How far from `at` a crossing may truly lie, in the column's own values. */
  public long margin(long at) {
    DataType t = column.dataType();
    if (!isTime(t)) return 0;
    boolean date = t.equals(DataTypes.DateType);
    long micros = date ? at * DAY : at, off = 0;
    for (ZoneId zone : zones) off = Math.max(off, zoned * clocks(zone, micros, reach));
    // Days lie further apart than less than a day.
    return date ? (slack + off) / DAY : slack + off;
  }

  /** By how much the clocks of a zone may mislead near a moment: a change of them and two hours, or nothing. */
  public static long clocks(ZoneId zone, long micros, long reach) {
    ZoneRules rules = zone.getRules();
    if (rules.isFixedOffset()) return 0;
    if (reach > 400 * DAY) return 26 * HOUR;
    long off = 0;
    Instant until = instant(micros + reach + 50 * HOUR);
    ZoneOffsetTransition t = rules.nextTransition(instant(micros - reach - 50 * HOUR));
    while (t != null && !t.getInstant().isAfter(until)) {
      long size = Math.abs(t.getDuration().getSeconds()) * 1000000L + 2 * HOUR;
      if (Math.abs(t.getInstant().getEpochSecond() * 1000000L - micros) <= reach + size) off = Math.max(off, size);
      t = rules.nextTransition(t.getInstant());
    }
    return off;
  }

  public static Instant instant(long micros) {
    return Instant.ofEpochSecond(Math.floorDiv(micros, 1000000L), Math.floorMod(micros, 1000000L) * 1000L);
  }
}
