package sparkicebergsql;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * Bounds and partition values of which a glance at their bytes tells that nothing is wrong with them, as with nearly all:
 * ManifestCheck looks at the others.
 *
 * <p>Invariant: what is plain here has no fault there. ORC's files never are.
 */
public final class PlainFigures {
  private static final long DAY = 86400000000L, HOUR = 3600000000L;

  private PlainFigures() {}

  /** Whether the bounds of a column that is no partition field's are in order, and in no other unit than they should be. */
  public static boolean areBounds(DataFile file, Type type, ByteBuffer lower, ByteBuffer upper) {
    if (file.format() == FileFormat.ORC) return false;
    switch (type.typeId()) {
      case INTEGER:
      case DATE:
        return has(lower, 4) && has(upper, 4) && intOf(lower) <= intOf(upper);
      case LONG:
        return has(lower, 8) && has(upper, 8) && longOf(lower) <= longOf(upper);
      case TIMESTAMP:
        if (!has(lower, 8) || !has(upper, 8) || longOf(lower) > longOf(upper)) return false;
        return !FileUnits.isSuspect(longOf(lower), longOf(upper));
      case DOUBLE:
        return has(lower, 8) && has(upper, 8)
          && Double.longBitsToDouble(longOf(lower)) < Double.longBitsToDouble(longOf(upper));
      case STRING:
        return areTexts(lower, upper);
      default:
        return false;
    }
  }

  /** Whether two bounds are of characters of one byte each, and in order: their bytes then are in it, too. */
  private static boolean areTexts(ByteBuffer lower, ByteBuffer upper) {
    int common = Math.min(lower.remaining(), upper.remaining()), order = 0;
    for (int i = 0; i < lower.remaining(); i++)
      if (lower.get(lower.position() + i) < 0) return false;
    for (int i = 0; i < upper.remaining(); i++)
      if (upper.get(upper.position() + i) < 0) return false;
    for (int i = 0; i < common && order == 0; i++)
      order = lower.get(lower.position() + i) - upper.get(upper.position() + i);
    return order < 0 || order == 0 && lower.remaining() <= upper.remaining();
  }

  /**
   * Whether a partition value is that of both bounds of its column, which are in order: of days and hours from 1970 on,
   * and of whole numbers that are partition fields themselves.
   *
   * @param value not null
   */
  public static boolean isPartition(
    DataFile file, PartitionField field, Types.NestedField source, Object value, ByteBuffer lower, ByteBuffer upper) {
    if (file.format() == FileFormat.ORC || lower == null || upper == null || !(value instanceof Integer)) return false;
    int partition = ((Integer) value).intValue();
    if (source.type().typeId() == Type.TypeID.INTEGER && field.transform().isIdentity())
      return has(lower, 4) && has(upper, 4) && intOf(lower) == partition && intOf(upper) == partition;
    if (source.type().typeId() != Type.TypeID.TIMESTAMP || !has(lower, 8) || !has(upper, 8)) return false;
    Transform transform = Transform.ofSpec(field.transform().toString());
    String name = transform == null ? null : transform.unit;
    long unit = "DAYS".equals(name) ? DAY : "HOURS".equals(name) ? HOUR : 0;
    if (unit == 0 || longOf(lower) < 0) return false;
    return longOf(lower) / unit == partition && longOf(upper) / unit == partition;
  }

  private static boolean has(ByteBuffer bound, int bytes) { return bound.remaining() == bytes; }

  // Bounds are little endian, whatever the order of the buffer that has them.
  private static int intOf(ByteBuffer bound) {
    int value = bound.getInt(bound.position());
    return bound.order() == ByteOrder.LITTLE_ENDIAN ? value : Integer.reverseBytes(value);
  }

  private static long longOf(ByteBuffer bound) {
    long value = bound.getLong(bound.position());
    return bound.order() == ByteOrder.LITTLE_ENDIAN ? value : Long.reverseBytes(value);
  }
}
