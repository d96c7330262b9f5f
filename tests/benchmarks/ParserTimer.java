package sparkicebergsql.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.apache.spark.sql.catalyst.parser.ParserInterface;

/** How long a parser takes, in processor time of its thread: what else runs on the machine counts less. */
public class ParserTimer {
  private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

  /** Nanoseconds for so many times. */
  public long parse(ParserInterface parser, String text, int times) throws Exception {
    long started = CLOCK.getCurrentThreadCpuTime();
    for (int i = 0; i < times; i++) parser.parsePlan(text);
    return CLOCK.getCurrentThreadCpuTime() - started;
  }
}
