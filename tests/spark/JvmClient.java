package sparkicebergsql.tests;

import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.SparkSession;

/** A client of a session in the JVM, as Scala code or the Thrift server is one: on a thread that Python knows nothing of. */
public class JvmClient {
  private volatile String outcome;
  private volatile Thread thread;

  /** Runs a statement after so many milliseconds. */
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

  /** What became of it so far; null while it is on its way. */
  public String outcome() { return outcome; }

  /** What became of it. */
  public String waitFor() throws InterruptedException {
    thread.join();
    return outcome;
  }
}
