package sparkicebergsql;

import org.apache.spark.sql.classic.SparkSession;

/**
 * A thread of Spark's Thrift server on which Hive opens a session: its class loader does not have the jars of
 * `spark.jars`, and before any statement of the client's, Spark runs USE there, which loads the default catalog.
 * Later statements are run on threads for which Spark sets the loader itself.
 */
public final class HiveThread {
  private static final String LOADER = "org.apache.hadoop.hive.ql.exec.UDFClassLoader";

  private HiveThread() {}

  /** Lets this thread load the classes of the session's jars, if it is one of Hive's. */
  public static void loadJars(SparkSession session) {
    Thread thread = Thread.currentThread();
    ClassLoader loader = thread.getContextClassLoader();
    if (loader != null && LOADER.equals(loader.getClass().getName()))
      thread.setContextClassLoader(session.sharedState().jarClassLoader());
  }
}
