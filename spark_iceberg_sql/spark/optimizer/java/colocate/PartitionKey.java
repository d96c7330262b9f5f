package sparkicebergsql;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.TransformExpression;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.DataType;
import scala.Option;

/** A partition field of a scanned table with a key of the query from which the field's values follow. */
public final class PartitionKey {
  /** Divisors that are greater are not looked for. */
  private static final int MAX_BUCKETS = 4096;

  public final PartitionField field;
  /** As in DDL: bucket(8, id), and the column in it. */
  public final String clause, column;
  /** Of the key, and whether rows with the same value of it are in the same partition of two tables. */
  public final Integer number;
  public final String function;
  /** The number of buckets to which those of the field are reduced, by the remainder; 0 for the field's own values. */
  public final int buckets;
  private final Expression key;
  /** Whether the key is half of a comparison with <=>: the values follow from it and from whether the column is null. */
  private final boolean isOrNull;

  private PartitionKey(PartitionField field, int buckets, String clause, String column, Integer number, Expression key,
    String function, boolean isOrNull) {
    this.field = field;
    this.buckets = buckets;
    this.clause = clause;
    this.column = column;
    this.number = number;
    this.key = key;
    this.function = function;
    this.isOrNull = isOrNull;
  }

  /** Those of a scan by one of its table's fields. */
  public static List<PartitionKey> of(PartitionField field, DataSourceV2ScanRelation scanned, ClusteringKeys keys) {
    List<PartitionKey> result = new ArrayList<>();
    PartitionLayout layout = PartitionLayout.of(scanned.relation());
    for (Expression key : keys.all()) {
      Expression compared = keys.compared(key), column = column(compared == null ? key : compared, field);
      Types.NestedField source =
        column == null || !key.references().subsetOf(scanned.outputSet()) ? null : layout.field(column);
      if (source == null || source.fieldId() != field.sourceId()) continue;
      String name = PartitionLayout.quoted(column), clause = clause(field, source, name);
      if (clause == null || !isSure(field, column, layout)) continue;
      String type = " " + column.dataType().catalogString();
      boolean isOrNull = compared != null;
      result.add(
        new PartitionKey(field, 0, clause, name, keys.number(key), key, name(field, 0, isOrNull) + type, isOrNull));
      for (int n : fewer(field))
        result.add(
          new PartitionKey(field, n, clause, name, keys.number(key), key, name(field, n, isOrNull) + type, isOrNull));
    }
    return result;
  }

  /** The numbers of buckets of which that of a field is a multiple: the hash of a value decides on all of them. */
  private static List<Integer> fewer(PartitionField field) {
    List<Integer> divisors = new ArrayList<>();
    Transform transform = Transform.ofSpec(field.transform().toString());
    if (transform == null || !transform.hashes) return divisors;
    for (int n = 2; n <= parameter(field) / 2 && n <= MAX_BUCKETS; n++)
      if (parameter(field) % n == 0) divisors.add(Integer.valueOf(n));
    return divisors;
  }

  /** Whether it divides rows more finely than another one of the same column. */
  public boolean isFinerThan(PartitionKey other) {
    // Not the same object: some versions of Iceberg make the fields of a spec anew.
    if (!field.equals(other.field)) return fineness() > other.fineness();
    return other.buckets > 0 && (buckets == 0 || buckets > other.buckets);
  }

  private int fineness() {
    if (field.transform().isIdentity()) return Integer.MAX_VALUE;
    return KeyRefinement.fineness(Transform.ofSpec(field.transform().toString()));
  }

  /** As Spark compares it with those of other scans. type: of its values. */
  public Expression expression(Types.NestedField type) {
    Attribute column = KeyColumn.of(key);
    if (field.transform().isIdentity() && !isOrNull) return column;
    return transform(name(field, buckets, isOrNull), column, type);
  }

  /** Rows that <=> compares are never taken for rows in the same partitions as those that = compares. */
  private static String name(PartitionField field, int buckets, boolean isOrNull) {
    String transform = field.transform().toString();
    if (buckets > 0) transform = transform.substring(0, transform.indexOf('[') + 1) + buckets + "]";
    return transform + (isOrNull ? " or null" : "");
  }

  /** A value of the field as one of fewer buckets. */
  public Object reduced(Object value) {
    return value == null || buckets == 0 ? value : (Object) Integer.valueOf(((Integer) value).intValue() % buckets);
  }

  /** By what rows are grouped, as in DDL: bucket(4, id) also where the table is partitioned by bucket(8, id). */
  public String grouping() {
    return buckets == 0 ? clause : clause.substring(0, clause.indexOf('(') + 1) + buckets + ", " + column + ")";
  }

  /** The partitioning by a key on whose value nothing depends: in each partition, its values are those of type. */
  public static Expression any(Expression key, Types.NestedField type) {
    return transform("any", KeyColumn.of(key), type);
  }

  private static Expression transform(String name, Attribute column, Types.NestedField type) {
    DataType result = SparkSchemaUtil.convert(type.type());
    List<Expression> children = new ArrayList<>();
    children.add(column);
    // Spark 4.2 has one more argument, an Option as well: what it may compare instead of the function's name.
    Constructor<?> constructor = TransformExpression.class.getConstructors()[0];
    Object[] arguments = new Object[constructor.getParameterCount()];
    Arrays.fill(arguments, Option.empty());
    arguments[0] = new PartitionFunction(name, column.dataType(), result);
    arguments[1] = ScalaTypes.seq(children);
    try {
      return (Expression) constructor.newInstance(arguments);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The column of a key, or of an expression of it, that may be the source of a field. */
  private static Expression column(Expression key, PartitionField field) {
    if (PartitionLayout.isColumn(key)) return key;
    Transform transform = Transform.ofSpec(field.transform().toString());
    return transform == null ? null : KeyRefinement.column(key, transform, parameter(field));
  }

  /** The number in the brackets of a transform; 0 if it has none. */
  private static int parameter(PartitionField field) {
    String text = field.transform().toString();
    int bracket = text.indexOf('[');
    return bracket < 0 ? 0 : Integer.parseInt(text.substring(bracket + 1, text.length() - 1));
  }

  /** Whether the values of a field in all files are those of the transform, for all that is known. */
  private static boolean isSure(PartitionField field, Expression column, PartitionLayout layout) {
    Transform transform = Transform.ofSpec(field.transform().toString());
    // Iceberg reads a column that is a field itself from the partition, and a bucket depends on the value alone.
    boolean isSure = field.transform().isIdentity() || transform != null && transform.hashes;
    return isSure && column instanceof Attribute || layout.faults(column).isEmpty();
  }

  /** A partition field as in DDL; null if rows must not be grouped by it. */
  private static String clause(PartitionField field, Types.NestedField source, String column) {
    boolean isTime = false, isText = false;
    switch (source.type().typeId()) {
      case DATE:
      case TIMESTAMP:
        isTime = true;
        break;
      case INTEGER:
      case LONG:
      case DECIMAL:
        break;
      case STRING:
        isText = true;
        break;
      default:
        return null; // NaN, -0.0 and binaries compare otherwise; Spark has a uuid as text, with another bucket
    }
    if (field.transform().isIdentity()) return column;
    Transform transform = Transform.ofSpec(field.transform().toString());
    if (transform == null) return null;
    if (transform.hasParameter) return transform.function + "(" + parameter(field) + ", " + column + ")";
    return isTime && transform.unit != null ? transform.function + "(" + column + ")" : null;
  }
}
