package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.Expression;

/** Comparisons with constants for which a reader of Iceberg's loses rows of the files that the scan gives it. */
public final class MisreadComparisons {
  private MisreadComparisons() {}

  /** Whether a condition has such a comparison anywhere. layout: of its columns' table; may be null. */
  public static boolean areIn(Expression e, PartitionLayout layout) {
    if (OrcConstants.isIn(e, layout) || BloomComparisons.isIn(e, layout)) return true;
    for (Expression child : ScalaTypes.list(e.children()))
      if (areIn(child, layout)) return true;
    return false;
  }
}
