package sparkicebergsql;

import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;

/**
 * Whether a plan asks a table only for what its columns themselves are compared with: the rules then imply nothing for
 * any partition field, and the table's scans have the same filters under every spec.
 */
public final class PlainConditions {
  /** Of an optimized plan; false if the metadata of files may answer its aggregates under some spec. */
  public boolean hold(LogicalPlan plan, Object uuid) {
    if (!holdAt(plan, uuid)) return false;
    scala.collection.Iterator<?> subqueries = plan.subqueriesAll().iterator();
    while (subqueries.hasNext())
      if (!holdAt((LogicalPlan) subqueries.next(), uuid)) return false;
    return true;
  }

  private static boolean holdAt(LogicalPlan plan, Object uuid) {
    boolean mayBeAnswered = plan instanceof Aggregate && ((Aggregate) plan).groupingExpressions().isEmpty();
    boolean isFilter = plan instanceof Filter
      && !(isPlain(((Filter) plan).condition()) && plan.children().head() instanceof DataSourceV2ScanRelation);
    if ((mayBeAnswered || isFilter) && isOf(plan, uuid)) return false;
    for (int i = 0; i < plan.children().size(); i++)
      if (!holdAt((LogicalPlan) plan.children().apply(i), uuid)) return false;
    return true;
  }

  /** True for an operator over nothing but a scan of the table. */
  private static boolean isOf(LogicalPlan plan, Object uuid) {
    if (plan instanceof DataSourceV2ScanRelation) {
      Object relation = ((DataSourceV2ScanRelation) plan).relation();
      if (!(relation instanceof DataSourceV2Relation)) return true;
      Object table = ((DataSourceV2Relation) relation).table();
      return table instanceof SparkTable && ((SparkTable) table).table().uuid().equals(uuid);
    }
    return plan.children().size() == 1 && isOf((LogicalPlan) plan.children().head(), uuid);
  }

  private static boolean isPlain(Expression e) {
    if (e instanceof And || e instanceof Or || e instanceof Not) {
      for (int i = 0; i < e.children().size(); i++)
        if (!isPlain((Expression) e.children().apply(i))) return false;
      return true;
    }
    // What Spark adds for run time is no filter of the scan when it is planned.
    if (e instanceof DynamicPruning || e instanceof BloomFilterMightContain) return true;
    boolean isComparison = e instanceof BinaryComparison || e instanceof In || e instanceof InSet || e instanceof IsNull
      || e instanceof IsNotNull || e instanceof StartsWith;
    if (!isComparison) return false;
    int columns = 0;
    for (int i = 0; i < e.children().size(); i++) {
      if (isColumn((Expression) e.children().apply(i))) columns++;
      else if (!(e.children().apply(i) instanceof Literal)) return false;
    }
    return columns == 1;
  }

  private static boolean isColumn(Expression e) {
    return e instanceof AttributeReference || e instanceof GetStructField && isColumn((Expression) e.children().head());
  }
}
