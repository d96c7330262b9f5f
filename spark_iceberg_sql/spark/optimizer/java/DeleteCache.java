package sparkicebergsql;

import java.lang.reflect.Field;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.TypeUtil;
import org.apache.spark.sql.SparkSession;

/**
 * The cache of deletes that each executor has from Iceberg 1.5 on.
 *
 * <p>Before 1.11, a file of equality deletes is kept with its columns in the order of the query that came first. A query that reads
 * other columns may have them in another order: it then finds none of its rows among the deletes, and returns rows that are deleted
 * (apache/iceberg#13873). Without the cache, each task reads the deletes in its own order.
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

  /** Switches the cache off in a session, unless its user has decided; that of the driver's JVM is emptied. */
  public static void avoid(SparkSession session) {
    if (!IS_IN_ORDER_OF_QUERY || session.conf().getOption(KEY).isDefined()) return;
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
