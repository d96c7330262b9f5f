package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** A partition transform as the rules need it. The records are those of model/transforms.py. */
public final class Transform {
  /** The microseconds of more hours than an int can have. */
  public static final long HOURS = (1L << 31) * 3600000000L;

  private static final List<Transform> ALL = new ArrayList<>();

  static {
    for (TransformRow row : TransformRow.ALL) ALL.add(new Transform(row));
  }

  /** In a spec; of the function to load; how its class begins; the time unit that it counts, or null. */
  public final String name, function, icebergClass, unit;

  public final boolean hasParameter, preservesOrder, hashes, truncates, checksPrecision;
  private final List<String> wraps;

  private Transform(TransformRow row) {
    name = row.name;
    function = row.function;
    icebergClass = row.icebergClass;
    unit = row.unit;
    hasParameter = row.hasParameter;
    preservesOrder = row.preservesOrder;
    hashes = row.hashes;
    truncates = row.truncates;
    checksPrecision = row.checksPrecision;
    wraps = row.wraps;
  }

  public static List<Transform> all() { return ALL; }

  /** The transform of a call of an Iceberg function; null if no record has it. */
  public static Transform of(Expression call) {
    String className = Calls.function(call).getName();
    for (Transform t : ALL)
      if (className.contains("." + t.icebergClass)) return t;
    return null;
  }

  /** The transform with which the rules test themselves: one that hashes. */
  public static Transform hash() {
    for (Transform t : ALL)
      if (t.hashes) return t;
    throw new IllegalStateException("no transform hashes");
  }

  /** The transform of a partition field as a spec writes it: day, bucket[4]; null if it is unknown. */
  public static Transform ofSpec(String text) {
    String name = text.indexOf('[') < 0 ? text : text.substring(0, text.indexOf('['));
    for (Transform t : ALL)
      if (t.name.equals(name)) return t;
    return null;
  }

  /** Whether the value may overflow and wrap around for a source of this type. */
  public boolean wraps(DataType source) { return wraps.contains(source.catalogString()); }

  /** If the value may wrap around: it does for no source between this, as Spark holds it, and its negative. */
  public long limit(DataType source) {
    if (!truncates) return HOURS;
    return source.equals(DataTypes.LongType) ? 1L << 62 : 1L << 30;
  }
}
