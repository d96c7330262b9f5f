package sparkicebergsql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.ScanTask;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.SortExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.exchange.Exchange;

/** One side of a join, or the rows of a group or a window: its keys, and the Iceberg table whose columns they are. */
public final class ShuffleSide {
  /** In terms of the columns of scans. */
  public final List<Expression> keys = new ArrayList<>();
  /** The scan that has the columns of the keys; null if there is none, or if it is of no Iceberg table. */
  public DataSourceV2ScanRelation scanned;
  /** Of the table; of the last scan below if no table has the keys. */
  public String name;
  /** The table's, for a statement: without the branch that is read. */
  public String sqlName;
  /** The statement that rewrites the table's files; null if its catalog is not known. */
  public String rewrite;
  /** The fields of the table's spec whose values follow from the keys. */
  public final List<PartitionKey> fields = new ArrayList<>();
  /** Of the rows that are read. */
  public long bytes;
  /** Those of the files that are read. */
  public int specs;
  /** Whether one of them is not the table's spec now. */
  public boolean isEarlier;
  public boolean isShuffled;
  /** Whether a shuffle by other keys has moved the rows of the scan before. */
  public boolean isMoved;
  /** Whether any scan below is one of an Iceberg table's files. */
  public boolean isOfIceberg;
  /** The scans from which rows come without a shuffle as they are grouped. */
  public final List<DataSourceV2ScanRelation> grouped = new ArrayList<>();

  private ShuffleSide() {}

  /** relations: the scans of the plan, by the scan. */
  public static ShuffleSide of(SparkPlan child, List<Expression> keys, ClusteringKeys all,
    Map<Object, DataSourceV2ScanRelation> relations) throws ReflectiveOperationException {
    ShuffleSide side = new ShuffleSide();
    side.isShuffled = isShuffled(child);
    side.addGrouped(child, relations);
    for (Expression e : keys) side.keys.add(all.origin(e));
    for (Object leaf : ScalaTypes.list(child.collectLeaves())) {
      if (side.scanned == null) side.name = ((SparkPlan) leaf).nodeName();
      if (!(leaf instanceof BatchScanExec)) continue;
      DataSourceV2ScanRelation scanned =
        (DataSourceV2ScanRelation) relations.get(TrialScan.tried((BatchScanExec) leaf));
      side.isOfIceberg |= scanned != null;
      if (scanned != null && side.scanned == null)
        side.name = PartitionLayout.name((DataSourceV2Relation) scanned.relation());
      for (Expression key : side.keys)
        if (scanned != null && key.references().subsetOf(scanned.outputSet())) side.scanned = scanned;
    }
    PartitionLayout layout = side.scanned == null ? null : PartitionLayout.of(side.scanned.relation());
    if (layout == null) {
      side.scanned = null;
      return side;
    }
    DataSourceV2Relation relation = (DataSourceV2Relation) side.scanned.relation();
    side.setNames(relation, layout.table().name());
    Set<Integer> numbers = new HashSet<>();
    for (Expression key : side.keys) numbers.add(all.number(key));
    for (PartitionField field : layout.table().spec().fields())
      for (PartitionKey key : PartitionKey.of(field, side.scanned, all))
        if (numbers.contains(key.number)) side.fields.add(key);
    side.bytes = bytes(side.scanned);
    SparkPlan input = sorted(child);
    side.isMoved = !side.isReached(side.isShuffled ? (SparkPlan) input.children().apply(0) : input, relations);
    for (Object spec : (Collection<?>) SparkScans.value(side.scanned.scan(), new String[] {"specs"})) {
      side.specs++;
      side.isEarlier |= ((PartitionSpec) spec).specId() != layout.table().spec().specId();
    }
    return side;
  }

  private void setNames(DataSourceV2Relation relation, String table) {
    name = sqlName = PartitionLayout.name(relation);
    if (relation.catalog().isDefined() && relation.identifier().isDefined()) {
      String catalog = ((CatalogPlugin) relation.catalog().get()).name();
      Identifier identifier = (Identifier) relation.identifier().get();
      String[] namespace = identifier.namespace();
      if (!table.endsWith(identifier.name()) && namespace.length > 0) { // it is the branch, and the last one the table
        int last = namespace.length - 1;
        identifier = Identifier.of((String[]) Arrays.copyOf(namespace, last), namespace[last]);
        sqlName = catalog + "." + identifier;
      }
      rewrite = "CALL " + catalog + ".system.rewrite_data_files(table => '" + identifier
        + "', options => map('rewrite-all', 'true'))";
    }
    String branch = relation.table() instanceof SparkTable ? ((SparkTable) relation.table()).branch() : null;
    if (branch != null) name = sqlName + " (branch " + branch + ")";
  }

  /** Of the rows that a scan reads, about: of its files, by the share of the columns that are needed. */
  public static long bytes(DataSourceV2ScanRelation scanned) throws ReflectiveOperationException {
    Scan scan = scanned.scan();
    long bytes = 0;
    for (ScanTask task : SparkScans.tasks(scan)) bytes += task.sizeBytes();
    int all = SparkSchemaUtil.convert(PartitionLayout.of(scanned.relation()).table().schema()).defaultSize();
    return all == 0 ? bytes : (long) (bytes * Math.min(1.0, scan.readSchema().defaultSize() / (double) all));
  }

  /** For Python. */
  public ShuffleSideRow row() {
    ShuffleSideRow row = new ShuffleSideRow();
    row.table = name;
    row.columns = new ArrayList<>();
    for (Expression key : keys) {
      boolean isColumn = PartitionLayout.isColumn(key) && key.references().subsetOf(scanned.outputSet());
      row.columns.add(isColumn ? PartitionLayout.path(key) : "");
    }
    row.fields = new ArrayList<>();
    for (PartitionKey field : fields) row.fields.add(field.clause);
    row.bytes = Long.valueOf(bytes);
    return row;
  }

  public boolean isPartitioned() { return PartitionLayout.of(scanned.relation()).table().spec().isPartitioned(); }

  private static boolean isShuffled(SparkPlan child) { return sorted(child) instanceof Exchange; }

  /** What a sort has as its input. */
  private static SparkPlan sorted(SparkPlan child) {
    SparkPlan node = child;
    while (node instanceof SortExec) node = ((SortExec) node).child();
    return node;
  }

  private boolean isReached(SparkPlan node, Map<Object, DataSourceV2ScanRelation> relations) {
    if (node instanceof Exchange) return false;
    if (node instanceof BatchScanExec && relations.get(TrialScan.tried((BatchScanExec) node)) == scanned) return true;
    for (SparkPlan child : ScalaTypes.list(node.children()))
      if (isReached(child, relations)) return true;
    return false;
  }

  private void addGrouped(SparkPlan node, Map<Object, DataSourceV2ScanRelation> relations) {
    if (node instanceof Exchange) return;
    DataSourceV2ScanRelation scanned = node instanceof BatchScanExec
      ? (DataSourceV2ScanRelation) relations.get(TrialScan.tried((BatchScanExec) node))
      : null;
    if (scanned != null && scanned.keyGroupedPartitioning().isDefined()) grouped.add(scanned);
    for (SparkPlan child : ScalaTypes.list(node.children())) addGrouped(child, relations);
  }
}
