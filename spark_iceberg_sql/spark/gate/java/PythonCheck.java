package sparkicebergsql;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.internal.SQLConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import py4j.Py4JException;
import scala.Function1;
import scala.Option;

/** Python's check of a statement, for a limited time; a statement that Python cannot check is refused, or runs. */
public class PythonCheck {
  private static final String TIMEOUT = "spark.iceberg_sql.gate.timeout";
  private static final String UNANSWERED = "spark.iceberg_sql.gate.unanswered";
  private static final Logger LOG = LoggerFactory.getLogger("spark_iceberg_sql.gate");

  private final Function1<Object, Object> check;
  private final ThreadLocal<Boolean> within = new ThreadLocal<>();
  private final ExecutorService threads = Executors.newCachedThreadPool(new ThreadFactory() {
    @Override
    public Thread newThread(Runnable task) {
      Thread thread = new Thread(task, "spark-iceberg-sql-gate");
      thread.setDaemon(true);
      return thread;
    }
  });

  /** Python's check failed. */
  static class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    Failure(String message) { super(message); }
  }

  public PythonCheck(Function1<Object, Object> check) { this.check = check; }

  /** Whether this thread is within a check: what the check itself runs is not checked. */
  public boolean isRunning() { return within.get() != null; }

  /** The text to parse in place of a statement's, by Python's check. Throws what refuses it. */
  public String ask(final PendingStatement statement) throws Exception {
    refuseSettings(statement);
    try {
      return pythonWaits() ? checkNow(statement) : checkInTime(statement);
    } catch (Failure failure) {
      return unanswered(statement, "failed: " + failure.getMessage());
    } catch (Py4JException unreachable) {
      return unanswered(statement, "cannot be reached: the driver's Python has ended, or is about to");
    } catch (TimeoutException timeout) {
      return unanswered(
        statement, "has not answered within " + seconds(statement) + " s: the driver's Python, or a catalog, is busy");
    }
  }

  /** Whether this thread serves a call from Python, which waits for it and answers on the same thread. */
  private static boolean pythonWaits() {
    for (StackTraceElement frame : Thread.currentThread().getStackTrace())
      if (frame.getClassName().startsWith("py4j.commands.")) return true;
    return false;
  }

  private String checkNow(PendingStatement statement) {
    Option<SparkSession> active = SparkSession.getActiveSession();
    SparkSession.setActiveSession(statement.session());
    within.set(Boolean.TRUE);
    try {
      return (String) check.apply(statement);
    } finally {
      within.remove();
      activate(active);
    }
  }

  /** On its own thread, because the wait for Python's answer cannot be interrupted. */
  private String checkInTime(final PendingStatement statement) throws Exception {
    final ClassLoader loader = Thread.currentThread().getContextClassLoader();
    Future<String> result = threads.submit(new Callable<String>() {
      @Override
      public String call() {
        Thread.currentThread().setContextClassLoader(loader);
        return checkNow(statement);
      }
    });
    try {
      return (String) result.get(seconds(statement), TimeUnit.SECONDS);
    } catch (ExecutionException thrown) {
      if (thrown.getCause() instanceof Exception) throw (Exception) thrown.getCause();
      throw thrown;
    }
  }

  /** Makes a session this thread's, or none. */
  public static void activate(Option<SparkSession> session) {
    if (session.isDefined()) SparkSession.setActiveSession((SparkSession) session.get());
    else SparkSession.clearActiveSession();
  }

  private static String setting(PendingStatement statement, String name, String defaultValue) {
    return statement.session().sessionState().conf().getConfString(name, defaultValue).trim();
  }

  private static long seconds(PendingStatement statement) { return Long.parseLong(setting(statement, TIMEOUT, "60")); }

  /** Refuses a statement of a session whose settings of the gate mean nothing. */
  private void refuseSettings(PendingStatement statement) throws AnalysisException {
    String time = setting(statement, TIMEOUT, "60"), unanswered = setting(statement, UNANSWERED, "refuse");
    if (!time.matches("[0-9]{1,9}") || seconds(statement) == 0)
      throw new Refusal(statement.session(),
        TIMEOUT + " is `" + time + "`, not a number of seconds\nhelp: SET " + TIMEOUT + " = 60", "");
    if (!unanswered.equalsIgnoreCase("refuse") && !unanswered.equalsIgnoreCase("run"))
      throw new Refusal(statement.session(),
        UNANSWERED + " is `" + unanswered + "`, neither `refuse` nor `run`\nhelp: SET " + UNANSWERED + " = refuse", "");
  }

  /** The text to parse if nothing checks the statement. reason: of that. */
  public String unanswered(PendingStatement statement, String reason) throws AnalysisException {
    if (!statement.mayBeDdl()) return statement.text();
    String message = "partition DDL could not be checked: the check " + reason;
    if (!setting(statement, UNANSWERED, "refuse").equalsIgnoreCase("run") && !statement.mode().equals("warn")) {
      String help = "\nhelp: run it again";
      if (!SQLConf.isStaticConfigKey(UNANSWERED)) // a server's clients cannot set it
        help += "; to run such statements unchecked, SET " + UNANSWERED + " = run";
      throw new Refusal(statement.session(), message + "; nothing was changed" + help, "");
    }
    LOG.error(message + "; it runs unchecked");
    return statement.text();
  }

  /** The exception to throw from Python if its check fails. */
  public RuntimeException failure(String message) { return new Failure(message); }

  /** The exception to throw from Python to refuse a statement of a session. key: of its report. */
  public AnalysisException refusal(SparkSession session, String message, String key) {
    return new Refusal(session, message, key);
  }
}
