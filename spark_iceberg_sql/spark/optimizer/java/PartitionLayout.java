package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.BaseMetadataTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/** How the Iceberg table under a relation is partitioned, now and in its past. */
public final class PartitionLayout {
  private final Table table;

  private PartitionLayout(Table table) { this.table = table; }

  /** Null where the plan is not a relation of an Iceberg table; a metadata table is none. */
  public static PartitionLayout of(Object plan) {
    if (!(plan instanceof DataSourceV2Relation)) return null;
    Object t = ((DataSourceV2Relation) plan).table();
    if (t instanceof RowLevelOperationTable) t = ((RowLevelOperationTable) t).table();
    if (!(t instanceof SparkTable) || ((SparkTable) t).table() instanceof BaseMetadataTable) return null;
    return new PartitionLayout(((SparkTable) t).table());
  }

  /** What the table is at this moment: its metadata file; null where there is none. */
  public String version() {
    if (!(table instanceof HasTableOperations)) return null;
    return ((HasTableOperations) table).operations().current().metadataFileLocation();
  }

  /** A call of Iceberg's as a transform is written in a spec: day, bucket[4]; null for any other expression. */
  public static String transform(Object e) {
    Expression call = Calls.call(e);
    if (call == null) return null;
    Transform t = Transform.of(call);
    if (t == null || !t.numbered) return t == null ? null : t.name;
    Object first = call.children().apply(0);
    if (!(first instanceof Literal) || !(((Literal) first).value() instanceof Integer)) return null;
    return t.name + "[" + ((Literal) first).value() + "]";
  }

  /** The column that a call is of, a field in columns of structs too; null where it is of anything else. */
  public static Expression source(Expression call) {
    Expression e = (Expression) call.children().apply(call.children().size() - 1), column = e;
    while (e instanceof GetStructField) e = ((GetStructField) e).child();
    return e instanceof AttributeReference ? column : null;
  }

  /**
   * Whether a comparison of a call with a constant may be given to Iceberg, which then finds the very rows.
   *
   * <p>Iceberg compares it with the values of a partition field and, where the transform keeps the order, with the
   * transformed bounds of each file. The first is wrong where any spec has the column itself as a field, or where
   * Spark's value is another than Iceberg's: a uuid is text to Spark. The second is wrong where the transform wraps:
   * the least int or long of a file, truncated, is its greatest; hours of the year 250000 are negative. Then it is
   * right only in files that are partitioned by this very transform, all rows of which have one value.
   */
  public boolean answers(Expression call) {
    Expression column = source(call);
    String transform = transform(call);
    List<Types.NestedField> fields = new ArrayList<>();
    if (column != null && transform != null) fields.addAll(fields(column));
    if (fields.isEmpty() || isField(fields)) return false;
    for (Types.NestedField field : fields) {
      Type.TypeID type = field.type().typeId();
      if (type == Type.TypeID.UUID || type == Type.TypeID.FIXED) return false;
    }
    return !Transform.named(transform).wraps(column.dataType()) || everywhere(column, transform);
  }

  /** Whether a column itself is a partition field of any spec. */
  private boolean isField(List<Types.NestedField> fields) {
    for (PartitionSpec spec : table.specs().values())
      for (PartitionField f : spec.fields())
        if (f.transform().isIdentity() && isOf(f, fields)) return true;
    return false;
  }

  private static boolean isOf(PartitionField f, List<Types.NestedField> fields) {
    for (Types.NestedField field : fields)
      if (f.sourceId() == field.fieldId()) return true;
    return false;
  }

  /** Whether files of every spec are partitioned by a transform of a column, so that a call of it prunes by itself. */
  public boolean everywhere(Expression column, String transform) {
    // A name that two columns have had, or a column that had another type when files were partitioned, is no such.
    List<Types.NestedField> fields = fields(column);
    for (Types.NestedField field : fields) {
      Types.NestedField first = (Types.NestedField) fields.get(0);
      if (field.fieldId() != first.fieldId() || !field.type().equals(first.type())) return false;
    }
    for (PartitionSpec spec : table.specs().values())
      if (!transforms(fields, spec).contains(transform)) return false;
    return true;
  }

  /** The transforms of a column in any spec. */
  public List<String> anywhere(Expression column) {
    List<String> result = new ArrayList<>();
    List<Types.NestedField> fields = fields(column);
    for (PartitionSpec spec : table.specs().values()) result.addAll(transforms(fields, spec));
    return result;
  }

  /** The first transform of a column, in any spec, whose values wrap; null where there is none. */
  public Transform wrapping(Expression column) {
    for (String transform : anywhere(column)) {
      Transform t = Transform.named(transform);
      if (t != null && t.wraps(column.dataType())) return t;
    }
    return null;
  }

  /** The fields that a column's name stands for in any schema: a query of an old snapshot knows it by its old name. */
  private List<Types.NestedField> fields(Expression column) {
    List<Types.NestedField> result = new ArrayList<>();
    String path = path(column);
    add(result, table.schema().findField(path));
    for (Schema schema : table.schemas().values()) add(result, schema.findField(path));
    return result;
  }

  private static void add(List<Types.NestedField> fields, Types.NestedField field) {
    if (field != null && !fields.contains(field)) fields.add(field);
  }

  private static List<String> transforms(List<Types.NestedField> fields, PartitionSpec spec) {
    List<String> result = new ArrayList<>();
    for (PartitionField f : spec.fields())
      if (isOf(f, fields)) result.add(f.transform().toString());
    return result;
  }

  private static String path(Expression column) {
    if (column instanceof Attribute) return ((Attribute) column).name();
    GetStructField field = (GetStructField) column;
    return path(field.child()) + "." + field.extractFieldName();
  }
}
