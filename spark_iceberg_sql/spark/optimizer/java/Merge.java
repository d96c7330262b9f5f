package sparkicebergsql;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.QueryPlanningTracker;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.optimizer.OptimizeIn;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.Option;
import scala.runtime.AbstractFunction0;

/**
 * Adds to the target of a MERGE what the values of the source imply for it, where they are known before the statement
 * runs. Spark gives Iceberg the conditions on the target alone, so that of <code>t.day = s.day</code> it reads all files,
 * and takes every file that another writer adds for a conflict.
 *
 * <p>Rows that the filter leaves out match no row of the source. WHEN NOT MATCHED BY SOURCE needs them, so it has none.
 */
public class Merge extends SwitchedRule {
  private static final TreeNodeTag<Boolean> NARROWED = new TreeNodeTag<>("spark_iceberg_sql.merge");

  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    return (LogicalPlan) plan.transformUp(ScalaTypes.rewrite(new Statements()));
  }

  /** MERGE, and the INSERT into which Spark turns a MERGE that only inserts. */
  static class Statements extends Attempt {
    @Override
    public boolean isFor(Object node) {
      return node instanceof RowLevelWrite || node instanceof AppendData;
    }

    @Override
    protected Object replacement(Object node) {
      LogicalPlan statement = (LogicalPlan) node;
      PartitionLayout target = PartitionLayout.of(target(statement));
      if (target == null || statement.getTagValue(NARROWED).isDefined()) return null;
      // Spark may have made several joins of one: a source of UNION is joined part by part.
      List<Join> joins = new ArrayList<>();
      collect((LogicalPlan) ((V2WriteCommand) node).query(), statement, joins);
      Map<LogicalPlan, LogicalPlan> replacements = new IdentityHashMap<>();
      if (statement instanceof ReplaceData) {
        if (joins.size() != 1) return null;
        Expression filter = filter((Join) joins.get(0), ((ReplaceData) statement).condition(), statement, replacements);
        return filter == null ? null : narrowed(withFilter(replaced(statement, replacements), filter));
      }
      for (Join join : joins) {
        int side = side(join, statement);
        if (join.condition().isEmpty() || !JoinTypes.needsOther(join, side)) continue;
        Expression filter = filter(join, (Expression) join.condition().get(), statement, replacements);
        if (filter == null) continue;
        Map<LogicalPlan, LogicalPlan> relation = new IdentityHashMap<>();
        DataSourceV2Relation read = relation(side == 0 ? join.left() : join.right());
        relation.put(read, OptimizeIn.apply(new Filter(filter, read)));
        LogicalPlan filtered = replaced(side == 0 ? join.left() : join.right(), relation);
        LogicalPlan left = side == 0 ? filtered : join.left(), right = side == 1 ? filtered : join.right();
        replacements.put(join, (LogicalPlan) join.withNewChildren(ScalaTypes.seq(List.of(left, right))));
      }
      return replacements.isEmpty() ? null : narrowed(replaced(statement, replacements));
    }
  }

  /**
   * What the source implies for the target; null if nothing.
   *
   * @param pinned receives the source's relations whose files decided it
   */
  private static Expression filter(
    Join join, Expression condition, LogicalPlan statement, Map<LogicalPlan, LogicalPlan> pinned) {
    PartitionLayout target = PartitionLayout.of(target(statement));
    int side = side(join, statement);
    LogicalPlan relation = relation(side == 0 ? join.left() : join.right());
    if (!condition.deterministic() || MergeSource.mayRead(condition, target.table())) return null;
    MergeSource source = MergeSource.of(side == 0 ? join.right() : join.left(), target);
    if (source == null) return null;
    List<Expression> implied = source.implied(condition, relation.outputSet());
    if (!(statement instanceof ReplaceData)) implied.addAll(ofTarget(condition, relation));
    pinned.putAll(source.pinned);
    return implied.isEmpty() ? null : notNull(Predicates.conjunction(implied));
  }

  private static LogicalPlan narrowed(LogicalPlan statement) {
    statement.setTagValue(NARROWED, Boolean.TRUE);
    return statement;
  }

  /** Conjuncts that a constant of the source has turned into ones on the target: Spark keeps them above its row ids. */
  private static List<Expression> ofTarget(Expression condition, LogicalPlan relation) {
    List<Expression> result = new ArrayList<>();
    for (Expression conjunct : Predicates.conjuncts(condition))
      if (conjunct.references().subsetOf(relation.outputSet()) && Predicates.isEvaluable(conjunct))
        result.add(conjunct);
    return result;
  }

  private static Object target(LogicalPlan statement) {
    return statement instanceof RowLevelWrite ? ((RowLevelWrite) statement).originalTable()
                                              : ((AppendData) statement).table();
  }

  /** Adds the joins of which one side is the statement's target. */
  private static void collect(LogicalPlan plan, LogicalPlan statement, List<Join> joins) {
    if (plan instanceof Join && side((Join) plan, statement) >= 0) joins.add((Join) plan);
    else
      for (LogicalPlan input : ScalaTypes.list(plan.children())) collect(input, statement, joins);
  }

  /** The side of a join, 0 or 1, that is the statement's target; -1 if none is. */
  private static int side(Join join, LogicalPlan statement) {
    if (isTarget(relation(join.left()), statement)) return 0;
    return isTarget(relation(join.right()), statement) ? 1 : -1;
  }

  private static boolean isTarget(DataSourceV2Relation relation, LogicalPlan statement) {
    PartitionLayout layout = PartitionLayout.of(relation), target = PartitionLayout.of(target(statement));
    if (layout == null || !AnsweredTables.areSame(layout.table(), target.table())) return false;
    return relation.table() instanceof RowLevelOperationTable == statement instanceof RowLevelWrite;
  }

  /** The relation below projections and filters; null if there is anything else. */
  private static DataSourceV2Relation relation(LogicalPlan side) {
    LogicalPlan plan = side;
    while (plan instanceof Project || plan instanceof Filter) plan = (LogicalPlan) plan.children().apply(0);
    return plan instanceof DataSourceV2Relation ? (DataSourceV2Relation) plan : null;
  }

  /** With IS NOT NULL: where files lack counts of nulls, Iceberg takes a null partition value for the lowest. */
  private static Expression notNull(Expression filter) {
    Expression all = filter;
    for (Attribute column : ScalaTypes.list(filter.references().toSeq()))
      if (column.nullable()) all = new And(new IsNotNull(column), all);
    return all;
  }

  private static LogicalPlan replaced(LogicalPlan plan, final Map<LogicalPlan, LogicalPlan> replacements) {
    LogicalPlan replacement = (LogicalPlan) replacements.get(plan);
    if (replacement != null && !(plan instanceof Join)) return replacement;
    LogicalPlan current = replacement == null ? plan : replacement;
    List<LogicalPlan> inputs = new ArrayList<>();
    boolean isChanged = false;
    for (LogicalPlan input : ScalaTypes.list(current.children())) {
      inputs.add(replaced(input, replacements));
      isChanged |= inputs.get(inputs.size() - 1) != input;
    }
    return isChanged ? (LogicalPlan) current.withNewChildren(ScalaTypes.seq(inputs)) : current;
  }

  /** By one condition Iceberg lists the files; by the other a query before chooses those with rows that match. */
  private static LogicalPlan withFilter(LogicalPlan statement, final Expression filter) {
    final Expression condition = ((ReplaceData) statement).condition();
    final Option<Expression> ofFiles = ((ReplaceData) statement).groupFilterCondition();
    return (LogicalPlan) statement.mapExpressions(new ScalaTypes.Mapping<Expression, Expression>() {
      @Override
      protected Object of(Object e) {
        boolean isChoice = e == condition || ofFiles.isDefined() && e == ofFiles.get();
        return isChoice ? new And((Expression) e, filter) : e;
      }
    });
  }

  /** Tests a MERGE that can match rows of one of ten files. */
  @Override
  protected String check(final SparkSession session) {
    int[][] bounds = new int[10][];
    for (int i = 0; i < bounds.length; i++) bounds[i] = new int[] {10 * i, 10 * i + 9};
    final Table table = TrialTable.of(bounds);
    final String statement =
      "MERGE INTO t USING (SELECT 33 AS k, 1 AS v) AS s ON x = k WHEN MATCHED THEN UPDATE SET y = v";
    QueryPlanningTracker tracker = new QueryPlanningTracker(Option.empty());
    Object text = QueryPlanningTracker.withTracker(tracker, new AbstractFunction0<Object>() {
      @Override
      public Object apply() {
        try {
          return TrialTable.scan(session, statement, table);
        } catch (ParseException e) {
          return e.toString();
        }
      }
    });
    return ((String) text).contains("x = 33") ? null : "the target's scan has no filter: " + text;
  }
}
