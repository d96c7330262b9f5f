package sparkicebergsql;

import java.time.temporal.ChronoUnit;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.types.DataTypes;

/**
 * Partition values that are not in the order of their column, since Iceberg computes them with an overflow or wrongly.
 *
 * <p>truncate(W) of an int or a bigint goes below the least number for the least values, and wraps around, unless W is a power of
 * two; of an int, a W above 2^30 overflows for positive values, too. The hours of a timestamp wrap around beyond an int. Of times before
 * 1970, Iceberg takes those that end in .999999 for almost a second earlier, so in the first second of a unit they are in the
 * unit before.
 */
public final class PartitionOverflow {
  private static final long SECOND = 1000000L, HOUR = 3600L * SECOND;
  /** Beyond these, hours may be those of times whose hours wrapped around. */
  public static final long LEAST_WRAPPED = 1732919507L;
  /** Above it, the sum within the formula overflows for an int. */
  private static final long MAXIMUM_WIDTH = 1L << 30;

  private PartitionOverflow() {}

  /** The width of a truncation of whole numbers, as a spec writes it in brackets; 0 for any other transform. */
  public static long width(String transform, boolean isWhole) {
    Transform t = Transform.ofSpec(transform);
    if (!isWhole || t == null || !t.truncates) return 0;
    return Long.parseLong(transform.substring(transform.indexOf('[') + 1, transform.length() - 1));
  }

  private static boolean isWhole(Type type) {
    return type.typeId() == Type.TypeID.INTEGER || type.typeId() == Type.TypeID.LONG;
  }

  /** The least number of a type. */
  public static long minimum(boolean isLong) { return isLong ? Long.MIN_VALUE : Integer.MIN_VALUE; }

  /** Whether truncation by a width wraps around: no power of two does, up to 2^30. */
  public static boolean wraps(long width, boolean isLong) { return minimum(isLong) % width != 0; }

  /** Whether truncation by a width is not in order for values of all sizes. */
  private static boolean isUnordered(long width, Type type) {
    return type.typeId() == Type.TypeID.INTEGER && width > MAXIMUM_WIDTH;
  }

  /** The truncated value of the least number, and of all that wrap around. */
  private static long wrapped(long width, boolean isLong) {
    long minimum = minimum(isLong), result = minimum - Math.floorMod(minimum, width);
    return isLong ? result : (int) result;
  }

  /** The greatest number that wraps around. */
  public static long lastWrapped(long width, boolean isLong) {
    return minimum(isLong) + width - Math.floorMod(minimum(isLong), width) - 1;
  }

  /** Adds the faults of the columns that no file can be skipped by: they are those of the specs alone. */
  public static void addUnordered(Table table, List<BoundFault> faults) {
    for (PartitionSpec spec : table.specs().values())
      for (PartitionField field : spec.fields())
        for (Schema schema : table.schemas().values()) {
          Types.NestedField source = schema.findField(field.sourceId());
          if (source == null || !isWhole(source.type())) continue;
          long width = width(field.transform().toString(), true);
          if (width > 0 && isUnordered(width, source.type()))
            BoundFault.add(faults, new BoundFault(source.fieldId(), BoundFault.Kind.PARTITION, null, false, 0, 0));
        }
  }

  /**
   * The fault of a file's partition value; null if it has none of these.
   *
   * @param value not null
   * @param from the lower bound of the source, as Iceberg holds it; null if it is not known, as `to`, the upper one
   */
  public static BoundFault of(
    DataFile file, PartitionField field, Types.NestedField source, Object value, Object from, Object to) {
    Type type = source.type();
    String transform = field.transform().toString();
    if (!(value instanceof Number)) return null;
    long partition = ((Number) value).longValue();
    boolean isBounded = from instanceof Number && to instanceof Number;
    long width = width(transform, isWhole(type));
    if (width > 0) {
      boolean isLong = type.typeId() == Type.TypeID.LONG;
      if (partition % width == 0) return null;
      // Of a promoted column, the least int's is none of the values that a comparison with the least long finds.
      return fault(
        source, partition == wrapped(width, isLong) ? BoundFault.Kind.WRAPPED : BoundFault.Kind.PARTITION, file);
    }
    if (type.typeId() != Type.TypeID.TIMESTAMP) return null;
    if (wrapsTimes(transform)) {
      boolean isWrapped = isBounded
        ? Math.floorDiv(((Number) from).longValue(), HOUR) != (int) Math.floorDiv(((Number) from).longValue(), HOUR)
        : partition >= LEAST_WRAPPED || partition < -LEAST_WRAPPED;
      if (isWrapped) return fault(source, BoundFault.Kind.WRAPPED_HOURS, file);
    }
    long unit = unit(transform);
    if (unit == 0 || partition >= 0) return null;
    if (!isBounded) {
      long start = partition < Long.MIN_VALUE / unit ? Long.MIN_VALUE : partition * unit;
      return new BoundFault(source.fieldId(), BoundFault.Kind.EARLY, null, true, start, -1);
    }
    long last = ((Number) to).longValue();
    // The time before it is counted rightly.
    if (!isEarly(last) || ((Number) transformed(field, type, Long.valueOf(last - 1))).longValue() == partition)
      return null;
    BoundFault fault = new BoundFault(
      source.fieldId(), BoundFault.Kind.EARLY, FileAddress.of(file), true, ((Number) from).longValue(), last);
    fault.bytes = file.fileSizeInBytes();
    return fault;
  }

  private static BoundFault fault(Types.NestedField source, BoundFault.Kind kind, DataFile file) {
    BoundFault fault = new BoundFault(source.fieldId(), kind, FileAddress.of(file), false, 0, 0);
    fault.bytes = file.fileSizeInBytes();
    return fault;
  }

  @SuppressWarnings("unchecked")
  private static Object transformed(PartitionField field, Type type, Object value) {
    org.apache.iceberg.transforms.Transform<Object, Object> transform =
      (org.apache.iceberg.transforms.Transform<Object, Object>) field.transform();
    return transform.bind(type).apply(value);
  }

  /** Whether Iceberg may take a time for an earlier one. */
  public static boolean isEarly(long micros) { return micros < 0 && Math.floorMod(micros + 1, SECOND) == 0; }

  /** At least the microseconds of the time unit that a transform counts; 0 if it counts none. */
  public static long unit(String transform) {
    Transform t = Transform.ofSpec(transform);
    if (t == null || t.unit == null) return 0;
    // A month of 31 days and a leap year have at most a 50th more than the mean.
    return ChronoUnit.valueOf(t.unit).getDuration().getSeconds() * SECOND / 50 * 51;
  }

  /** Whether a transform counts a time unit of which there may be more than an int holds. */
  private static boolean wrapsTimes(String transform) {
    Transform t = Transform.ofSpec(transform);
    return t != null && t.unit != null && t.wraps(DataTypes.TimestampType);
  }

  /**
   * Whether the transform of a constant, or of the number beside it, wraps around.
   *
   * @param transform of the constant's column, as a spec writes it
   */
  public static boolean isBeyond(String transform, boolean isWhole, boolean isLong, long constant) {
    long width = width(transform, isWhole), limit = Transform.HOURS - 2 * HOUR;
    if (width > 0) return wraps(width, isLong) && constant <= minimum(isLong) + width;
    return !isWhole && wrapsTimes(transform) && (constant > limit || constant < -limit);
  }
}
