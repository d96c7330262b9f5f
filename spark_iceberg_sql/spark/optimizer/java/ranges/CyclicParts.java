package sparkicebergsql;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import sparkicebergsql.ExpressionKind.Grain;

/**
 * Predicates on cyclic parts of a date or time: month(ts) = 2, dayofweek(ts) IN (1, 7), hour(ts) < 6.
 *
 * <p>On their own they do not exclude files; within a range that another predicate implies, they select some of its
 * months, days or hours. Spark evaluates the predicate once for each.
 */
public final class CyclicParts {
  /** Evaluations for each grain. */
  private static final int MAXIMUM_EVALUATIONS = 400;

  /** The number of excluded pieces that are checked in detail first: a predicate may depend on more than its grain. */
  private static final int DETAILED_CHECKS = 3;

  private CyclicParts() {}

  /** The values of a column for which all predicates may be true; predicates on other expressions are ignored. */
  public static Intervals refine(Intervals values, Expression column, List<Expression> predicates) {
    Intervals result = values;
    for (Grain grain : List.of(Grain.MONTHS, Grain.DAYS, Grain.HOURS)) {
      for (Expression p : predicates) {
        Set<ZoneId> zones = new HashSet<>();
        if (grain(p, column, zones) != grain || zones.size() > 1) continue;
        ZoneId zone = zones.isEmpty() ? ZoneOffset.UTC : (ZoneId) zones.iterator().next();
        try {
          result = result.intersect(grains(result, column, p, grain, zone)).coarse();
        } catch (RuntimeException e) {
          // Outside the calendar's range: nothing more is implied.
        }
      }
    }
    return result;
  }

  /** The grain that an expression depends on; null if unknown or arbitrary. */
  private static Grain grain(Expression e, Expression column, Set<ZoneId> zones) {
    if (e instanceof Literal) return Grain.NOTHING;
    if (e instanceof Attribute || e instanceof GetStructField || !isPure(e)) return null;
    ExpressionKind kind = ExpressionKind.of(e);
    Grain part = kind == null ? null : kind.grain;
    Expression c = e.children().size() == 1 ? (Expression) e.children().apply(0) : null;
    if (c != null && isDate(e, column, zones)) return Grain.DAYS;
    if (part == Grain.HOURS && c != null && c.semanticEquals(column)) {
      if (c.dataType().equals(DataTypes.TimestampType)) zones.add(((TimeZoneAwareExpression) e).zoneId());
      return Grain.HOURS;
    }
    if (c != null && isDate(c, column, zones) && (part == Grain.MONTHS || part == Grain.DAYS)) return part;
    Grain finest = Grain.NOTHING;
    for (Expression child : ScalaTypes.list(e.children())) {
      Grain g = grain(child, column, zones);
      if (g == null) return null;
      if (g.compareTo(finest) > 0) finest = g;
    }
    return finest;
  }

  /** The column as a date in its zone. */
  private static boolean isDate(Expression e, Expression column, Set<ZoneId> zones) {
    if (!e.dataType().equals(DataTypes.DateType)) return false;
    if (e.semanticEquals(column)) return true;
    if (!(e instanceof Cast) || !((Cast) e).child().semanticEquals(column)) return false;
    if (column.dataType().equals(DataTypes.TimestampType)) zones.add(((Cast) e).zoneId());
    return MonotonicExpression.isTime(column.dataType());
  }

  /** Only Spark's own expressions that are safe to evaluate during planning. */
  private static boolean isPure(Expression e) {
    return e.getClass().getName().startsWith("org.apache.spark.sql.catalyst.expressions.") && e.deterministic()
      && !(e instanceof PlanExpression) && !(e instanceof Unevaluable) && !(e instanceof UserDefinedExpression);
  }

  private static Intervals grains(Intervals values, Expression column, Expression predicate, Grain grain, ZoneId zone) {
    Intervals result = Intervals.of(0, 0);
    int budget = MAXIMUM_EVALUATIONS, detailedChecks = DETAILED_CHECKS;
    SingleColumnFunction bound = new SingleColumnFunction(predicate, column);
    DataType type = column.dataType();
    ZoneId clocks = type.equals(DataTypes.TimestampType) ? zone : ZoneOffset.UTC;
    for (int i = 0; i < values.size(); i++) {
      long from = values.from(i), to = values.to(i);
      if (from == Intervals.MINIMUM || to == Intervals.MAXIMUM) return Intervals.ALL;
      LocalDateTime start = floor(local(from, type, zone), grain), end = local(to - 1, type, zone);
      while (!start.isAfter(end)) {
        if (--budget < 0) return Intervals.ALL;
        LocalDateTime next = start.plus(1, grain.unit), middle = start.plusMinutes(grain.middle);
        // Near a DST transition an hour may exist only in part, a day not at all, and local time may go back: such
        // pieces are always kept, widened by the transition.
        if (isNear(start, type, clocks) || isNear(next, type, clocks) || mayHold(bound, value(middle, type, zone)))
          result = result.union(between(start, next, type, zone));
        else if (--detailedChecks >= 0 && mayHoldIn(bound, start, next, grain, type, zone)) return Intervals.ALL;
        start = next;
      }
    }
    return result;
  }

  private static boolean isNear(LocalDateTime t, DataType type, ZoneId zone) {
    return !zone.getRules().isFixedOffset() && Clocks.uncertainty(zone, value(t, type, zone), 0) > 0;
  }

  /** Any hour of a day, any half day of a month, any minute of an hour. */
  private static boolean mayHoldIn(
    SingleColumnFunction predicate, LocalDateTime time, LocalDateTime next, Grain grain, DataType type, ZoneId zone) {
    for (; time.isBefore(next); time = time.plusMinutes(grain.close))
      if (mayHold(predicate, value(time, type, zone))) return true;
    return false;
  }

  private static boolean mayHold(SingleColumnFunction predicate, long columnValue) {
    try {
      return Boolean.TRUE.equals(predicate.at(columnValue));
    } catch (RuntimeException e) {
      return true;
    }
  }

  private static Intervals between(LocalDateTime from, LocalDateTime to, DataType type, ZoneId zone) {
    long a = value(from, type, zone), b = value(to, type, zone);
    if (type.equals(DataTypes.TimestampType)) {
      a -= Clocks.uncertainty(zone, a, 0);
      b += Clocks.uncertainty(zone, b, 0);
    }
    return Intervals.of(a, b);
  }

  private static LocalDateTime floor(LocalDateTime t, Grain grain) {
    LocalDateTime day = t.toLocalDate().atStartOfDay();
    return grain == Grain.MONTHS ? day.withDayOfMonth(1) : grain == Grain.DAYS ? day : day.plusHours(t.getHour());
  }

  private static LocalDateTime local(long value, DataType type, ZoneId zone) {
    if (type.equals(DataTypes.DateType)) return LocalDate.ofEpochDay(value).atStartOfDay();
    ZoneId clock = type.equals(DataTypes.TimestampType) ? zone : ZoneOffset.UTC;
    return LocalDateTime.ofInstant(Clocks.instant(value), clock);
  }

  private static long value(LocalDateTime t, DataType type, ZoneId zone) {
    if (type.equals(DataTypes.DateType)) return t.toLocalDate().toEpochDay();
    Instant i = t.atZone(type.equals(DataTypes.TimestampType) ? zone : ZoneOffset.UTC).toInstant();
    return i.getEpochSecond() * 1000000L + i.getNano() / 1000;
  }
}
