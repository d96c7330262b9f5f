package sparkicebergsql.benchmarks;

import org.apache.spark.sql.catalyst.parser.ParserInterface;

/** How long a parser takes, measured beside it. */
public class ParserTimer {
  /** Nanoseconds for so many times. */
  public long parse(ParserInterface parser, String text, int times) throws Exception {
    long begun = System.nanoTime();
    for (int i = 0; i < times; i++) parser.parsePlan(text);
    return System.nanoTime() - begun;
  }
}
