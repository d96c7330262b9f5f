package sparkicebergsql;

import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.vectorized.ColumnVector;

/**
 * The columns of a batch, which Iceberg's vectorized reader fills again for the next one.
 *
 * <p>From 3.5.4 on, Spark frees them after each batch, unless their class says that they stay, as it does from Iceberg 1.8 on.
 * Before that, what is read after the first 5,000 rows of a file goes into memory that has another use: rows are wrong, or
 * the process ends (apache/iceberg#12178).
 */
public final class FreedVectors {
  private static final String KEY = "spark.sql.iceberg.vectorization.enabled",
                              COLUMN = "org.apache.iceberg.spark.data.vectorized.IcebergArrowColumnVector";
  /** Whether these are freed while they are in use. */
  public static final boolean ARE_IN_USE = areInUse();

  private FreedVectors() {}

  private static boolean areInUse() {
    try {
      ColumnVector.class.getMethod("closeIfFreeable", new Class<?>[0]);
    } catch (NoSuchMethodException e) {
      return false; // an older Spark frees them at the end
    }
    try {
      Class<?> column = Class.forName(COLUMN, true, SparkSchemaUtil.class.getClassLoader());
      return column.getMethod("closeIfFreeable", new Class<?>[0]).getDeclaringClass() == ColumnVector.class;
    } catch (ReflectiveOperationException e) {
      return true; // slower, and right
    }
  }

  /** Has a session read rows without vectors where these are freed, unless its user has decided. */
  public static void avoid(SparkSession session) {
    if (ARE_IN_USE && !session.conf().getOption(KEY).isDefined()) session.conf().set(KEY, "false");
  }
}
