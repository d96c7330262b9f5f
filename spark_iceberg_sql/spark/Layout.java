package sparkicebergsql;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/** How the Iceberg table under a relation is partitioned, now and in its past. */
public final class Layout {
  private final Table table;

  private Layout(Table table) { this.table = table; }

  /** Null where the plan is not a relation of an Iceberg table. */
  public static Layout of(Object plan) {
    if (!(plan instanceof DataSourceV2Relation)) return null;
    Object t = ((DataSourceV2Relation) plan).table();
    if (t instanceof RowLevelOperationTable) t = ((RowLevelOperationTable) t).table();
    return t instanceof SparkTable ? new Layout(((SparkTable) t).table()) : null;
  }

  /** A call of Iceberg's as a transform is written in a spec: day, bucket[4]; null for any other expression. */
  public static String transform(Expression call) {
    Class function = Calls.function(call);
    if (function == null) return null;
    String name = function.getName();
    if (name.contains("YearsFunction")) return "year";
    if (name.contains("MonthsFunction")) return "month";
    if (name.contains("DaysFunction")) return "day";
    if (name.contains("HoursFunction")) return "hour";
    Object first = call.children().apply(0);
    if (!(first instanceof Literal) || !(((Literal) first).value() instanceof Integer)) return null;
    return (name.contains("BucketFunction") ? "bucket[" : "truncate[") + ((Literal) first).value() + "]";
  }

  /** Whether files of every spec are partitioned by a transform of a column, so that a call of it prunes by itself. */
  public boolean everywhere(Expression column, String transform) {
    for (Iterator i = table.specs().values().iterator(); i.hasNext();)
      if (!transforms(column, (PartitionSpec) i.next()).contains(transform)) return false;
    return true;
  }

  /** The transforms of a column in any spec. */
  public List anywhere(Expression column) {
    List result = new ArrayList();
    for (Iterator i = table.specs().values().iterator(); i.hasNext();)
      result.addAll(transforms(column, (PartitionSpec) i.next()));
    return result;
  }

  /** Whether the column is text to Spark and a uuid to Iceberg, which orders and hashes its bytes. */
  public boolean isUuid(Expression column) {
    for (Iterator i = table.schemas().values().iterator(); i.hasNext();) {
      Types.NestedField field = ((Schema) i.next()).findField(path(column));
      if (field != null && field.type().typeId() == Type.TypeID.UUID) return true;
    }
    return false;
  }

  private List transforms(Expression column, PartitionSpec spec) {
    List result = new ArrayList();
    for (Iterator i = spec.fields().iterator(); i.hasNext();) {
      PartitionField f = (PartitionField) i.next();
      for (Iterator s = table.schemas().values().iterator(); s.hasNext();) {
        // A query of an old snapshot knows a column by the name that it had.
        Types.NestedField field = ((Schema) s.next()).findField(path(column));
        if (field == null || f.sourceId() != field.fieldId()) continue;
        result.add(f.transform().toString());
        break;
      }
    }
    return result;
  }

  private static String path(Expression column) {
    if (column instanceof Attribute) return ((Attribute) column).name();
    GetStructField field = (GetStructField) column;
    return path(field.child()) + "." + field.extractFieldName();
  }
}
