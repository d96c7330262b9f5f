package sparkicebergsql;

import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Substring;
import org.apache.spark.sql.catalyst.expressions.TimeZoneAwareExpression;
import org.apache.spark.sql.catalyst.expressions.TruncDate;
import org.apache.spark.sql.catalyst.expressions.TruncTimestamp;
import org.apache.spark.sql.catalyst.expressions.Year;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;

/**
 * Keys from whose values those of a partition field follow: rows with the same to_date(ts) have the same days(ts).
 *
 * <p>Two different keys of one class follow each other, too: to_date(a) = trunc(b, 'MONTH') is the first day of a month,
 * and months of it is months(a) and months(b). So each kind of key is a value on the same axis as its column.
 */
public final class KeyRefinement {
  /** Units of time, from the finest on, as transforms count them; quarters and weeks are not among them. */
  private static final List<String> UNITS = List.of("HOURS", "DAYS", "MONTHS", "YEARS");

  private KeyRefinement() {}

  /** The rank of a transform of time, higher the finer its unit; below all of them for another one, or for null. */
  public static int fineness(Transform transform) {
    int index = transform == null || transform.unit == null ? -1 : UNITS.indexOf(transform.unit);
    return index < 0 ? -UNITS.size() : -index;
  }

  /**
   * The column of a key from which the values of one of its transforms follow; null if they do not.
   *
   * @param width of truncate
   */
  public static Expression column(Expression key, Transform transform, int width) {
    if (transform.truncates) return ofText(key, width);
    if (transform.unit == null) return null;
    int unit = UNITS.indexOf(transform.unit);
    if (key instanceof Year) return transform.unit.equals("YEARS") ? date(((Year) key).child()) : null;
    if (key instanceof TruncDate) {
      boolean isCoarser = unit >= UNITS.indexOf(unit(((TruncDate) key).format())) && unit > UNITS.indexOf("DAYS");
      return isCoarser && isUnit(((TruncDate) key).format()) ? date(((TruncDate) key).date()) : null;
    }
    if (key instanceof TruncTimestamp) {
      TruncTimestamp cut = (TruncTimestamp) key;
      if (!isUnit(cut.format()) || unit < UNITS.indexOf(unit(cut.format())) || !isUtc(cut)) return null;
      return PartitionLayout.isColumn(cut.timestamp()) ? cut.timestamp() : null;
    }
    return unit >= UNITS.indexOf("DAYS") && key instanceof Cast ? date(key) : null;
  }

  /** The column whose date an expression is. */
  private static Expression date(Expression e) {
    if (e instanceof Cast && e.dataType().equals(DataTypes.DateType)) {
      DataType type = ((Cast) e).child().dataType();
      boolean isTime = type.equals(DataTypes.TimestampType) ? isUtc((Cast) e) : type.equals(DataTypes.TimestampNTZType);
      return isTime && PartitionLayout.isColumn(((Cast) e).child()) ? ((Cast) e).child() : null;
    }
    return PartitionLayout.isColumn(e) && e.dataType().equals(DataTypes.DateType) ? e : null;
  }

  /** Iceberg counts in UTC. */
  private static boolean isUtc(TimeZoneAwareExpression e) {
    return e.timeZoneId().isDefined() && e.zoneId().normalized().equals(ZoneOffset.UTC);
  }

  private static boolean isUnit(Expression format) { return UNITS.contains(unit(format)); }

  /** A unit as trunc and date_trunc have it. */
  private static String unit(Expression format) {
    Object value = format instanceof Literal ? ((Literal) format).value() : null;
    if (value == null) return "";
    switch (value.toString().toUpperCase(Locale.ROOT)) {
      case "HOUR":
        return "HOURS";
      case "DAY":
      case "DD":
        return "DAYS";
      case "MONTH":
      case "MM":
      case "MON":
        return "MONTHS";
      case "YEAR":
      case "YYYY":
      case "YY":
        return "YEARS";
      default:
        return "";
    }
  }

  /** Both count code points. */
  private static Expression ofText(Expression key, int width) {
    if (!(key instanceof Substring)) return null;
    Substring part = (Substring) key;
    boolean isText = part.str().dataType() instanceof StringType && PartitionLayout.isColumn(part.str());
    return isText && number(part.pos()) == 1 && number(part.len()) >= width ? part.str() : null;
  }

  private static int number(Expression e) {
    Object value = e instanceof Literal ? ((Literal) e).value() : null;
    return value instanceof Integer ? ((Integer) value).intValue() : -1;
  }
}
