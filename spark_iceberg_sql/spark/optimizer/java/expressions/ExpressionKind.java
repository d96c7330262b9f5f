package sparkicebergsql;

import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;

/**
 * What the rules know about Spark's expressions, one row each; an expression without a row implies nothing.
 *
 * <p>They are identified by the simple names of their classes, so this file compiles on Spark versions without them. To
 * add one, add its row here and its cases in tests/spark/test_java_tables.py; a new kind of step also needs its case in
 * MonotonicExpression.
 */
public enum ExpressionKind {
  //                   Spark's class             the column is        the order    in a cycle     a digit
  // clang-format off
  YEAR(                "Year",                   Argument.ONLY,       Step.KEPT,  Grain.MONTHS,  Digit.YEAR),
  QUARTER(             "Quarter",                Argument.ONLY,       Step.LOST,  Grain.MONTHS,  Digit.QUARTER),
  MONTH(               "Month",                  Argument.ONLY,       Step.LOST,  Grain.MONTHS,  Digit.MONTH),
  DAY_OF_MONTH(        "DayOfMonth",             Argument.ONLY,       Step.LOST,  Grain.DAYS,    Digit.DAY),
  LAST_DAY(            "LastDay",                Argument.ONLY,       Step.APART, Grain.MONTHS,  null),
  YEAR_OF_WEEK(        "YearOfWeek",             Argument.ONLY,       Step.KEPT,  Grain.DAYS,    null),
  WEEK_OF_YEAR(        "WeekOfYear",             Argument.ONLY,       Step.LOST,  Grain.DAYS,    null),
  DAY_OF_YEAR(         "DayOfYear",              Argument.ONLY,       Step.LOST,  Grain.DAYS,    null),
  DAY_OF_WEEK(         "DayOfWeek",              Argument.ONLY,       Step.LOST,  Grain.DAYS,    null),
  WEEK_DAY(            "WeekDay",                Argument.ONLY,       Step.LOST,  Grain.DAYS,    null),
  HOUR(                "Hour",                   Argument.ONLY,       Step.LOST,  Grain.HOURS,   null),

  UNIX_DATE(           "UnixDate",               Argument.ONLY,       Step.KEPT),
  UNIX_SECONDS(        "UnixSeconds",            Argument.ONLY,       Step.KEPT),
  UNIX_MILLIS(         "UnixMillis",             Argument.ONLY,       Step.KEPT),
  UNIX_MICROS(         "UnixMicros",             Argument.ONLY,       Step.KEPT),
  UNIX_TIMESTAMP(      "UnixTimestamp",          Argument.FIRST,      Step.EPOCH),
  TO_UNIX_TIMESTAMP(   "ToUnixTimestamp",        Argument.FIRST,      Step.EPOCH),
  DATE_FROM_UNIX_DATE( "DateFromUnixDate",       Argument.ONLY,       Step.TIME_AGAIN),
  SECONDS(             "SecondsToTimestamp",     Argument.ONLY,       Step.TIME_AGAIN),
  MILLIS(              "MillisToTimestamp",      Argument.ONLY,       Step.TIME_AGAIN),
  MICROS(              "MicrosToTimestamp",      Argument.ONLY,       Step.TIME_AGAIN),

  TRUNC_DATE(          "TruncDate",              Argument.FIRST,      Step.APART),
  TRUNC_TIMESTAMP(     "TruncTimestamp",         Argument.SECOND,     Step.ZONED),
  NEXT_DAY(            "NextDay",                Argument.FIRST,      Step.APART),
  DATE_ADD(            "DateAdd",                Argument.FIRST,      Step.DAYS_LATER),
  DATE_SUB(            "DateSub",                Argument.FIRST,      Step.DAYS_EARLIER),
  ADD_MONTHS(          "AddMonths",              Argument.FIRST,      Step.MONTHS_LATER),
  DATE_ADD_MONTHS(     "DateAddYMInterval",      Argument.FIRST,      Step.MONTHS_LATER),
  ADD_INTERVAL(        "TimestampAddInterval",   Argument.FIRST,      Step.INTERVAL_LATER),
  ADD_TIME(            "TimeAdd",                Argument.FIRST,      Step.INTERVAL_LATER),
  TIMESTAMP_ADD_MONTHS("TimestampAddYMInterval", Argument.FIRST,      Step.INTERVAL_LATER),
  FROM_UTC(            "FromUTCTimestamp",       Argument.FIRST,      Step.OTHER_ZONE),
  TO_UTC(              "ToUTCTimestamp",         Argument.FIRST,      Step.OTHER_ZONE),
  DATE_DIFF(           "DateDiff",               Argument.DIFFERENCE, Step.DAYS_SINCE),
  SUBTRACT_DATES(      "SubtractDates",          Argument.DIFFERENCE, Step.KEPT),
  SUBTRACT_TIMESTAMPS( "SubtractTimestamps",     Argument.DIFFERENCE, Step.ZONED),

  CAST(                "Cast",                   Argument.ONLY,       Step.CAST),
  DATE_FORMAT(         "DateFormatClass",        Argument.FIRST,      Step.WRITTEN),
  SUBSTRING(           "Substring",              Argument.FIRST_OF_3, Step.PREFIX),

  ADD(                 "Add",                    Argument.EITHER,     Step.SUM),
  SUBTRACT(            "Subtract",               Argument.DIFFERENCE, Step.SUM),
  MULTIPLY(            "Multiply",               Argument.EITHER,     Step.PRODUCT),
  DIVIDE(              "Divide",                 Argument.FIRST,      Step.QUOTIENT),
  INTEGRAL_DIVIDE(     "IntegralDivide",         Argument.FIRST,      Step.QUOTIENT),
  FLOOR(               "Floor",                  Argument.ONLY,       Step.ROUNDED),
  CEIL(                "Ceil",                   Argument.ONLY,       Step.ROUNDED);
  // clang-format on

  /** Which argument depends on the column; the others are constants. A DIFFERENCE decreases with the second. */
  public enum Argument { ONLY, FIRST, SECOND, FIRST_OF_3, EITHER, DIFFERENCE }

  /** How the expression affects the order of its argument; each except LOST is a case of MonotonicExpression.step. */
  public enum Step {
    /** Not monotonic. */
    LOST,
    /** Non-decreasing in the argument. */
    KEPT,
    /** Monotonic from `first` to `last`; outside, no value is between the values there. */
    APART,
    /** Monotonic except near the zone's DST transitions. */
    ZONED,
    /** As the transform's record specifies. */
    EPOCH,
    TIME_AGAIN,
    DAYS_LATER,
    DAYS_EARLIER,
    MONTHS_LATER,
    INTERVAL_LATER,
    OTHER_ZONE,
    DAYS_SINCE,
    CAST,
    WRITTEN,
    PREFIX,
    SUM,
    PRODUCT,
    QUOTIENT,
    ROUNDED
  }

  /** The grain that a cyclic part depends on, from coarse to fine; NOTHING: only constants. */
  public enum Grain {
    NOTHING(ChronoUnit.FOREVER, 0, 0),
    MONTHS(ChronoUnit.MONTHS, 14 * 1440, 720),
    DAYS(ChronoUnit.DAYS, 720, 60),
    HOURS(ChronoUnit.HOURS, 30, 1);

    public final ChronoUnit unit;
    /** In minutes: the offset to about the middle of a grain, and the steps for checking it in detail. */
    public final int middle, close;

    Grain(ChronoUnit unit, int middle, int close) {
      this.unit = unit;
      this.middle = middle;
      this.close = close;
    }
  }

  /** A part of a date that restarts within the next greater part, and how much it varies within that. */
  public enum Digit {
    YEAR(0),
    QUARTER(3),
    MONTH(11),
    DAY(30);

    public final int span;

    Digit(int span) { this.span = span; }
  }

  public final String spark;
  public final Argument argument;
  public final Step step;
  /** Null if it is not a part of a date or time. */
  public final Grain grain;
  /** Null if it is not a term in sums such as year(x) * 100 + month(x). */
  public final Digit digit;

  ExpressionKind(String spark, Argument argument, Step step) {
    this.spark = spark;
    this.argument = argument;
    this.step = step;
    grain = null;
    digit = null;
  }

  ExpressionKind(String spark, Argument argument, Step step, Grain grain, Digit digit) {
    this.spark = spark;
    this.argument = argument;
    this.step = step;
    this.grain = grain;
    this.digit = digit;
  }

  /** The row of an expression; null if it has none. */
  public static ExpressionKind of(Expression e) {
    return (ExpressionKind) Rows.BY_NAME.get(e.getClass().getSimpleName());
  }

  /**
   * The index of the argument that depends on a column; -1 if the others are not constants, or their number differs.
   */
  public int argumentIndex(Expression e) {
    int n = e.children().size();
    switch (argument) {
      case ONLY:
        return n == 1 ? 0 : -1;
      case FIRST:
        return n == 2 && literal(e, 1) != null ? 0 : -1;
      case SECOND:
        return n == 2 && literal(e, 0) != null ? 1 : -1;
      case FIRST_OF_3:
        return n == 3 && literal(e, 1) != null && literal(e, 2) != null ? 0 : -1;
      default:
        return n != 2 ? -1 : literal(e, 0) != null ? 1 : literal(e, 1) != null ? 0 : -1;
    }
  }

  /** The value of a constant argument; null for any other argument, and for NULL. */
  public static Object literal(Expression e, int i) {
    Object argument = e.children().apply(i);
    return argument instanceof Literal ? ((Literal) argument).value() : null;
  }

  /** A separate class: with Janino, values() is null while the enum is initialized. */
  private static final class Rows {
    static final Map<String, ExpressionKind> BY_NAME = new HashMap<>();

    static {
      for (ExpressionKind kind : ExpressionKind.values()) BY_NAME.put(kind.spark, kind);
    }
  }
}
