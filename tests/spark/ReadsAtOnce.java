package sparkicebergsql.tests;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.FieldReference;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Two reads by one scan that leave out all files but one at the same time: the second begins while the first is between
 * noting the files and leaving out the others, where it writes a line to the log.
 */
public final class ReadsAtOnce extends AbstractAppender {
  private static final String LOGGER = "org.apache.iceberg.spark.source.SparkCopyOnWriteScan";
  private static final int SECONDS = 30;

  private volatile CountDownLatch logged, ended;
  private volatile Thread other;

  public ReadsAtOnce() { super("reads", null, null, true, Property.EMPTY_ARRAY); }

  /** How many tasks each of the two reads is divided into. */
  public int[] tasks(final Scan first, final Scan second, final String file) throws Exception {
    logged = new CountDownLatch(1);
    ended = new CountDownLatch(1);
    start();
    LoggerContext context = (LoggerContext) LogManager.getContext(false);
    LoggerConfig logger = new LoggerConfig(LOGGER, Level.INFO, false);
    logger.addAppender(this, Level.INFO, null);
    context.getConfiguration().addLogger(LOGGER, logger);
    context.updateLoggers();
    try {
      FutureTask<Integer> result = new FutureTask<Integer>(new Callable<Integer>() {
        @Override
        public Integer call() throws InterruptedException {
          logged.await(SECONDS, TimeUnit.SECONDS);
          int count = count(second, file);
          ended.countDown();
          return Integer.valueOf(count);
        }
      });
      other = new Thread(result);
      other.start();
      int count = count(first, file);
      return new int[] {count, ((Integer) result.get()).intValue()};
    } finally {
      context.getConfiguration().removeLogger(LOGGER);
      context.updateLoggers();
    }
  }

  private static int count(Scan scan, String file) {
    Expression[] sides = {
      FieldReference.column("_file"), LiteralValue.apply(UTF8String.fromString(file), DataTypes.StringType)};
    ((SupportsRuntimeV2Filtering) scan).filter(new Predicate[] {new Predicate("IN", sides)});
    return scan.toBatch().planInputPartitions().length;
  }

  /** Waits until the second read has its files, or waits for the first. */
  @Override
  public void append(LogEvent event) {
    logged.countDown();
    try {
      for (int i = 0; i < SECONDS * 100 && other.getState() != Thread.State.BLOCKED; i++)
        if (ended.await(10, TimeUnit.MILLISECONDS)) return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
