package sparkicebergsql;

import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.collection.Iterator;

/** Whether Spark may have to bring rows with the same values together, as joins, groups and windows need it. */
public final class RowGroups {
  private static final Set<Class<?>> WITHOUT = Set.of(Project.class, Filter.class, GlobalLimit.class, LocalLimit.class,
    Sort.class, DataSourceV2ScanRelation.class, LocalRelation.class);

  private RowGroups() {}

  /** False if a plan, without subqueries, surely needs none: how its scans are partitioned does not matter then. */
  public static boolean mayBeNeeded(LogicalPlan plan) {
    boolean isGlobal = plan instanceof Aggregate && ((Aggregate) plan).groupingExpressions().isEmpty();
    if (!isGlobal && !WITHOUT.contains(plan.getClass()) || !plan.subqueries().isEmpty()) return true;
    Iterator<?> children = plan.children().iterator();
    while (children.hasNext())
      if (mayBeNeeded((LogicalPlan) children.next())) return true;
    return false;
  }
}
