package sparkicebergsql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReplaceData;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;

/**
 * Has the two reads of an UPDATE with copy-on-write and a subquery in its condition choose files one after the other.
 *
 * <p>Spark reads the rows to change and those to keep by the same scan, and tells it twice, while the statement runs, in
 * which files the former are. Iceberg notes the files before it leaves out the others: a second call in between takes it
 * that this is done, and keeps the rows of all files, while only those with rows to change are replaced.
 */
public class Updates extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    if (!(plan instanceof ReplaceData)) return plan;
    final Map<Object, Boolean> areShared = new HashMap<>();
    final Object lock = new Object();
    for (LogicalPlan leaf : ScalaTypes.list(plan.collectLeaves())) {
      Scan scan = filtered(leaf);
      if (scan != null) areShared.put(scan, Boolean.valueOf(areShared.containsKey(scan)));
    }
    if (!areShared.containsValue(Boolean.TRUE)) return plan;
    return (LogicalPlan) plan.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object node) {
        Scan scan = filtered(node);
        return scan != null && Boolean.TRUE.equals(areShared.get(scan));
      }

      @Override
      public Object of(Object node) {
        DataSourceV2ScanRelation scanned = (DataSourceV2ScanRelation) node;
        Scan scan = (Scan) Delegation.of(scanned.scan(), new SerialScan(scanned.scan(), lock));
        return SparkScans.replaced(scanned, (DataSourceV2Relation) scanned.relation(), scan);
      }
    }));
  }

  /** The scan of a leaf that leaves out files by their names while the statement runs; null if it is another, or serial. */
  private static Scan filtered(Object node) {
    if (!(node instanceof DataSourceV2ScanRelation)) return null;
    Scan scan = ((DataSourceV2ScanRelation) node).scan();
    if (!(scan instanceof SupportsRuntimeV2Filtering) || isSerial(scan)) return null;
    for (NamedReference by : ((SupportsRuntimeV2Filtering) scan).filterAttributes())
      if (by.fieldNames()[0].equals(MetadataColumns.FILE_PATH.name())) return scan;
    return null;
  }

  private static boolean isSerial(Scan scan) { return Delegation.handler(scan) instanceof SerialScan; }

  /** A scan that leaves out files for one caller at a time. */
  private static final class SerialScan implements InvocationHandler {
    private final Scan scan;
    private final Object lock;

    SerialScan(Scan scan, Object lock) {
      this.scan = scan;
      this.lock = lock;
    }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
      if (method.getName().equals("equals")) return Boolean.valueOf(self == arguments[0]);
      if (!method.getName().equals("filter")) return Delegation.pass(scan, method, arguments);
      synchronized (lock) { return Delegation.pass(scan, method, arguments); }
    }
  }

  /** Counts the reads of an UPDATE and of a DELETE that choose files serially. */
  @Override
  protected String check(SparkSession session) {
    try {
      Table table = TrialTable.of(new int[][] {{1, 9}, {2, 7}});
      String where = " WHERE x IN (SELECT id FROM range(9))";
      int reads = serialReads(TrialTable.optimized(session, "UPDATE t SET y = 1" + where, table));
      if (reads != 2) return reads + " of 2 reads of an UPDATE choose files one after the other";
      reads = serialReads(TrialTable.optimized(session, "DELETE FROM t" + where, table));
      return reads == 0 ? null : "it changes a DELETE";
    } catch (ParseException e) {
      return e.toString();
    }
  }

  private static int serialReads(LogicalPlan plan) {
    int count = 0;
    for (LogicalPlan leaf : ScalaTypes.list(plan.collectLeaves()))
      if (leaf instanceof DataSourceV2ScanRelation && isSerial(((DataSourceV2ScanRelation) leaf).scan())) count++;
    return count;
  }
}
