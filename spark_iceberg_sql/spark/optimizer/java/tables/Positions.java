package sparkicebergsql;

import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InputFileName;
import org.apache.spark.sql.catalyst.expressions.MonotonicallyIncreasingID;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.Uuid;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.plans.logical.AttachDistributedSequence;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationDef;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationRef;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite;
import org.apache.spark.sql.catalyst.plans.logical.Sample;
import org.apache.spark.sql.catalyst.plans.logical.Subquery;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.catalyst.trees.TreePattern;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import scala.Option;

/**
 * Which relations no rule may narrow, because an operator above computes something from the position of its rows: the
 * task that has a row, and its number there, depend on the files that are read.
 *
 * <p>The policy of all rules that read less: a query returns what it returns without them. Positions are
 * <code>rand(7)</code> and its like, <code>TABLESAMPLE</code> and <code>sample()</code>,
 * <code>monotonically_increasing_id()</code>, <code>spark_partition_id()</code>, the block of
 * <code>input_file_block_start()</code>, and whatever else Spark calls non-deterministic, user-defined functions among
 * it. These are not:
 *
 * <ul>
 * <li>what is drawn anew for each run, as by <code>rand()</code> and <code>uuid()</code>: no run repeats another;
 * <li>a choice that SQL leaves open: <code>first</code>, <code>collect_list</code>, ties, LIMIT without ORDER BY;
 * <li><code>input_file_name()</code> where the scan's own tasks evaluate it: a row stays in its file;
 * <li>the row ids by which Spark checks that a MERGE matches a row once.
 * </ul>
 *
 * <p>A filter of the query itself, with <code>iceberg_*</code> or without, is pushed down as always.
 */
public final class Positions {
  private static final TreeNodeTag<Boolean> FREE = new TreeNodeTag<Boolean>("spark_iceberg_sql.free");
  /** Operators that a task evaluates on the rows of its own scan. */
  private static final Set<String> IN_SCAN = Set.of("Project", "Filter", "SubqueryAlias", "View", "Subquery");
  /** Spark's name for the row ids of a MERGE. */
  private static final String ROW_ID = "__row_id";
  /** Spark draws a seed from all longs: one in four billion is as small as those that people write. */
  private static final int SEED_BITS = 32;
  /** The common table expressions that an operator with positions reads. */
  private final Set<Long> numbered = new HashSet<>();
  private final Map<Object, Boolean> fixed = new IdentityHashMap<>();
  /** Whether the plan changes rows of a table; whether it is a subquery of another plan. */
  private boolean isRowLevel, isSubquery;

  private Positions() {}

  /** Marks the relations of a plan; again whenever the plan has changed. */
  public static void mark(LogicalPlan plan) { new Positions().mark(plan, false, false); }

  /** Whether rules may narrow a relation, or the scan of one: not if its plan has not been marked. */
  public static boolean isFree(Object relation) {
    Object leaf =
      relation instanceof DataSourceV2ScanRelation ? ((DataSourceV2ScanRelation) relation).relation() : relation;
    Option<Boolean> free = ((LogicalPlan) leaf).getTagValue(FREE);
    return free.isDefined() && ((Boolean) free.get()).booleanValue();
  }

  /**
   * Marks the relations of a query with subqueries before it is optimized: Spark optimizes a subquery alone, and before
   * the rest. If it is answered, its value prunes the scan of the query; if it is small, another join is planned.
   */
  public static void markSubqueries(LogicalPlan plan) {
    if (plan.containsPattern(TreePattern.PLAN_EXPRESSION())) mark(plan);
  }

  /**
   * Marks what is below a node.
   *
   * @param isAbove whether an operator above has positions
   * @param isNamed whether one has the name of a row's file
   * @return whether a table that the statement changes is read under positions
   */
  private boolean mark(LogicalPlan plan, boolean isAbove, boolean isNamed) {
    if (plan instanceof DataSourceV2ScanRelation) return mark(((DataSourceV2ScanRelation) plan).relation(), isAbove);
    if (plan instanceof DataSourceV2Relation) return mark((DataSourceV2Relation) plan, isAbove);
    if (plan instanceof CTERelationRef && isAbove) numbered.add(Long.valueOf(((CTERelationRef) plan).cteId()));
    isRowLevel |= plan instanceof RowLevelWrite;
    isSubquery |= plan instanceof Subquery;
    boolean hasName = hasName(plan, isNamed), isNumbered = isNumbered(plan, isAbove, hasName);
    boolean isTarget = false;
    List<LogicalPlan> inputs = ScalaTypes.list(plan.children());
    // A WITH has its query last.
    for (int i = inputs.size() - 1; i >= 0; i--) isTarget |= mark((LogicalPlan) inputs.get(i), isNumbered, hasName);
    for (LogicalPlan subquery : ScalaTypes.list(plan.subqueries())) mark(subquery, isNumbered, false);
    if (plan instanceof RowLevelWrite && ((RowLevelWrite) plan).originalTable() instanceof DataSourceV2Relation)
      mark((DataSourceV2Relation) ((RowLevelWrite) plan).originalTable(), isTarget);
    return isTarget;
  }

  private boolean mark(DataSourceV2Relation relation, boolean isAbove) {
    Option<Boolean> present = ((LogicalPlan) relation).getTagValue(FREE);
    // What has been marked with the whole query; and two subqueries may share a relation.
    boolean isFixed = isSubquery && present.isDefined() && !((Boolean) present.get()).booleanValue();
    if (isAbove || isFixed) fixed.put(relation, Boolean.TRUE);
    ((LogicalPlan) relation).setTagValue(FREE, Boolean.valueOf(!fixed.containsKey(relation)));
    return isAbove && relation.table() instanceof RowLevelOperationTable;
  }

  private boolean isNumbered(LogicalPlan plan, boolean isAbove, boolean hasName) {
    if (isAbove || plan instanceof Sample || plan instanceof AttachDistributedSequence) return true;
    if (plan instanceof CTERelationDef && numbered.contains(Long.valueOf(((CTERelationDef) plan).id()))) return true;
    // Elsewhere the name of the file depends on what is shuffled, and thereby on the size of the scan.
    if (hasName && !IN_SCAN.contains(plan.getClass().getSimpleName())) return true;
    if (!plan.deterministic())
      for (Expression e : ScalaTypes.list(plan.expressions()))
        if (isPosition(e)) return true;
    return false;
  }

  private static boolean hasName(LogicalPlan plan, boolean isNamed) {
    if (isNamed || plan.deterministic()) return isNamed;
    for (Expression e : ScalaTypes.list(plan.expressions()))
      if (hasName(e)) return true;
    return false;
  }

  private boolean isPosition(Expression e) {
    boolean isRowId = isRowLevel && e instanceof Alias && ROW_ID.equals(((Alias) e).name())
      && ((Alias) e).child() instanceof MonotonicallyIncreasingID;
    if (e.deterministic() || e instanceof PlanExpression || e instanceof InputFileName || isRowId) return false;
    boolean isItself = true;
    for (Expression child : ScalaTypes.list(e.children())) {
      if (isPosition(child)) return true;
      isItself &= child.deterministic();
    }
    return isItself && !(e instanceof AggregateFunction) && !isDrawn(e);
  }

  private static boolean hasName(Expression e) {
    if (e.deterministic()) return false;
    if (e instanceof InputFileName) return true;
    for (Expression child : ScalaTypes.list(e.children()))
      if (hasName(child)) return true;
    return false;
  }

  /** Whether the query has no seed for a random value. */
  private static boolean isDrawn(Expression e) {
    if (e instanceof Uuid) {
      Option<Object> seed = ((Uuid) e).randomSeed();
      return seed.isEmpty() || Math.abs(((Long) seed.get()).longValue()) >>> SEED_BITS != 0;
    }
    try {
      return Boolean.TRUE.equals(e.getClass().getMethod("hideSeed", new Class<?>[0]).invoke(e, new Object[0]));
    } catch (ReflectiveOperationException none) {
      return false;
    }
  }
}
