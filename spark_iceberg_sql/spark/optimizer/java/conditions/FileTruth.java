package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.expressions.Expressions;
import org.apache.spark.sql.catalyst.expressions.Expression;

/**
 * Whether a condition is true for all rows of a data file, or for none.
 *
 * <p>Each conjunct is asked of Iceberg, by the file's bounds, and of Spark, which evaluates it where all its inputs have
 * one value in the file.
 *
 * <p>Invariant: true only if each conjunct is by one of the two; false if one conjunct is, whatever the others are.
 */
public final class FileTruth {
  /** For each conjunct: null if Iceberg does not evaluate it. */
  private final List<FileCondition> strict = new ArrayList<>();
  /** For each conjunct: null if it is not likely to have one value for all rows of a file. */
  private final List<ConstantExpression> constants = new ArrayList<>();

  /** condition: null if there is none. */
  public FileTruth(SnapshotFiles files, Expression condition) {
    for (Expression conjunct : Predicates.conjuncts(condition)) {
      strict.add(FileCondition.of(files, conjunct));
      constants.add(
        ConstantExpression.isPlausible(conjunct, files.layout) ? new ConstantExpression(conjunct, files) : null);
    }
  }

  /** By this, the scan skips files; conjuncts that Iceberg does not evaluate are missing. */
  public org.apache.iceberg.expressions.Expression inclusive() {
    org.apache.iceberg.expressions.Expression result = Expressions.alwaysTrue();
    for (FileCondition condition : strict)
      if (condition != null) result = Expressions.and(result, condition.inclusive);
    return result;
  }

  /** Whether some file may satisfy all conjuncts with all its rows. */
  public boolean isDecidable() {
    for (int i = 0; i < strict.size(); i++)
      if (constants.get(i) == null && !isDecidable((FileCondition) strict.get(i))) return false;
    return true;
  }

  /** Whether Iceberg alone may decide that for all conjuncts. */
  public boolean isDecidableByIceberg() {
    for (FileCondition condition : strict)
      if (!isDecidable(condition)) return false;
    return true;
  }

  private static boolean isDecidable(FileCondition condition) { return condition != null && condition.isDecidable; }

  /** Whether the condition is true for all rows of a file. */
  public boolean isTrueFor(DataFile file) { return Boolean.TRUE.equals(of(file)); }

  /** True for all rows, false (or null, in SQL) for all rows; null if the rows may differ. */
  public Boolean of(DataFile file) {
    Boolean result = Boolean.TRUE;
    for (int i = 0; i < strict.size(); i++) {
      FileCondition condition = (FileCondition) strict.get(i);
      if (condition != null && condition.isTrueFor(file)) continue;
      ConstantExpression constant = (ConstantExpression) constants.get(i);
      Object value = constant == null ? ConstantExpression.UNKNOWN : constant.of(file);
      if (value == null || Boolean.FALSE.equals(value)) return Boolean.FALSE;
      if (value == ConstantExpression.UNKNOWN) result = null;
    }
    return result;
  }
}
