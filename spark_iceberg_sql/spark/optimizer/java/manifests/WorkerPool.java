package sparkicebergsql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.apache.iceberg.util.ThreadPools;

/** The threads in which Iceberg itself reads manifests. */
public final class WorkerPool {
  private WorkerPool() {}

  /** Of some tasks, which run in parallel. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  public static <R> List<R> results(List<? extends Callable<R>> tasks) {
    List<R> results = new ArrayList<>();
    try {
      List<Future<R>> futures = ThreadPools.getWorkerPool().invokeAll((List) tasks);
      for (Future<R> future : futures) results.add((R) result(future));
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    return results;
  }

  /** Takes results in the order of their tasks. */
  public interface Receiver {
    /** Whether the next result is needed, too. */
    boolean receive(Object result);
  }

  /** Passes on the results of some tasks, few of which are held at a time; whether the receiver has taken all of them. */
  public static boolean stream(List<? extends Callable<?>> tasks, Receiver receiver) {
    ExecutorService pool = ThreadPools.getWorkerPool();
    Deque<Future<?>> ahead = new ArrayDeque<>();
    try {
      for (Callable<?> task : tasks) {
        ahead.add(pool.submit(task));
        if (ahead.size() > ThreadPools.WORKER_THREAD_POOL_SIZE && !receiver.receive(result((Future<?>) ahead.remove())))
          return false;
      }
      while (!ahead.isEmpty())
        if (!receiver.receive(result((Future<?>) ahead.remove()))) return false;
      return true;
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      for (Future<?> future : ahead) future.cancel(false);
    }
  }

  private static Object result(Future<?> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TruncatedFile) throw (TruncatedFile) e.getCause();
      throw new IllegalStateException(e.getCause());
    }
  }

  private static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException(e);
  }
}
