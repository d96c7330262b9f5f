package sparkicebergsql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.ScanTask;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.physical.ClusteredDistribution;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.execution.SortExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.exchange.Exchange;

/** Why a join, a group or a window of partitioned tables shuffles their rows, with the statement that changes it. */
public final class ShuffleReasons {
  /** Bytes of a table that nobody minds to shuffle for a group. */
  private static final long SMALL = 1L << 20;

  private final ClusteringKeys keys;
  private final Map<Object, DataSourceV2ScanRelation> relations;
  private final Map<Object, String> rejected;
  private final String setting, reset;
  private final List<ShuffleRow> rows = new ArrayList<>();

  /** One side of a join, or what is grouped. */
  private static final class Side {
    DataSourceV2ScanRelation scanned;
    String name;
    /** The fields of the table's spec whose values follow from the keys. */
    final List<PartitionKey> fields = new ArrayList<>();
    final List<Expression> columns = new ArrayList<>();
    long bytes;
    int specs;
  }

  private ShuffleReasons(ClusteringKeys keys, Map<Object, DataSourceV2ScanRelation> relations,
    Map<Object, String> rejected, String setting, String reset) {
    this.keys = keys;
    this.relations = relations;
    this.rejected = rejected;
    this.setting = setting;
    this.reset = reset;
  }

  /**
   * Those of a plan that Spark would run.
   *
   * @param relations its scans, by the scan
   * @param rejected by a scan that could be grouped, why it is not
   * @param setting a setting that rules out grouped scans, as the beginning of a sentence; null if there is none
   * @param reset the statement that sets another value
   */
  public static List<ShuffleRow> of(SparkPlan plan, ClusteringKeys keys,
    Map<Object, DataSourceV2ScanRelation> relations, Map<Object, String> rejected, String setting, String reset)
    throws ReflectiveOperationException {
    ShuffleReasons reasons = new ShuffleReasons(keys, relations, rejected, setting, reset);
    reasons.add(plan);
    return reasons.rows;
  }

  private void add(SparkPlan node) throws ReflectiveOperationException {
    List<Side> sides = new ArrayList<>();
    boolean isShuffled = false;
    for (int i = 0; i < node.children().size(); i++) {
      SparkPlan child = (SparkPlan) node.children().apply(i);
      Object required = node.requiredChildDistribution().apply(i);
      if (required instanceof ClusteredDistribution) {
        isShuffled |= isShuffled(child);
        sides.add(side(child, ScalaTypes.list(((ClusteredDistribution) required).clustering())));
      }
      add(child);
    }
    if (isShuffled && !sides.contains(null)) addReason(sides);
  }

  private static boolean isShuffled(SparkPlan child) {
    SparkPlan node = child;
    while (node instanceof SortExec) node = ((SortExec) node).child();
    return node instanceof Exchange;
  }

  /** Null if the keys are not those of one Iceberg table. */
  private Side side(SparkPlan child, List<Expression> clustering) throws ReflectiveOperationException {
    Side side = new Side();
    for (Expression e : clustering) side.columns.add(keys.origin(e));
    Set<Object> scans = new HashSet<>();
    for (Object leaf : ScalaTypes.list(child.collectLeaves())) {
      if (!(leaf instanceof BatchScanExec)) continue;
      DataSourceV2ScanRelation scanned = (DataSourceV2ScanRelation) relations.get(((BatchScanExec) leaf).scan());
      for (Expression column : side.columns)
        if (scanned != null && column.references().subsetOf(scanned.outputSet())) side.scanned = scanned;
    }
    PartitionLayout layout = side.scanned == null ? null : PartitionLayout.of(side.scanned.relation());
    if (layout == null) return null;
    side.name = PartitionLayout.name((DataSourceV2Relation) side.scanned.relation());
    Set<Integer> numbers = new HashSet<>();
    for (Expression column : side.columns) numbers.add(keys.number(column));
    for (PartitionField field : layout.table().spec().fields())
      for (PartitionKey key : PartitionKey.of(field, side.scanned, keys))
        if (numbers.contains(key.number)) side.fields.add(key);
    for (ScanTask task : SparkScans.tasks(side.scanned.scan())) side.bytes += task.sizeBytes();
    side.specs = ((Collection<?>) SparkScans.value(side.scanned.scan(), new String[] {"specs"})).size();
    return side;
  }

  private void addReason(List<Side> sides) {
    boolean isPartitioned = false;
    Set<String> names = new LinkedHashSet<>();
    long bytes = 0;
    for (Side side : sides) {
      isPartitioned |= !side.fields.isEmpty();
      names.add(side.name);
      bytes += side.bytes;
    }
    if (!isPartitioned || sides.size() == 1 && bytes < SMALL) return;
    ShuffleRow row = new ShuffleRow();
    explain(row, sides);
    if (row.reason == null) return;
    row.tables = String.join(" and ", names);
    row.bytes = Long.valueOf(bytes);
    rows.add(row);
  }

  private void explain(ShuffleRow row, List<Side> sides) {
    for (int i = 0; i < sides.size(); i++) {
      Side side = (Side) sides.get(i), other = (Side) sides.get(sides.size() - 1 - i);
      PartitionSpec spec = PartitionLayout.of(side.scanned.relation()).table().spec();
      if (side.fields.isEmpty()) {
        String added = clause((PartitionKey) other.fields.get(0), side);
        row.reason = side.name + " is " + (spec.isPartitioned() ? "partitioned by other columns" : "not partitioned");
        row.statement = added == null ? null : "ALTER TABLE " + side.name + " ADD PARTITION FIELD " + added;
        return;
      }
      if (side.specs > 1) {
        row.reason = "the files of " + side.name + " that are read have " + side.specs + " partition specs";
        row.statement = rewrite(side);
        return;
      }
    }
    Side first = (Side) sides.get(0), last = (Side) sides.get(sides.size() - 1);
    if (!haveCommonField(first, last)) {
      String has = ((PartitionKey) first.fields.get(0)).clause, other = ((PartitionKey) last.fields.get(0)).clause;
      String replaced = clause((PartitionKey) first.fields.get(0), last);
      row.reason = first.name + " is partitioned by " + has + ", " + last.name + " by " + other;
      row.statement = replaced == null
        ? null
        : "ALTER TABLE " + last.name + " REPLACE PARTITION FIELD " + other + " WITH " + replaced;
    } else if (setting != null) {
      row.reason = setting;
      row.statement = reset;
    } else {
      for (Side side : sides)
        if (row.reason == null) row.reason = (String) rejected.get(side.scanned.scan());
      if (row.reason == null && sides.size() > 1) row.reason = "Spark does not match the partitions on these keys";
    }
  }

  private static boolean haveCommonField(Side first, Side last) {
    for (PartitionKey a : first.fields)
      for (PartitionKey b : last.fields)
        if (a.number.equals(b.number) && a.function.equals(b.function)) return true;
    return false;
  }

  /** The partition field by which another table would be partitioned alike; null if it has no such column. */
  private String clause(PartitionKey key, Side other) {
    for (Expression column : other.columns)
      if (key.number.equals(keys.number(column)) && PartitionLayout.isColumn(column)) {
        String name = PartitionLayout.path(column);
        int end = key.clause.length() - key.column.length();
        return end == 0 ? name : key.clause.substring(0, end - 1) + name + ")";
      }
    return null;
  }

  private static String rewrite(Side side) {
    DataSourceV2Relation relation = (DataSourceV2Relation) side.scanned.relation();
    if (!relation.catalog().isDefined() || !relation.identifier().isDefined()) return null;
    String catalog = ((CatalogPlugin) relation.catalog().get()).name();
    return "CALL " + catalog + ".system.rewrite_data_files(table => '" + (Identifier) relation.identifier().get()
      + "', options => map('rewrite-all', 'true'))";
  }
}
