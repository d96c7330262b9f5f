package sparkicebergsql.tests;

import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.SparkSession;

/** A client of a session in the JVM, like Scala code or the Thrift server: on a thread that Python does not know. */
public class JvmClient {
  private volatile String outcome;
  private volatile Thread thread;

  /** Runs a statement after this many milliseconds. */
  public void run(final SparkSession session, final String text, final long delay) {
    outcome = null;
    thread = new Thread(new Runnable() {
      @Override
      public void run() {
        try {
          Thread.sleep(delay);
          session.sql(text);
          outcome = "it ran";
        } catch (Throwable error) {
          String state = error instanceof SparkThrowable ? ((SparkThrowable) error).getSqlState() : "";
          outcome = error.getClass().getSimpleName() + " " + state + " " + error.getStackTrace().length + "\n"
            + error.getMessage();
        }
      }
    });
    thread.start();
  }

  /** The outcome so far; null while it is running. */
  public String outcome() { return outcome; }

  /** The final outcome. */
  public String waitFor() throws InterruptedException {
    thread.join();
    return outcome;
  }
}
