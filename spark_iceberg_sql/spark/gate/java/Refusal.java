package sparkicebergsql;

import org.apache.spark.QueryContext;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.classic.SparkSession;
import scala.Option;

/**
 * The exception that a client receives for a refused statement: a message without a stack, to which Spark would add
 * the caller's frames.
 */
public class Refusal extends AnalysisException {
  /** The error condition of a refused statement. */
  public static final String CONDITION = "PARTITION_DDL_REFUSED";

  /** The parameter that holds the key of the refusal's report in Python. */
  public static final String KEY = "refusal";

  private static final long serialVersionUID = 1L;

  /** session: the statement's. key: of the report. */
  public Refusal(SparkSession session, String message, String key) {
    super(message, Option.empty(), Option.empty(), Option.empty(),
      Option.apply(ConnectClient.isForJvm(session) ? null : CONDITION),
      new scala.collection.immutable.Map.Map1<String, String>(KEY, key), new QueryContext[0]);
  }

  @Override
  public String getSqlState() {
    return "42000";
  }

  /** What a Thrift server sends: the words without the class. */
  @Override
  public String toString() {
    return getMessage();
  }

  @Override
  public StackTraceElement[] getStackTrace() {
    return new StackTraceElement[0];
  }

  @Override
  public void setStackTrace(StackTraceElement[] frames) {}

  @Override
  public Throwable fillInStackTrace() {
    return this;
  }
}
