package sparkicebergsql;

import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.Analyzer;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.KnownNullable;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OverwriteByExpression;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;

/**
 * Writes comparisons of FLOAT and DOUBLE columns so that Iceberg skips and removes files by them as Spark compares NaN
 * and zeros: <code>v > 2</code> as <code>v > 2 OR v = NaN</code>, and more (see FloatComparisons). Such filters still
 * prune: Iceberg decides <code>v = NaN</code> by the counts of NaN, which its writers state.
 *
 * <p>It concerns the filters of scans, procedures' <code>where</code>, and conditions by which files are removed:
 * DELETE, UPDATE, MERGE, INSERT ... REPLACE WHERE. And <code>max(v)</code>, which Iceberg answers from the bounds, is
 * read from the rows unless the counts exclude NaN.
 */
public class Floats extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    return (LogicalPlan) plan.transform(ScalaTypes.rewrite(new Nodes()));
  }

  /** Filters directly above Iceberg's tables, and writes that replace rows of these. */
  static class Nodes implements ScalaTypes.Replacement {
    @Override
    public boolean isFor(Object node) {
      if (node instanceof Filter)
        return Calls.isTranslated(((Filter) node).child()) || PartitionLayout.of(((Filter) node).child()) != null;
      if (node instanceof Aggregate) return scanned((Aggregate) node) != null;
      if (node instanceof RowLevelWrite) return PartitionLayout.of(((RowLevelWrite) node).originalTable()) != null;
      return node instanceof OverwriteByExpression
        && PartitionLayout.of(((OverwriteByExpression) node).table()) != null;
    }

    @Override
    public Object of(Object node) {
      if (node instanceof Aggregate) return ((LogicalPlan) node).mapExpressions(new Maxima(scanned((Aggregate) node)));
      return ((LogicalPlan) node).mapExpressions(new Conditions(!(node instanceof Filter)));
    }
  }

  /** The relation of an aggregation that Iceberg may answer; null if there is none. */
  private static LogicalPlan scanned(Aggregate aggregate) {
    LogicalPlan plan = aggregate.child();
    while (plan instanceof Project || plan instanceof Filter) plan = (LogicalPlan) plan.children().apply(0);
    return PartitionLayout.of(plan) == null ? null : plan;
  }

  /** Withholds max from the scan where NaN may be the greatest value. */
  static class Maxima extends ScalaTypes.Mapping<Expression, Expression> {
    private final LogicalPlan relation;

    Maxima(LogicalPlan relation) { this.relation = relation; }

    @Override
    protected Object of(Object e) {
      if (!(e instanceof Max)) return ((Expression) e).mapChildren(this);
      Expression column = ((Max) e).child();
      if (!FloatComparisons.isFloating(column)) return e;
      boolean isKnown = column.references().subsetOf(relation.outputSet());
      return isKnown && !PartitionLayout.of(relation).mayHaveNaN(column) ? e : new Max(new KnownNullable(column));
    }
  }

  /** Rewrites conditions. */
  static class Conditions extends ScalaTypes.Mapping<Expression, Expression> {
    private final FloatComparisons comparisons;

    Conditions(boolean isStrict) { comparisons = new FloatComparisons(isStrict); }

    @Override
    protected Object of(Object condition) {
      return comparisons.of((Expression) condition);
    }
  }

  /** Tests on an empty table what the scan receives. */
  @Override
  protected String check(SparkSession session) {
    String[][] predicates = {{"v > 2", "is_nan(v)"}, {"v >= 0 AND v < 9", "4.9E-324"}, {"v IN (0, 7)", "4.9E-324"}};
    Types.NestedField v = Types.NestedField.optional(1, "v", Types.DoubleType.get());
    Table table = empty(session, new Schema(new Types.NestedField[] {v}), PartitionSpec.unpartitioned());
    Analyzer analyzer = session.sessionState().analyzer();
    try {
      for (String[] p : predicates) {
        LogicalPlan plan = new Filter(session.sessionState().sqlParser().parseExpression(p[0]), Relations.of(table));
        plan = (LogicalPlan) session.sessionState().optimizer().execute((LogicalPlan) analyzer.execute(plan));
        DataSourceV2ScanRelation scanned = TrialTable.scanned(plan);
        String pushed = scanned == null ? "no scan" : scanned.scan().description();
        if (!pushed.contains(p[1])) return p[0] + " is not pushed as " + p[1] + ": " + pushed;
      }
    } catch (ParseException e) {
      return e.toString();
    }
    return null;
  }
}
