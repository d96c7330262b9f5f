package sparkicebergsql;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Comparators;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * Reads one manifest and checks that it is whole, and what it states about each data file: each file's bounds against
 * each other, against its partition values, and against what is known of its format.
 *
 * <p>A bound that is merely wide passes: a file is at fault only if no rows could have the stated figures, or if the
 * format's figures are known to be wrong.
 */
public final class ManifestCheck implements Callable<List<BoundFault>> {
  /** Whether Iceberg compares uuids as pairs of signed numbers, as Java does, and not by their bytes. */
  public static final boolean SIGNED_UUIDS = compare(Types.UUIDType.get(), new UUID(0, 0), new UUID(-1, 0)) > 0;

  private final Table table;
  private final ManifestFile manifest;
  private final Map<Integer, Types.NestedField> fields;
  private final FileUnits units;
  private final List<BoundFault> faults = new ArrayList<>();
  private List<PartitionField> partitioning;
  private final ReadAhead.Ahead ahead;
  private boolean hasOrc;
  private Set<Object> ofStructs;
  private List<Types.NestedField> times;

  /**
   * @param fields the table's columns by id
   * @param footers how many Parquet footers may be read, shared by several checks
   * @param ahead takes the files; null if no rule will ask for them
   */
  public ManifestCheck(Table table, ManifestFile manifest, Map<Integer, Types.NestedField> fields,
    AtomicInteger footers, ReadAhead.Ahead ahead) {
    this.ahead = ahead;
    this.table = table;
    this.manifest = manifest;
    this.fields = fields;
    units = new FileUnits(table, fields, footers);
  }

  @Override
  public List<BoundFault> call() throws IOException {
    if (manifest.content() == ManifestContent.DELETES) {
      addNullPartitions();
      TruncatedFile.check(table, manifest, deleteFiles());
      return faults;
    }
    ManifestReader<DataFile> reader = ManifestFiles.read(manifest, table.io(), table.specs());
    partitioning = reader.spec().fields();
    reader.select(List.of("file_path", "file_format", "record_count", "file_size_in_bytes", "partition", "value_counts",
      "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds"));
    long count = 0;
    List<DataFile> copies = new ArrayList<>();
    FileFigures.Copier copier = ahead == null ? null : ahead.copier();
    LiveFiles files = new LiveFiles(reader);
    try {
      for (DataFile file = files.next(); file != null; file = files.next()) {
        count++;
        units.add(file);
        check(file);
        if (copier != null) copies.add(copier.copy(file));
      }
    } finally {
      files.close();
    }
    ManifestPass.count(1, count);
    TruncatedFile.check(table, manifest, count);
    if (ahead != null) ahead.keep(table, manifest, copies);
    units.resolve(faults);
    return faults;
  }

  /** Whether the result is that of the manifest alone, and no other file was asked. */
  public boolean isOfManifest() { return !units.areAsked(); }

  /** Iceberg evaluates a filter on the partition values of files of deletes, too, even if no data file has them. */
  private void addNullPartitions() {
    List<ManifestFile.PartitionFieldSummary> summaries = manifest.partitions();
    List<PartitionField> fields =
      ((PartitionSpec) table.specs().get(Integer.valueOf(manifest.partitionSpecId()))).fields();
    for (int i = 0; i < fields.size(); i++)
      if (summaries == null || ((ManifestFile.PartitionFieldSummary) summaries.get(i)).containsNull())
        BoundFault.add(faults,
          new BoundFault(
            ((PartitionField) fields.get(i)).sourceId(), BoundFault.Kind.COUNTED_NULLS, null, false, 0, 0));
  }

  private long deleteFiles() throws IOException {
    ManifestReader<DeleteFile> files = ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs());
    long count = 0;
    try {
      files.select(List.of("file_path"));
      for (DeleteFile file : files) count++;
    } finally {
      files.close();
    }
    return count;
  }

  private void check(DataFile file) {
    Map<Integer, ByteBuffer> lower = file.lowerBounds(), upper = file.upperBounds();
    Set<Object> notPlain = new HashSet<>(); // the columns whose partition values must be looked at with the bounds
    for (int i = 0; i < partitioning.size(); i++) {
      PartitionField field = (PartitionField) partitioning.get(i);
      Object value = file.partition().get(i, Object.class);
      if (isPlain(file, field, value, lower, upper)) continue;
      notPlain.add(Integer.valueOf(field.sourceId()));
      boolean isNull = !field.transform().isVoid() && value == null;
      checkPartition(file, field, value);
      if (!isNull) continue;
      boolean isCounted = isAllNull(file, field.sourceId());
      BoundFault.Kind kind = isCounted ? BoundFault.Kind.COUNTED_NULLS : BoundFault.Kind.NULLS;
      add(field.sourceId(), kind, file);
    }
    if (file.format() == FileFormat.ORC) {
      if (!hasOrc) addOrc(file);
      addUnbounded(file);
    }
    addMiscounted(file);
    if (lower == null || upper == null) return;
    for (Map.Entry<Integer, ByteBuffer> entry : lower.entrySet()) {
      Integer id = (Integer) entry.getKey();
      Types.NestedField field = (Types.NestedField) fields.get(id);
      ByteBuffer from = (ByteBuffer) entry.getValue(), to = (ByteBuffer) upper.get(id);
      if (field == null || to == null) continue;
      if (field.type().typeId() == Type.TypeID.UUID && SIGNED_UUIDS) checkUuids(file, id.intValue(), from, to);
      if (!isOrdered(field.type())) continue;
      boolean isFloating = field.type().typeId() == Type.TypeID.FLOAT || field.type().typeId() == Type.TypeID.DOUBLE;
      if (isFloating && !Long.valueOf(0).equals(count(file.nanValueCounts(), id)))
        add(id.intValue(), BoundFault.Kind.NANS, file);
      boolean isPlain = from != null && PlainFigures.areBounds(file, field.type(), from, to);
      if (!isPlain || notPlain.contains(id) || isEmpty(file, id)) check(file, field, from, to);
    }
  }

  private boolean isPlain(
    DataFile file, PartitionField field, Object value, Map<Integer, ByteBuffer> lower, Map<Integer, ByteBuffer> upper) {
    Integer id = Integer.valueOf(field.sourceId());
    Types.NestedField source = (Types.NestedField) fields.get(id);
    if (value == null || source == null || lower == null || upper == null) return false;
    return PlainFigures.isPartition(file, field, source, value, (ByteBuffer) lower.get(id), (ByteBuffer) upper.get(id));
  }

  private void checkPartition(DataFile file, PartitionField field, Object value) {
    Types.NestedField source = (Types.NestedField) fields.get(Integer.valueOf(field.sourceId()));
    if (value == null || source == null || !source.type().isPrimitiveType()) return;
    Object from = bound(file.lowerBounds(), source), to = bound(file.upperBounds(), source);
    BoundFault fault = PartitionOverflow.of(file, field, source, value, from, to);
    if (fault != null) BoundFault.add(faults, fault);
    fault = OrcTimes.later(file, field, source, value, from, to);
    if (fault != null) BoundFault.add(faults, fault);
  }

  /** Null if there is none, or none that can be read. */
  private static Object bound(Map<Integer, ByteBuffer> bounds, Types.NestedField field) {
    ByteBuffer bound = bounds == null ? null : (ByteBuffer) bounds.get(Integer.valueOf(field.fieldId()));
    try {
      return bound == null ? null : Conversions.fromByteBuffer(field.type(), bound);
    } catch (RuntimeException e) {
      return null; // a fault of its own
    }
  }

  /** A time without a bound may be of any year, unless the file's partition tells it. */
  private void addUnbounded(DataFile file) {
    Map<Integer, ByteBuffer> lower = file.lowerBounds();
    for (Types.NestedField field : times()) {
      if (lower != null && lower.get(Integer.valueOf(field.fieldId())) != null) continue;
      if (isAllNull(file, field.fieldId())) continue;
      BoundFault fault = OrcTimes.unbounded(field, null, null);
      for (int i = 0; i < partitioning.size(); i++) {
        PartitionField by = (PartitionField) partitioning.get(i);
        if (by.sourceId() == field.fieldId() && fault != null)
          fault = OrcTimes.unbounded(field, by, file.partition().get(i, Object.class));
      }
      if (fault != null) BoundFault.add(faults, fault);
    }
  }

  /** Adds what ORC's reader may skip, once for all ORC files: nulls of the fields of structs, and by some constants. */
  private void addOrc(DataFile file) {
    hasOrc = true;
    for (Types.NestedField field : fields.values())
      if (field.type().typeId() == Type.TypeID.STRING || field.type().typeId() == Type.TypeID.DATE)
        add(field.fieldId(), BoundFault.Kind.CONSTANTS, file);
    for (Object id : ofStructs()) add(((Integer) id).intValue(), BoundFault.Kind.NESTED_NULLS, file);
  }

  /**
   * Adds the fields of structs whose counts leave out the structs that are null, as Iceberg 1.11 writes them of
   * numbers with NaN; or all, where Iceberg fails to decide whether a field is null in a whole file.
   */
  private void addMiscounted(DataFile file) {
    if (file.valueCounts() == null && !NullResiduals.NESTED_FAILS) return;
    for (Object id : ofStructs()) {
      Object values = file.valueCounts() == null ? null : file.valueCounts().get(id);
      if (NullResiduals.NESTED_FAILS || (values != null && ((Long) values).longValue() < file.recordCount()))
        add(((Integer) id).intValue(), BoundFault.Kind.NESTED_NULLS, file);
    }
  }

  /** The columns that are times for ORC's filter: few of many, asked for with each file. */
  private List<Types.NestedField> times() {
    if (times != null) return times;
    times = new ArrayList<>();
    for (Types.NestedField field : fields.values())
      if (OrcTimes.isTime(field)) times.add(field);
    return times;
  }

  /** The ids of the fields of structs. */
  private Set<Object> ofStructs() {
    if (ofStructs != null) return ofStructs;
    ofStructs = new HashSet<>();
    for (Types.NestedField field : fields.values())
      if (field.type().isStructType())
        for (Types.NestedField child : field.type().asStructType().fields())
          ofStructs.add(Integer.valueOf(child.fieldId()));
    return ofStructs;
  }

  /** Types whose bounds are values of the type, in the order of its comparator. */
  private static boolean isOrdered(Type type) {
    return hasOneOrder(type) || type.typeId() == Type.TypeID.FLOAT || type.typeId() == Type.TypeID.DOUBLE;
  }

  /** Types that Iceberg and Spark compare alike. */
  public static boolean hasOneOrder(Type type) {
    switch (type.typeId()) {
      case INTEGER:
      case LONG:
      case DATE:
      case TIMESTAMP:
      case STRING:
      case DECIMAL:
        return true;
      default:
        return false;
    }
  }

  // Bounds as in the Iceberg spec (appendix D, single-value serialization). A manifest does not say in which unit a
  // file's timestamps were written: bounds that could be milliseconds or nanoseconds are suspects, decided by footers.
  private void check(DataFile file, Types.NestedField field, ByteBuffer lower, ByteBuffer upper) {
    Type type = field.type();
    int id = field.fieldId();
    Object from, to;
    try {
      from = Conversions.fromByteBuffer(type, lower);
      to = Conversions.fromByteBuffer(type, upper);
    } catch (RuntimeException e) {
      add(id, BoundFault.Kind.UNKNOWN, file);
      return;
    }
    boolean isNumber = from instanceof Integer || from instanceof Long;
    long minimum = isNumber ? ((Number) from).longValue() : 0, maximum = isNumber ? ((Number) to).longValue() : 0;
    BoundFault fault = null;
    boolean isTimestamp = type.typeId() == Type.TypeID.TIMESTAMP;
    if (compare(type, from, to) > 0) fault = fault(id, BoundFault.Kind.INVERTED, file, isNumber, minimum, maximum);
    else if (isTimestamp && file.format() == FileFormat.PARQUET && FileUnits.isSuspect(minimum, maximum))
      units.suspect(fault(id, BoundFault.Kind.UNREAD, file, true, minimum, maximum));
    else fault = OrcTimes.early(file, field, minimum, maximum);
    if (fault != null) BoundFault.add(faults, fault);
    if (isEmpty(file, Integer.valueOf(id))) add(id, BoundFault.Kind.COUNTS, file);
    if (fault == null)
      for (int i = 0; i < partitioning.size(); i++)
        if (contradicts(file, i, type, id, from, to)) add(id, BoundFault.Kind.PARTITION, file);
  }

  // Invariant: UUID_RANGE only if any uuid between the bounds by its bytes is between them as signed numbers too. The
  // variant of all generated uuids makes the second number negative; one of another variant, with exactly the first 64
  // bits of a bound, is not expected beside them.
  private void checkUuids(DataFile file, int id, ByteBuffer lower, ByteBuffer upper) {
    BoundFault.Kind kind = BoundFault.Kind.UUID;
    try {
      UUID from = (UUID) Conversions.fromByteBuffer(Types.UUIDType.get(), lower);
      UUID to = (UUID) Conversions.fromByteBuffer(Types.UUIDType.get(), upper);
      boolean isOneSign = from.getMostSignificantBits() < 0 == to.getMostSignificantBits() < 0;
      boolean isInOrder = from.compareTo(to) <= 0 && isOneSign && from.variant() == 2 && to.variant() == 2;
      if (isInOrder || from.equals(to)) kind = BoundFault.Kind.UUID_RANGE;
    } catch (RuntimeException e) {
      kind = BoundFault.Kind.UNKNOWN;
    }
    add(id, kind, file);
  }

  private void add(int id, BoundFault.Kind kind, DataFile file) {
    BoundFault.add(faults, fault(id, kind, file, false, 0, 0));
  }

  private static BoundFault fault(
    int id, BoundFault.Kind kind, DataFile file, boolean isNumber, long minimum, long maximum) {
    BoundFault fault = new BoundFault(id, kind, FileAddress.of(file), isNumber, minimum, maximum);
    fault.bytes = file.fileSizeInBytes();
    return fault;
  }

  /** Whether a column that has bounds has no values, or more nulls than rows, by its counts. */
  private static boolean isEmpty(DataFile file, Integer id) {
    Object values = count(file.valueCounts(), id), nulls = count(file.nullValueCounts(), id);
    if (!(nulls instanceof Long)) return false;
    long n = ((Long) nulls).longValue();
    return values instanceof Long ? n >= ((Long) values).longValue() : n > file.recordCount();
  }

  /** Whether Iceberg knows by a file's counts that a column has nothing but nulls. */
  private static boolean isAllNull(DataFile file, int id) {
    Object values = count(file.valueCounts(), Integer.valueOf(id));
    return values != null && values.equals(count(file.nullValueCounts(), Integer.valueOf(id)));
  }

  private static Object count(Map<Integer, Long> counts, Integer id) { return counts == null ? null : counts.get(id); }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static int compare(Type type, Object a, Object b) {
    if (a instanceof Number && ((Number) a).doubleValue() == 0 && ((Number) b).doubleValue() == 0) return 0;
    return ((Comparator<Object>) (Comparator) Comparators.forType(type.asPrimitiveType())).compare(a, b);
  }

  /**
   * Whether a file's partition value cannot be that of any value within the column's bounds.
   *
   * <p>A transform that keeps the order maps the bounds to bounds of the partition value. Any transform maps two equal
   * bounds to the one partition value, unless the bounds of a text are cut.
   */
  @SuppressWarnings("unchecked")
  private boolean contradicts(DataFile file, int index, Type type, int id, Object from, Object to) {
    PartitionField field = (PartitionField) partitioning.get(index);
    org.apache.iceberg.transforms.Transform<Object, Object> transform =
      (org.apache.iceberg.transforms.Transform<Object, Object>) field.transform();
    if (field.sourceId() != id || transform.isVoid() || !transform.canTransform(type)) return false;
    Types.NestedField source = (Types.NestedField) fields.get(Integer.valueOf(id));
    boolean isExact = !(from instanceof CharSequence) && from.equals(to);
    if (!transform.preservesOrder() && !isExact) return false;
    Type result = transform.getResultType(type);
    Object value = file.partition().get(index, Object.class);
    Object first = transform.bind(type).apply(from), last = transform.bind(type).apply(to);
    if (value == null || first == null || last == null) return value == null && first != null;
    if (OrcTimes.later(file, field, source, value, from, to) != null) return false; // added by checkPartition
    // A transform that is not in order has one value for a file, too; one of its bounds then has another: see
    // PartitionOverflow. Times before 1970 are in order but for the last one.
    if (transform.preservesOrder() && compare(result, first, last) > 0)
      return type.typeId() != Type.TypeID.TIMESTAMP || !PartitionOverflow.isEarly(((Long) to).longValue());
    return compare(result, first, value) > 0 || compare(result, last, value) < 0;
  }
}
