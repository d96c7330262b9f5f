package sparkicebergsql;

import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Whether what Iceberg's vectorized reader returns may be wrong, so that rows are to be read one after the other. */
public final class VectorFaults {
  private static final String KEY = "spark.sql.iceberg.vectorization.enabled",
                              COLUMN = "org.apache.iceberg.spark.data.vectorized.IcebergArrowColumnVector",
                              READER = "org.apache.iceberg.arrow.vectorized.parquet."
    + "VectorizedDictionaryEncodedParquetValuesReader";
  /**
   * Whether columns of a batch are freed, while the reader fills them again for the next one.
   *
   * <p>From 3.5.4 on, Spark frees them, unless their class says that they stay, as it does from Iceberg 1.8 on. Before that,
   * what is read after the first 5,000 rows of a file goes into memory that has another use: rows are wrong, or the
   * process ends (apache/iceberg#12178).
   */
  public static final boolean ARE_FREED = areFreed();
  /**
   * Whether values of a fixed length are put into other rows, in columns of which only some pages have a dictionary, as
   * the decimals of other writers (apache/iceberg#11221).
   */
  public static final boolean ARE_MISPLACED = areMisplaced();

  private VectorFaults() {}

  private static boolean areFreed() {
    try {
      ColumnVector.class.getMethod("closeIfFreeable", new Class<?>[0]);
    } catch (NoSuchMethodException e) {
      return false; // an older Spark frees them at the end
    }
    try {
      return ofIceberg(COLUMN).getMethod("closeIfFreeable", new Class<?>[0]).getDeclaringClass() == ColumnVector.class;
    } catch (ReflectiveOperationException e) {
      return true; // slower, and right
    }
  }

  /** Iceberg 1.7, which has it mended, deprecates another way to read such values, and 1.8 has it no more. */
  private static boolean areMisplaced() {
    try {
      return !ofIceberg(READER)
                .getMethod("fixedWidthBinaryDictEncodedReader", new Class<?>[0])
                .isAnnotationPresent(Deprecated.class);
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  private static Class<?> ofIceberg(String name) throws ClassNotFoundException {
    return Class.forName(name, true, SparkSchemaUtil.class.getClassLoader());
  }

  /** Has a session read rows without vectors where these may be wrong, unless its user has decided. */
  public static void avoid(SparkSession session) {
    boolean isSafe = !ARE_FREED && !ARE_MISPLACED;
    if (!isSafe && !session.conf().getOption(KEY).isDefined()) session.conf().set(KEY, "false");
  }
}
