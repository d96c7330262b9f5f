package sparkicebergsql;

import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.ByteBuffers;
import org.apache.iceberg.util.DateTimeUtil;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Hex;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/** The values of Iceberg's generic readers as Spark's; those of a type that Spark does not have as text. */
public class TextValues {
  private static final long SECOND = 1_000_000_000; // in nanoseconds
  private static final DateTimeFormatter TIME = fraction("HH:mm:ss");
  private static final DateTimeFormatter DATE_TIME = fraction("uuuu-MM-dd HH:mm:ss");

  /** As Spark writes fractions: without zeros at the end. Such texts sort like the times. */
  private static DateTimeFormatter fraction(String pattern) {
    return new DateTimeFormatterBuilder()
      .appendPattern(pattern)
      .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
      .toFormatter();
  }

  /** The first columns of a record. */
  static InternalRow row(Types.StructType type, StructLike record, int count) {
    Object[] values = new Object[count];
    for (int i = 0; i < count; i++) {
      Types.NestedField field = (Types.NestedField) type.fields().get(i);
      values[i] = value(field.type(), record.get(i, Object.class));
    }
    return new GenericInternalRow(values);
  }

  private static Object value(Type type, Object value) {
    if (value == null) return null;
    switch (type.typeId().name()) { // names: older Icebergs do not have all types
      case "BOOLEAN":
      case "INTEGER":
      case "LONG":
      case "FLOAT":
      case "DOUBLE":
        return value;
      case "STRING":
      case "UUID":
        return UTF8String.fromString(value.toString());
        // Values of identity partitions may be Iceberg's internal ones: numbers.
      case "DATE":
        return value instanceof Integer ? value : Integer.valueOf(DateTimeUtil.daysFromDate((LocalDate) value));
      case "TIMESTAMP":
        if (value instanceof Long) return value;
        return Long.valueOf(value instanceof OffsetDateTime ? DateTimeUtil.microsFromTimestamptz((OffsetDateTime) value)
                                                            : DateTimeUtil.microsFromTimestamp((LocalDateTime) value));
      case "TIME":
        if (value instanceof Long) value = DateTimeUtil.timeFromMicros(((Long) value).longValue());
        return UTF8String.fromString(TIME.format((TemporalAccessor) value));
      case "TIMESTAMP_NANO":
        return UTF8String.fromString(nanoseconds(type, value));
      case "DECIMAL":
        Types.DecimalType decimal = (Types.DecimalType) type;
        return Decimal.apply((java.math.BigDecimal) value, decimal.precision(), decimal.scale());
      case "BINARY":
      case "FIXED":
        return bytes(value);
      case "GEOMETRY":
      case "GEOGRAPHY":
        return Hex.hex(bytes(value));
      case "VARIANT":
        return VariantValues.of(value);
      case "STRUCT":
        return row((Types.StructType) type, (StructLike) value, ((Types.StructType) type).fields().size());
      case "LIST":
        return array(((Types.ListType) type).elementType(), ((List<?>) value).toArray());
      case "MAP":
        Types.MapType map = (Types.MapType) type;
      Map<?, ?> entries = (Map<?, ?>) value;
      return new ArrayBasedMapData(
        array(map.keyType(), entries.keySet().toArray()), array(map.valueType(), entries.values().toArray()));
      default:
        throw new UnsupportedOperationException("no text for the type " + type);
    }
  }

  private static GenericArrayData array(Type type, Object[] values) {
    Object[] converted = new Object[values.length];
    for (int i = 0; i < values.length; i++) converted[i] = value(type, values[i]);
    return new GenericArrayData(converted);
  }

  private static String nanoseconds(Type type, Object value) {
    if (value instanceof Long) {
      long nanos = ((Long) value).longValue();
      int fraction = (int) Math.floorMod(nanos, SECOND);
      String text =
        DATE_TIME.format(LocalDateTime.ofEpochSecond(Math.floorDiv(nanos, SECOND), fraction, ZoneOffset.UTC));
      return type.toString().startsWith("timestamptz") ? text + "+00:00" : text;
    }
    if (!(value instanceof OffsetDateTime)) return DATE_TIME.format((TemporalAccessor) value);
    return DATE_TIME.format(((OffsetDateTime) value).withOffsetSameInstant(ZoneOffset.UTC)) + "+00:00";
  }

  private static byte[] bytes(Object value) {
    return value instanceof ByteBuffer ? ByteBuffers.toByteArray((ByteBuffer) value) : (byte[]) value;
  }
}
