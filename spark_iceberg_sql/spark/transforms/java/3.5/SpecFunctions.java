package sparkicebergsql;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.classic.SparkSession;

/**
 * Adds nothing: Spark 3.5 has no rule that can be injected before it looks up functions, so it knows no function of the
 * catalog iceberg_functions. What a user writes instead is in the error of an installed session.
 */
public class SpecFunctions {
  public void addTo(SparkSessionExtensions extensions) {}

  public void add(SparkSession session) {}
}
