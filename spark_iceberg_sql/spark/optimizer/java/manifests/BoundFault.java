package sparkicebergsql;

import java.util.List;

/**
 * A column whose bounds, counts or partition values, as a manifest states them for some data files, are wrong.
 *
 * <p>Iceberg skips a file by these figures, and answers min, max and count from them. The kinds are the ways in which
 * imported files and files of other writers are known to have wrong ones.
 */
public final class BoundFault {
  /**
   * fact: what is wrong, after "the bounds of `ts`". issue: where its cause is reported, or nothing. remedy: what to
   * do, where a rewrite of the files does not correct it.
   *
   * <p>NULLS, COUNTED_NULLS, NESTED_NULLS, CONSTANTS and NANS are no faults of bounds: see NullPartitions, OrcConstants and Floats. The three after
   * PARTITION are of partition values, where the bounds are right: see PartitionOverflow. UUID_RANGE is of files in which
   * Iceberg's order of uuids is that of their bytes, so that = and IN are right.
   */
  public enum Kind {
    MILLIS("are a thousand times too small, since the files have TIMESTAMP(MILLIS)", "apache/iceberg#18173", ""),
    NANOS("are a thousand times too large, since the files have TIMESTAMP(NANOS)", "",
      "load the original files with spark.read.parquet(...) and INSERT; a rewrite would keep the wrong times"),
    UNREAD("lie near 1970, which may be due to TIMESTAMP(MILLIS) in the files, whose footers were not read", "", ""),
    INVERTED("are reversed, the lower one above the upper one", "", ""),
    PARTITION("contradict the partition values of the files", "", ""),
    WRAPPED("reach the low end of the type, where the partition values of truncate overflow", "apache/iceberg#9767",
      "replace the partition field by truncate with a power of two, such as 1024, then rewrite all data files"),
    WRAPPED_HOURS("reach years for which the partition values of hours overflow", "apache/iceberg#9713",
      "replace the partition field by days, then rewrite all data files"),
    EARLY("before 1970 end in .999999, where Iceberg's partition values may be too low", "",
      "replace the partition field by one of another column, then rewrite all data files"),
    COUNTS("contradict the counts of nulls", "", ""),
    CALENDAR("reach before 15 October 1582, where the filter of ORC's reader uses another calendar", "",
      "set the table property write.format.default to parquet, then rewrite all data files"),
    LATER("reach the second before 1970, whose times ORC stores a second later than the partition values say", "",
      "set the table property write.format.default to parquet, then delete the rows and insert them again"),
    UUID("are uuids, which Iceberg compares as signed numbers", "apache/iceberg#14216",
      "run DELETE with the condition, then INSERT"),
    UUID_RANGE("are uuids, which Iceberg compares as signed numbers", "apache/iceberg#14216",
      "run DELETE with the condition, then INSERT"),
    CUT("are cut to milliseconds by Delta Lake's UniForm", "delta-io/delta#7444", ""),
    NULLS("are not stated, nor counts, for files whose partition value is null", "", ""),
    COUNTED_NULLS("are not stated, but counts, for files whose partition value is null", "", ""),
    NESTED_NULLS("are right, but a struct that is null itself is not counted, or skipped by ORC's reader", "", ""),
    CONSTANTS("are right, but ORC's reader compares some constants in another order", "", ""),
    NANS("leave out NaN, of which there are some or may be some", "", ""),
    UNWRITTEN("are not stated where files were written before the column, whose default Iceberg takes for null",
      "apache/iceberg#16690", "run DELETE with the condition, then INSERT"),
    UNKNOWN("could not be read", "", "");

    public final String fact, issue, remedy;

    Kind(String fact, String issue, String remedy) {
      this.fact = fact;
      this.issue = issue;
      this.remedy = remedy;
    }
  }

  public final int fieldId;
  public final Kind kind;
  /** The number of data files that have it, their bytes, and one of them; 0 and null if it is about the whole table. */
  public long files, bytes;
  public final String file;
  /** Between them are all bounds that the files state, as the type's number, if isNumber. */
  public long minimum, maximum;
  public final boolean isNumber;

  public BoundFault(int fieldId, Kind kind, String file, boolean isNumber, long minimum, long maximum) {
    this.fieldId = fieldId;
    this.kind = kind;
    this.file = file;
    this.isNumber = isNumber;
    this.minimum = Math.min(minimum, maximum);
    this.maximum = Math.max(minimum, maximum);
    files = file == null ? 0 : 1;
  }

  /** That of every column, where nothing is known of the figures. */
  public static BoundFault unknown() { return new BoundFault(0, Kind.UNKNOWN, null, false, 0, 0); }

  /** Adds a fault to a list; two of one kind and column become one. */
  public static void add(List<BoundFault> faults, BoundFault fault) {
    for (BoundFault existing : faults) {
      if (existing.fieldId != fault.fieldId || existing.kind != fault.kind || existing.isNumber != fault.isNumber)
        continue;
      existing.files += fault.files;
      existing.bytes += fault.bytes;
      existing.minimum = Math.min(existing.minimum, fault.minimum);
      existing.maximum = Math.max(existing.maximum, fault.maximum);
      return;
    }
    faults.add(fault.as(fault.kind));
  }

  /** A copy of another kind. */
  public BoundFault as(Kind other) {
    BoundFault copy = new BoundFault(fieldId, other, file, isNumber, minimum, maximum);
    copy.files = files;
    copy.bytes = bytes;
    return copy;
  }

  /** Whether some file surely has it, so that Iceberg alone may lose rows. */
  public boolean isCertain() { return file != null && kind != Kind.UNREAD && kind != Kind.UNKNOWN; }

  /** Whether the bounds are right, and only a rule of its own asks for it. */
  public boolean isOfOneRule() {
    return kind == Kind.NULLS || kind == Kind.COUNTED_NULLS || kind == Kind.NESTED_NULLS || kind == Kind.CONSTANTS
      || kind == Kind.NANS;
  }

  /** Whether the bounds themselves are right, and no rewrite of the files helps. */
  public boolean isOfUuids() { return kind == Kind.UUID || kind == Kind.UUID_RANGE; }

  /** Whether the bounds are right, and the partition values are those that Iceberg computes. */
  public boolean isOfPartitions() { return kind == Kind.WRAPPED || kind == Kind.WRAPPED_HOURS || kind == Kind.EARLY; }
}
