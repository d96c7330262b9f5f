package sparkicebergsql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DataType;

/** A partition transform as the rules need it. The records are those of model/transforms.py, by TransformRows. */
public final class Transform {
  private static final List<Transform> ALL = new ArrayList<>();

  static {
    for (String[] row : TransformRows.ROWS) ALL.add(new Transform(row));
  }

  /** In a spec; of the function to load; how its class begins; the time unit that it counts, or nothing. */
  public final String name, function, iceberg, unit;

  public final boolean numbered, ordered, hashes, truncates, checked;
  private final List<String> wraps;

  private Transform(String[] row) {
    name = row[0];
    function = row[1];
    iceberg = row[2];
    unit = row[3];
    List<String> is = Arrays.asList(row[4].split(" "));
    numbered = is.contains("numbered");
    ordered = is.contains("ordered");
    hashes = is.contains("hashes");
    truncates = is.contains("truncates");
    checked = is.contains("checked");
    wraps = Arrays.asList(row[5].split(" "));
  }

  public static List<Transform> all() { return ALL; }

  /** The transform of a call of an Iceberg function; null if no record has it. */
  public static Transform of(Expression call) {
    String called = Calls.function(call).getName();
    for (Transform t : ALL)
      if (called.contains("." + t.iceberg)) return t;
    return null;
  }

  /** The transform with which the rules test themselves: one that hashes. */
  public static Transform hash() {
    for (Transform t : ALL)
      if (t.hashes) return t;
    throw new IllegalStateException("no transform hashes");
  }

  /** The transform of a partition field as a spec writes it: day, bucket[4]; null if it is unknown. */
  public static Transform named(String text) {
    String name = text.indexOf('[') < 0 ? text : text.substring(0, text.indexOf('['));
    for (Transform t : ALL)
      if (t.name.equals(name)) return t;
    return null;
  }

  /** Whether the value may overflow and wrap around for a source of this type. */
  public boolean wraps(DataType source) { return wraps.contains(source.catalogString()); }
}
