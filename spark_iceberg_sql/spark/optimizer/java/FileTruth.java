package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** Whether a condition is true for all rows of a data file, or for none. */
public final class FileTruth {
  private final List<FileCondition> strict = new ArrayList<>();
  private final List<ConstantExpression> constants = new ArrayList<>();

  /** condition: null if there is none. */
  public FileTruth(SnapshotFiles files, Expression condition) {
    List<Expression> conjuncts = new ArrayList<>();
    if (condition != null) FileCondition.split(condition, conjuncts);
    for (Expression conjunct : conjuncts) {
      strict.add(FileCondition.converted(conjunct) == null ? null : new FileCondition(files, conjunct));
      constants.add(
        ConstantExpression.isPlausible(conjunct, files.layout) ? new ConstantExpression(conjunct, files) : null);
    }
  }

  /** Whether some file may satisfy all conjuncts with all its rows. */
  public boolean isDecidable() {
    for (int i = 0; i < strict.size(); i++) {
      FileCondition condition = (FileCondition) strict.get(i);
      if (constants.get(i) == null && (condition == null || !condition.isDecidable())) return false;
    }
    return true;
  }

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
