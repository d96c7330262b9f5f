package sparkicebergsql.adversary;

import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Columns with an initial default, which Spark's SQL cannot add.
 *
 * @since Iceberg 1.9
 */
public class DefaultColumn {
  /** Adds a column whose value in the rows so far is that of the row's only column. */
  public void addColumn(SparkSession session, String name, String column, String type, InternalRow row)
    throws Exception {
    Table table = Spark3Util.loadIcebergTable(session, name);
    StructType fields = StructType.fromDDL(column + " " + type);
    Type iceberg = SparkSchemaUtil.convert(fields.fields()[0].dataType());
    Object value = row.get(0, fields.fields()[0].dataType());
    if (value instanceof UTF8String) value = value.toString();
    if (value instanceof Decimal) value = ((Decimal) value).toJavaBigDecimal();
    table.updateSchema().addColumn(column, iceberg, literal(value, iceberg)).commit();
  }

  private static Literal literal(Object value, Type type) {
    if (value instanceof Byte || value instanceof Short) value = Integer.valueOf(((Number) value).intValue());
    if (value instanceof byte[]) return Literal.of(java.nio.ByteBuffer.wrap((byte[]) value));
    if (value instanceof String) return Literal.of((String) value);
    if (value instanceof java.math.BigDecimal) return Literal.of((java.math.BigDecimal) value);
    if (value instanceof Boolean) return Literal.of(((Boolean) value).booleanValue());
    if (value instanceof Float) return Literal.of(((Float) value).floatValue());
    if (value instanceof Double) return Literal.of(((Double) value).doubleValue());
    if (value instanceof Integer) {
      Literal number = Literal.of(((Integer) value).intValue());
      return type.typeId() == Type.TypeID.DATE ? number.to(type) : number;
    }
    return Literal.of(((Long) value).longValue()).to(type);
  }
}
