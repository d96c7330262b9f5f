package sparkicebergsql;

import java.lang.reflect.Field;
import java.util.List;
import org.apache.iceberg.IsolationLevel;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta;
import org.apache.spark.sql.connector.write.RowLevelOperation;

/**
 * Has a DELETE with merge-on-read and snapshot isolation refused if another writer has replaced rows that it removes.
 *
 * <p>Iceberg validates that for UPDATE and MERGE alone: the DELETE removes the old version of such a row, which is no
 * longer there, and the new one stays. The plan is not changed, only the table to which its write commits.
 */
public class Conflicts extends SwitchedRule {
  private static final String WRITE = "org.apache.iceberg.spark.source.SparkPositionDeltaWrite";

  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    if (!(plan instanceof WriteDelta) || ((WriteDelta) plan).write().isEmpty()) return plan;
    Object write = ((WriteDelta) plan).write().get();
    if (!write.getClass().getName().equals(WRITE)) return plan;
    try {
      boolean isUnchecked = field(write, "command").get(write) == RowLevelOperation.Command.DELETE
        && field(write, "isolationLevel").get(write) == IsolationLevel.SNAPSHOT;
      Field table = field(write, "table");
      Table checked = isUnchecked ? ReplacedRows.checked((Table) table.get(write)) : null;
      if (checked != null) table.set(write, checked);
    } catch (ReflectiveOperationException other) {
      throw new IllegalStateException("it is unknown what the DELETE validates (" + other
        + "); `SET spark.iceberg_sql.conflicts = false` lets it run without");
    }
    return plan;
  }

  private static Field field(Object write, String name) throws NoSuchFieldException {
    Field field = write.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  /** Commits deletes as a DELETE would, after another writer has replaced rows, and after nobody has. */
  @Override
  protected String check(SparkSession session) {
    try {
      if (isRefused(session, false)) return "it refuses a DELETE without another writer";
      return isRefused(session, true) ? null : "a DELETE loses another writer's rows";
    } catch (ParseException e) {
      return e.toString();
    } catch (ReflectiveOperationException e) {
      return e.toString();
    }
  }

  private static boolean isRefused(SparkSession session, boolean hasOther)
    throws ParseException, ReflectiveOperationException {
    Table table = TrialTable.deletedByPosition();
    long start = table.currentSnapshot().snapshotId();
    LogicalPlan plan = TrialTable.optimized(session, "DELETE FROM t WHERE y > 5", table);
    Object write = ((WriteDelta) plan).write().get();
    RowDelta delta = ((Table) field(write, "table").get(write)).newRowDelta();
    delta.addDeletes(TrialTable.deletes(table)).validateDataFilesExist(List.of(FileBounds.TRIAL + 0));
    delta.validateFromSnapshot(start);
    if (hasOther) TrialTable.replaceRows(table);
    try {
      delta.commit();
      return false;
    } catch (ValidationException conflict) {
      return true;
    }
  }
}
