package sparkicebergsql;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.apache.iceberg.Table;
import org.apache.spark.sql.internal.SQLConf;

/**
 * How many bytes of a partitioned table a statement may read without a filter on a partition field: `10 GB`, or `true`
 * for none. The owner of the table sets a property, the user of a session a setting. The stricter applies, unless the
 * owner lets sessions choose.
 */
public final class FilterRequirement {
  public static final String SETTING = "spark.iceberg_sql.require_filter";
  public static final String PROPERTY = "spark-iceberg-sql.require-filter";
  public static final String OVERRIDE = PROPERTY + ".session-override";
  private static final long NO_LIMIT = Long.MAX_VALUE;
  /** The values that have been reported in this JVM. */
  private static final Set<String> REPORTED = Collections.synchronizedSet(new HashSet<String>());

  public final long bytes;
  private final String source;
  private final boolean isChangeable;

  private FilterRequirement(long bytes, String source, boolean isChangeable) {
    this.bytes = bytes;
    this.source = source;
    this.isChangeable = isChangeable;
  }

  /** Null if neither the table nor the session requires a filter. */
  public static FilterRequirement of(Table table, SQLConf conf) {
    String setting = conf.getConfString(SETTING, null), property = (String) table.properties().get(PROPERTY);
    if (setting == null && property == null) return null;
    String sourceOfSession = "the session's setting " + SETTING + " = " + Outgoing.visible(String.valueOf(setting));
    String sourceOfTable = "the table's property '" + PROPERTY + "' = " + Outgoing.literal(String.valueOf(property));
    Long ofSession = bytes(setting, sourceOfSession), ofTable = bytes(property, sourceOfTable);
    boolean isOverridable = "true".equalsIgnoreCase((String) table.properties().get(OVERRIDE));
    boolean isOfSession =
      ofSession != null && (ofTable == null || isOverridable || ofSession.longValue() < ofTable.longValue());
    Long bytes = isOfSession ? ofSession : ofTable;
    if (bytes == null || bytes.longValue() == NO_LIMIT) return null;
    boolean isChangeable = isOverridable || ofTable == null || ofTable.longValue() == NO_LIMIT;
    return new FilterRequirement(bytes.longValue(), isOfSession ? sourceOfSession : sourceOfTable, isChangeable);
  }

  /** Null if there is no value, or if it is not valid, which is reported once. */
  private static Long bytes(String value, String source) {
    if (value == null) return null;
    if (value.trim().equalsIgnoreCase("true")) return Long.valueOf(0);
    if (value.trim().equalsIgnoreCase("false")) return Long.valueOf(NO_LIMIT);
    Long bytes = ByteSize.of(value);
    if (bytes == null && REPORTED.add(source))
      SwitchedRule.warn(source + " is not a size, so it requires no filter\nhelp: write 10 GB, true or false");
    return bytes;
  }

  /** What requires the filter. */
  public String source() { return source; }

  /** Whether a session may require less. */
  public boolean isChangeable() { return isChangeable; }
}
