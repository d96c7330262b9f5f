package sparkicebergsql;

import org.apache.spark.sql.classic.SparkSession;
import scala.collection.Seq;

/** The client of Spark Connect that runs a session's statements. The server's classes may not be there. */
public final class ConnectClient {
  private static final String SERVICE = "org.apache.spark.sql.connect.service.SparkConnectService$";

  /** In the name that the client for Scala and Java gives itself. */
  private static final String JVM = "SCALA";

  private ConnectClient() {}

  /**
   * Whether it is the client for the JVM, which knows only Spark's own error conditions: it makes an internal error,
   * without the message, of an error with another one.
   */
  public static boolean isForJvm(SparkSession session) {
    try {
      Class<?> service = Class.forName(SERVICE);
      Object manager = call(service.getField("MODULE$").get(null), "executionManager");
      Seq<?> executions = (Seq<?>) call(manager, "listExecuteHolders");
      for (int i = 0; i < executions.length(); i++) {
        Object execution = executions.apply(i);
        if (call(call(execution, "sessionHolder"), "session") == session)
          return call(call(execution, "request"), "getClientType").toString().contains(JVM);
      }
    } catch (ReflectiveOperationException absent) {
      return false;
    } catch (LinkageError absent) {
      return false;
    }
    return false;
  }

  private static Object call(Object receiver, String method) throws ReflectiveOperationException {
    return receiver.getClass().getMethod(method).invoke(receiver);
  }
}
