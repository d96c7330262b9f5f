package sparkicebergsql;

import java.util.Set;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Subquery;

/**
 * Answers count, min, max and DISTINCT from the metadata of the files whose rows are all aggregated, group by group, and
 * leaves a scan of the files of the other groups.
 */
public class Aggregates extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    // Spark still looks for the aggregation in a correlated subquery: a count over no rows is 0 there.
    if (plan instanceof Subquery && ((Subquery) plan).correlated()) return plan;
    // From below, so that a result is not rewritten again.
    return (LogicalPlan) plan.transformUp(ScalaTypes.rewrite(new Nodes()));
  }

  /** The aggregations of relations, and the conditions that compare with an answer. */
  static class Nodes extends Attempt {
    @Override
    public boolean isFor(Object node) {
      return node instanceof Aggregate || node instanceof Filter;
    }

    @Override
    protected Object replacement(Object node) {
      if (node instanceof Filter) return withValues((Filter) node);
      AggregateShape shape = AggregateShape.of((Aggregate) node);
      boolean isCandidate = shape != null && Positions.isFree(shape.relation);
      SnapshotFiles files = isCandidate ? SnapshotFiles.of(shape.relation) : null;
      LogicalPlan answer = files == null ? null : new AggregateAnswer(shape, files).plan();
      if (answer != null) AnsweredTables.add(files.table);
      return answer;
    }
  }

  @Override
  public boolean readsAhead(LogicalPlan node, Table table, Set<Integer> columns) {
    AggregateShape shape = node instanceof Aggregate ? AggregateShape.of((Aggregate) node) : null;
    PartitionLayout layout = shape == null ? null : PartitionLayout.of(shape.relation);
    if (layout == null || !layout.isOf(table)) return false;
    for (Attribute column : AggregateAnswer.columns(shape, layout)) {
      Types.NestedField field = layout.field(column);
      if (field != null) columns.add(Integer.valueOf(field.fieldId()));
    }
    return true;
  }

  /** A filter with the values of subqueries that are literals; Spark 3.5 does not replace them itself. */
  private static Filter withValues(Filter filter) {
    Expression condition = (Expression) filter.condition().transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object e) {
        return e instanceof ScalarSubquery && literal((ScalarSubquery) e) != null;
      }

      @Override
      public Object of(Object e) {
        return literal((ScalarSubquery) e);
      }
    }));
    // The rule `floats` has run before.
    boolean isSame = condition == filter.condition();
    return isSame ? filter : new Filter(new FloatComparisons(false).of(condition), filter.child());
  }

  /** The value of a subquery that reads nothing; null for any other. */
  private static Expression literal(ScalarSubquery subquery) {
    LogicalPlan plan = (LogicalPlan) subquery.plan();
    boolean isRow = plan instanceof Project && ((Project) plan).child() instanceof OneRowRelation;
    if (!isRow || subquery.isCorrelated() || ((Project) plan).projectList().size() != 1) return null;
    Object value = ((Project) plan).projectList().apply(0);
    return value instanceof Alias && ((Alias) value).child() instanceof Literal ? ((Alias) value).child() : null;
  }

  /** Tests it on a table of two files, one for each of two values of a column. */
  @Override
  protected String check(SparkSession session) {
    try {
      Table table = TrialTable.partitioned(new int[][] {{3, 3, 1, 9}, {4, 4, 2, 7}});
      LogicalPlan plan = TrialTable.optimized(session, "SELECT x, max(y) FROM t GROUP BY x", table);
      if (!(plan instanceof LocalRelation)) return "it reads the files of groups that metadata answers: " + plan;
      StringBuilder rows = new StringBuilder();
      for (InternalRow row : ScalaTypes.list(((LocalRelation) plan).data()))
        rows.append(row.getInt(0)).append(':').append(row.getInt(1)).append(' ');
      return rows.toString().equals("3:9 4:7 ") ? null : "its answer is " + rows;
    } catch (ParseException e) {
      return e.toString();
    }
  }
}
