package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.ManifestEvaluator;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * Of which manifests a query needs to know the faults: not of those that surely have no row for which its condition is
 * true.
 *
 * <p>Invariant: a manifest is left out by partition values only if these are the values of its rows. Of a field of
 * identity, Iceberg's reader takes a column's values from the partition. Others may have been stated wrongly with imported
 * files: those of time units are relied on where Spark has written all files, of times since 1970 whose hours do not wrap
 * around (see PartitionOverflow and OrcTimes); all other transforms never.
 */
public final class ManifestScope {
  private final Table table;
  private final SparkWrites writes;
  /** The conjuncts, each on one column, and the ids of these. */
  private final List<Expression> conjuncts = new ArrayList<>();
  private final List<Integer> columns = new ArrayList<>();
  private final Map<List<Object>, ManifestEvaluator> evaluators = new HashMap<>();
  private final StringBuilder key = new StringBuilder();
  private final boolean isCaseSensitive, isOfTimes;

  /** isOfTimes: whether only the units of times matter, so that files which Spark has written have no fault. */
  public ManifestScope(Table table, boolean isCaseSensitive, boolean isOfTimes) {
    this.table = table;
    this.isCaseSensitive = isCaseSensitive;
    this.isOfTimes = isOfTimes;
    writes = new SparkWrites(table);
    key.append(isOfTimes ? " times" : " ").append(isCaseSensitive);
  }

  /**
   * Adds a conjunct of the condition, of comparisons of one column with constants: those with a time are since 1970.
   *
   * @param text tells it from all others of its column
   */
  public void add(Types.NestedField column, Expression conjunct, String text) {
    columns.add(Integer.valueOf(column.fieldId()));
    conjuncts.add(conjunct);
    key.append(' ').append(column.fieldId()).append(text);
  }

  /** The same condition where only the units of times matter. */
  public ManifestScope ofTimes() {
    ManifestScope result = new ManifestScope(table, isCaseSensitive, true);
    result.columns.addAll(columns);
    result.conjuncts.addAll(conjuncts);
    result.key.append(key);
    return result;
  }

  /** Tells it from other scopes of the same table. */
  public String key() { return key.toString(); }

  /** Those of some manifests that are needed. */
  public List<ManifestFile> of(List<ManifestFile> manifests) {
    List<ManifestFile> needed = new ArrayList<>();
    try {
      for (ManifestFile manifest : manifests)
        if (!isOut(manifest)) needed.add(manifest);
    } catch (RuntimeException e) {
      return manifests; // Iceberg cannot decide it
    }
    return needed;
  }

  /**
   * Whether the faults of the manifests that are needed are enough to know. If one is of a column in the condition, or of
   * bounds, then the condition may not reach Iceberg, which opens the other manifests as well.
   */
  public boolean isEnough(List<BoundFault> faults) {
    if (isOfTimes) return true;
    for (BoundFault fault : faults)
      if (!fault.isOfOneRule() || columns.contains(Integer.valueOf(fault.fieldId))) return false;
    return true;
  }

  private boolean isOut(ManifestFile manifest) {
    if (manifest.content() == ManifestContent.DELETES) return false;
    if (isOfTimes && writes.haveAll(manifest)) return true;
    if (manifest.partitions() == null) return false;
    for (int i = 0; i < conjuncts.size(); i++)
      if (!evaluator(manifest, i).eval(manifest) && areOfRows(manifest, ((Integer) columns.get(i)).intValue()))
        return true;
    return false;
  }

  private ManifestEvaluator evaluator(ManifestFile manifest, int conjunct) {
    Integer id = Integer.valueOf(manifest.partitionSpecId());
    List<Object> of = List.of(id, Integer.valueOf(conjunct));
    if (!evaluators.containsKey(of))
      evaluators.put(of,
        ManifestEvaluator.forRowFilter(
          (Expression) conjuncts.get(conjunct), (PartitionSpec) table.specs().get(id), isCaseSensitive));
    return (ManifestEvaluator) evaluators.get(of);
  }

  /** Whether all partition values of a column are those of the rows. */
  private boolean areOfRows(ManifestFile manifest, int column) {
    PartitionSpec spec = (PartitionSpec) table.specs().get(Integer.valueOf(manifest.partitionSpecId()));
    for (int i = 0; i < spec.fields().size(); i++) {
      PartitionField field = (PartitionField) spec.fields().get(i);
      if (field.sourceId() != column || field.transform().isVoid()) continue;
      Type type = spec.schema().findType(column);
      ManifestFile.PartitionFieldSummary summary = (ManifestFile.PartitionFieldSummary) manifest.partitions().get(i);
      if (field.transform().isIdentity() ? !ManifestCheck.hasOneOrder(type) : !areTimes(field, type, summary))
        return false;
      if (!field.transform().isIdentity() && !writes.haveAll(manifest)) return false;
    }
    return true;
  }

  /** Whether the values of a time unit are of times for which Iceberg computes them rightly. */
  private static boolean areTimes(PartitionField field, Type type, ManifestFile.PartitionFieldSummary summary) {
    boolean isTime = type.typeId() == Type.TypeID.TIMESTAMP || type.typeId() == Type.TypeID.DATE;
    if (!isTime || PartitionOverflow.unit(field.transform().toString()) == 0) return false;
    if (summary.lowerBound() == null || summary.upperBound() == null) return false;
    Object first = Conversions.fromByteBuffer(Types.IntegerType.get(), summary.lowerBound());
    Object last = Conversions.fromByteBuffer(Types.IntegerType.get(), summary.upperBound());
    return ((Integer) first).intValue() >= 0 && ((Integer) last).intValue() < PartitionOverflow.LEAST_WRAPPED;
  }
}
