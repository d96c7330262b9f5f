package sparkicebergsql;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The self-tests of the rules, on a thread of their own, as soon as the rules are compiled.
 *
 * <p>A session does not wait for them when the rules are added to it: the first plan does, as none may go through a rule
 * that would fail its test, nor past one that a table needs.
 */
public class SelfTests extends FutureTask<Object> {
  private static final long SECONDS = 120;
  /** Whether this thread runs them: their plans go through all rules. */
  private static final ThreadLocal<Boolean> RUNNING = new ThreadLocal<Boolean>();
  private boolean hasBegun;

  public SelfTests(Runnable tests) { super(tests, null); }

  /** Begins them, if nobody has. */
  public synchronized void begin() {
    if (hasBegun) return;
    hasBegun = true;
    Thread thread = new Thread(this, "spark_iceberg_sql self-tests");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void run() {
    RUNNING.set(Boolean.TRUE);
    super.run();
  }

  /**
   * Waits for them, also on a thread that is interrupted: its query may have rows to return.
   *
   * @return why they have no result; null if they have
   */
  public String await() {
    if (RUNNING.get() != null) return null;
    if (!isDone()) begin();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
          return null;
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
    } catch (ExecutionException e) {
      return "its self-test failed: " + e.getCause();
    } catch (TimeoutException e) {
      return "it was not compiled and tested within " + SECONDS + " seconds";
    } finally {
      if (isInterrupted) Thread.currentThread().interrupt();
    }
  }
}
