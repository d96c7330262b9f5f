package sparkicebergsql;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;

/**
 * The cache of deletes that each executor has from Iceberg 1.5 on.
 *
 * <p>Before 1.11, a file of equality deletes is kept with its columns in the order of the query that came first. A query that reads
 * other columns may have them in another order: it then finds none of its rows among the deletes, and returns rows that are deleted
 * (apache/iceberg#13873). Without the cache, each task reads the deletes in its own order.
 *
 * <p>In every version, the values are kept in the type of the query that came first: once a column is promoted, as from INT to
 * BIGINT, no row is equal to a delete any more, before as after the promotion in queries of old snapshots.
 */
public final class DeleteCache {
  private static final String KEY = "spark.sql.iceberg.executor-cache.enabled";
  /** Whether a cached file has the columns in the order of a query. */
  public static final boolean IS_IN_ORDER_OF_QUERY = isInOrderOfQuery();

  private DeleteCache() {}

  private static boolean isInOrderOfQuery() {
    try {
      TypeUtil.class.getMethod("selectInIdOrder", new Class<?>[] {Schema.class, Set.class}); // came with the correction
      return false;
    } catch (NoSuchMethodException e) {
      return true;
    }
  }

  /** Switches the cache off in a session where it has the columns in the order of a query. */
  public static void avoid(SparkSession session) {
    if (IS_IN_ORDER_OF_QUERY) switchOff(session);
  }

  /** Switches the cache off in the session of a query that reads a table with equality deletes and a promoted column. */
  public static void avoidFor(Table table, Snapshot snapshot) {
    boolean isWithout = "0".equals(snapshot.summary().get(SnapshotSummary.TOTAL_EQ_DELETES_PROP));
    if (!isWithout && isPromoted(table)) switchOff(SparkSession.active());
  }

  private static boolean isPromoted(Table table) {
    Map<Integer, Type.TypeID> types = new HashMap<>();
    for (Schema schema : table.schemas().values())
      for (Types.NestedField field : TypeUtil.indexById(schema.asStruct()).values()) {
        Type.TypeID earlier = (Type.TypeID) types.put(field.fieldId(), field.type().typeId());
        if (earlier != null && earlier != field.type().typeId()) return true;
      }
    return false;
  }

  /** Unless the session's user has decided; the cache of the driver's JVM is emptied. */
  private static void switchOff(SparkSession session) {
    if (session.conf().getOption(KEY).isDefined()) return;
    session.conf().set(KEY, "false");
    // Of the query that is being optimized, the settings may have been copied already.
    session.sparkContext().setLocalProperty(KEY, "false");
    try {
      Class<?> cache =
        Class.forName("org.apache.iceberg.spark.SparkExecutorCache", false, SparkSchemaUtil.class.getClassLoader());
      Field instance = cache.getDeclaredField("instance");
      instance.setAccessible(true);
      instance.set(null, null);
    } catch (ReflectiveOperationException e) {
      // An Iceberg that keeps it elsewhere. Only a session that has run queries before has one.
    }
  }
}
