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
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.ScanTaskGroup;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.datasources.v2.V2ScanPartitioningAndOrdering;
import org.objenesis.ObjenesisStd;

/**
 * A scan of an Iceberg table that reads each partition in one task, and tells Spark so.
 *
 * <p>Iceberg does that for all scans of a session with spark.sql.iceberg.planning.preserve-data-grouping. This is a copy
 * of one scan with the same files, which are not planned again: only how they are divided among tasks differs.
 */
public final class GroupedScan {
  private static final String GROUPS = "taskGroups", KEY_TYPE = "groupingKeyType";

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

  private GroupedScan(
    Scan original, DataSourceV2ScanRelation relation, String fields, Map<List<Object>, Long> bytes, boolean isDivided) {
    this.original = original;
    this.relation = relation;
    this.fields = fields;
    this.bytes = bytes;
    this.isDivided = isDivided;
  }

  /** Whether a node of a plan may be a scan that can be grouped. */
  public static boolean isCandidate(Object plan) {
    if (!(plan instanceof DataSourceV2ScanRelation)) return false;
    DataSourceV2ScanRelation scanned = (DataSourceV2ScanRelation) plan;
    if (!scanned.scan().getClass().getName().equals(SparkScans.OF_QUERY)) return false;
    if (scanned.keyGroupedPartitioning().isDefined() || scanned.ordering().isDefined()) return false;
    Object relation = scanned.relation();
    if (!(relation instanceof DataSourceV2Relation)) return false;
    if (!(((DataSourceV2Relation) relation).table() instanceof SparkTable)) return false;
    PartitionLayout layout = PartitionLayout.of(relation);
    return layout != null && layout.table().spec().isPartitioned() && layout.snapshot() != null;
  }

  /**
   * The scan, grouped by all partition fields whose columns it reads; null if their values are not sure to be the same
   * for the same values of the columns: in files of several specs, of types that Spark compares in another way than
   * Iceberg, in files with values that are known to be wrong; or if a column is no key.
   */
  public static GroupedScan of(DataSourceV2ScanRelation scanned, ClusteringKeys keys)
    throws ReflectiveOperationException {
    Scan original = scanned.scan(), scan = copy(original);
    set(scan, "preserveDataGrouping", Boolean.TRUE);
    set(scan, KEY_TYPE, null);
    set(scan, "groupingKeyTransforms", null);
    Types.StructType keyType = (Types.StructType) call(scan, KEY_TYPE);
    List<PartitionField> fields = fields(scan, keyType);
    if (fields == null) return null;
    StringBuilder text = new StringBuilder();
    for (PartitionField field : fields) {
      String clause = clause(field, scanned, keys);
      if (clause == null) return null;
      text.append(text.length() == 0 ? "" : ", ").append(clause);
    }
    int tasks = ((List<?>) call(scan, GROUPS)).size();
    set(scan, GROUPS, null);
    Map<List<Object>, Long> bytes = new LinkedHashMap<>();
    for (Object group : (List<?>) call(scan, GROUPS)) {
      List<Object> key = key(((ScanTaskGroup<?>) group).groupingKey(), fields.size());
      Long sum = (Long) bytes.get(key);
      bytes.put(key, Long.valueOf((sum == null ? 0 : sum.longValue()) + ((ScanTaskGroup<?>) group).sizeBytes()));
    }
    LogicalPlan grouped = (LogicalPlan) V2ScanPartitioningAndOrdering.apply(
      SparkScans.replaced(scanned, (DataSourceV2Relation) scanned.relation(), scan));
    DataSourceV2ScanRelation relation = (DataSourceV2ScanRelation) grouped;
    if (relation.keyGroupedPartitioning().isEmpty()) return null; // the table's catalog does not know the functions
    return new GroupedScan(original, relation, text.toString(), bytes, tasks > 1);
  }

  /** The relation, with the tables for which it is grouped noted for explanations. */
  public DataSourceV2ScanRelation noted(List<GroupedScan> together) {
    Set<String> names = new LinkedHashSet<>();
    for (GroupedScan scan : together) names.add(PartitionLayout.name((DataSourceV2Relation) scan.relation.relation()));
    String verb = names.size() == 1 ? " is" : " are";
    DataSourceV2Relation read = (DataSourceV2Relation) relation.relation();
    String note = "no shuffle: " + Outgoing.visible(String.join(" and ", names) + verb + " grouped by " + fields);
    return SparkScans.replaced(relation, ReadNotes.noted(read, note), relation.scan());
  }

  /** The fields of a grouping; null if there are none, or files have several specs. */
  private static List<PartitionField> fields(Scan scan, Types.StructType keyType) throws ReflectiveOperationException {
    Collection<?> specs = (Collection<?>) call(scan, "specs");
    if (specs.size() != 1 || keyType.fields().isEmpty()) return null;
    PartitionSpec spec = (PartitionSpec) specs.iterator().next();
    List<PartitionField> fields = new ArrayList<>();
    for (Types.NestedField key : keyType.fields())
      for (PartitionField field : spec.fields())
        if (field.fieldId() == key.fieldId()) fields.add(field);
    return fields.size() == keyType.fields().size() ? fields : null;
  }

  /** A partition field as in DDL; null if rows must not be grouped by it. */
  private static String clause(PartitionField field, DataSourceV2ScanRelation scanned, ClusteringKeys keys) {
    PartitionLayout layout = PartitionLayout.of(scanned.relation());
    Types.NestedField source = layout.table().schema().asStruct().field(field.sourceId()); // null if nested
    if (source == null) return null;
    for (Attribute column : ScalaTypes.list(scanned.output())) {
      Types.NestedField read = layout.field(column);
      if (read == null || read.fieldId() != source.fieldId()) continue;
      if (!keys.contain(column)) return null;
      Transform transform = Transform.ofSpec(field.transform().toString());
      String clause = clause(field, transform, source);
      // Iceberg reads a column that is a field itself from the partition, and a bucket depends on the value alone.
      boolean isSure = field.transform().isIdentity() || transform != null && transform.hashes;
      return clause == null || isSure || layout.faults(column).isEmpty() ? clause : null;
    }
    return null;
  }

  private static String clause(PartitionField field, Transform transform, Types.NestedField source) {
    boolean isTime = false;
    switch (source.type().typeId()) {
      case DATE:
      case TIMESTAMP:
        isTime = true;
        break;
      case INTEGER:
      case LONG:
      case STRING:
      case DECIMAL:
        break;
      default:
        return null; // NaN, -0.0 and binaries compare otherwise; Spark has a uuid as text, with another bucket
    }
    if (field.transform().isIdentity()) return source.name();
    if (transform == null) return null;
    if (transform.hashes) {
      String text = field.transform().toString();
      String count = text.substring(transform.name.length() + 1, text.length() - 1);
      return transform.function + "(" + count + ", " + source.name() + ")";
    }
    // Spark does not know truncate.
    return isTime && transform.unit != null ? transform.function + "(" + source.name() + ")" : null;
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
    Field field = SparkScans.field(scan, new String[] {name});
    if (field == null) throw new NoSuchFieldException(name + " of " + scan.getClass().getName());
    field.set(scan, value);
  }

  private static Object call(Scan scan, String name) throws ReflectiveOperationException {
    return SparkScans.value(scan, new String[] {name});
  }
}
