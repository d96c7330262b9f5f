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
 * runs. Spark gives Iceberg the conditions on the target alone, so that for <code>t.day = s.day</code> it reads all
 * files, and treats every file that another writer adds as a conflict.
 *
 * <p>Rows that the filter leaves out match no row of the source. WHEN NOT MATCHED BY SOURCE needs them, so it has none.
 */
public class Merge extends SwitchedRule {
  private static final TreeNodeTag<Boolean> CONCLUDED = new TreeNodeTag<>("spark_iceberg_sql.merge");

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
      if (target == null || statement.getTagValue(CONCLUDED).isDefined()) return null;
      // Spark may have made several joins of one: a source of UNION is joined part by part.
      List<TargetJoin> joins = new ArrayList<>();
      collect((LogicalPlan) ((V2WriteCommand) node).query(), statement, target, joins);
      if (!(statement instanceof ReplaceData)) return ofRows(statement, target, joins);
      return joins.size() == 1 ? ofFiles((ReplaceData) statement, target, (TargetJoin) joins.get(0)) : null;
    }
  }

  /** A join of which one side, 0 or 1, is the statement's target. */
  private static final class TargetJoin {
    final Join join;
    final int side;
    final LogicalPlan target, source;
    final DataSourceV2Relation relation;

    TargetJoin(Join join, int side) {
      this.join = join;
      this.side = side;
      target = side == 0 ? join.left() : join.right();
      source = side == 0 ? join.right() : join.left();
      relation = relation(target);
    }
  }

  /** A statement that replaces files: both conditions by which they are chosen receive what the source implies. */
  private static LogicalPlan ofFiles(ReplaceData statement, PartitionLayout target, TargetJoin join) {
    MergeSource source = source(statement.condition(), target, join);
    if (source == null) return null;
    List<Expression> implied = source.implied(statement.condition(), join.relation.outputSet());
    if (source.hasListedFiles) concluded(statement);
    if (implied.isEmpty()) return null;
    return concluded(withFilter(replaced(statement, source.pinned), notNull(implied)));
  }

  /** Any other statement: the target is filtered in each join that leaves out its rows without a match. */
  private static LogicalPlan ofRows(LogicalPlan statement, PartitionLayout target, List<TargetJoin> joins) {
    Map<LogicalPlan, LogicalPlan> replacements = new IdentityHashMap<>();
    for (TargetJoin join : joins) {
      if (join.join.condition().isEmpty() || !JoinTypes.needsOther(join.join, join.side)) continue;
      Expression condition = (Expression) join.join.condition().get();
      MergeSource source = source(condition, target, join);
      if (source == null) continue;
      List<Expression> implied = source.implied(condition, join.relation.outputSet());
      if (source.hasListedFiles) concluded(statement);
      implied.addAll(ofTarget(condition, join.relation));
      if (implied.isEmpty()) continue;
      LogicalPlan filter = OptimizeIn.apply(new Filter(notNull(implied), join.relation));
      LogicalPlan filtered = replaced(join.target, Map.of(join.relation, filter));
      LogicalPlan pinned = replaced(join.source, source.pinned);
      List<LogicalPlan> sides = join.side == 0 ? List.of(filtered, pinned) : List.of(pinned, filtered);
      replacements.put(join.join, (LogicalPlan) join.join.withNewChildren(ScalaTypes.seq(sides)));
    }
    return replacements.isEmpty() ? null : concluded(replaced(statement, replacements));
  }

  /** Null if the statement may depend on rows of the target that a filter would leave out. */
  private static MergeSource source(Expression condition, PartitionLayout target, TargetJoin join) {
    boolean isSafe =
      condition.deterministic() && Positions.isFree(join.relation) && !MergeSource.mayRead(condition, target.table());
    return isSafe ? MergeSource.of(join.source, target) : null;
  }

  private static LogicalPlan concluded(LogicalPlan statement) {
    statement.setTagValue(CONCLUDED, Boolean.TRUE);
    return statement;
  }

  /** Conjuncts that a constant of the source has turned into ones on the target: Spark keeps them above its row ids. */
  private static List<Expression> ofTarget(Expression condition, LogicalPlan relation) {
    List<Expression> result = new ArrayList<>();
    for (Expression conjunct : Predicates.conjuncts(condition))
      if (conjunct.references().subsetOf(relation.outputSet()) && MergeSource.isTotal(conjunct)) result.add(conjunct);
    return result;
  }

  private static Object target(LogicalPlan statement) {
    return statement instanceof RowLevelWrite ? ((RowLevelWrite) statement).originalTable()
                                              : ((AppendData) statement).table();
  }

  private static void collect(LogicalPlan plan, LogicalPlan statement, PartitionLayout target, List<TargetJoin> joins) {
    int side = plan instanceof Join ? side((Join) plan, statement, target) : -1;
    if (side >= 0) joins.add(new TargetJoin((Join) plan, side));
    else
      for (LogicalPlan input : ScalaTypes.list(plan.children())) collect(input, statement, target, joins);
  }

  /** The side of a join, 0 or 1, that is the statement's target; -1 if none is. */
  private static int side(Join join, LogicalPlan statement, PartitionLayout target) {
    if (isTarget(relation(join.left()), statement, target)) return 0;
    return isTarget(relation(join.right()), statement, target) ? 1 : -1;
  }

  private static boolean isTarget(DataSourceV2Relation relation, LogicalPlan statement, PartitionLayout target) {
    PartitionLayout layout = PartitionLayout.of(relation);
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
  private static Expression notNull(List<Expression> implied) {
    Expression all = Predicates.conjunction(implied);
    for (Attribute column : ScalaTypes.list(all.references().toSeq()))
      if (column.nullable()) all = new And(new IsNotNull(column), all);
    return all;
  }

  /** A plan with other nodes in place of some, none of them below another. */
  private static LogicalPlan replaced(LogicalPlan plan, final Map<LogicalPlan, LogicalPlan> replacements) {
    return (LogicalPlan) plan.transformUp(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object node) {
        return of(node) != null;
      }

      @Override
      public Object of(Object node) {
        return replacements.get(node);
      }
    }));
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
