package sparkicebergsql;

import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * Dates and times of ORC files for which what a manifest states cannot be relied on.
 *
 * <p>Before 15 October 1582, ORC's own filter, within the file, is in another calendar. In the second before 1970, ORC stores
 * the times from .001 on as those a second later, whoever writes the file. Rows and bounds are then of 1970, and the partition
 * value is of 1969, or in another bucket.
 */
public final class OrcTimes {
  private static final long DAY = 86400000000L;
  /** 15 October 1582, and how far the calendars may be apart. */
  private static final long CUTOVER = -141427L, APART = 20L;
  /** The times that may have been a second earlier. */
  private static final long FIRST_LATER = 1000L, LAST_LATER = 999999L;

  private OrcTimes() {}

  /** The fault of a column's bounds that reach before the cutover; null if they do not. */
  public static BoundFault early(DataFile file, Types.NestedField field, long minimum, long maximum) {
    if (file.format() != FileFormat.ORC || !isTime(field)) return null;
    long unit = unit(field);
    if (minimum >= (CUTOVER + APART) * unit) return null;
    long first = Math.max(minimum, Long.MIN_VALUE + APART * unit) - APART * unit;
    long last = Math.min(maximum, Long.MAX_VALUE - APART * unit) + APART * unit;
    return fault(file, field, BoundFault.Kind.CALENDAR, first, last);
  }

  /**
   * The fault of a time of an ORC file without a lower bound, which may reach before the cutover; null if it does not.
   *
   * @param by a partition field of the column, and its value; null if there is none
   */
  public static BoundFault unbounded(Types.NestedField field, PartitionField by, Object value) {
    long unit = unit(field), last = (CUTOVER + APART) * unit;
    if (by != null && value instanceof Number) {
      double start = ((Number) value).doubleValue(); // in microseconds, or earlier
      start *= by.transform().isIdentity() ? DAY / unit : PartitionOverflow.unit(by.transform().toString());
      boolean isOrdered = by.transform().isIdentity() || PartitionOverflow.unit(by.transform().toString()) > 0;
      if (isOrdered && start > (double) (CUTOVER + APART) * DAY) return null;
    }
    return new BoundFault(field.fieldId(), BoundFault.Kind.CALENDAR, null, true, Long.MIN_VALUE, last);
  }

  /**
   * The fault of a partition value that may be of times as they were, where the file has them a second later; null if it is not.
   *
   * @param value not null
   * @param from the lower bound of the source, as Iceberg holds it; null if it is not known, as `to`, the upper one
   */
  public static BoundFault later(
    DataFile file, PartitionField field, Types.NestedField source, Object value, Object from, Object to) {
    if (file.format() != FileFormat.ORC || source.type().typeId() != Type.TypeID.TIMESTAMP) return null;
    // The reader takes the values of identity from the partition.
    if (field.transform().isIdentity() || field.transform().isVoid()) return null;
    boolean isBounded = from instanceof Number && to instanceof Number;
    long first = isBounded ? ((Number) from).longValue() : -1;
    long last = isBounded ? ((Number) to).longValue() : LAST_LATER;
    if (first > LAST_LATER || last < FIRST_LATER) return null;
    boolean isOrdered = field.transform().preservesOrder();
    // Of hours, days, months and years, the last before 1970.
    if (isOrdered && !(value instanceof Number && ((Number) value).longValue() == -1)) return null;
    long minimum = Math.min(first, -1), maximum = Math.max(last, LAST_LATER);
    if (isOrdered && isBounded) return fault(file, source, BoundFault.Kind.LATER, minimum, maximum);
    return new BoundFault(source.fieldId(), BoundFault.Kind.LATER, null, true, minimum, maximum);
  }

  /** Whether a column has days or timestamps. */
  public static boolean isTime(Types.NestedField field) {
    return field.type().typeId() == Type.TypeID.TIMESTAMP || field.type().typeId() == Type.TypeID.DATE;
  }

  /** A day in what Iceberg holds of a column. */
  private static long unit(Types.NestedField field) { return field.type().typeId() == Type.TypeID.TIMESTAMP ? DAY : 1; }

  private static BoundFault fault(
    DataFile file, Types.NestedField field, BoundFault.Kind kind, long minimum, long maximum) {
    BoundFault fault = new BoundFault(field.fieldId(), kind, FileAddress.of(file), true, minimum, maximum);
    fault.bytes = file.fileSizeInBytes();
    return fault;
  }
}
