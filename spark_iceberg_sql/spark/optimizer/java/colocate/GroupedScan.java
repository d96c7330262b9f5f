package sparkicebergsql;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.iceberg.BaseScanTaskGroup;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.ScanTask;
import org.apache.iceberg.ScanTaskGroup;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.objenesis.ObjenesisStd;

/**
 * A scan of an Iceberg table that reads each partition in one task, and tells Spark so.
 *
 * <p>Iceberg does that for all scans of a session with spark.sql.iceberg.planning.preserve-data-grouping. This is a copy
 * of one scan with the same files, which are not planned again: only how they are divided among tasks differs.
 */
public final class GroupedScan {
  private static final String GROUPS = "taskGroups", TYPE = "groupingKeyType", IS_GROUPED = "preserveDataGrouping",
                              TRANSFORMS = "groupingKeyTransforms";
  private static final String NOTE = "no shuffle: ", BY = " grouped by ", UNUSED = "any ";

  /** As the optimizer built it. */
  public final Scan original;
  /** The relation with the grouped scan. */
  public final DataSourceV2ScanRelation relation;
  /** The partition fields, as in DDL: bucket(8, id). */
  public final String fields;
  /** By the values of the partition fields, the bytes that are read. */
  public final Map<List<Object>, Long> bytes;
  /** Whether the original has several tasks. */
  public final boolean isDivided;
  /** Whether its buckets are read as if there were fewer: a filter while the query runs would plan them anew. */
  public final boolean isReduced;

  private GroupedScan(Scan original, DataSourceV2ScanRelation relation, String fields, Map<List<Object>, Long> bytes,
    boolean isDivided, boolean isReduced) {
    this.original = original;
    this.relation = relation;
    this.fields = fields;
    this.bytes = bytes;
    this.isDivided = isDivided;
    this.isReduced = isReduced;
  }

  /** Whether a node of a plan may be a scan that can be grouped. */
  public static boolean isCandidate(Object plan) {
    if (!(plan instanceof DataSourceV2ScanRelation)) return false;
    DataSourceV2ScanRelation scanned = (DataSourceV2ScanRelation) plan;
    if (!SparkScans.readsFiles(scanned.scan())) return false;
    if (scanned.keyGroupedPartitioning().isDefined() || scanned.ordering().isDefined()) return false;
    Object relation = scanned.relation();
    if (!(relation instanceof DataSourceV2Relation)) return false;
    Object table = ((DataSourceV2Relation) relation).table();
    if (!(table instanceof SparkTable) && !(table instanceof RowLevelOperationTable)) return false;
    // The snapshot may be one that an option or the session chooses: the files are those that the scan has planned.
    PartitionLayout layout = PartitionLayout.of(relation);
    return layout != null && layout.table().spec().isPartitioned();
  }

  /**
   * The partition fields of a scan by whose values its rows could be grouped; none if those are not sure to be the same
   * for the same values of the keys: in files of several specs, of types that Spark compares in another way than Iceberg,
   * in files with values that are known to be wrong.
   */
  public static List<PartitionKey> fields(DataSourceV2ScanRelation scanned, ClusteringKeys keys)
    throws ReflectiveOperationException {
    List<PartitionKey> fields = new ArrayList<>();
    for (PartitionSpec spec : PartitionLayout.of(scanned.relation()).table().specs().values())
      for (PartitionField field : spec.fields()) fields.addAll(PartitionKey.of(field, scanned, keys));
    if (fields.isEmpty()) return fields;
    Collection<?> specs = (Collection<?>) call(scanned.scan(), "specs");
    List<PartitionKey> result = new ArrayList<>();
    if (specs.size() != 1) return result;
    for (PartitionKey key : fields)
      if (((PartitionSpec) specs.iterator().next()).fields().contains(key.field)) result.add(key);
    return result;
  }

  /** The scan with a grouping. */
  public static GroupedScan of(DataSourceV2ScanRelation scanned, Groupings.Grouping grouping)
    throws ReflectiveOperationException {
    Scan original = scanned.scan(), scan = copy(original);
    Types.StructType partition =
      ((PartitionSpec) ((Collection<?>) call(scan, "specs")).iterator().next()).partitionType();
    Types.NestedField first = null;
    Map<Integer, Types.NestedField> types = new TreeMap<>();
    Set<String> clauses = new LinkedHashSet<>();
    for (PartitionKey key : grouping.fields.values()) {
      Types.NestedField type = partition.field(key.field.fieldId());
      first = first == null ? type : first;
      types.put(key.number, field(type, key.grouping()));
      clauses.add(key.grouping());
    }
    Map<Integer, Expression> expressions = new TreeMap<>();
    for (PartitionKey key : grouping.fields.values())
      expressions.put(key.number, key.expression((Types.NestedField) types.get(key.number)));
    for (Map.Entry<Integer, Expression> other : grouping.others.entrySet()) {
      // Iceberg has no other value for each partition, and none is compared with that of another key.
      types.put((Integer) other.getKey(), field(first, UNUSED + ((Expression) other.getValue()).sql()));
      expressions.put(other.getKey(), PartitionKey.any((Expression) other.getValue(), first));
    }
    int tasks = ((List<?>) call(scan, GROUPS)).size();
    set(scan, IS_GROUPED, Boolean.TRUE);
    set(scan, TRANSFORMS, null);
    set(scan, TYPE, Types.StructType.of(new ArrayList<Types.NestedField>(types.values())));
    set(scan, GROUPS, null);
    boolean isReduced = reduce(scan, grouping, new ArrayList<Integer>(types.keySet()));
    Map<List<Object>, Long> bytes = new LinkedHashMap<>();
    for (Object group : (List<?>) call(scan, GROUPS)) {
      List<Object> key = key(((ScanTaskGroup<?>) group).groupingKey(), types.size());
      Long sum = (Long) bytes.get(key);
      bytes.put(key, Long.valueOf((sum == null ? 0 : sum.longValue()) + ((ScanTaskGroup<?>) group).sizeBytes()));
    }
    DataSourceV2ScanRelation relation =
      SparkScans.grouped(scanned, scan, ScalaTypes.seq(new ArrayList<Expression>(expressions.values())));
    return new GroupedScan(original, relation, String.join(", ", clauses), bytes, tasks > 1, isReduced);
  }

  /** Gives the tasks of buckets the number of one of fewer buckets; whether there are any. */
  @SuppressWarnings("unchecked")
  private static boolean reduce(Scan scan, Groupings.Grouping grouping, List<Integer> numbers)
    throws ReflectiveOperationException {
    boolean isReduced = false;
    for (PartitionKey key : grouping.fields.values()) isReduced |= key.buckets > 0;
    if (!isReduced) return false;
    List<Object> groups = new ArrayList<>();
    for (Object planned : (List<?>) call(scan, GROUPS)) {
      ScanTaskGroup<ScanTask> group = (ScanTaskGroup<ScanTask>) planned;
      PartitionData values = ((PartitionData) group.groupingKey()).copy();
      for (int i = 0; i < numbers.size(); i++) {
        PartitionKey key = (PartitionKey) grouping.fields.get(numbers.get(i));
        // A key on whose value nothing depends has that of the first field.
        if (key == null) key = (PartitionKey) grouping.fields.values().iterator().next();
        values.set(i, key.reduced(values.get(i)));
      }
      groups.add(new BaseScanTaskGroup<ScanTask>(values, group.tasks()));
    }
    set(scan, GROUPS, groups);
    return true;
  }

  /** Whether a leaf of a plan is a scan that this class has grouped. */
  public static boolean isGrouped(LogicalPlan leaf) {
    if (!(leaf instanceof DataSourceV2ScanRelation)) return false;
    String reason = ReadNotes.reason(leaf);
    return ((DataSourceV2ScanRelation) leaf).keyGroupedPartitioning().isDefined() && reason != null
      && reason.contains(NOTE);
  }

  /** A relation as it was before this class has grouped it. */
  public static DataSourceV2ScanRelation ungrouped(DataSourceV2ScanRelation scanned)
    throws ReflectiveOperationException {
    Scan scan = copy(scanned.scan());
    set(scan, IS_GROUPED, Boolean.FALSE);
    set(scan, TYPE, null);
    set(scan, GROUPS, null);
    DataSourceV2Relation relation = ReadNotes.without((DataSourceV2Relation) scanned.relation(), NOTE);
    return SparkScans.replaced(SparkScans.grouped(scanned, scan, null), relation, scan);
  }

  /** Whether the files are those that a statement may replace: which of them it does, a filter tells when it runs. */
  public boolean isOfReplacedFiles() { return original.getClass().getName().equals(SparkScans.OF_REPLACED_FILES); }

  /** The bytes that are read. */
  public long size() {
    long size = 0;
    for (Long group : bytes.values()) size += group.longValue();
    return size;
  }

  /** The relation to run, with the tables for which it is grouped noted for explanations. */
  public DataSourceV2ScanRelation noted(List<GroupedScan> together) throws ReflectiveOperationException {
    Set<String> names = new LinkedHashSet<>();
    for (GroupedScan scan : together) names.add(PartitionLayout.name((DataSourceV2Relation) scan.relation.relation()));
    String verb = names.size() == 1 ? " is" : " are";
    DataSourceV2Relation read = (DataSourceV2Relation) relation.relation();
    String tables = NOTE + Outgoing.visible(String.join(" and ", names) + verb) + BY;
    List<Types.NestedField> types = new ArrayList<>(type(relation.scan()).fields());
    types.set(0, field((Types.NestedField) types.get(0), tables + ((Types.NestedField) types.get(0)).name()));
    set(relation.scan(), TYPE, Types.StructType.of(types)); // the names are what EXPLAIN shows
    Scan scan = relation.scan();
    if (isOfReplacedFiles()) {
      // The write asks this very object for the files that were left of it, and replaces those.
      for (String name : new String[] {IS_GROUPED, TRANSFORMS, TYPE, GROUPS})
        set(original, name, field(scan, name).get(scan));
      scan = original;
    }
    return SparkScans.replaced(relation, ReadNotes.noted(read, tables + Outgoing.visible(fields)), scan);
  }

  /** By what a relation is grouped; null if it is not. */
  public static String fields(DataSourceV2ScanRelation scanned) throws ReflectiveOperationException {
    if (!scanned.keyGroupedPartitioning().isDefined()) return null;
    List<String> names = new ArrayList<>();
    for (Types.NestedField field : type(scanned.scan()).fields()) {
      int by = field.name().indexOf(BY);
      String name = field.name().startsWith(NOTE) && by > 0 ? field.name().substring(by + BY.length()) : field.name();
      if (!name.startsWith(UNUSED)) names.add(name);
    }
    return String.join(", ", names);
  }

  private static Types.StructType type(Scan scan) throws ReflectiveOperationException {
    return (Types.StructType) call(scan, TYPE);
  }

  private static Types.NestedField field(Types.NestedField field, String name) {
    return Types.NestedField.optional(field.fieldId(), name, field.type());
  }

  private static List<Object> key(StructLike values, int size) {
    List<Object> key = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      Object value = values.get(i, Object.class);
      key.add(value instanceof CharSequence ? value.toString() : value);
    }
    return key;
  }

  /** An object with the same fields. Iceberg's scans have no constructor that takes files. */
  private static Scan copy(Scan scan) throws ReflectiveOperationException {
    Object copy = new ObjenesisStd().newInstance(scan.getClass());
    for (Class<?> c = scan.getClass(); c != null; c = c.getSuperclass())
      for (Field field : c.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers())) continue;
        field.setAccessible(true);
        field.set(copy, field.get(scan));
      }
    return (Scan) copy;
  }

  private static void set(Scan scan, String name, Object value) throws ReflectiveOperationException {
    field(scan, name).set(scan, value);
  }

  private static Field field(Scan scan, String name) throws NoSuchFieldException {
    Field field = SparkScans.field(scan, new String[] {name});
    if (field == null) throw new NoSuchFieldException(name + " of " + scan.getClass().getName());
    return field;
  }

  private static Object call(Scan scan, String name) throws ReflectiveOperationException {
    return SparkScans.value(scan, new String[] {name});
  }
}
